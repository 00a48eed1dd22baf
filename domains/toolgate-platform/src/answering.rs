//! Reading the arguments of a tool, and writing its answer.

use serde::de::DeserializeOwned;
use serde_json::Value;
use toolgate_core::content::ContentHolder;
use toolgate_core::id::RunId;
use toolgate_core::platform::PlatformAnswer;
use toolgate_core::{Refusal, codes};

pub(crate) fn arguments<T: DeserializeOwned>(arguments: &Value) -> Result<T, Refusal> {
    T::deserialize(arguments)
        .map_err(|error| invalid(format!("the arguments: {error}"), "see the tool's schema"))
}

pub(crate) fn invalid(message: impl Into<String>, hint: &str) -> Refusal {
    Refusal::new(&codes::INVALID_ARGUMENTS, message).hint(hint)
}

/// The session's run.
pub(crate) fn run_of(holder: &ContentHolder) -> Result<&RunId, Refusal> {
    holder.run.as_ref().ok_or_else(|| Refusal::new(&codes::NO_RUN, "this session does not belong to a run"))
}

pub(crate) fn done(text: impl Into<String>, data: Value) -> PlatformAnswer {
    PlatformAnswer { text: text.into(), data, notices: Vec::new(), outcome: None }
}
