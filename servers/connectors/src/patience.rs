//! The limit on a provider's silence.

use std::future::Future;
use std::io;
use std::time::Duration;

/// The answer, unless the provider is silent for longer.
pub(crate) async fn within<T>(
    silence_max: Duration,
    waiting: impl Future<Output = io::Result<T>>,
) -> io::Result<T> {
    match tokio::time::timeout(silence_max, waiting).await {
        Ok(done) => done,
        Err(_) => Err(io::Error::new(
            io::ErrorKind::TimedOut,
            format!("no answer within {} s", silence_max.as_secs()),
        )),
    }
}
