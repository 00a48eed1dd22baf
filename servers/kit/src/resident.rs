//! Tools of servers that hold a state, such as a browser or a database: their functions run in the server itself, not in a
//! worker, and know for whom they work. Such a function is trusted code that must not block the thread; what may crash or eat
//! memory belongs in a process of its own, which the function talks to.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::trouble::Trouble;
use crate::work::Work;

/// A future with its type erased.
pub type ResidentFuture<T> = Pin<Box<dyn Future<Output = T> + Send>>;

pub(crate) type ResidentFunction =
    Arc<dyn Fn(Value, ResidentCall) -> ResidentFuture<Result<ResidentAnswer, Trouble>> + Send + Sync>;

/// The session and the run at a gateway that a call belongs to, as the gateway names them. Both are empty for a client that is
/// no gateway.
#[derive(Clone, PartialEq, Eq, Hash, Debug, Default, serde::Deserialize)]
pub struct Caller {
    #[serde(default)]
    pub session: Option<String>,
    #[serde(default)]
    pub run: Option<String>,
}

/// Given to each call of a resident tool.
#[derive(Clone)]
pub struct ResidentCall {
    pub caller: Caller,
    /// The id of the call at the gateway, if it names it: the same for a repetition of the same call.
    pub call_id: Option<String>,
    /// Refs and progress.
    pub work: Work,
    /// Cancelled when the client gives up or the time is over. The future is dropped as well; this is for work that it started
    /// elsewhere.
    pub cancelled: CancellationToken,
}

/// The answer of a resident tool: text for the model, bytes beside it, and data where the tool has an output schema.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct ResidentAnswer {
    pub text: String,
    pub data: Option<Value>,
    pub attachments: Vec<Attachment>,
}

/// Bytes of an answer. A gateway takes them out and gives the agent a ref.
#[derive(Clone, PartialEq, Debug)]
pub struct Attachment {
    pub bytes: Vec<u8>,
    pub media_type: String,
    pub name: String,
}

impl ResidentAnswer {
    pub fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), ..Self::default() }
    }

    /// Data as they are: nothing in them is rounded.
    pub fn data(data: Value) -> Self {
        Self { data: Some(data), ..Self::default() }
    }

    pub fn with(mut self, attachment: Attachment) -> Self {
        self.attachments.push(attachment);
        self
    }
}

impl From<String> for ResidentAnswer {
    fn from(text: String) -> Self {
        Self::text(text)
    }
}

/// The state of a server with resident tools, told of callers that will not come back.
pub trait Residence: Send + Sync + 'static {
    /// A session or a run has ended: exactly one of the two members of `caller` is set.
    fn ended(&self, caller: Caller) -> ResidentFuture<()>;

    /// The server stops; calls under way have ended.
    fn close(&self) -> ResidentFuture<()>;
}
