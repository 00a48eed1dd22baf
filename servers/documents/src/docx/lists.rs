//! Numbered lists: the marker of a paragraph depends on all earlier paragraphs of its list.

use std::collections::{HashMap, HashSet};

use crate::numbering::{BULLET, NumberFormat};
use crate::xml::Element;

/// Word's lists have nine levels.
pub(super) const LEVELS: usize = 9;

/// The definitions of `numbering.xml`.
#[derive(Default)]
pub(super) struct DocxLists {
    /// By the id that paragraphs use.
    lists: HashMap<String, NumberedList>,
    definitions: HashMap<String, Vec<DocxLevel>>,
}

struct NumberedList {
    definition: String,
    starts: HashMap<u8, u32>,
}

#[derive(Clone, Default)]
struct DocxLevel {
    count: NumberFormat,
    /// Such as `%1.%2.`.
    pattern: String,
    start: u32,
}

/// The current numbers of each list.
#[derive(Default)]
pub(super) struct Counters {
    by_definition: HashMap<String, [Option<u32>; LEVELS]>,
    started: HashSet<String>,
}

impl DocxLists {
    pub(super) fn read(root: Element<'_>) -> Self {
        let definitions = root.children_named("abstractNum").filter_map(|definition| {
            let levels = definition.children_named("lvl").take(LEVELS).map(level).collect();
            Some((definition.attribute("abstractNumId")?.to_owned(), levels))
        });
        let lists = root.children_named("num").filter_map(|list| {
            let definition = list.child("abstractNumId")?.attribute("val")?.to_owned();
            let starts = list.children_named("lvlOverride").filter_map(|change| {
                let start = change.child("startOverride")?.number("val")?;
                Some((change.number("ilvl")?, start))
            });
            Some((list.attribute("numId")?.to_owned(), NumberedList { definition, starts: starts.collect() }))
        });
        Self { definitions: definitions.collect(), lists: lists.collect() }
    }

    /// The marker of the next paragraph of a list. `None` for a list that is switched off.
    pub(super) fn marker(&self, counters: &mut Counters, list: &str, level: u8) -> Option<String> {
        if list == "0" {
            return None;
        }
        let Some(found) = self.lists.get(list) else { return Some(BULLET.to_owned()) };
        let levels = self.definitions.get(&found.definition).map(Vec::as_slice).unwrap_or_default();
        let level = usize::from(level).min(LEVELS - 1);
        let Some(own) = levels.get(level) else { return Some(BULLET.to_owned()) };
        let numbers = counters.by_definition.entry(found.definition.clone()).or_default();
        if counters.started.insert(list.to_owned()) {
            restart(numbers, &found.starts);
        }
        numbers[level] = Some(numbers[level].map_or(own.start, |number| number.saturating_add(1)));
        numbers[level + 1..].fill(None);
        Some(match own.count {
            NumberFormat::Bullet => BULLET.to_owned(),
            NumberFormat::Nothing => own.pattern.replace('%', ""),
            _ => written(own, levels, numbers),
        })
    }
}

/// A list that shares its definition with another may restart its numbering.
fn restart(numbers: &mut [Option<u32>; LEVELS], starts: &HashMap<u8, u32>) {
    for (number, level) in numbers.iter_mut().zip(0_u8..) {
        if let Some(start) = starts.get(&level) {
            *number = start.checked_sub(1);
        }
    }
}

/// The pattern with the numbers of this and upper levels in it.
fn written(own: &DocxLevel, levels: &[DocxLevel], numbers: &[Option<u32>; LEVELS]) -> String {
    let mut marker = String::new();
    let mut pattern = own.pattern.chars();
    while let Some(character) = pattern.next() {
        let digit = if character == '%' { pattern.next().and_then(|digit| digit.to_digit(10)) } else { None };
        let place = digit.and_then(|digit| (digit as usize).checked_sub(1)).filter(|place| *place < LEVELS);
        match (place, levels.get(place.unwrap_or(LEVELS))) {
            (Some(place), Some(level)) => {
                marker.push_str(&level.count.write(numbers[place].unwrap_or(level.start)))
            }
            _ => marker.push(character),
        }
    }
    marker
}

fn level(level: Element<'_>) -> DocxLevel {
    let value = |name: &str| level.child(name).and_then(|child| child.attribute("val"));
    DocxLevel {
        count: value("numFmt").map(count).unwrap_or_default(),
        pattern: value("lvlText").unwrap_or_default().to_owned(),
        start: value("start").and_then(|start| start.parse().ok()).unwrap_or(1),
    }
}

fn count(name: &str) -> NumberFormat {
    match name {
        "bullet" => NumberFormat::Bullet,
        "none" => NumberFormat::Nothing,
        "decimalZero" => NumberFormat::DecimalZero,
        "lowerLetter" => NumberFormat::LowerLetter,
        "upperLetter" => NumberFormat::UpperLetter,
        "lowerRoman" => NumberFormat::LowerRoman,
        "upperRoman" => NumberFormat::UpperRoman,
        _ => NumberFormat::Decimal,
    }
}
