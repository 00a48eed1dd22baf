//! Commands are matched to their answers by number; events come out in order. Reading never waits for a command of ours, so
//! a handler of events must not wait for an answer.

use std::collections::HashMap;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite, BufReader};
use tokio::sync::{mpsc, oneshot};
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::frames::{self, CdpMessage, MESSAGE_BYTES_MAX};

/// Commands that wait to be written.
const COMMANDS_MAX: usize = 1024;
/// Events that wait to be handled. Past that, reading waits.
const EVENTS_MAX: usize = 1024;
const READ_BYTES: usize = 256 << 10;

/// Chromium's name of an attached target. Empty: the browser itself.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default, Deserialize)]
pub(crate) struct Session(pub(crate) Arc<str>);

#[derive(Debug)]
pub(crate) struct CdpEvent {
    pub(crate) session: Session,
    pub(crate) method: String,
    pub(crate) params: Value,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum CdpError {
    /// The browser is no more.
    Gone,
    TimedOut,
    TooLong,
    /// Chromium's own words.
    Refused(String),
}

#[derive(Clone)]
pub(crate) struct Cdp(Arc<CdpState>);

struct CdpState {
    commands: mpsc::Sender<Vec<u8>>,
    waiting: Mutex<HashMap<u64, oneshot::Sender<Result<Value, CdpError>>>>,
    last: AtomicU64,
    gone: CancellationToken,
}

#[derive(Deserialize)]
struct IncomingMessage {
    id: Option<u64>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    #[serde(default)]
    result: Value,
    error: Option<CdpRefusal>,
    #[serde(default, rename = "sessionId")]
    session: Option<Arc<str>>,
}

#[derive(Deserialize)]
struct CdpRefusal {
    message: String,
    #[serde(default)]
    data: Option<String>,
}

impl Cdp {
    /// Speaks over these two ends until one of them ends; then `gone` is cancelled.
    pub(crate) fn start(
        output: impl AsyncRead + Send + Unpin + 'static,
        input: impl AsyncWrite + Send + Unpin + 'static,
        tasks: &TaskTracker,
        gone: CancellationToken,
    ) -> (Self, mpsc::Receiver<CdpEvent>) {
        let (commands, to_write) = mpsc::channel(COMMANDS_MAX);
        let (events, to_handle) = mpsc::channel(EVENTS_MAX);
        let waiting = Mutex::default();
        let cdp = Self(Arc::new(CdpState { commands, waiting, last: AtomicU64::new(0), gone }));
        tasks.spawn(cdp.clone().write(input, to_write));
        tasks.spawn(cdp.clone().read(output, events));
        (cdp, to_handle)
    }

    /// The answer of a command, within a limit.
    pub(crate) async fn call(
        &self,
        session: &Session,
        method: &str,
        params: Value,
        limit: Duration,
    ) -> Result<Value, CdpError> {
        let (answered, answer) = oneshot::channel();
        let id = self.0.last.fetch_add(1, Ordering::Relaxed) + 1;
        self.0.waiting.lock().insert(id, answered);
        let waiter = CdpWaiter { state: &self.0, id };
        let ended = timeout(limit, async {
            self.send(id, session, method, params).await?;
            tokio::select! {
                biased;
                answer = answer => answer.unwrap_or(Err(CdpError::Gone)),
                () = self.0.gone.cancelled() => Err(CdpError::Gone),
            }
        });
        let ended = ended.await.unwrap_or(Err(CdpError::TimedOut));
        drop(waiter);
        ended
    }

    /// Sends a command whose answer nobody needs. If the queue is full it is left out: then the browser hangs.
    pub(crate) fn post(&self, session: &Session, method: &str, params: Value) {
        let id = self.0.last.fetch_add(1, Ordering::Relaxed) + 1;
        if self.0.commands.try_send(command(id, session, method, params)).is_err() {
            tracing::debug!(method, "a command could not be sent to the browser");
        }
    }

    pub(crate) fn is_gone(&self) -> bool {
        self.0.gone.is_cancelled()
    }

    /// Ends when the browser does.
    pub(crate) async fn gone(&self) {
        self.0.gone.cancelled().await;
    }

    async fn send(&self, id: u64, session: &Session, method: &str, params: Value) -> Result<(), CdpError> {
        let sent = self.0.commands.send(command(id, session, method, params)).await;
        sent.map_err(|_| CdpError::Gone)
    }

    async fn write(self, mut input: impl AsyncWrite + Unpin, mut commands: mpsc::Receiver<Vec<u8>>) {
        loop {
            let command = tokio::select! {
                () = self.0.gone.cancelled() => break,
                command = commands.recv() => command,
            };
            let Some(command) = command else { break };
            if let Err(error) = frames::write(&mut input, &command).await {
                tracing::debug!(%error, "the browser does not read any more");
                break;
            }
        }
        self.0.gone.cancel();
    }

    async fn read(self, output: impl AsyncRead + Unpin, events: mpsc::Sender<CdpEvent>) {
        let mut output = BufReader::with_capacity(READ_BYTES, output);
        let reading = async {
            while let Some(message) = frames::read(&mut output, MESSAGE_BYTES_MAX).await? {
                match message {
                    CdpMessage::Whole(bytes) => self.take(&bytes, &events).await?,
                    CdpMessage::TooLong(head) => self.leave_out(&head),
                }
            }
            Ok::<(), io::Error>(())
        };
        let ended = tokio::select! {
            () = self.0.gone.cancelled() => Ok(()),
            ended = reading => ended,
        };
        if let Err(error) = ended {
            tracing::debug!(%error, "the browser's pipe has ended");
        }
        self.0.gone.cancel();
    }

    async fn take(&self, bytes: &[u8], events: &mpsc::Sender<CdpEvent>) -> io::Result<()> {
        let message: IncomingMessage = serde_json::from_slice(bytes)?;
        if let Some(id) = message.id {
            let answer = match message.error {
                None => Ok(message.result),
                Some(CdpRefusal { message, data }) => {
                    Err(CdpError::Refused(data.map_or(message.clone(), |data| format!("{message}: {data}"))))
                }
            };
            self.answer(id, answer);
        } else if let Some(method) = message.method {
            let session = message.session.map(Session).unwrap_or_default();
            events
                .send(CdpEvent { session, method, params: message.params })
                .await
                .map_err(io::Error::other)?;
        }
        Ok(())
    }

    /// The call that it answers must not wait for its time limit.
    fn leave_out(&self, head: &[u8]) {
        tracing::warn!(
            "a message of the browser with more than {} MiB was left out",
            MESSAGE_BYTES_MAX >> 20
        );
        if let Some(id) = id_of(head) {
            self.answer(id, Err(CdpError::TooLong));
        }
    }

    fn answer(&self, id: u64, answer: Result<Value, CdpError>) {
        if let Some(waiting) = self.0.waiting.lock().remove(&id) {
            // A caller that has gone needs no answer.
            drop(waiting.send(answer));
        }
    }
}

/// However a call ends, nothing of it stays.
struct CdpWaiter<'a> {
    state: &'a CdpState,
    id: u64,
}

impl Drop for CdpWaiter<'_> {
    fn drop(&mut self) {
        self.state.waiting.lock().remove(&self.id);
    }
}

fn command(id: u64, session: &Session, method: &str, params: Value) -> Vec<u8> {
    let mut command = json!({ "id": id, "method": method, "params": params });
    if !session.0.is_empty() {
        command["sessionId"] = json!(&*session.0);
    }
    command.to_string().into_bytes()
}

/// Chromium writes the number first.
fn id_of(head: &[u8]) -> Option<u64> {
    let rest = head.strip_prefix(b"{\"id\":")?;
    let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    std::str::from_utf8(&rest[..digits]).ok()?.parse().ok()
}

impl fmt::Display for CdpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CdpError::Gone => f.write_str("the browser has ended"),
            CdpError::TimedOut => f.write_str("the browser did not answer in time"),
            CdpError::TooLong => f.write_str("the browser's answer was too long"),
            CdpError::Refused(words) => f.write_str(words),
        }
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream, duplex};

    use super::*;

    const SOON: Duration = Duration::from_secs(5);

    struct Stage {
        cdp: Cdp,
        events: mpsc::Receiver<CdpEvent>,
        /// The browser's end.
        browser: DuplexStream,
    }

    fn stage() -> Stage {
        let (ours, browser) = duplex(1 << 20);
        let (output, input) = tokio::io::split(ours);
        let (cdp, events) = Cdp::start(output, input, &TaskTracker::new(), CancellationToken::new());
        Stage { cdp, events, browser }
    }

    async fn command_of(browser: &mut DuplexStream) -> Value {
        let mut bytes = Vec::new();
        loop {
            match browser.read_u8().await.unwrap() {
                0 => return serde_json::from_slice(&bytes).unwrap(),
                byte => bytes.push(byte),
            }
        }
    }

    #[tokio::test]
    async fn answers_reach_their_calls_in_any_order_and_events_pass_by() {
        let Stage { cdp, mut events, mut browser } = stage();
        let browser_itself = Session::default();
        let first = cdp.call(&browser_itself, "A.one", json!({}), SOON);
        let session = Session("S".into());
        let second = cdp.call(&session, "A.two", json!({ "x": 1 }), SOON);
        let other_side = async {
            let (one, two) = (command_of(&mut browser).await, command_of(&mut browser).await);
            assert!(one.get("sessionId").is_none() && two["sessionId"] == "S" && two["params"]["x"] == 1);
            let words = format!(
                "{{\"id\":{},\"result\":{{\"n\":2}}}}\0{{\"method\":\"E.e\",\"params\":{{}},\"sessionId\":\"S\"}}\0{{\"id\":{},\"error\":{{\"code\":1,\"message\":\"no\"}}}}\0",
                two["id"], one["id"]
            );
            browser.write_all(words.as_bytes()).await.unwrap();
        };
        let (first, second, ()) = tokio::join!(first, second, other_side);
        assert_eq!(first.unwrap_err(), CdpError::Refused("no".into()));
        assert_eq!(second.unwrap()["n"], 2);
        let event = events.recv().await.unwrap();
        assert_eq!((event.method.as_str(), event.session), ("E.e", session));
    }

    #[tokio::test]
    async fn a_dead_pipe_ends_every_call_and_says_so() {
        let Stage { cdp, events: _events, mut browser } = stage();
        let browser_itself = Session::default();
        let waiting = cdp.call(&browser_itself, "A.one", json!({}), SOON);
        let dying = async {
            command_of(&mut browser).await;
            drop(browser);
        };
        assert_eq!(tokio::join!(waiting, dying).0.unwrap_err(), CdpError::Gone);
        assert!(cdp.is_gone());
        let later = cdp.call(&Session::default(), "A.one", json!({}), SOON).await;
        assert_eq!(later.unwrap_err(), CdpError::Gone);
    }

    #[tokio::test]
    async fn a_call_without_an_answer_ends_by_its_limit_and_leaves_nothing() {
        let Stage { cdp, events: _events, browser: _browser } = stage();
        let ended = cdp.call(&Session::default(), "A.one", json!({}), Duration::from_millis(20)).await;
        assert_eq!(ended.unwrap_err(), CdpError::TimedOut);
        assert!(cdp.0.waiting.lock().is_empty());
    }

    #[test]
    fn the_number_of_a_cut_answer_is_found() {
        assert_eq!(id_of(b"{\"id\":123,\"result\":{\"data\":\"xx"), Some(123));
        assert_eq!(id_of(b"{\"method\":\"A.b\""), None);
    }
}
