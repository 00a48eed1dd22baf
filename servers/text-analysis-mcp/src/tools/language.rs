//! `detect_language`.

use capability_kit::{Tool, Trouble, Work};
use capability_language::{Detected, Method, detect};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::Notes;
use crate::input::Text;

const DESCRIPTION: &str = "Detects the language of a text, with a confidence, and the parts in other \
    languages. Short texts are `unsure`.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Arguments {
    /// The text.
    text: Option<String>,
    /// Instead of `text`: the text of a file, which a gateway fills in for its id.
    file_text: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct Answer {
    #[serde(flatten)]
    found: Detected,
    method: Method,
    #[serde(flatten)]
    notes: Notes,
}

pub(super) fn tool() -> Tool {
    Tool::new("detect_language", "Detect language", DESCRIPTION, look)
}

fn look(arguments: Arguments, _: &Work) -> Result<Answer, Trouble> {
    let text = Text::load("text", arguments.text, arguments.file_text)?;
    let mut notes = Notes::default();
    let found = detect(text.clipped(&mut notes));
    Ok(Answer { found, method: Method::Statistical, notes })
}
