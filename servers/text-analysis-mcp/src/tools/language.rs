//! `detect_language`.

use capability_kit::{Tool, Trouble, Work};
use capability_language::{DetectedLanguage, Method, detect};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::AnswerNotes;
use crate::input::GivenText;

const DESCRIPTION: &str = "Detects the language of a text, with a confidence, and the parts in other \
    languages. Short texts are `unsure`.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct LanguageArguments {
    /// The text.
    text: Option<String>,
    /// Instead of `text`: the text of a file, which a gateway fills in for its id.
    file_text: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct LanguageOutput {
    #[serde(flatten)]
    found: DetectedLanguage,
    method: Method,
    #[serde(flatten)]
    notes: AnswerNotes,
}

pub(super) fn tool() -> Tool {
    Tool::new("detect_language", "Detect language", DESCRIPTION, look)
}

fn look(arguments: LanguageArguments, _: &Work) -> Result<LanguageOutput, Trouble> {
    let text = GivenText::load("text", arguments.text, arguments.file_text)?;
    let mut notes = AnswerNotes::default();
    let found = detect(text.clipped(&mut notes));
    Ok(LanguageOutput { found, method: Method::Statistical, notes })
}
