//! The port to tools. Implementations take the call through the one pipeline.

use std::sync::Arc;

use toolgate_core::id::RunId;
use toolgate_core::port::{BoxFuture, CallListener, InputRounds};
use toolgate_core::scope::Seat;
use toolgate_core::{RawJson, RpcError};
use toolgate_pipeline::CallAnswer;

/// A requested call.
#[derive(Clone, Debug)]
pub struct ToolCallRequest {
    /// Wire name, canonical name or alias.
    pub name: String,
    /// The object of arguments as received; `None` if there was none.
    pub arguments: Option<RawJson>,
    pub run_id: Option<String>,
    pub task_id: Option<String>,
    /// W3C `traceparent`.
    pub trace: Option<String>,
    pub rounds: InputRounds,
    /// Set where the server is asked for progress.
    pub listener: Option<Arc<dyn CallListener>>,
}

/// The time that a call waits for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HoldMode {
    /// The operator's setting (`[approvals] hold_seconds`).
    AsConfigured,
    /// No wait; the caller comes back.
    NotAtAll,
}

/// The reason why a request never became a call.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotCalled {
    /// Missing, withheld, or no longer under this name.
    UnknownTool,
    /// The caller has reached its limit of concurrent calls.
    TooMany {
        limit: usize,
    },
    /// The content of the request makes no sense.
    Refused(RpcError),
    ShuttingDown,
}

pub trait ToolCaller: Send + Sync {
    /// Calls a tool. The call runs to its end, and is recorded, even if this future is dropped.
    fn call(
        &self,
        seat: Arc<Seat>,
        request: ToolCallRequest,
        hold: HoldMode,
    ) -> BoxFuture<'static, Result<CallAnswer, NotCalled>>;

    /// Ends the calls of a run that are in progress here, down to the servers.
    fn cancel_run(&self, run: &RunId);

    /// Resolves when every server has been reached or given up once.
    fn settled(&self) -> BoxFuture<'static, ()>;
}
