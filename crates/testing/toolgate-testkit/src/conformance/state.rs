//! The state of a conformance server.
#![expect(deprecated, reason = "logging is deprecated but the suite still asks for it")]

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use parking_lot::Mutex;
use rmcp::model::*;
use rmcp::service::{RequestContext, RoleServer};
use rmcp::task_manager::TaskManager;
use tokio_util::task::TaskTracker;

use super::changes::Changes;
use super::reconnect::Returns;
use super::settings::{Settings, is_modern};

/// One handler per session (initialize era), per request (stateless HTTP) or per process (stdio).
pub(super) struct ConformanceServer {
    pub(super) shared: Arc<Shared>,
    /// Set by `logging/setLevel`, so it lives as long as the session does.
    pub(super) log_level_min: Mutex<LoggingLevel>,
    /// Grown and shrunk by `resources/subscribe` and `resources/unsubscribe` of this session.
    pub(super) watched: Arc<Mutex<BTreeSet<String>>>,
}

/// The state beyond a handler: tasks, the seal of request states, the notifications about changed lists.
pub(super) struct Shared {
    pub(super) settings: Settings,
    pub(super) codec: RequestStateCodec,
    pub(super) tasks: TaskManager,
    pub(super) changes: Changes,
    pub(super) returns: Returns,
    /// The number of cancellations of `test_cancellation`.
    pub(super) cancellations: AtomicU64,
    /// The number of its calls.
    pub(super) cancellable: AtomicU64,
    pub(super) spawned: TaskTracker,
}

impl Shared {
    pub(super) fn new(settings: Settings) -> Arc<Self> {
        let mut key = [0_u8; 32];
        getrandom::fill(&mut key).expect("the operating system has randomness");
        Arc::new(Self {
            settings,
            codec: RequestStateCodec::new(key.to_vec()),
            tasks: TaskManager::new(),
            changes: Changes::new(),
            returns: Returns::default(),
            cancellations: AtomicU64::new(0),
            cancellable: AtomicU64::new(0),
            spawned: TaskTracker::new(),
        })
    }
}

impl ConformanceServer {
    pub(super) fn new(shared: Arc<Shared>) -> Self {
        Self { shared, log_level_min: Mutex::new(LoggingLevel::Info), watched: Arc::default() }
    }

    /// Sends a log line if the client asked for lines of this level: per request since 2026-07-28, per session before.
    pub(super) async fn log(&self, ctx: &RequestContext<RoleServer>, level: LoggingLevel, text: &str) {
        let level_min = if is_modern(ctx) { ctx.meta.log_level() } else { Some(*self.log_level_min.lock()) };
        if level_min.is_none_or(|level_min| (level as u8) < (level_min as u8)) {
            return;
        }
        let line = LoggingMessageNotificationParam::new(level, text.into()).with_logger("conformance-server");
        // A client that hung up has no use for the line, and the call itself notices soon enough.
        drop(ctx.peer.notify_logging_message(line).await);
    }

    pub(super) fn capabilities() -> ServerCapabilities {
        ServerCapabilities::builder()
            .enable_logging()
            .enable_completions()
            .enable_prompts()
            .enable_prompts_list_changed()
            .enable_resources()
            .enable_resources_list_changed()
            .enable_resources_subscribe()
            .enable_tools()
            .enable_tool_list_changed()
            .enable_tasks()
            .build()
    }
}
