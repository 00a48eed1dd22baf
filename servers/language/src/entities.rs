//! Things that a text names: addresses, numbers with a meaning, dates, and with less certainty persons, organisations and
//! places. Found by their form alone, without lists of names.

mod amounts;
mod checks;
mod dates;
mod found;
mod names;
mod patterns;
#[cfg(test)]
mod tests;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::language::detect;
use crate::position::{Positions, Span};
use found::EntityFinding;
pub use found::EntityKind;

/// An entity in a text, with its position.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
pub struct Entity {
    pub kind: EntityKind,
    /// As in the text.
    pub text: String,
    /// In a common form if there is one: `2024-05-03`, `EUR 1234.50`, `15%`, an IBAN without blanks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// Position in the text, in characters.
    pub start: usize,
    pub end: usize,
    /// From 0 to 1. Names are guesses from their surroundings and stay below 0.95.
    pub confidence: f64,
}

/// The maximum number of reported entities.
const ENTITIES_MAX: usize = 2_000;

/// The entities in `text`, in order; only of the given `kinds`, or of all if there are none.
pub fn entities(text: &str, kinds: &[EntityKind]) -> Vec<Entity> {
    let wanted = |found: &EntityFinding| kinds.is_empty() || kinds.contains(&found.kind);
    let mut taken = TakenRanges::default();
    patterns::find(text).into_iter().for_each(|found| taken.offer(found));
    dates::find(text).into_iter().for_each(|found| taken.offer(found));
    amounts::find(text).into_iter().for_each(|found| taken.offer(found));
    patterns::find_phones(text).into_iter().for_each(|found| taken.offer(found));
    names::find(text, detect(text).language.as_deref()).into_iter().for_each(|found| taken.offer(found));
    let positions = Positions::new(text);
    let mut all = taken.in_order();
    all.retain(wanted);
    all.into_iter().take(ENTITIES_MAX).map(|found| told(text, &positions, found)).collect()
}

fn told(text: &str, positions: &Positions<'_>, found: EntityFinding) -> Entity {
    let Span { start, end } = positions.span(found.place.clone());
    let text = text[found.place].split_whitespace().collect::<Vec<_>>().join(" ");
    Entity { kind: found.kind, text, value: found.value, start, end, confidence: found.confidence }
}

/// The first finding keeps its place: surer kinds are searched first.
#[derive(Default)]
struct TakenRanges {
    by_start: std::collections::BTreeMap<usize, EntityFinding>,
}

impl TakenRanges {
    fn offer(&mut self, found: EntityFinding) {
        let before = self.by_start.range(..found.place.end).next_back();
        if before.is_none_or(|(_, before)| before.place.end <= found.place.start) {
            self.by_start.insert(found.place.start, found);
        }
    }

    fn in_order(self) -> Vec<EntityFinding> {
        self.by_start.into_values().collect()
    }
}
