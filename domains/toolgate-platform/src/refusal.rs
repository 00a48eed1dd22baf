//! The refusal of arguments that fit the schema and still make no sense.

use toolgate_core::{Refusal, codes};

pub(crate) fn invalid(message: impl Into<String>, hint: &str) -> Refusal {
    Refusal::new(&codes::INVALID_ARGUMENTS, message).hint(hint)
}
