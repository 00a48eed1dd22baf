//! Scans a definition for content that addresses the model instead of the reader: invisible characters,
//! sentences that give orders, names of other servers' tools, look-alike names. It marks, it does not judge.

mod foreign;
mod invisible;
mod look_alike;
mod phrase;
#[cfg(test)]
mod tests;

use std::ops::Range;

use serde_json::Value;
use toolgate_core::registry::{DefinitionFinding, FindingKind};

pub use foreign::{ForeignNames, ToolNames};

/// The maximum number of findings in one definition: a few are enough for a review.
const FINDINGS_MAX: usize = 20;
const EXCERPT_CHARS_MAX: usize = 120;
/// The members of a definition that name the tool.
const NAMES: [&str; 3] = ["name", "title", "annotations.title"];
/// The number of characters before the position that an excerpt shows.
const EXCERPT_CHARS_BEFORE: usize = 24;

/// The findings in a definition, sorted. All its texts are scanned, not only descriptions: the model sees
/// them all.
pub fn scan(definition: &Value, foreign: &ForeignNames<'_>) -> Vec<DefinitionFinding> {
    let mut findings: Vec<DefinitionFinding> = Vec::new();
    findings.extend(foreign.server().and_then(|server| looks_alike(server.as_str(), "server")));
    visit(definition, "", &mut |text, place, is_name| {
        if findings.len() < FINDINGS_MAX {
            findings.extend(is_name.then(|| looks_alike(text, place)).flatten());
            findings.extend(findings_in(text, place, foreign));
        }
    });
    findings.truncate(FINDINGS_MAX);
    findings.sort();
    findings
}

fn findings_in(text: &str, place: &str, foreign: &ForeignNames<'_>) -> Vec<DefinitionFinding> {
    let finding = |kind: FindingKind| {
        move |range: Range<usize>| DefinitionFinding {
            kind,
            place: place.to_owned(),
            excerpt: excerpt(text, range),
        }
    };
    let invisible = invisible::find(text).map(finding(FindingKind::InvisibleCharacters));
    let orders = phrase::find(text).into_iter().map(finding(FindingKind::Instruction));
    let names = foreign.find(text).into_iter().map(finding(FindingKind::ForeignTool));
    let mut findings: Vec<DefinitionFinding> = invisible.into_iter().chain(orders).chain(names).collect();
    // In a short text, one excerpt shows them all.
    findings.dedup();
    findings
}

/// The finding about a look-alike name.
fn looks_alike(name: &str, place: &str) -> Option<DefinitionFinding> {
    let range = look_alike::find(name)?;
    let shown: String =
        look_alike::told_apart(&name[range.start..]).chars().take(EXCERPT_CHARS_MAX).collect();
    let excerpt = format!("{}{shown}", made_visible(&name[..range.start]));
    Some(DefinitionFinding { kind: FindingKind::LookAlikeLetters, place: place.to_owned(), excerpt })
}

/// Every text in a value, keys included, with its place and whether it is a name: one of the tool or of an argument.
fn visit(value: &Value, place: &str, see: &mut impl FnMut(&str, &str, bool)) {
    let below = |name: &str| if place.is_empty() { name.to_owned() } else { format!("{place}.{name}") };
    match value {
        Value::String(text) => see(text, place, NAMES.contains(&place)),
        Value::Array(items) => {
            items.iter().enumerate().for_each(|(at, item)| visit(item, &below(&at.to_string()), see));
        }
        Value::Object(members) => {
            for (name, member) in members {
                let place = below(&made_visible(name));
                see(name, &place, true);
                visit(member, &place, see);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// The place with a little of the text around it, on one line.
fn excerpt(text: &str, range: Range<usize>) -> String {
    let start =
        text[..range.start].char_indices().rev().nth(EXCERPT_CHARS_BEFORE - 1).map_or(0, |(at, _)| at);
    let shown = made_visible(&text[start..]);
    let mut cut: String = shown.chars().take(EXCERPT_CHARS_MAX).collect();
    if cut.len() < shown.len() {
        cut.push('…');
    }
    if start > 0 { format!("…{cut}") } else { cut }
}

/// White space as a space, and invisible characters as their numbers.
fn made_visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => shown.push(' '),
            c if invisible::is_hidden(c) => shown.extend(c.escape_unicode()),
            c => shown.push(c),
        }
    }
    shown
}
