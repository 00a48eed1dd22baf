//! Arguments that tools have in common: texts, languages, platforms.

use capability_kit::{Trouble, TroubleCode};
use capability_language::detect;

use crate::headline::headline_words;
use crate::platform::{Placement, Platform, PlatformRules};

/// A text of a post: given as it is, or filled in by a gateway for the id of a file.
pub(crate) fn text(name: &str, text: Option<String>, of_file: Option<String>) -> Result<String, Trouble> {
    let hint = format!("pass the text itself as {name}; behind a gateway, a file's id works too");
    let given = match (text, of_file) {
        (Some(text), None) | (None, Some(text)) => text,
        (Some(_), Some(_)) => {
            return Err(Trouble::bad_arguments(format!("both {name} and a file were passed"))
                .hint("pass only one of them"));
        }
        (None, None) => return Err(Trouble::bad_arguments(format!("{name} is missing")).hint(hint)),
    };
    if is_blank(&given) {
        return Err(Trouble::bad_arguments(format!("{name} is empty")).hint(hint));
    }
    let chars = given.chars().count();
    if chars > TEXT_CHARS_MAX {
        return Err(Trouble::new(TroubleCode::TooLarge, format!("{name} has {chars} characters"))
            .hint(format!("a post has at most {TEXT_CHARS_MAX}; pass the part that people see")));
    }
    Ok(given)
}

/// The longest post that a platform takes has 63,206.
const TEXT_CHARS_MAX: usize = 100_000;
/// Fewer words in Latin letters could be of any language.
const WORDS_MIN: usize = 6;

pub(crate) fn is_blank(text: &str) -> bool {
    text.chars().all(|letter| letter.is_whitespace() || letter.is_control())
}

/// The language of a text that the rules do not know, if that is certain.
pub(crate) fn foreign(text: &str) -> Option<String> {
    let found = detect(text);
    let is_long = found.script.as_deref() != Some("Latin") || headline_words(text).len() >= WORDS_MIN;
    let is_foreign = is_long && !found.unsure && found.language.as_deref() != Some("en");
    is_foreign.then(|| found.name.or(found.language).unwrap_or_else(|| "another language".to_owned()))
}

/// A platform and one of its placements.
pub(crate) fn placement(
    platform: &str,
    placement: Option<&str>,
) -> Result<(&'static Platform, &'static Placement), Trouble> {
    let rules = PlatformRules::shipped();
    let found = rules.find(platform).ok_or_else(|| {
        Trouble::bad_arguments(format!("platform: {platform:?} is unknown"))
            .hint(format!("use one of {}", rules.names().join(", ")))
    })?;
    let place = found.placement(placement).ok_or_else(|| {
        let names: Vec<&str> = found.placements.iter().map(|placement| placement.name.as_str()).collect();
        let said = placement.unwrap_or_default();
        Trouble::bad_arguments(format!("placement: {} has no {said:?}", found.name))
            .hint(format!("use one of {}", names.join(", ")))
    })?;
    Ok((found, place))
}
