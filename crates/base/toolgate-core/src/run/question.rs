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
}

impl QuestionPurpose {
    pub const ALL: [QuestionPurpose; 2] = [QuestionPurpose::Question, QuestionPurpose::Captcha];

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
        }
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
        assert!(QuestionPurpose::default().is_plain() && !QuestionPurpose::Captcha.is_plain());
    }
}
