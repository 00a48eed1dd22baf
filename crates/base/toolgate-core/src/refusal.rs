//! Why something was not done that somebody asked of registry or sessions.

/// What kind of no it is; the API makes a status of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefusalKind {
    /// What was asked makes no sense.
    Invalid,
    /// Somebody else's to do.
    Forbidden,
    NotFound,
    /// It does not go together with what there is.
    Conflict,
    /// It was changed meanwhile.
    Stale,
    /// It was there and is gone.
    Gone,
    TooMany,
    /// The store is away.
    Down,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Refusal {
    pub kind: RefusalKind,
    /// For programs.
    pub code: &'static str,
    pub message: String,
    pub hint: String,
    /// The part of the request that it is about: `value[0].url`.
    pub field: Option<String>,
}

impl Refusal {
    pub fn new(kind: RefusalKind, code: &'static str, message: impl Into<String>) -> Self {
        Self { kind, code, message: message.into(), hint: String::new(), field: None }
    }

    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    #[must_use]
    pub fn field(mut self, field: impl Into<String>) -> Self {
        self.field = Some(field.into());
        self
    }
}
