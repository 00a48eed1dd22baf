//! A call whose answer was lost, as the ledger tells it, and the question about it.

use serde::{Deserialize, Serialize};
use toolgate_core::ServerName;
use toolgate_core::connector::ConnectorName;
use toolgate_core::event::{Event, EventKind, Outcome};
use toolgate_core::id::{CallId, RunId};
use toolgate_core::moment::rfc3339;
use toolgate_core::run::{InputSlot, QuestionPurpose, SlotOption, SlotType};

/// The answers.
pub(super) const HAPPENED: &str = "happened";
const NOT_HAPPENED: &str = "did_not_happen";

#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct LostCall {
    pub(super) call: CallId,
    pub(super) tool: String,
    pub(crate) server: ServerName,
    /// The run of the caller.
    pub(super) run: Option<RunId>,
    at_ms: i64,
}

impl LostCall {
    /// The call of an event, if it is one of a connector with an unknown end.
    pub(super) fn of(event: &Event) -> Option<Self> {
        let is_unknown = event.kind == EventKind::CallCompleted && event.outcome == Some(Outcome::Unknown);
        let about = Some(&event.about).filter(|_| is_unknown)?;
        let server = about.server.clone().filter(|server| ConnectorName::of(server).is_some())?;
        Some(Self {
            call: about.call.clone()?,
            tool: about.tool.as_ref()?.to_string(),
            server,
            run: about.run.clone(),
            at_ms: event.at_ms,
        })
    }

    /// The question for a person.
    pub(super) fn question(&self) -> InputSlot {
        let prompt = format!(
            "{} was sent to {} as {}, and no answer came ({}). It is not sent again. Please look there: did it happen?",
            self.tool,
            ConnectorName::of(&self.server).map_or_else(|| self.server.to_string(), |one| one.to_string()),
            self.call,
            rfc3339(self.at_ms),
        );
        let option =
            |value: &str, label: &str| SlotOption { value: value.to_owned(), label: Some(label.to_owned()) };
        InputSlot {
            slot_type: SlotType::Choice,
            slot_id: self.call.to_string(),
            prompt_key: prompt,
            options: vec![option(HAPPENED, "It happened"), option(NOT_HAPPENED, "It did not happen")],
            purpose: QuestionPurpose::Question,
            picture: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use toolgate_core::event::EventSubject;
    use toolgate_core::{CanonicalName, PrincipalId};

    use super::*;

    fn ended(server: &str, outcome: Outcome) -> Event {
        let server = ServerName::new(server).expect("a name");
        let about = EventSubject {
            call: Some(CallId::new("tc_1")),
            tool: Some(CanonicalName::of(&server, "post_message")),
            server: Some(server),
            ..EventSubject::default()
        };
        let event = Event::new(EventKind::CallCompleted, 0, PrincipalId::gateway(), Arc::new(about));
        Event { outcome: Some(outcome), ..event }
    }

    #[test]
    fn a_lost_answer_of_a_connector_is_a_doubt() {
        let lost = LostCall::of(&ended("connector.slack", Outcome::Unknown)).expect("a doubt");
        let question = lost.question().checked().expect("it can be asked");
        assert!(question.prompt_key.contains("connector.slack:post_message"), "{}", question.prompt_key);
        assert_eq!(LostCall::of(&ended("connector.slack", Outcome::Failed)), None);
        assert_eq!(LostCall::of(&ended("bank", Outcome::Unknown)), None, "its callers look themselves");
    }
}
