//! The faults of models, and which of them are worth another try.

use std::time::Duration;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ModelFault {
    pub kind: ModelFaultKind,
    /// For people and the run's history; never with the key.
    pub message: String,
    /// The HTTP status, if there was an answer.
    pub status: Option<u16>,
    /// The wait that the provider asked for.
    pub retry_after: Option<Duration>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ModelFaultKind {
    /// No connection, or one that broke before or during the answer.
    Away,
    /// 408, 409, 429 and 5xx.
    Busy,
    /// The request is larger than the context of the model.
    Overflow,
    /// 400 to 404 and the like: the same request is refused again.
    Refused,
    /// The answer is none that the format has.
    Nonsense,
    /// The model is not configured, or its key or address cannot be used.
    Unusable,
    /// The run was cancelled or paused meanwhile, or the gateway is ending.
    Cancelled,
}

impl ModelFaultKind {
    pub fn as_str(self) -> &'static str {
        match self {
            ModelFaultKind::Away => "away",
            ModelFaultKind::Busy => "busy",
            ModelFaultKind::Overflow => "overflow",
            ModelFaultKind::Refused => "refused",
            ModelFaultKind::Nonsense => "nonsense",
            ModelFaultKind::Unusable => "unusable",
            ModelFaultKind::Cancelled => "cancelled",
        }
    }

    /// True if the same request may be answered a little later.
    pub fn is_passing(self) -> bool {
        matches!(self, ModelFaultKind::Away | ModelFaultKind::Busy | ModelFaultKind::Nonsense)
    }
}

impl ModelFault {
    pub fn new(kind: ModelFaultKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), status: None, retry_after: None }
    }

    #[must_use]
    pub fn with_status(self, status: u16) -> Self {
        Self { status: Some(status), ..self }
    }

    #[must_use]
    pub fn retry_after(self, wait: Option<Duration>) -> Self {
        Self { retry_after: wait, ..self }
    }
}
