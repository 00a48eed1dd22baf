//! The shared state of one server's machinery: its specification, the way back to the gateway, and the
//! signals to its supervisor. No connection lives here.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use parking_lot::Mutex;
use tokio::sync::{Notify, Semaphore, watch};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_core::governance::Clock;
use toolgate_core::port::{Keyring, ServerError, ServerWatcher, SourceError};
use toolgate_core::server::ServerSpec;
use toolgate_core::{Fault, FaultKind, MessageLimits, ServerName};
use toolgate_sandbox::Confiner;

use crate::ServerFacts;
use crate::cache::ResultCache;
use crate::deadline::Deadline;
use crate::message::MessageInserts;
use crate::reaper::Reaper;

/// The shared state of all servers of one gateway.
pub(crate) struct SharedContext {
    pub(crate) watcher: Arc<dyn ServerWatcher>,
    pub(crate) facts: Arc<dyn ServerFacts>,
    pub(crate) keyring: Arc<dyn Keyring>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) limits: MessageLimits,
    /// The environment that children may inherit, already narrowed to [`crate::INHERITED`].
    pub(crate) base_env: BTreeMap<String, String>,
    pub(crate) reaper: Option<Reaper>,
    pub(crate) confiner: Option<Confiner>,
    /// The level that older-era servers are asked to log at.
    pub(crate) level: watch::Sender<Option<String>>,
    pub(crate) cache: ResultCache,
}

impl SharedContext {
    pub(crate) fn reaper_of(command: Option<(PathBuf, Vec<String>)>) -> Option<Reaper> {
        command.map(|(program, args)| Reaper::new(program, args))
    }
}

/// Answers to a server's own requests that may wait to be sent.
const ANSWERS_WAITING_MAX: usize = 256;

/// The shared state of one server's machinery.
pub(crate) struct ServerContext {
    pub(crate) spec: ServerSpec,
    pub(crate) house: Arc<SharedContext>,
    pub(crate) tasks: TaskTracker,
    /// Cancelled when the server is removed.
    pub(crate) stop: CancellationToken,
    pub(crate) signals: SupervisorSignals,
    /// Places for answers of ours that wait to be sent, so that a server cannot make us pile them up.
    pub(crate) answers: Arc<Semaphore>,
    pub(crate) last_words: LastWords,
}

impl ServerContext {
    pub(crate) fn new(spec: ServerSpec, house: Arc<SharedContext>, stop: CancellationToken) -> Arc<Self> {
        Arc::new(Self {
            spec,
            house,
            tasks: TaskTracker::new(),
            stop,
            signals: SupervisorSignals::default(),
            answers: Arc::new(Semaphore::new(ANSWERS_WAITING_MAX)),
            last_words: LastWords::default(),
        })
    }

    pub(crate) fn name(&self) -> &ServerName {
        &self.spec.name
    }

    pub(crate) fn limits(&self) -> &MessageLimits {
        &self.house.limits
    }

    pub(crate) fn fault(&self, kind: FaultKind) -> ServerError {
        ServerError::Fault(Fault::new(&self.spec.name, kind))
    }

    pub(crate) fn down(&self, reason: impl Into<String>) -> ServerError {
        self.fault(FaultKind::Down { reason: reason.into() })
    }

    pub(crate) fn lost(&self, reason: impl Into<String>) -> ServerError {
        self.fault(FaultKind::Lost { reason: reason.into() })
    }

    pub(crate) fn garbled(&self, what: impl Into<String>) -> ServerError {
        self.fault(FaultKind::Garbled { what: what.into() })
    }

    /// The error of content that could not be read.
    pub(crate) fn unread(&self, error: SourceError) -> ServerError {
        self.fault(FaultKind::Unread { reason: error.0 })
    }

    /// The error of a request whose time is over.
    pub(crate) fn late(&self, deadline: &Deadline, inserts: Option<&Arc<MessageInserts>>) -> ServerError {
        let after = deadline.length();
        if inserts.is_some_and(|inserts| inserts.awaits_source()) {
            let late = format!("the content to send could not be read within {} s", after.as_secs_f32());
            return self.unread(SourceError(late));
        }
        self.fault(FaultKind::TimedOut { after })
    }

    /// Notes that something on a connection was dropped.
    pub(crate) fn discarded(&self, what: &str) {
        tracing::debug!(server = %self.name(), what, "something was ignored");
    }

    pub(crate) fn too_large(&self) -> ServerError {
        self.fault(FaultKind::TooLarge { limit_bytes: self.limits().result_bytes_max })
    }
}

/// Signals to the supervisor. They coalesce, so a server that floods notifications costs a flag and not a queue.
#[derive(Default)]
pub(crate) struct SupervisorSignals {
    bits: AtomicU8,
    wake: Notify,
}

impl SupervisorSignals {
    const LIST_CHANGED: u8 = 1;
    const SUSPECT: u8 = 2;
    const LOOK: u8 = 4;

    /// A list of the server changed.
    pub(crate) fn list_changed(&self) {
        self.raise(Self::LIST_CHANGED);
    }

    /// A list may have changed while nothing was listening.
    pub(crate) fn look(&self) {
        self.raise(Self::LOOK);
    }

    /// A request failed in a way that suggests checking the server.
    pub(crate) fn suspect(&self) {
        self.raise(Self::SUSPECT);
    }

    fn raise(&self, bit: u8) {
        if self.bits.fetch_or(bit, Ordering::AcqRel) & bit == 0 {
            self.wake.notify_one();
        }
    }

    pub(crate) async fn raised(&self) {
        loop {
            if self.bits.load(Ordering::Acquire) != 0 {
                return;
            }
            self.wake.notified().await;
        }
    }

    pub(crate) fn take(&self) -> RaisedSignals {
        let bits = self.bits.swap(0, Ordering::AcqRel);
        RaisedSignals {
            list_changed: bits & Self::LIST_CHANGED != 0,
            suspect: bits & Self::SUSPECT != 0,
            look: bits & Self::LOOK != 0,
        }
    }
}

pub(crate) struct RaisedSignals {
    pub(crate) list_changed: bool,
    pub(crate) suspect: bool,
    pub(crate) look: bool,
}

/// A child's output besides messages, for the reason that people read: the first line that looks like an
/// error, since the lines after it are mostly a location, or else the last one; and output in the place of
/// messages.
#[derive(Default)]
pub(crate) struct LastWords(Mutex<LastMessages>);

#[derive(Default)]
struct LastMessages {
    error: Option<String>,
    last: Option<String>,
    not_json: Option<String>,
}

const WORDS_CHARS_MAX: usize = 300;

impl LastWords {
    pub(crate) fn clear(&self) {
        *self.0.lock() = LastMessages::default();
    }

    /// A line on standard error.
    pub(crate) fn set(&self, line: &str) {
        let Some(line) = shortened(line) else { return };
        let mut words = self.0.lock();
        if words.error.is_none() && tells_an_error(&line) {
            words.error = Some(line.clone());
        }
        words.last = Some(line);
    }

    /// A line on standard output that is not JSON. The first is reported: it shows what prints there.
    pub(crate) fn not_json(&self, line: &[u8]) {
        let line = shortened(&String::from_utf8_lossy(line));
        let mut words = self.0.lock();
        words.not_json = words.not_json.take().or(line);
    }

    /// `what`, and the lines if there were any.
    pub(crate) fn after(&self, what: String) -> String {
        let words = self.0.lock();
        let mut told = what;
        if let Some(line) = &words.not_json {
            told.push_str(&format!("; it printed what is not JSON where messages belong: {line:?}"));
        }
        match (&words.error, &words.last) {
            (Some(line), _) => told.push_str(&format!("; first error on stderr: {line}")),
            (None, Some(line)) => told.push_str(&format!("; last stderr line: {line}")),
            (None, None) => {}
        }
        told
    }
}

fn shortened(line: &str) -> Option<String> {
    let line = line.trim();
    (!line.is_empty()).then(|| line.chars().take(WORDS_CHARS_MAX).collect())
}

fn tells_an_error(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    ["error", "fatal", "panicked", "exception"].iter().any(|word| line.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_error_is_told_and_what_stands_where_messages_belong() {
        let words = LastWords::default();
        let after = |words: &LastWords| words.after("exited".into());
        assert_eq!(after(&words), "exited");
        words.set("starting");
        assert_eq!(after(&words), "exited; last stderr line: starting");
        for line in ["Traceback (most recent call last):", "ImportError: no module x", "", "Error: second"] {
            words.set(line);
        }
        assert_eq!(after(&words), "exited; first error on stderr: ImportError: no module x");
        words.not_json(b"Listening on 8080\n");
        words.not_json(b"more");
        assert_eq!(
            after(&words),
            "exited; it printed what is not JSON where messages belong: \"Listening on 8080\"; first error on stderr: ImportError: no module x"
        );
        words.clear();
        assert_eq!(after(&words), "exited");
    }
}
