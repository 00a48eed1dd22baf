//! The refusal of a request: a code of the table, and what it is about.

use serde_json::Value;

use crate::blame::RefusalKind;
use crate::codes::Code;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    pub kind: RefusalKind,
    /// For programs.
    pub code: &'static Code,
    pub message: String,
    pub hint: String,
    /// The part of the request that it is about: `value[0].url`.
    pub field: Option<String>,
    /// An object with more for programs.
    pub details: Option<Box<Value>>,
}

impl Refusal {
    /// A refusal with the usual kind and hint of its code.
    pub fn new(code: &'static Code, message: impl Into<String>) -> Self {
        Self {
            kind: code.kind(),
            code,
            message: message.into(),
            hint: code.standard_hint().to_owned(),
            field: None,
            details: None,
        }
    }

    #[must_use]
    pub fn kind(mut self, kind: RefusalKind) -> Self {
        self.kind = kind;
        self
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    #[must_use]
    pub fn details(mut self, details: Value) -> Self {
        self.details = Some(Box::new(details));
        self
    }

    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }
}
