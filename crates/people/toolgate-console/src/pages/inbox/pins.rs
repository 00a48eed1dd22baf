//! "Don't ask again for this": the fixed arguments, the number of uses, and the lifetime.

use maud::{Markup, html};
use serde::Serialize;
use serde_json::Value;

use super::difference::escaped;
use crate::fields::FormFields;
use crate::parts::text;

const WANTED: &str = "grant";
const WHICH: &str = "pins";
const ONE: &str = "pin";
const USES: &str = "uses";
const TIME: &str = "time";
/// Arguments that are offered one by one.
const PINS_MAX: usize = 100;
const VALUE_CHARS: usize = 60;
const HOUR_SECONDS: u64 = 3_600;
const DAY_SECONDS: u64 = 24 * HOUR_SECONDS;
const TIMES: [(u64, &str); 5] = [
    (HOUR_SECONDS, "an hour"),
    (DAY_SECONDS, "a day"),
    (7 * DAY_SECONDS, "a week"),
    (30 * DAY_SECONDS, "30 days"),
    (366 * DAY_SECONDS, "a year"),
];

/// In the form of the API.
#[derive(Debug, PartialEq, Eq, Serialize)]
pub(super) struct GrantRequest {
    /// `None` pins all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) pins: Option<Vec<String>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) uses: Option<u32>,
    pub(super) expires_in_seconds: u64,
}

/// The grant of a form, if any; or the error in it.
pub(super) fn read(fields: &FormFields) -> Result<Option<GrantRequest>, &'static str> {
    if !fields.ticked(WANTED) {
        return Ok(None);
    }
    let some = fields.text(WHICH) == Some("some");
    let pins: Vec<String> = fields.all(ONE).map(str::to_owned).collect();
    if some && pins.is_empty() {
        return Err("Select at least one argument that must stay the same, or choose all arguments.");
    }
    let uses = match fields.text(USES) {
        None => None,
        Some(text) => Some(
            text.parse()
                .ok()
                .filter(|uses| *uses > 0)
                .ok_or("The number of uses must be a whole number of at least 1, or empty for no limit.")?,
        ),
    };
    let time = fields.text(TIME).and_then(|text| text.parse().ok());
    let expires_in_seconds = time.unwrap_or(DAY_SECONDS);
    Ok(Some(GrantRequest { pins: some.then_some(pins), uses, expires_in_seconds }))
}

pub(super) fn fields(arguments: &Value, typed: &FormFields, wrong: Option<&str>) -> Markup {
    let some = typed.text(WHICH) == Some("some");
    let members = arguments.as_object().into_iter().flatten();
    html! {
        details #grant open[typed.ticked(WANTED)] {
            summary { "Don't ask again for this" }
            div.field {
                label.check { input type="checkbox" name=(WANTED) value="1" checked[typed.ticked(WANTED)]; span { "Let calls like this run without approval" } }
                p.help { "This creates a grant for the same caller and tool. A grant never allows what policy forbids; you can revoke it under " a href="/console/grants" { "Grants" } "." }
                @if let Some(sentence) = wrong { p.wrong role="alert" { (sentence) } }
            }
            fieldset {
                legend { "What must stay the same" }
                label.check { input type="radio" name=(WHICH) value="all" checked[!some]; span { "All arguments" } }
                label.check { input type="radio" name=(WHICH) value="some" checked[some]; span { "Only these; the others may be anything:" } }
                ul.pins {
                    @for (name, value) in members.take(PINS_MAX) {
                        @let pointer = format!("/{}", escaped(name));
                        li {
                            label.check {
                                input type="checkbox" name=(ONE) value=(pointer) checked[typed.all(ONE).any(|one| one == pointer)];
                                span { span.mono { (text::short(name)) } " " span.soft { (text::cut(&value.to_string(), VALUE_CHARS)) } }
                            }
                        }
                    }
                }
            }
            div.row {
                div.field.grow {
                    label for="grant-time" { "For how long" }
                    select #grant-time name=(TIME) {
                        @for (seconds, name) in TIMES { option value=(seconds) selected[chosen(typed, seconds)] { (name) } }
                    }
                }
                div.field.grow {
                    label for="grant-uses" { "Number of uses" }
                    input #grant-uses type="number" name=(USES) min="1" step="1" inputmode="numeric" placeholder="unlimited" value=(typed.get(USES).unwrap_or_default());
                }
            }
        }
    }
}

fn chosen(typed: &FormFields, seconds: u64) -> bool {
    match typed.text(TIME) {
        Some(text) => text == seconds.to_string(),
        None => seconds == DAY_SECONDS,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn without_a_tick_there_is_no_grant() {
        assert_eq!(read(&FormFields::of(&[("pins", "some"), ("pin", "/a"), ("uses", "3")])), Ok(None));
    }

    #[test]
    fn ticked_arguments_become_pins_and_otherwise_all_are_pinned() {
        let all = FormFields::of(&[("grant", "1"), ("pins", "all"), ("pin", "/a"), ("time", "3600")]);
        assert_eq!(read(&all), Ok(Some(GrantRequest { pins: None, uses: None, expires_in_seconds: 3_600 })));
        let some = FormFields::of(&[
            ("grant", "1"),
            ("pins", "some"),
            ("pin", "/a"),
            ("pin", "/b~1c"),
            ("uses", " 3 "),
        ]);
        let pins = Some(vec!["/a".to_owned(), "/b~1c".to_owned()]);
        assert_eq!(
            read(&some),
            Ok(Some(GrantRequest { pins, uses: Some(3), expires_in_seconds: DAY_SECONDS }))
        );
    }

    #[test]
    fn a_grant_that_says_too_little_is_not_guessed() {
        assert!(read(&FormFields::of(&[("grant", "1"), ("pins", "some")])).is_err());
        for uses in ["0", "-1", "many", "1.5"] {
            assert!(
                read(&FormFields::of(&[("grant", "1"), ("pins", "all"), ("uses", uses)])).is_err(),
                "{uses}"
            );
        }
    }

    #[test]
    fn what_is_pinned_is_named_as_a_pointer_and_kept_when_shown_again() {
        let arguments = json!({ "a/b": "<script>", "c": 1 });
        let typed = FormFields::of(&[("grant", "1"), ("pins", "some"), ("pin", "/a~1b"), ("time", "604800")]);
        let shown = fields(&arguments, &typed, None).into_string();
        assert!(shown.contains(r#"value="/a~1b" checked"#) && shown.contains(r#"value="/c">"#), "{shown}");
        assert!(shown.contains(r#"value="604800" selected"#), "{shown}");
        assert!(!shown.contains("<script>"), "{shown}");
    }
}
