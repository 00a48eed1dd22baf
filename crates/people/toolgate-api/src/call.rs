//! The way to a tool, as the API sees it. Whoever implements it takes the call through the one pipeline.

use std::sync::Arc;

use toolgate_core::port::BoxFuture;
use toolgate_core::scope::Seat;
use toolgate_core::{RawJson, RpcError};
use toolgate_pipeline::Answer;

/// A call as it was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCallRequest {
    /// Wire name, canonical name or alias.
    pub name: String,
    /// The object of arguments as it came; `None` where there was none.
    pub arguments: Option<RawJson>,
    pub run_id: Option<String>,
    pub task_id: Option<String>,
    /// W3C `traceparent`.
    pub trace: Option<String>,
}

/// How long a call waits for people.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hold {
    /// As long as the operator says (`[approvals] hold_seconds`).
    AsConfigured,
    /// Not at all; the caller comes back.
    NotAtAll,
}

/// Why there is no answer to a call: it never became one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum NotCalled {
    /// Not there, withheld, or no longer called so.
    UnknownTool,
    /// The caller has as many calls under way as it may.
    TooMany {
        limit: usize,
    },
    /// What came with the call makes no sense.
    Refused(RpcError),
    ShuttingDown,
}

pub trait ToolCaller: Send + Sync {
    /// Calls a tool. The call goes on to its end, and is recorded, whether or not somebody waits for this future.
    fn call(
        &self,
        seat: Arc<Seat>,
        request: ToolCallRequest,
        hold: Hold,
    ) -> BoxFuture<'static, Result<Answer, NotCalled>>;
}
