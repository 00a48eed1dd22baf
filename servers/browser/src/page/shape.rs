//! Entries without what says nothing: groups of one, lines that another line can say as well.

use super::entry::PageEntry;

/// Characters of the texts that become the name of what holds them.
const NAME_CHARS: usize = 160;
/// Characters of a list that is one line.
const LIST_CHARS: usize = 300;
/// Containers that are named by their first texts.
const NAMED_BY_TEXT: [&str; 7] = ["item", "clickable", "article", "row", "alert", "status", "treeitem"];
/// Containers that say nothing without a name if they hold one thing only.
const LOOSE: [&str; 12] = [
    "item", "list", "group", "article", "region", "main", "header", "footer", "aside", "tabpanel", "section",
    "search",
];
const SEPARATOR: &str = " | ";

pub(super) fn shaped(entries: Vec<PageEntry>) -> Vec<PageEntry> {
    entries.into_iter().flat_map(shape).collect()
}

fn shape(mut entry: PageEntry) -> Vec<PageEntry> {
    entry.children = shaped(std::mem::take(&mut entry.children));
    match entry.role.as_str() {
        "more" => expanded(entry),
        _ if NAMED_BY_TEXT.contains(&entry.role.as_str()) => lifted(named_by_text(entry)),
        "list" => lifted(on_one_line(entry)),
        _ => lifted(entry),
    }
}

/// Entries that were walked late stand where they belong, before the count of what was not walked.
fn expanded(mut entry: PageEntry) -> Vec<PageEntry> {
    let mut entries = std::mem::take(&mut entry.children);
    if entry.left_out > 0 {
        entries.push(entry);
    }
    entries
}

/// The texts at the beginning become the name.
fn named_by_text(mut entry: PageEntry) -> PageEntry {
    if !entry.name.is_empty() || !entry.cells.is_empty() {
        return entry;
    }
    let mut taken = 0;
    let mut length = 0;
    for child in &entry.children {
        length += child.name.chars().count() + SEPARATOR.len();
        if !child.is("text") || length > NAME_CHARS + SEPARATOR.len() {
            break;
        }
        taken += 1;
    }
    let texts: Vec<String> = entry.children.drain(..taken).map(|text| text.name).collect();
    entry.name = texts.join(SEPARATOR);
    if !entry.name.is_empty() && (entry.extra.starts_with('.') || entry.extra.starts_with('#')) {
        entry.extra.clear();
    }
    entry
}

/// A list of short texts is one line.
fn on_one_line(mut entry: PageEntry) -> PageEntry {
    let is_plain = |item: &PageEntry| item.is("item") && item.number.is_none() && item.children.is_empty();
    let length: usize = entry.children.iter().map(|item| item.name.chars().count() + SEPARATOR.len()).sum();
    if entry.children.len() > 1 && length <= LIST_CHARS && entry.children.iter().all(is_plain) {
        let texts: Vec<String> = entry.children.drain(..).map(|item| item.name).collect();
        let texts = texts.join(SEPARATOR);
        entry.name = match entry.name.is_empty() {
            true => texts,
            false => format!("{}: {texts}", entry.name),
        };
        entry.number = None;
    }
    entry
}

/// A container of one thing is that thing; one of nothing is nothing.
fn lifted(mut entry: PageEntry) -> Vec<PageEntry> {
    let is_loose = LOOSE.contains(&entry.role.as_str()) && entry.name.is_empty();
    let is_acted_on = entry.number.is_some() && matches!(entry.role.as_str(), "item" | "article" | "group");
    match entry.children.len() {
        0 if is_loose && !is_acted_on => Vec::new(),
        1 if is_loose && !is_acted_on => std::mem::take(&mut entry.children),
        _ => vec![entry],
    }
}
