//! A question to a person within a run: its form, and the answers that fit.

use serde_json::Value;

use super::picture::SlotPicture;
use super::question::QuestionPurpose;
use crate::id::{CallId, InputId, RunId, SessionId};
use crate::moment;
use crate::{PrincipalId, RawJson};

/// The kind of answer that is expected.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SlotType {
    Text,
    Choice,
    MultiChoice,
    Number,
    Boolean,
    /// `2026-07-28`.
    Date,
    /// The id of an uploaded file.
    File,
}

impl SlotType {
    pub const ALL: [SlotType; 7] = [
        SlotType::Text,
        SlotType::Choice,
        SlotType::MultiChoice,
        SlotType::Number,
        SlotType::Boolean,
        SlotType::Date,
        SlotType::File,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            SlotType::Text => "text",
            SlotType::Choice => "choice",
            SlotType::MultiChoice => "multi_choice",
            SlotType::Number => "number",
            SlotType::Boolean => "boolean",
            SlotType::Date => "date",
            SlotType::File => "file",
        }
    }

    /// By its name; `multi-choice` is `multi_choice`.
    pub fn parse(text: &str) -> Option<SlotType> {
        let text = text.replace('-', "_");
        Self::ALL.into_iter().find(|one| one.as_str() == text)
    }

    pub fn has_options(self) -> bool {
        matches!(self, SlotType::Choice | SlotType::MultiChoice)
    }
}

/// One of several answers: the value for the agent, and the label for the person.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct SlotOption {
    pub value: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
}

/// The question to a person.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct InputSlot {
    pub slot_type: SlotType,
    /// Names the answer within its run; a question under the same id is the same question.
    pub slot_id: String,
    /// The question, or the key of a text that the asking program has.
    pub prompt_key: String,
    #[serde(default)]
    pub options: Vec<SlotOption>,
    #[serde(default, skip_serializing_if = "QuestionPurpose::is_plain")]
    pub purpose: QuestionPurpose,
    /// The picture that the person looks at, such as a page with a CAPTCHA.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture: Option<SlotPicture>,
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadSlot {
    #[error("`{field}` has 1 to {max} characters", max = InputSlot::TEXT_CHARS_MAX)]
    Text { field: &'static str },
    #[error("a {0} needs at least two `options`")]
    NoOptions(&'static str),
    #[error("a {0} has no `options`")]
    NeedlessOptions(&'static str),
    #[error("at most {max} `options`", max = InputSlot::OPTIONS_MAX)]
    TooManyOptions,
    #[error("the option {0:?} is given twice")]
    SameOption(String),
    #[error("{0:?} is no picture that a person can be shown: {types}", types = SlotPicture::MEDIA_TYPES.join(", "))]
    NoPicture(String),
    #[error("a picture has at most {max} bytes", max = SlotPicture::BYTES_MAX)]
    LargePicture,
}

/// The reason why an answer does not fit its question.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0}")]
pub struct BadAnswer(pub String);

impl InputSlot {
    pub const TEXT_CHARS_MAX: usize = 2_000;
    pub const OPTIONS_MAX: usize = 100;
    /// The maximum length of a text answer.
    pub const ANSWER_CHARS_MAX: usize = 20_000;

    pub fn checked(self) -> Result<Self, BadSlot> {
        for (field, text) in [("slot_id", &self.slot_id), ("prompt_key", &self.prompt_key)] {
            if text.trim().is_empty() || text.chars().count() > Self::TEXT_CHARS_MAX {
                return Err(BadSlot::Text { field });
            }
        }
        if let Some(picture) = &self.picture {
            picture.check()?;
        }
        let kind = self.slot_type.as_str();
        match (self.slot_type.has_options(), self.options.len()) {
            (true, 0 | 1) => return Err(BadSlot::NoOptions(kind)),
            (false, 1..) => return Err(BadSlot::NeedlessOptions(kind)),
            (_, count) if count > Self::OPTIONS_MAX => return Err(BadSlot::TooManyOptions),
            _ => {}
        }
        for (at, option) in self.options.iter().enumerate() {
            if option.value.is_empty() || option.value.chars().count() > Self::TEXT_CHARS_MAX {
                return Err(BadSlot::Text { field: "options" });
            }
            if self.options[..at].iter().any(|other| other.value == option.value) {
                return Err(BadSlot::SameOption(option.value.clone()));
            }
        }
        Ok(self)
    }

    /// Checks that an answer fits. The existence of a file is checked elsewhere.
    pub fn check_answer(&self, answer: &Value) -> Result<(), BadAnswer> {
        let bad = |expected: String| Err(BadAnswer(format!("the answer must be {expected}")));
        match (self.slot_type, answer) {
            (SlotType::Text, Value::String(text)) => {
                match text.trim().is_empty() || text.chars().count() > Self::ANSWER_CHARS_MAX {
                    true => bad(format!("text of 1 to {} characters", Self::ANSWER_CHARS_MAX)),
                    false => Ok(()),
                }
            }
            (SlotType::Choice, Value::String(choice)) if self.has_option(choice) => Ok(()),
            (SlotType::Choice, _) => bad(format!("one of {}", self.option_values())),
            (SlotType::MultiChoice, Value::Array(choices)) => self.check_choices(choices),
            (SlotType::MultiChoice, _) => bad(format!("a list of some of {}", self.option_values())),
            (SlotType::Number, Value::Number(_)) | (SlotType::Boolean, Value::Bool(_)) => Ok(()),
            (SlotType::Date, Value::String(date)) if moment::is_date(date) => Ok(()),
            (SlotType::File, Value::String(id)) if !id.is_empty() => Ok(()),
            (SlotType::Text, _) => bad("text".to_owned()),
            (SlotType::Number, _) => bad("a number".to_owned()),
            (SlotType::Boolean, _) => bad("true or false".to_owned()),
            (SlotType::Date, _) => bad("a date such as \"2026-07-28\"".to_owned()),
            (SlotType::File, _) => bad("the id of a file that was uploaded".to_owned()),
        }
    }

    fn check_choices(&self, choices: &[Value]) -> Result<(), BadAnswer> {
        for (at, choice) in choices.iter().enumerate() {
            let known = choice.as_str().is_some_and(|choice| self.has_option(choice));
            if !known {
                let options = self.option_values();
                return Err(BadAnswer(format!("{choice} is not among the options: {options}")));
            }
            if choices[..at].contains(choice) {
                return Err(BadAnswer(format!("{choice} is chosen twice")));
            }
        }
        Ok(())
    }

    fn has_option(&self, value: &str) -> bool {
        self.options.iter().any(|option| option.value == value)
    }

    fn option_values(&self) -> String {
        let values: Vec<String> = self.options.iter().map(|option| format!("{:?}", option.value)).collect();
        values.join(", ")
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum InputState {
    Pending,
    Answered,
    /// The run ended, or was resumed without an answer.
    Cancelled,
}

impl InputState {
    pub const ALL: [InputState; 3] = [InputState::Pending, InputState::Answered, InputState::Cancelled];

    pub fn as_str(self) -> &'static str {
        match self {
            InputState::Pending => "pending",
            InputState::Answered => "answered",
            InputState::Cancelled => "cancelled",
        }
    }

    pub fn parse(text: &str) -> Option<InputState> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}

/// A question that stays in the inbox until it is answered.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct InputRequest {
    pub id: InputId,
    pub run: RunId,
    pub session: Option<SessionId>,
    pub call: Option<CallId>,
    /// The principal that asks.
    pub principal: PrincipalId,
    pub slot: InputSlot,
    pub state: InputState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answered_by: Option<PrincipalId>,
    /// The channel of the answer: `api`, `cli`, `elicitation`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub via: Option<String>,
    pub created_at_ms: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved_at_ms: Option<i64>,
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn slot(slot_type: SlotType, options: &[&str]) -> InputSlot {
        let options = options.iter().map(|value| SlotOption { value: (*value).to_owned(), label: None });
        InputSlot {
            slot_type,
            slot_id: "a".to_owned(),
            prompt_key: "Why?".to_owned(),
            options: options.collect(),
            purpose: QuestionPurpose::Question,
            picture: None,
        }
    }

    #[test]
    fn an_answer_fits_its_question_or_is_told_why_not() {
        let two = ["a", "b"];
        for (slot, good, bad) in [
            (slot(SlotType::Text, &[]), json!("yes"), json!("  ")),
            (slot(SlotType::Choice, &two), json!("a"), json!("c")),
            (slot(SlotType::MultiChoice, &two), json!(["b", "a"]), json!(["a", "a"])),
            (slot(SlotType::MultiChoice, &two), json!([]), json!(["c"])),
            (slot(SlotType::Number, &[]), json!(1.5), json!("1.5")),
            (slot(SlotType::Boolean, &[]), json!(false), json!("no")),
            (slot(SlotType::Date, &[]), json!("2028-02-29"), json!("2027-02-29")),
            (slot(SlotType::File, &[]), json!("file_1"), json!(7)),
        ] {
            let slot = slot.checked().unwrap();
            assert_eq!(slot.check_answer(&good), Ok(()), "{slot:?}");
            assert!(slot.check_answer(&bad).is_err(), "{slot:?} {bad}");
        }
    }

    #[test]
    fn a_question_that_nobody_can_answer_is_not_asked() {
        assert_eq!(slot(SlotType::Choice, &["a"]).checked(), Err(BadSlot::NoOptions("choice")));
        assert_eq!(slot(SlotType::Text, &["a", "b"]).checked(), Err(BadSlot::NeedlessOptions("text")));
        assert_eq!(slot(SlotType::Choice, &["a", "a"]).checked(), Err(BadSlot::SameOption("a".to_owned())));
        let blank = InputSlot { slot_id: " ".to_owned(), ..slot(SlotType::Text, &[]) };
        assert_eq!(blank.checked(), Err(BadSlot::Text { field: "slot_id" }));
        assert_eq!(SlotType::parse("multi-choice"), Some(SlotType::MultiChoice));
    }
}
