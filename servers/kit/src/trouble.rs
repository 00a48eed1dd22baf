//! The errors of a tool. The model reads them, so they say what to change.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The reason of a failed call: a sentence, and the advice.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Trouble {
    pub code: TroubleCode,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

/// Error codes: the metrics count them, and callers may branch on them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TroubleCode {
    /// The arguments do not fit the schema, or contradict each other.
    BadArguments,
    /// A file that cannot be read: empty, cut off, damaged, not of the declared type.
    Unreadable,
    /// A file that needs a password, or another one.
    Locked,
    /// A kind of file or a language that this tool does not know.
    Unsupported,
    /// More than the limits allow.
    TooLarge,
    /// It exceeded the time limit.
    TimedOut,
    /// The worker died of this input: out of memory, or a fault in a parser.
    Crashed,
    /// More calls than the server accepts at a time.
    Busy,
    /// A ref that was never here, or is gone.
    UnknownRef,
    /// What it is about is not in the state that the call expects.
    Conflict,
    /// It may have happened or not: the request was sent, and its answer was lost. Repeating it could do it twice.
    OutcomeUnknown,
    /// A requirement that this machine lacks.
    Unavailable,
    /// A fault of the server.
    Internal,
}

impl TroubleCode {
    pub fn as_str(self) -> &'static str {
        match self {
            TroubleCode::BadArguments => "bad_arguments",
            TroubleCode::Unreadable => "unreadable",
            TroubleCode::Locked => "locked",
            TroubleCode::Unsupported => "unsupported",
            TroubleCode::TooLarge => "too_large",
            TroubleCode::TimedOut => "timed_out",
            TroubleCode::Crashed => "crashed",
            TroubleCode::Busy => "busy",
            TroubleCode::UnknownRef => "unknown_ref",
            TroubleCode::Conflict => "conflict",
            TroubleCode::OutcomeUnknown => "outcome_unknown",
            TroubleCode::Unavailable => "unavailable",
            TroubleCode::Internal => "internal",
        }
    }
}

impl Trouble {
    pub fn new(code: TroubleCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), hint: None }
    }

    pub fn hint(self, hint: impl Into<String>) -> Self {
        Self { hint: Some(hint.into()), ..self }
    }

    pub fn bad_arguments(message: impl Into<String>) -> Self {
        Self::new(TroubleCode::BadArguments, message)
    }

    pub fn unreadable(message: impl Into<String>) -> Self {
        Self::new(TroubleCode::Unreadable, message)
    }

    pub fn unsupported(message: impl Into<String>) -> Self {
        Self::new(TroubleCode::Unsupported, message)
    }

    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(TroubleCode::Unavailable, message)
    }

    pub fn internal(message: impl Into<String>) -> Self {
        Self::new(TroubleCode::Internal, message)
    }
}

/// The text for the model.
impl fmt::Display for Trouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Trouble {}
