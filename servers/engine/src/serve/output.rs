//! Answers on stdout: whole lines, in the order in which they come.

use std::io::{self, Write};
use std::thread;

use engine_protocol::EngineLine;
use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

/// Lines that wait to be written.
const WAITING_MAX: usize = 256;

/// Writes lines on a thread. `unread` is cancelled when nobody reads them; the second result is ready when all are written.
pub(super) fn start(
    mut to: impl Write + Send + 'static,
    unread: CancellationToken,
) -> io::Result<(mpsc::Sender<EngineLine>, oneshot::Receiver<()>)> {
    let (sender, mut receiver) = mpsc::channel::<EngineLine>(WAITING_MAX);
    let (done, written) = oneshot::channel();
    let writer = thread::Builder::new().name("output".to_owned());
    writer.spawn(move || {
        while let Some(line) = receiver.blocking_recv() {
            if let Err(error) = write(&mut to, &line) {
                tracing::debug!(%error, "nobody reads the answers");
                unread.cancel();
                break;
            }
        }
        if done.send(()).is_err() {
            tracing::trace!("the program did not wait for the last answers");
        }
    })?;
    Ok((sender, written))
}

fn write(to: &mut impl Write, line: &EngineLine) -> io::Result<()> {
    let mut bytes = serde_json::to_vec(line)?;
    bytes.push(b'\n');
    to.write_all(&bytes)?;
    to.flush()
}
