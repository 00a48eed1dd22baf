//! Entries as lines.

use super::entry::{PageEntry, PageScroll};

/// Levels of indentation that are shown; deeper ones look like the last.
const LEVELS_MAX: usize = 12;
/// One space: a model reads it together with the word after it.
const LEVEL: &str = " ";

/// One line of a snapshot, with what decides whether it is shown.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct SnapshotLine {
    /// The same as long as the node lives and is of the same kind.
    pub(super) key: String,
    /// Without indentation.
    pub(super) text: String,
    /// The same without the ref, to tell a new node with the same content.
    pub(super) content: String,
    pub(super) reference: Option<String>,
    pub(super) level: usize,
    /// The line that it stands under.
    pub(super) parent: Option<usize>,
    pub(super) weight: LineWeight,
    pub(super) zone: u8,
    pub(super) behind: bool,
}

/// Kinds of lines, the most useful first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub(super) enum LineWeight {
    #[default]
    Acts,
    Heading,
    Text,
    /// Only there for what it holds.
    Holds,
    Hidden,
    /// The count of what the script left out.
    LeftOut,
}

/// Everything that a snapshot could have shown, to tell what changed.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct SnapshotLines {
    pub(super) document: String,
    pub(super) head: String,
    pub(super) lines: Vec<SnapshotLine>,
    pub(super) partial: bool,
    pub(super) scroll: PageScroll,
}

/// The lines of a tree, in order.
pub(super) fn lines_of(entries: &[PageEntry]) -> Vec<SnapshotLine> {
    let mut lines = Vec::new();
    for entry in entries {
        add(entry, 0, None, &mut lines);
    }
    lines
}

fn add(entry: &PageEntry, level: usize, parent: Option<usize>, lines: &mut Vec<SnapshotLine>) -> (u8, bool) {
    let own = lines.len();
    lines.push(SnapshotLine {
        key: format!("{}:{}:{}", entry.label, entry.identity, entry.role),
        text: text_of(entry, true),
        content: text_of(entry, false),
        reference: entry.reference(),
        level,
        parent,
        weight: weight_of(entry),
        zone: entry.zone,
        behind: entry.behind == 1,
    });
    let mut nearest = if weight_of(entry) == LineWeight::Holds { u8::MAX } else { entry.zone };
    let mut behind = entry.behind == 1;
    for child in &entry.children {
        let (zone, is_behind) = add(child, level + 1, Some(own), lines);
        nearest = nearest.min(zone);
        behind &= is_behind;
    }
    let line = &mut lines[own];
    line.zone = if nearest == u8::MAX { 2 } else { nearest };
    line.behind = behind;
    (line.zone, line.behind)
}

fn weight_of(entry: &PageEntry) -> LineWeight {
    match entry.role.as_str() {
        "more" => LineWeight::LeftOut,
        "hidden" => LineWeight::Hidden,
        "heading" => LineWeight::Heading,
        "text" | "image" | "list" | "item" | "row" if entry.children.is_empty() => match entry.number {
            Some(_) => LineWeight::Acts,
            None if entry.cells.iter().flatten().any(|part| part.number.is_some()) => LineWeight::Acts,
            None => LineWeight::Text,
        },
        "alert" | "status" | "dialog" => LineWeight::Heading,
        _ if is_holder(entry) => LineWeight::Holds,
        _ => LineWeight::Acts,
    }
}

/// Containers: their refs serve only to expand them, and are shown where something was left out.
fn is_holder(entry: &PageEntry) -> bool {
    matches!(
        entry.role.as_str(),
        "form"
            | "nav"
            | "main"
            | "header"
            | "footer"
            | "aside"
            | "region"
            | "list"
            | "table"
            | "tabs"
            | "tabpanel"
            | "tree"
            | "menu"
            | "toolbar"
            | "radiogroup"
            | "search"
            | "details"
            | "log"
            | "tooltip"
    ) || (matches!(entry.role.as_str(), "group" | "item" | "article" | "row" | "dialog" | "alert" | "status")
        && entry.number.is_none())
}

/// The text of one line: role, name, ref, value, states. Words of the page stand in quotes, so that a ref or a role outside of
/// them is ours; quotes alone are text.
pub(super) fn text_of(entry: &PageEntry, with_reference: bool) -> String {
    let reference = entry.reference().filter(|_| with_reference);
    match entry.role.as_str() {
        "more" => {
            let under = reference.map(|reference| format!(" under {reference}")).unwrap_or_default();
            return format!("… {} more{under}", entry.left_out);
        }
        "hidden" => return format!("(hidden text, not visible to people) {}", quoted(&entry.name)),
        "row" if !entry.cells.is_empty() => return row(entry, reference.as_deref(), with_reference),
        _ => {}
    }
    let mut line = if entry.is("text") { String::new() } else { entry.role.clone() };
    if let Some(level) = entry.level.filter(|_| entry.is("heading")) {
        add_word(&mut line, &level.to_string());
    }
    if !entry.name.is_empty() {
        add_word(&mut line, &quoted(&entry.name));
    }
    if let Some(reference) = reference.filter(|_| !is_holder(entry)) {
        add_word(&mut line, &reference);
    }
    if let Some(value) = &entry.value {
        add_word(&mut line, "=");
        add_word(&mut line, &if value == "••••" { value.clone() } else { quoted(value) });
    }
    add_word(&mut line, &one_line(&entry.extra));
    for state in &entry.states {
        add_word(&mut line, &one_line(state));
    }
    line
}

/// A row: one quoted text if there is nothing but text.
fn row(entry: &PageEntry, reference: Option<&str>, with_reference: bool) -> String {
    let mut line = if entry.level == Some(1) { "columns".to_owned() } else { "row".to_owned() };
    if let Some(reference) = reference {
        add_word(&mut line, reference);
    }
    let is_text = entry.cells.iter().flatten().all(|part| part.is("text"));
    let cells: Vec<String> = entry
        .cells
        .iter()
        .map(|cell| {
            let parts: Vec<String> = cell
                .iter()
                .map(|part| match part.is("text") {
                    true if is_text => part.name.clone(),
                    true => quoted(&part.name),
                    false => text_of(part, with_reference),
                })
                .collect();
            parts.join(" ")
        })
        .collect();
    let cells = cells.join(" | ");
    let cells = cells.trim_end_matches([' ', '|']);
    add_word(&mut line, &if is_text { quoted(cells) } else { cells.to_owned() });
    line
}

fn add_word(line: &mut String, word: &str) {
    if !word.is_empty() {
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
}

/// Text of a page: data, on one line, in quotes.
pub(super) fn quoted(text: &str) -> String {
    format!("\"{}\"", one_line(text).replace('"', "\\\""))
}

fn one_line(text: &str) -> String {
    match text.contains(char::is_control) {
        true => text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect(),
        false => text.to_owned(),
    }
}

/// A line as it is shown.
pub(super) fn indented(line: &SnapshotLine) -> String {
    format!("{}{}", LEVEL.repeat(line.level.min(LEVELS_MAX)), line.text)
}
