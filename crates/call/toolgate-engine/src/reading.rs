//! The output of the engine: answers line by line, and its log.

use std::sync::Arc;

use engine_protocol::EngineLine;
use parking_lot::Mutex;
use tokio::io::{AsyncRead, AsyncReadExt};
use tokio_util::sync::CancellationToken;
use toolgate_wire::line::{Framer, WireLine};

use crate::waiting::{RequestTrouble, WaitingRequests};

/// The longest line of an answer.
pub(crate) const LINE_BYTES_MAX: usize = 64 << 20;
const LOG_LINE_BYTES_MAX: usize = 8 << 10;
const READ_BYTES: usize = 64 << 10;
/// An engine that writes more lines than this which are no answers is ended.
const GARBAGE_LINES_MAX: usize = 100;
const SHOWN_CHARS_MAX: usize = 200;
/// The part of a line in which its number stands.
const HEAD_BYTES: usize = 64;

/// The last line of the engine's log, which often says why it ended.
#[derive(Default)]
pub(crate) struct EngineLog(Mutex<String>);

impl EngineLog {
    fn note(&self, line: &str) {
        if !line.trim().is_empty() {
            *self.0.lock() = line.chars().take(SHOWN_CHARS_MAX).collect();
        }
    }

    /// The text with the last line behind it.
    pub(crate) fn after(&self, text: &str) -> String {
        let last = self.0.lock();
        if last.is_empty() { text.to_owned() } else { format!("{text}; its last words: {last}") }
    }
}

/// The lines of a stream.
struct EngineLines<R> {
    input: R,
    framer: Framer,
}

impl<R: AsyncRead + Unpin> EngineLines<R> {
    fn new(input: R, bytes_max: usize) -> Self {
        Self { input, framer: Framer::new(bytes_max) }
    }

    /// The next line; `None` at the end, or when the stream cannot be read. Half a line at the end is none.
    async fn next(&mut self) -> Option<WireLine> {
        // A process that floods us is always ready: without this, nothing else on the thread would get its turn.
        tokio::task::coop::consume_budget().await;
        loop {
            if let Some(line) = self.framer.next_line() {
                return Some(line);
            }
            if self.input.read_buf(self.framer.room(READ_BYTES)).await.unwrap_or(0) == 0 {
                return None;
            }
        }
    }
}

/// Reads answers until the output ends. An engine that writes nonsense is ended through `kill`.
pub(crate) async fn read_answers<R: AsyncRead + Unpin>(
    output: R,
    waiting: Arc<WaitingRequests>,
    kill: CancellationToken,
) {
    let mut lines = EngineLines::new(output, LINE_BYTES_MAX);
    let mut garbage = 0;
    while let Some(line) = lines.next().await {
        let is_answer = match &line {
            WireLine::Whole(line) => line.trim_ascii().is_empty() || take(line, &waiting),
            WireLine::TooLong { head, .. } => take_overlong(head, &waiting),
        };
        garbage += usize::from(!is_answer);
        if garbage > GARBAGE_LINES_MAX {
            tracing::warn!("the engine writes lines that are no answers, and is ended");
            kill.cancel();
            return;
        }
    }
}

/// Takes a line. False if it is none of the protocol.
fn take(line: &[u8], waiting: &WaitingRequests) -> bool {
    let (id, reply) = match serde_json::from_slice(line) {
        Ok(EngineLine::Result { id, result }) => (id, Ok(result)),
        Ok(EngineLine::Error { id, error }) => (id, Err(RequestTrouble::Fault(error))),
        Ok(EngineLine::Progress { .. }) => return true,
        Err(error) => {
            let shown: String = String::from_utf8_lossy(line).chars().take(SHOWN_CHARS_MAX).collect();
            tracing::warn!(%error, line = %shown, "the engine wrote a line that is no answer");
            // An answer of the wrong form still says whose it is: that request need not wait for its time to pass.
            let garbled = || RequestTrouble::Garbled("a line that is no answer".to_owned());
            return number_in(line).is_some_and(|id| waiting.settle(id, Err(garbled())));
        }
    };
    // Nobody may wait for it any more.
    waiting.settle(id, reply);
    true
}

/// Fails the request that an overlong line answers.
fn take_overlong(head: &[u8], waiting: &WaitingRequests) -> bool {
    let garbled = || RequestTrouble::Garbled(format!("more than {LINE_BYTES_MAX} bytes"));
    let is_answer = number_in(head).is_some_and(|id| waiting.settle(id, Err(garbled())));
    if !is_answer {
        tracing::warn!("the engine wrote an overlong line that answers nothing");
    }
    is_answer
}

/// The number of the request in the beginning of an answer: `{"result":{"id":7,`.
fn number_in(line: &[u8]) -> Option<u64> {
    let head = String::from_utf8_lossy(&line[..line.len().min(HEAD_BYTES)]).into_owned();
    let (_, rest) = head.split_once("\"id\":")?;
    let digits: String = rest.trim_start().chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Reads the log until it ends.
pub(crate) async fn read_log<R: AsyncRead + Unpin>(errors: R, log: Arc<EngineLog>) {
    let mut lines = EngineLines::new(errors, LOG_LINE_BYTES_MAX);
    while let Some(line) = lines.next().await {
        let text = match &line {
            WireLine::Whole(line) => String::from_utf8_lossy(line.trim_ascii_end()).into_owned(),
            WireLine::TooLong { head, .. } => String::from_utf8_lossy(head).into_owned(),
        };
        tracing::debug!(target: "toolgate_engine::log", "{text}");
        log.note(&text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_near_its_beginning_whose_it_is() {
        for (line, id) in [
            (r#"{"result":{"id":7,"result":{}}}"#, Some(7)),
            (r#"{"error":{"id": 12,"error":{}}}"#, Some(12)),
            (r#"{"result":{"id":"x"}}"#, None),
            ("hello", None),
            ("", None),
        ] {
            assert_eq!(number_in(line.as_bytes()), id, "{line}");
        }
    }

    #[tokio::test]
    async fn garbage_between_answers_is_passed_over_and_an_overlong_answer_fails_its_request() {
        let waiting = Arc::<WaitingRequests>::default();
        let (_, first) = waiting.expect().unwrap();
        let (_, second) = waiting.expect().unwrap();
        let mut output =
            b"hello\n\n{\"result\":{\"id\":1,\"result\":5}}\n{\"result\":{\"id\":2,\"result\":\"".to_vec();
        output.resize(LINE_BYTES_MAX + 200, b'x');
        output.extend_from_slice(b"\"}}\n");
        let kill = CancellationToken::new();
        read_answers(&output[..], waiting.clone(), kill.clone()).await;
        assert_eq!(first.await.unwrap(), Ok(5.into()));
        assert!(matches!(second.await.unwrap(), Err(RequestTrouble::Garbled(_))));
        assert!(!kill.is_cancelled());
    }

    #[tokio::test]
    async fn an_engine_that_writes_nothing_but_garbage_is_ended() {
        let kill = CancellationToken::new();
        let garbage = "nonsense\n".repeat(GARBAGE_LINES_MAX + 1);
        read_answers(garbage.as_bytes(), Arc::default(), kill.clone()).await;
        assert!(kill.is_cancelled());
    }
}
