//! `extract_entities`.

use capability_kit::{Tool, Trouble, Work};
use capability_language::{Entity, EntityKind, Method, detect, entities};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::answer::AnswerNotes;
use crate::input::GivenText;

const DESCRIPTION: &str = "Finds entities in a text: e-mail and web addresses, telephone numbers, dates, \
    money, percentages, quantities, IBANs and card numbers with a valid check digit, IP addresses, and, as \
    guesses with a confidence, persons, organizations and places.";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct EntitiesArguments {
    /// The text.
    text: Option<String>,
    /// Instead of `text`: the text of a file, which a gateway fills in for its id.
    file_text: Option<String>,
    /// Only these kinds; all if omitted.
    #[serde(default)]
    kinds: Vec<EntityKind>,
}

#[derive(Serialize, JsonSchema)]
struct EntitiesOutput {
    /// In the order of the text.
    entities: Vec<Entity>,
    /// ISO 639-1.
    language: Option<String>,
    method: Method,
    #[serde(flatten)]
    notes: AnswerNotes,
}

pub(super) fn tool() -> Tool {
    Tool::new("extract_entities", "Extract entities", DESCRIPTION, find)
}

fn find(arguments: EntitiesArguments, _: &Work) -> Result<EntitiesOutput, Trouble> {
    let text = GivenText::load("text", arguments.text, arguments.file_text)?;
    let mut notes = AnswerNotes::default();
    let text = text.clipped(&mut notes);
    let language = detect(text).language;
    Ok(EntitiesOutput {
        entities: entities(text, &arguments.kinds),
        language,
        method: Method::Statistical,
        notes,
    })
}
