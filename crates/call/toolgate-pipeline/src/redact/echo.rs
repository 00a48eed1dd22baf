//! Secrets of the arguments that a server repeats in its own words. No path can tell their position, but
//! their values are known.

use serde_json::Value;
use toolgate_core::{CanonicalName, RawJson};

use super::{MARKER, MarkStyle, Redactor};
use crate::canonical;

/// The version of an answer that may be stored: without its own secrets and without those of the arguments.
pub(crate) fn kept(
    redactor: &Redactor,
    tool: &CanonicalName,
    arguments: &RawJson,
    said: &RawJson,
) -> RawJson {
    let arguments = canonical::parse(arguments.as_str()).unwrap_or_default();
    let secrets = redactor.redact_input(tool.as_str(), &arguments, MarkStyle::Plain).secrets;
    forget(redactor.redact_output(tool.as_str(), said).json, &secrets)
}

/// The same text without these secrets.
pub(crate) fn forget(json: RawJson, secrets: &[String]) -> RawJson {
    if secrets.is_empty() {
        return json;
    }
    // Unreadable data cannot be searched, so nothing of it is stored.
    let Ok(said) = json.decode::<Value>() else { return Value::from(MARKER).into() };
    let mut kept = said.clone();
    scrub(&mut kept, secrets);
    if kept == said { json } else { kept.into() }
}

fn scrub(value: &mut Value, secrets: &[String]) {
    match value {
        Value::String(text) => secrets.iter().for_each(|secret| replace(text, secret)),
        Value::Number(number) if secrets.contains(&number.to_string()) => *value = Value::from(MARKER),
        Value::Array(all) => all.iter_mut().for_each(|one| scrub(one, secrets)),
        Value::Object(all) => all.values_mut().for_each(|one| scrub(one, secrets)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A text may contain JSON, in which a secret is written with escapes.
fn replace(text: &mut String, secret: &str) {
    let escaped = Value::from(secret).to_string();
    for form in [secret, &escaped[1..escaped.len() - 1]] {
        if text.contains(form) {
            *text = text.replace(form, MARKER);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_secret_is_forgotten_in_texts_numbers_and_json_inside_texts() {
        let secrets = ["pass\"word".to_owned(), "1234567".to_owned()];
        let said = json!({ "content": [{ "text": "done with pass\"word" }, { "text": "{\"p\":\"pass\\\"word\"}" }], "n": 1_234_567, "m": 12 });
        let kept: Value = forget(said.into(), &secrets).decode().expect("JSON");
        let expected = json!({ "content": [{ "text": "done with [redacted]" }, { "text": "{\"p\":\"[redacted]\"}" }], "n": MARKER, "m": 12 });
        assert_eq!(kept, expected);
    }

    #[test]
    fn what_holds_no_secret_stays_to_the_last_byte() {
        let said = RawJson::from_composed(r#"{ "n": 1.50,"t":"x" }"#.to_owned());
        assert_eq!(forget(said.clone(), &["another".to_owned()]), said);
        assert_eq!(forget(said.clone(), &[]), said);
    }
}
