//! A text as an argument: itself, or the ref of something kept.

use capability_kit::{Trouble, TroubleCode, Work};
use capability_language::{Clipped, clip, known_language};

use crate::answer::Notes;

/// A text that is there, and what was cut of it.
pub(crate) struct Text {
    whole: String,
}

impl Text {
    /// `name` is how the argument is called.
    pub(crate) fn load(
        name: &str,
        text: Option<String>,
        source: Option<String>,
        work: &Work,
    ) -> Result<Self, Trouble> {
        let whole = match (text, source) {
            (Some(text), None) => text,
            (None, Some(id)) => read(&id, work)?,
            (Some(_), Some(_)) => {
                return Err(Trouble::bad_arguments(format!("{name} and a ref are both given"))
                    .hint("give one of them"));
            }
            (None, None) => return Err(missing(name, "is not given")),
        };
        if whole.chars().all(|character| character.is_whitespace() || character.is_control()) {
            return Err(missing(name, "is empty"));
        }
        Ok(Self { whole })
    }

    /// As much of it as is looked at.
    pub(crate) fn clipped(&self, notes: &mut Notes) -> &str {
        let Clipped { text, cut } = clip(&self.whole);
        if let Some(cut) = cut {
            notes.warn(format!(
                "only the first {} of {} characters were looked at",
                cut.analysed_chars, cut.total_chars
            ));
            notes.cut = Some(cut);
        }
        text
    }
}

fn missing(name: &str, what: &str) -> Trouble {
    Trouble::bad_arguments(format!("{name} {what}"))
        .hint(format!("give the text itself as {name}; at a gateway, a file's id does as well"))
}

fn read(id: &str, work: &Work) -> Result<String, Trouble> {
    let stored = work.find(id)?;
    String::from_utf8(stored.bytes).map_err(|_| {
        Trouble::new(TroubleCode::Unsupported, format!("the ref {id:?} is {}, not text", stored.media_type))
            .hint("extract its text first, for example with doc-parser-mcp")
    })
}

/// A language that the caller names, by its code.
pub(crate) fn language(said: Option<String>) -> Result<Option<String>, Trouble> {
    let Some(said) = said else { return Ok(None) };
    match known_language(&said) {
        Some((code, _)) => Ok(Some(code.to_owned())),
        None => Err(Trouble::bad_arguments(format!("language: {said:?} is not known"))
            .hint("give a code of ISO 639-1 such as en, or leave it out to have it found out")),
    }
}
