//! A text as an argument: literally, or filled in by a gateway for the id of a file. They are two arguments,
//! so that agents behind a gateway may pass either: the one that is filled in is not shown to them.

use capability_kit::Trouble;
use capability_language::{ClippedText, clip, known_language};

use crate::answer::AnswerNotes;

/// A given text, and the truncated part.
pub(crate) struct GivenText {
    whole: String,
}

impl GivenText {
    /// `name` is how the argument is called.
    pub(crate) fn load(name: &str, text: Option<String>, of_file: Option<String>) -> Result<Self, Trouble> {
        let whole = match (text, of_file) {
            (Some(text), None) | (None, Some(text)) => text,
            (Some(_), Some(_)) => {
                return Err(Trouble::bad_arguments(format!("both {name} and a file were passed"))
                    .hint("pass only one of them"));
            }
            (None, None) => return Err(missing(name, "is missing")),
        };
        if whole.chars().all(|character| character.is_whitespace() || character.is_control()) {
            return Err(missing(name, "is empty"));
        }
        Ok(Self { whole })
    }

    /// The analysed part of it.
    pub(crate) fn clipped(&self, notes: &mut AnswerNotes) -> &str {
        let ClippedText { text, cut } = clip(&self.whole);
        if let Some(cut) = cut {
            notes.warn(format!(
                "only the first {} of {} characters were analysed",
                cut.analysed_chars, cut.total_chars
            ));
            notes.cut = Some(cut);
        }
        text
    }
}

fn missing(name: &str, what: &str) -> Trouble {
    Trouble::bad_arguments(format!("{name} {what}"))
        .hint(format!("pass the text itself as {name}; behind a gateway, a file's id works too"))
}

/// A language that the caller names, by its code.
pub(crate) fn language(said: Option<String>) -> Result<Option<String>, Trouble> {
    let Some(said) = said else { return Ok(None) };
    match known_language(&said) {
        Some((code, _)) => Ok(Some(code.to_owned())),
        None => Err(Trouble::bad_arguments(format!("language: {said:?} is unknown"))
            .hint("pass an ISO 639-1 code such as en, or omit it to detect the language")),
    }
}
