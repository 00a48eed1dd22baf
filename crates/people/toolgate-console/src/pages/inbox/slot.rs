//! The field for an answer, by the type of the question, and the answer of a form.

use maud::{Markup, html};
use serde_json::Value;

use super::data::{InputData, SlotOption};
use crate::fields::FormFields;
use crate::parts::text;

const ANSWER: &str = "answer";
const ANSWER_CHARS_MAX: usize = 20_000;

/// The answer in JSON. The API checks whether it fits; only impossible values are refused here.
pub(super) fn read(slot_type: &str, fields: &FormFields) -> Result<Value, &'static str> {
    let given = fields.text(ANSWER);
    let needed = || given.ok_or("Enter an answer first.");
    match slot_type {
        "multi_choice" => Ok(fields.all(ANSWER).collect()),
        "boolean" => match given {
            Some("true") => Ok(true.into()),
            Some("false") => Ok(false.into()),
            _ => Err("Choose yes or no."),
        },
        "choice" => given.map(Value::from).ok_or("Choose one of the options."),
        "number" => number(needed()?).ok_or("Enter a number, such as 12 or 1.5."),
        // Text is kept literally, including blanks at its ends.
        "text" => needed().map(|_| Value::from(fields.get(ANSWER).unwrap_or_default().replace("\r\n", "\n"))),
        _ => needed().map(Value::from),
    }
}

fn number(text: &str) -> Option<Value> {
    let read: Value = serde_json::from_str(text.strip_prefix('+').unwrap_or(text)).ok()?;
    read.is_number().then_some(read)
}

pub(super) fn field(input: &InputData, typed: &FormFields, wrong: Option<&str>) -> Markup {
    let described = wrong.map(|_| "answer-wrong");
    let invalid = wrong.map(|_| "true");
    let value = typed.get(ANSWER).unwrap_or_default();
    html! {
        @match input.slot_type.as_str() {
            "choice" => (options("radio", &input.options, typed)),
            "multi_choice" => (options("checkbox", &input.options, typed)),
            "boolean" => (options("radio", &yes_and_no(), typed)),
            "number" => (single(html! { input #answer type="text" inputmode="decimal" name=(ANSWER) value=(value) autocomplete="off" data-press="a" aria-describedby=[described] aria-invalid=[invalid]; }, "Your answer, a number")),
            "date" => (single(html! { input #answer type="date" name=(ANSWER) value=(value) data-press="a" aria-describedby=[described] aria-invalid=[invalid]; }, "Your answer, a date")),
            "file" => {
                (single(html! { input #answer type="text" name=(ANSWER) value=(value) placeholder="file_…" autocomplete="off" data-press="a" aria-describedby=[described] aria-invalid=[invalid]; }, "Your answer, the id of one of your files"))
                p.help { "Upload it with " code { "POST /files" } " or " code { "toolgate files put" } ", then enter its id here." }
            },
            _ => (single(html! { textarea #answer name=(ANSWER) rows="4" maxlength=(ANSWER_CHARS_MAX) data-press="a" aria-describedby=[described] aria-invalid=[invalid] { "\n" (value) } }, "Your answer")),
        }
        @if let Some(sentence) = wrong { p.error #answer-wrong role="alert" { (text::long(sentence)) } }
    }
}

fn single(field: Markup, label: &str) -> Markup {
    html! { div.field { label for="answer" { (label) } (field) } }
}

fn yes_and_no() -> Vec<SlotOption> {
    [("true", "Yes"), ("false", "No")]
        .map(|(value, label)| SlotOption { value: value.to_owned(), label: Some(label.to_owned()) })
        .into()
}

fn options(kind: &str, options: &[SlotOption], typed: &FormFields) -> Markup {
    html! {
        fieldset.options data-press="a" {
            legend { @if kind == "checkbox" { "Choose any" } @else { "Choose one" } }
            @for option in options {
                label.check {
                    input type=(kind) name=(ANSWER) value=(option.value) checked[typed.all(ANSWER).any(|one| one == option.value)];
                    span { (text::long(option.label.as_deref().unwrap_or(&option.value))) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(slot_type: &str, answers: &[&str], expected: Option<Value>) {
        let pairs: Vec<(&str, &str)> = answers.iter().map(|answer| (ANSWER, *answer)).collect();
        assert_eq!(read(slot_type, &FormFields::of(&pairs)).ok(), expected, "{slot_type} {answers:?}");
    }

    #[test]
    fn answers_have_the_type_that_is_asked_for() {
        check("text", &[" two\r\nlines "], Some(json!(" two\nlines ")));
        check("text", &["  "], None);
        check("choice", &["plain"], Some(json!("plain")));
        check("choice", &[], None);
        check("multi_choice", &["a", "b"], Some(json!(["a", "b"])));
        check("multi_choice", &[], Some(json!([])));
        check("number", &["1.5"], Some(json!(1.5)));
        for bad in ["ten", "1,5", "[1]", "\"1\"", "NaN"] {
            check("number", &[bad], None);
        }
        check("boolean", &["false"], Some(json!(false)));
        check("boolean", &["perhaps"], None);
        check("date", &["2026-02-28"], Some(json!("2026-02-28")));
    }

    #[test]
    fn options_are_text_whatever_they_hold() {
        let option = SlotOption { value: "<b>".into(), label: Some("<script>".into()) };
        let shown = options("radio", &[option], &FormFields::of(&[("answer", "<b>")])).into_string();
        assert!(!shown.contains("<script>") && !shown.contains("<b>"), "{shown}");
        assert!(shown.contains("checked"), "{shown}");
    }
}
