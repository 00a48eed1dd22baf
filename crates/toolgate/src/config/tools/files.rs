//! `file_strategy` and `[[tools.files]]`: arguments that are files to agents.

use toolgate_core::tool::{BadSlot, FileSlot, FileStrategy, SlotForm};

use super::super::problem::ConfigProblems;
use super::super::section::ConfigSection;
use crate::config::section::require;

pub(crate) const KEYS: &[&str] = &["strategy", "argument", "content", "media_type"];

const STRATEGY_HINT: &str = "it says how a `file_id` becomes arguments; `passthrough` leaves them alone";

/// `None` leaves it to the tool's server. An empty list means that no argument takes a file.
pub(super) fn read(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Option<Vec<FileSlot>> {
    if let (Some(_), Some(span)) = (section.key_span("file_strategy"), section.key_span("files")) {
        let what = format!("{} has both `file_strategy` and `files`", section.title());
        let hint = "`files` says it all: move the strategy there, as `strategy`";
        problems.add(span, what, "one of the two", hint);
    }
    if section.key_span("files").is_some() {
        return slots(section, problems);
    }
    let strategy = section.word("file_strategy", &strategies(), STRATEGY_HINT, problems)?;
    Some(vec![FileSlot::of(strategy)])
}

fn strategies() -> [(&'static str, FileStrategy); 6] {
    FileStrategy::ALL.map(|strategy| (strategy.as_str(), strategy))
}

/// `None` if a problem was added.
fn slots(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Option<Vec<FileSlot>> {
    let before = problems.count();
    if section.is_text("files") {
        let written = section.string("files", problems)?;
        let what = format!("`files` in {} is a text", section.title());
        let hint = "one strategy alone is said by `file_strategy`";
        problems.add(written.span, what, "tables that start with `[[tools.files]]`", hint);
        return None;
    }
    let mut tables = section.sections("files", problems);
    for table in &mut tables {
        table.rename(format!("`files` of {}", section.title()));
    }
    let forms: Vec<SlotForm> = tables.iter().filter_map(|table| form(table, problems)).collect();
    if problems.count() > before {
        return None;
    }
    match FileSlot::all(forms.clone()) {
        Ok(slots) => Some(slots),
        Err(bad) => {
            refuse(section, &tables, forms, &bad, problems);
            None
        }
    }
}

fn form(table: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Option<SlotForm> {
    table.refuse_unknown_keys(KEYS, &[], problems);
    require(table, "strategy", "\"binary_base64\"", problems);
    let strategy = table.word("strategy", &strategies(), STRATEGY_HINT, problems);
    if strategy == Some(FileStrategy::Passthrough) {
        refuse_filled(table, problems);
    }
    let mut name = |key| table.string(key, problems).map(|name| name.value.to_owned());
    let (argument, content, media_type) = (name("argument"), name("content"), name("media_type"));
    Some(SlotForm { strategy: strategy?, argument, content, media_type, file_name: None })
}

/// An id that is passed on fills nothing.
fn refuse_filled(table: &ConfigSection<'_>, problems: &mut ConfigProblems) {
    for key in ["content", "media_type"] {
        if let Some(span) = table.key_span(key) {
            let what = format!("`{key}` in {}, whose strategy is `passthrough`", table.title());
            let hint = "remove the line, or choose a strategy that fills arguments";
            problems.add(span, what, format!("`{key}` only where something is filled in"), hint);
        }
    }
}

fn refuse(
    section: &ConfigSection<'_>,
    tables: &[ConfigSection<'_>],
    forms: Vec<SlotForm>,
    bad: &BadSlot,
    problems: &mut ConfigProblems,
) {
    let slots: Vec<FileSlot> = forms.into_iter().map(FileSlot::from).collect();
    let uses = |name: &String| {
        let has = |slot: &FileSlot| {
            slot.argument == *name || slot.content == *name || slot.media_type.as_ref() == Some(name)
        };
        // The last of them is the one too many.
        tables.iter().zip(&slots).rev().find(|(_, slot)| has(slot)).map(|(table, _)| table)
    };
    let (table, expected, hint) = match bad {
        BadSlot::Twice(name) => (
            uses(name),
            "names of its own for each file".to_owned(),
            "give each its own `argument`, and its own `content` (and `media_type`) as the server calls them",
        ),
        BadSlot::Name(name) => (
            uses(name),
            "names as they stand in the tool's schema".to_owned(),
            "`toolgate tools describe NAME` shows its arguments",
        ),
        BadSlot::TooMany => (
            None,
            format!("at most {} files", FileSlot::SLOTS_MAX),
            "an argument that takes a list of files is one of them",
        ),
    };
    let span = table.map(|table| table.span.clone()).or_else(|| section.key_span("files"));
    let what = format!("`files` of {}: {bad}", section.title());
    problems.add(span.unwrap_or_else(|| section.span.clone()), what, expected, hint);
}
