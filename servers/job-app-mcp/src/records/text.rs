//! Texts of callers, before they are stored.

use capability_kit::{Trouble, TroubleCode};

pub(crate) const ID_CHARS_MAX: usize = 200;
pub(crate) const REASON_CHARS_MAX: usize = 2_000;
pub(crate) const EVIDENCE_CHARS_MAX: usize = 20_000;
pub(crate) const URL_CHARS_MAX: usize = 2_000;

/// A text that must be there. Postgres takes no NUL character.
pub(crate) fn required(name: &str, text: &str, chars_max: usize) -> Result<String, Trouble> {
    optional(name, Some(text), chars_max)?.ok_or_else(|| {
        Trouble::bad_arguments(format!("{name} is empty")).hint(format!("pass a value for {name}"))
    })
}

/// A text that may be left out; an empty one was.
pub(crate) fn optional(name: &str, text: Option<&str>, chars_max: usize) -> Result<Option<String>, Trouble> {
    let text = text.map(|text| text.replace('\0', "").trim().to_owned()).filter(|text| !text.is_empty());
    let chars = text.as_ref().map_or(0, |text| text.chars().count());
    if chars > chars_max {
        let message = format!("{name} has {chars} characters, and {chars_max} are kept at most");
        return Err(Trouble::new(TroubleCode::TooLarge, message).hint("pass the part that matters"));
    }
    Ok(text)
}
