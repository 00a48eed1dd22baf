//! The refusals of a token, as in RFC 6750.

use std::fmt;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RefusalCode {
    InvalidToken,
    InsufficientScope,
    /// Undecidable: the issuer's keys are unknown and cannot be fetched. Not the caller's fault.
    Unavailable,
}

impl RefusalCode {
    pub fn as_str(self) -> &'static str {
        match self {
            RefusalCode::InvalidToken => "invalid_token",
            RefusalCode::InsufficientScope => "insufficient_scope",
            RefusalCode::Unavailable => "temporarily_unavailable",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{description}")]
pub struct BearerRefused {
    pub code: RefusalCode,
    /// One sentence, without quotes or anything of the token except the names of its claims.
    pub description: String,
}

impl BearerRefused {
    pub(super) fn invalid(description: impl Into<String>) -> Self {
        Self { code: RefusalCode::InvalidToken, description: description.into() }
    }

    pub(super) fn scope(description: impl Into<String>) -> Self {
        Self { code: RefusalCode::InsufficientScope, description: description.into() }
    }

    pub(super) fn unavailable(description: impl Into<String>) -> Self {
        Self { code: RefusalCode::Unavailable, description: description.into() }
    }
}

impl fmt::Display for RefusalCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
