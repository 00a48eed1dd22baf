//! A session of the older era: what `initialize` said, what is under way, and what waits to be told.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwapOption;
use bytes::Bytes;
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio_util::sync::CancellationToken;
use toolgate_catalog::CatalogEntry;
use toolgate_core::port::AskKind;
use toolgate_core::{CanonicalName, MessageLimits, RawJson, RpcError, ServerName};
use toolgate_discovery::View;
use toolgate_wire::compose;

use crate::clients::client::Client;
use crate::clients::leash::Leash;
use crate::clients::stream::EventLog;
use crate::quotas::SlotQueue;

type AnswerSender = oneshot::Sender<Result<RawJson, RpcError>>;

/// Streams of one session whose events can be fetched again after a broken connection.
const STREAMS_KEPT: usize = 8;
/// The time that a finished stream is kept: what was written need not have arrived.
const STREAM_KEPT: Duration = Duration::from_secs(60);

/// Resources one session may watch.
const WATCHED_MAX: usize = 1_000;

/// Found tools that join the list of one session.
const REVEALED_MAX: usize = 64;

pub(crate) struct ClientSession {
    /// The id that opens it.
    pub(crate) id: String,
    pub(crate) client: Arc<Client>,
    /// The lists as it was last told.
    pub(crate) seen: ArcSwapOption<View>,
    /// The stream for messages outside requests: list changes, resource updates, questions from outside a call.
    pub(crate) push: EventLog,
    pub(crate) closed: CancellationToken,
    state: Mutex<ClientSessionState>,
    next_ask: AtomicU64,
    backlog_max: usize,
    /// Its calls that run, and those that wait until others have ended.
    pub(crate) line: Arc<SlotQueue>,
}

struct ClientSessionState {
    log_level: Option<String>,
    /// Questions put to the client, by our request id.
    asked: HashMap<u64, AnswerSender>,
    /// Requests of the client under way, by the text of their id.
    under_way: HashMap<String, Leash>,
    /// Watched resources: (server, the server's own URI) → the URI as the client wrote it.
    watched: BTreeMap<(ServerName, String), String>,
    /// Tools that it found, which are in its list from then on, by canonical name.
    revealed: BTreeMap<CanonicalName, Arc<CatalogEntry>>,
    streams: BTreeMap<u64, KeptLog>,
    next_stream: u64,
    touched: Instant,
}

struct KeptLog {
    log: Arc<EventLog>,
    /// When its end was last written to a reader.
    written: Option<Instant>,
}

impl ClientSession {
    pub(crate) fn new(id: String, client: Arc<Client>, limits: &MessageLimits) -> Self {
        Self {
            id,
            client,
            seen: ArcSwapOption::empty(),
            push: EventLog::new(limits.backlog_max),
            closed: CancellationToken::new(),
            state: Mutex::new(ClientSessionState {
                log_level: None,
                asked: HashMap::new(),
                under_way: HashMap::new(),
                watched: BTreeMap::new(),
                revealed: BTreeMap::new(),
                streams: BTreeMap::new(),
                next_stream: 1,
                touched: Instant::now(),
            }),
            next_ask: AtomicU64::new(1),
            backlog_max: limits.backlog_max,
            line: SlotQueue::new(limits.calls_per_client_max, limits.requests_per_client_max()),
        }
    }

    pub(crate) fn touch(&self) {
        self.state.lock().touched = Instant::now();
    }

    /// True if nothing has happened for `idle` and no client listens.
    pub(crate) fn is_idle(&self, idle: Duration) -> bool {
        let state = self.state.lock();
        state.under_way.is_empty() && state.touched.elapsed() >= idle && !self.push.is_read()
    }

    /// Takes found tools into the list, as far as there is room; whether it is another list now.
    pub(crate) fn reveal(&self, entries: &[Arc<CatalogEntry>]) -> bool {
        let mut state = self.state.lock();
        let before = state.revealed.len();
        for entry in entries {
            if state.revealed.len() >= REVEALED_MAX {
                break;
            }
            state.revealed.entry(entry.canonical.clone()).or_insert_with(|| entry.clone());
        }
        state.revealed.len() > before
    }

    pub(crate) fn revealed(&self) -> Vec<Arc<CatalogEntry>> {
        self.state.lock().revealed.values().cloned().collect()
    }

    pub(crate) fn log_level(&self) -> Option<String> {
        self.state.lock().log_level.clone()
    }

    pub(crate) fn set_log_level(&self, level: &str) {
        self.state.lock().log_level = Some(level.to_owned());
    }

    /// Remembers a request as under way or waiting; `None` if its id is already in use or too many are.
    pub(crate) fn begin(&self, id: &str, requests_max: usize) -> Result<Leash, RpcError> {
        let mut state = self.state.lock();
        state.touched = Instant::now();
        if state.under_way.len() >= requests_max {
            let message = format!(
                "{requests_max} requests are already under way or waiting in this session; wait for one to finish"
            );
            return Err(RpcError::new(RpcError::INTERNAL, message));
        }
        let leash = Leash::new(self.closed.child_token());
        match state.under_way.insert(id.to_owned(), leash.clone()) {
            None => Ok(leash),
            Some(earlier) => {
                state.under_way.insert(id.to_owned(), earlier);
                Err(RpcError::new(
                    RpcError::INVALID_REQUEST,
                    format!("a request with id {id} is already under way"),
                ))
            }
        }
    }

    pub(crate) fn end(&self, id: &str) {
        self.state.lock().under_way.remove(id);
    }

    /// The client gave up on one of its requests.
    pub(crate) fn cancel(&self, id: &str) {
        if let Some(leash) = self.state.lock().under_way.get(id) {
            leash.give_up();
        }
    }

    /// A request of ours to the client, ready to be sent; the answer goes to `answer`.
    pub(crate) fn ask(&self, kind: AskKind, params: &RawJson, answer: AnswerSender) -> Bytes {
        let id = self.next_ask.fetch_add(1, Ordering::Relaxed);
        let mut state = self.state.lock();
        state.asked.retain(|_, waiting| !waiting.is_closed());
        state.asked.insert(id, answer);
        compose::request(id, kind.method(), params.as_str())
    }

    /// The client answered one of our requests. Answers to no open request are ignored.
    pub(crate) fn answered(&self, id: &str, outcome: Result<RawJson, RpcError>) {
        let waiting = id.parse().ok().and_then(|id: u64| self.state.lock().asked.remove(&id));
        if let Some(waiting) = waiting {
            // The call that asked may have ended meanwhile.
            drop(waiting.send(outcome));
        }
    }

    /// True if the resource was not watched by this session before. A session that has ended, or watches as much as it
    /// may, watches nothing more.
    pub(crate) fn watch(&self, server: &ServerName, own: &str, uri: &str) -> Result<bool, RpcError> {
        let mut state = self.state.lock();
        if self.closed.is_cancelled() {
            return Err(RpcError::new(RpcError::INTERNAL, "the session has ended"));
        }
        if state.watched.len() >= WATCHED_MAX {
            let message = format!("a session watches at most {WATCHED_MAX} resources; unsubscribe from some");
            return Err(RpcError::new(RpcError::INTERNAL, message));
        }
        Ok(state.watched.insert((server.clone(), own.to_owned()), uri.to_owned()).is_none())
    }

    /// Stops watching what the client watched under this URI, wherever the URI leads by now.
    pub(crate) fn unwatch(&self, uri: &str) -> Option<(ServerName, String)> {
        let mut state = self.state.lock();
        let key =
            state.watched.iter().find(|(_, watched_as)| *watched_as == uri).map(|(key, _)| key.clone())?;
        state.watched.remove(&key);
        Some(key)
    }

    /// The URI under which this session watches a server's resource.
    pub(crate) fn watched_as(&self, server: &ServerName, own: &str) -> Option<String> {
        self.state.lock().watched.get(&(server.clone(), own.to_owned())).cloned()
    }

    pub(crate) fn take_watched(&self) -> Vec<(ServerName, String)> {
        std::mem::take(&mut self.state.lock().watched).into_keys().collect()
    }

    /// A new stream for the events of one request, kept a while so that a client can come back for them.
    pub(crate) fn open_stream(&self) -> (u64, Arc<EventLog>) {
        let mut state = self.state.lock();
        let number = state.next_stream;
        state.next_stream += 1;
        let log = Arc::new(EventLog::new(self.backlog_max));
        state.streams.insert(number, KeptLog { log: log.clone(), written: None });
        while state.streams.len() > STREAMS_KEPT {
            state.streams.pop_first();
        }
        (number, log)
    }

    /// A stream was written to its end. Its reader may still come back: the connection can have broken before that.
    pub(crate) fn written(&self, number: u64) {
        if let Some(kept) = self.state.lock().streams.get_mut(&number) {
            kept.written = Some(Instant::now());
        }
    }

    /// Drops streams that no client came back for.
    pub(crate) fn sweep(&self) {
        let old = |kept: &KeptLog| kept.written.is_some_and(|written| written.elapsed() > STREAM_KEPT);
        self.state.lock().streams.retain(|_, kept| !old(kept));
    }

    pub(crate) fn stream(&self, number: u64) -> Option<Arc<EventLog>> {
        self.state.lock().streams.get(&number).map(|kept| kept.log.clone())
    }
}
