//! Refusals of values that a setting cannot have.

use toolgate_core::{Refusal, ServerName, codes};

/// A problem at a place.
pub(crate) fn invalid(field: impl Into<String>, message: impl Into<String>) -> Refusal {
    Refusal::new(&codes::INVALID_SETTING, message).field(field)
}

pub(crate) fn read_server_name(text: &str, field: &str) -> Result<ServerName, Refusal> {
    ServerName::new(text).map_err(|error| {
        invalid(field, error.to_string()).hint("letters, digits, `-`, `_` and `.`, at most 64 of them")
    })
}
