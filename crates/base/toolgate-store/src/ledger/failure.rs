//! The error of a call that ended: figures tell errors apart by it, and lists choose calls by it.

use std::borrow::Cow;

use serde::Deserialize;
use toolgate_core::event::{EventKind, Outcome};

use super::line::LedgerLine;

#[derive(Deserialize, Default)]
struct CodeDetail<'a> {
    #[serde(borrow, default)]
    code: Option<Cow<'a, str>>,
}

/// The code of an error, or the outcome where it has none. `None` for a call that did not fail and was not
/// refused.
pub(super) fn named(outcome: Outcome, code: Option<Cow<'_, str>>) -> Option<Cow<'_, str>> {
    let word = Cow::Borrowed(outcome.as_str());
    match outcome {
        Outcome::Succeeded
        | Outcome::Accepted
        | Outcome::Joined
        | Outcome::Cancelled
        | Outcome::PendingApproval
        | Outcome::PendingInput
        | Outcome::InputRequired => None,
        // The error is the tool's own, whatever it calls it.
        Outcome::ToolError => Some(word),
        Outcome::Failed
        | Outcome::Unknown
        | Outcome::Invalid
        | Outcome::Denied
        | Outcome::Rejected
        | Outcome::ChangesRequested
        | Outcome::Expired
        | Outcome::Refused => Some(code.unwrap_or(word)),
    }
}

/// The outcomes of the calls that may have an error of this name.
pub(super) fn outcomes_of(error: &str) -> impl Iterator<Item = Outcome> + use<'_> {
    let may_have =
        move |outcome: &Outcome| named(*outcome, Some(error.into())).is_some_and(|name| name == error);
    Outcome::ALL.iter().copied().filter(may_have)
}

/// The same for a line; `None` if it is not the end of a call.
pub(super) fn of_line<'a>(line: &LedgerLine<'a>) -> Option<Cow<'a, str>> {
    if line.kind != *EventKind::CallCompleted.as_str() {
        return None;
    }
    let outcome = Outcome::parse(&line.outcome?.read())?;
    let detail: Option<CodeDetail<'a>> = line.detail.and_then(|json| serde_json::from_str(json).ok());
    named(outcome, detail.unwrap_or_default().code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_named_by_its_code_or_else_by_its_outcome() {
        let code = || Some(Cow::Borrowed("server_timeout"));
        assert_eq!(named(Outcome::Failed, code()).as_deref(), Some("server_timeout"));
        assert_eq!(named(Outcome::ToolError, code()).as_deref(), Some("tool_error"));
        assert_eq!(named(Outcome::Expired, None).as_deref(), Some("expired"));
        assert_eq!(named(Outcome::Cancelled, code()), None);
    }
}
