//! The parts of a call that are sent, and the response to them.

use toolgate_core::RawJson;
use toolgate_core::content::Notice;
use toolgate_core::event::Outcome;
use toolgate_core::id::ApprovalId;
use toolgate_core::port::{ServerError, ServerReply};
use toolgate_core::server::InstanceId;

/// The instance that answered a call, and the call's cost in tokens and time.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CallAccount {
    /// The instance, if the server has several.
    pub instance: Option<InstanceId>,
    pub tokens: Option<TokenCounts>,
    /// The time from sending the call to the server's answer, in microseconds.
    pub server_us: Option<i64>,
}

/// Numbers of tokens, those of long texts estimated.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct TokenCounts {
    pub tokenizer: &'static str,
    /// The tokens of the arguments, as the client sent them.
    pub arguments: usize,
    /// The tokens of the result, as the client gets it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result: Option<usize>,
    /// The tokens of the session's list of tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list: Option<usize>,
    /// The tokens that the list does not cost because tools are searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub saved: Option<usize>,
}

/// The parts of a call that are sent.
#[derive(Clone, Debug, Default)]
pub struct CallPayload {
    /// The arguments, if they differ from what the client sent.
    pub arguments: Option<RawJson>,
    /// The other members of `_meta` for the server.
    pub extras: Option<RawJson>,
    /// True if only inspected content may be sent: people agreed to the arguments, or filters inspect them.
    pub only_seen: bool,
    /// The approval that the call used up.
    pub approval: Option<ApprovalId>,
}

/// The response to a call.
#[derive(Clone, Debug)]
pub struct DeliveredReply {
    pub reply: ServerReply,
    /// The names of the parts that were taken out of the result.
    pub refs: Vec<RawJson>,
    pub notices: Vec<Notice>,
    /// The outcome, if the result alone does not show it.
    pub outcome: Option<Outcome>,
}

impl DeliveredReply {
    /// True if no server was asked.
    pub(crate) fn is_cached(&self) -> bool {
        matches!(self.reply, ServerReply::Cached(_))
    }
}

impl From<ServerReply> for DeliveredReply {
    fn from(reply: ServerReply) -> Self {
        Self { reply, refs: Vec::new(), notices: Vec::new(), outcome: None }
    }
}

/// The reason why nothing came back.
#[derive(Clone, Debug)]
pub enum DeliveryError {
    Server(ServerError),
    /// It was not sent.
    Refused(toolgate_core::Refusal),
}

impl<E: Into<ServerError>> From<E> for DeliveryError {
    fn from(error: E) -> Self {
        DeliveryError::Server(error.into())
    }
}
