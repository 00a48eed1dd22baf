//! `extract_entities`.

use std::collections::HashMap;

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
    /// Return every occurrence with its position.
    #[serde(default)]
    spans: bool,
}

/// An entity, or all entities of the same text.
#[derive(Serialize, JsonSchema)]
struct EntityOut {
    kind: EntityKind,
    /// As in the text.
    text: String,
    /// In a common form if there is one: `2024-05-03`, `EUR 1234.50`, `15%`, an IBAN without blanks.
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<String>,
    /// From 0 to 1. Names are guesses from their surroundings and stay below 0.95.
    confidence: f64,
    /// The number of occurrences, if there are several.
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<usize>,
    /// With `spans`: position in the text, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct EntitiesOutput {
    /// In the order of the text.
    entities: Vec<EntityOut>,
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
        entities: shown(entities(text, &arguments.kinds), arguments.spans),
        language,
        method: Method::Statistical,
        notes,
    })
}

/// Each occurrence with its position, or each text once.
fn shown(found: Vec<Entity>, spans: bool) -> Vec<EntityOut> {
    let mut shown: Vec<EntityOut> = Vec::new();
    let mut places = HashMap::new();
    for Entity { kind, text, value, start, end, confidence } in found {
        let (start, end) = (spans.then_some(start), spans.then_some(end));
        let first = *places.entry((kind, text.clone())).or_insert(shown.len());
        match shown.get_mut(first).filter(|_| !spans) {
            Some(same) => {
                same.count = Some(same.count.unwrap_or(1) + 1);
                same.confidence = same.confidence.max(confidence);
            }
            None => shown.push(EntityOut { kind, text, value, confidence, count: None, start, end }),
        }
    }
    shown
}
