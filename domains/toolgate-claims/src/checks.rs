//! Checks of input about claims.

use serde_json::{Map, Value};
use toolgate_core::claim::ClaimSource;
use toolgate_core::{RawJson, Refusal, codes};
use toolgate_store::PageCursor;

use crate::refusal::invalid;

const NAME_BYTES_MAX: usize = 64;
const STATEMENT_CHARS_MAX: usize = 4_000;
const SUMMARY_CHARS_MAX: usize = 2_000;
const RATIONALE_CHARS_MAX: usize = 8_000;
const LINE_CHARS_MAX: usize = 1_000;
const LINES_MAX: usize = 50;
const MODEL_CHARS_MAX: usize = 200;
const QUANTIFICATION_BYTES_MAX: usize = 16 << 10;

/// The name of a type, an option or a group: letters, digits, `.`, `_` and `-`.
pub(crate) fn name(text: &str, field: &'static str) -> Result<(), Refusal> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    match (1..=NAME_BYTES_MAX).contains(&text.len()) && text.bytes().all(is_letter) {
        true => Ok(()),
        false => {
            let shown: String = text.chars().take(NAME_BYTES_MAX).collect();
            let hint = format!("use letters, digits, `.`, `_` and `-`, {NAME_BYTES_MAX} bytes at most");
            Err(invalid(format!("{shown:?} is no name"), field).hint(hint))
        }
    }
}

pub(crate) fn statement(text: &str) -> Result<(), Refusal> {
    said(text, "statement")?;
    long(text, "statement", STATEMENT_CHARS_MAX)
}

pub(crate) fn summary(text: &str) -> Result<(), Refusal> {
    long(text, "summary", SUMMARY_CHARS_MAX)
}

pub(crate) fn rationale(text: &str) -> Result<(), Refusal> {
    said(text, "rationale")?;
    long(text, "rationale", RATIONALE_CHARS_MAX)
}

/// A title, a description or a reason.
pub(crate) fn line(text: &str, field: &'static str) -> Result<(), Refusal> {
    long(text, field, LINE_CHARS_MAX)
}

/// Conditions or follow-ups.
pub(crate) fn lines(texts: &[String], field: &'static str) -> Result<(), Refusal> {
    if texts.len() > LINES_MAX {
        let message = format!("there are {} {field}, and {LINES_MAX} at most", texts.len());
        return Err(invalid(message, field).hint("put the rest into the rationale"));
    }
    texts.iter().try_for_each(|text| long(text, field, LINE_CHARS_MAX))
}

pub(crate) fn source(source: &ClaimSource) -> Result<(), Refusal> {
    source.model.as_deref().map_or(Ok(()), |model| long(model, "source", MODEL_CHARS_MAX))?;
    match source.confidence {
        Some(confidence) if !(0.0..=1.0).contains(&confidence) => {
            Err(invalid("`confidence` is not between 0 and 1", "source").hint("give a number from 0 to 1"))
        }
        _ => Ok(()),
    }
}

/// An object with what can be counted, with its members sorted.
pub(crate) fn quantification(members: Map<String, Value>) -> Result<RawJson, Refusal> {
    let raw = RawJson::from(Value::Object(members));
    match raw.as_str().len() > QUANTIFICATION_BYTES_MAX {
        true => Err(invalid(
            format!("the quantification has more than {QUANTIFICATION_BYTES_MAX} bytes"),
            "quantification",
        )
        .hint("keep the numbers, and store the rest as an artifact")),
        false => Ok(raw),
    }
}

/// One of the words that the schema lists.
pub(crate) fn word<T>(
    text: &str,
    field: &'static str,
    parse: impl Fn(&str) -> Option<T>,
) -> Result<T, Refusal> {
    let hint = "the tool's schema lists the words there are";
    parse(text).ok_or_else(|| invalid(format!("{text:?} is no {field}"), field).hint(hint))
}

pub(crate) fn cursor(text: Option<&str>) -> Result<Option<PageCursor>, Refusal> {
    text.map(str::parse).transpose().map_err(|_| {
        let shown: String = text.unwrap_or_default().chars().take(NAME_BYTES_MAX).collect();
        Refusal::new(&codes::INVALID_CURSOR, format!("{shown:?} is not a cursor of an earlier page"))
            .field("cursor")
    })
}

fn said(text: &str, field: &'static str) -> Result<(), Refusal> {
    match text.trim().is_empty() {
        true => Err(invalid(format!("the {field} says nothing"), field).hint("say it in a sentence")),
        false => Ok(()),
    }
}

fn long(text: &str, field: &'static str, chars_max: usize) -> Result<(), Refusal> {
    match text.chars().nth(chars_max) {
        None => Ok(()),
        Some(_) => Err(invalid(format!("`{field}` has more than {chars_max} characters"), field)
            .hint("say it in fewer words")),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use toolgate_core::claim::ClaimSourceKind;

    use super::*;

    #[test]
    fn names_are_plain() {
        for good in ["general", "covenant-breach", "a.b_c", "A1"] {
            assert_eq!(name(good, "type"), Ok(()), "{good}");
        }
        for bad in ["", "a b", "a/b", "ä", "a\0", &"x".repeat(65)] {
            assert!(name(bad, "type").is_err(), "{bad:?}");
        }
    }

    #[test]
    fn what_says_nothing_or_too_much_is_refused() {
        assert!(statement(" \n ").is_err() && rationale("").is_err());
        assert!(statement(&"a".repeat(STATEMENT_CHARS_MAX)).is_ok());
        assert!(statement(&"a".repeat(STATEMENT_CHARS_MAX + 1)).is_err());
        assert!(lines(&vec!["x".to_owned(); LINES_MAX + 1], "conditions").is_err());
        let of = |confidence| ClaimSource {
            kind: ClaimSourceKind::AiDetected,
            model: None,
            confidence: Some(confidence),
        };
        assert!(source(&of(1.0)).is_ok() && source(&of(1.1)).is_err() && source(&of(f64::NAN)).is_err());
        let Value::Object(members) = json!({ "text": "a".repeat(QUANTIFICATION_BYTES_MAX) }) else {
            unreachable!("it is an object")
        };
        assert!(quantification(members).is_err());
    }
}
