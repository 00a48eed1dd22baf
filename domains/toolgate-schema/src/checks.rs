//! Checks of input about schemas.

use serde_json::{Map, Value};
use toolgate_core::schema::SchemaValidator;
use toolgate_core::{Digest, RawJson, Refusal, codes};
use toolgate_store::PageCursor;

use crate::refusal::{flawed, invalid, unusable};

const NAME_BYTES_MAX: usize = 128;
const DESCRIPTION_CHARS_MAX: usize = 2_000;
const REASON_CHARS_MAX: usize = 500;

/// A namespace or a name: parts of letters, digits, `.`, `_` and `-` with single `/` between.
pub(crate) fn name(text: &str, field: &'static str) -> Result<(), Refusal> {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    let is_part = |part: &str| !part.is_empty() && !matches!(part, "." | "..") && part.bytes().all(is_letter);
    match text.len() <= NAME_BYTES_MAX && text.split('/').all(is_part) {
        true => Ok(()),
        false => Err(invalid(format!("{:?} is no {field} of a schema", shortened(text)), field).hint(format!(
            "use letters, digits, `.`, `_` and `-`, with single `/` between, {NAME_BYTES_MAX} bytes at most"
        ))),
    }
}

pub(crate) fn description(text: &str) -> Result<(), Refusal> {
    long(text, "description", DESCRIPTION_CHARS_MAX)
}

pub(crate) fn reason(text: &str) -> Result<(), Refusal> {
    long(text, "reason", REASON_CHARS_MAX)
}

fn long(text: &str, field: &'static str, chars_max: usize) -> Result<(), Refusal> {
    match text.chars().nth(chars_max) {
        None => Ok(()),
        Some(_) => Err(invalid(format!("the {field} has more than {chars_max} characters"), field)
            .hint("say it in fewer words")),
    }
}

/// A definition that can be used in full, and its digest.
pub(crate) fn definition(
    validator: &dyn SchemaValidator,
    definition: Map<String, Value>,
) -> Result<(RawJson, Digest), Refusal> {
    let schema = Value::Object(definition);
    schema_words::check_shape(&schema).map_err(|flaw| flawed(&flaw))?;
    let digest = Digest::of(schema_words::canonical(&schema));
    let raw = RawJson::from(schema);
    match validator.unusable(&raw) {
        Some(reason) => Err(unusable(&reason)),
        None => Ok((raw, digest)),
    }
}

pub(crate) fn cursor(text: Option<&str>) -> Result<Option<PageCursor>, Refusal> {
    text.map(str::parse).transpose().map_err(|_| {
        let message = format!("{:?} is not a cursor of an earlier page", shortened(text.unwrap_or_default()));
        Refusal::new(&codes::INVALID_CURSOR, message).field("cursor")
    })
}

fn shortened(text: &str) -> String {
    const SHOWN_CHARS_MAX: usize = 60;
    text.chars().take(SHOWN_CHARS_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_have_parts() {
        for good in ["invoice", "billing/v2", "a.b-c_d", "A1"] {
            assert_eq!(name(good, "name"), Ok(()), "{good}");
        }
        for bad in ["", "/", "a/", "a//b", "..", "a/../b", "a b", "ä", "a\0", &"x".repeat(200)] {
            assert!(name(bad, "name").is_err(), "{bad:?}");
        }
    }
}
