//! The reason why a run asks a person.

use super::action::ActionKind;

/// The purpose of a question, so that people see what they are needed for.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum QuestionPurpose {
    /// The agent wants to know something.
    #[default]
    Question,
    /// A page wants to know that a person is there.
    Captcha,
    /// A server wants a sign-in.
    Credential,
    /// A limit of spending is reached.
    Budget,
    /// A call may have had its effect, and nobody knows.
    UnknownOutcome,
    /// The agent repeats itself, or its model keeps failing.
    Stuck,
}

impl QuestionPurpose {
    pub const ALL: [QuestionPurpose; 6] = [
        QuestionPurpose::Question,
        QuestionPurpose::Captcha,
        QuestionPurpose::Credential,
        QuestionPurpose::Budget,
        QuestionPurpose::UnknownOutcome,
        QuestionPurpose::Stuck,
    ];

    pub fn as_str(self) -> &'static str {
        self.action().as_str()
    }

    pub fn parse(text: &str) -> Option<QuestionPurpose> {
        Self::ALL.into_iter().find(|kind| kind.as_str() == text)
    }

    /// The action that a run with such a question waits for.
    pub fn action(self) -> ActionKind {
        match self {
            QuestionPurpose::Question => ActionKind::Question,
            QuestionPurpose::Captcha => ActionKind::Captcha,
            QuestionPurpose::Credential => ActionKind::Credential,
            QuestionPurpose::Budget => ActionKind::Budget,
            QuestionPurpose::UnknownOutcome => ActionKind::UnknownOutcome,
            QuestionPurpose::Stuck => ActionKind::Stuck,
        }
    }

    /// The purpose of a question that leads to such an action. An approval is no question.
    pub fn of(kind: ActionKind) -> QuestionPurpose {
        Self::ALL.into_iter().find(|purpose| purpose.action() == kind).unwrap_or_default()
    }

    /// True for a question like any other.
    pub fn is_plain(&self) -> bool {
        *self == QuestionPurpose::Question
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_purpose_has_the_word_of_its_action() {
        for kind in QuestionPurpose::ALL {
            assert_eq!(QuestionPurpose::parse(kind.as_str()), Some(kind));
            assert_eq!(serde_json::to_value(kind).expect("a word"), kind.as_str());
        }
        assert_eq!(QuestionPurpose::parse("approval"), None);
        assert_eq!(QuestionPurpose::of(ActionKind::Approval), QuestionPurpose::Question);
        assert_eq!(QuestionPurpose::of(ActionKind::Stuck), QuestionPurpose::Stuck);
        assert!(QuestionPurpose::default().is_plain() && !QuestionPurpose::Captcha.is_plain());
    }
}
