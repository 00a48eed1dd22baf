//! Checks of input about tasks and runs.

use std::collections::BTreeSet;

use toolgate_core::Refusal;
use toolgate_core::codes::{self, Code};
use toolgate_core::run::InputFile;
use toolgate_store::PageCursor;

const NAME_CHARS_MAX: usize = 200;
const DESCRIPTION_CHARS_MAX: usize = 20_000;
const SUMMARY_CHARS_MAX: usize = 20_000;
const REASON_CHARS_MAX: usize = 500;
const CLIENT_ID_CHARS_MAX: usize = 200;
const INPUT_FILES_MAX: usize = 1_000;
const PATH_BYTES_MAX: usize = 1_024;

pub(crate) fn name(text: &str) -> Result<(), Refusal> {
    let fits = !text.trim().is_empty() && text.chars().count() <= NAME_CHARS_MAX;
    match fits && !text.contains(char::is_control) {
        true => Ok(()),
        false => {
            let message = format!("the name of a task has 1 to {NAME_CHARS_MAX} printable characters");
            Err(invalid(&codes::BAD_TASK, message, "name")
                .hint("give it a short name, and the rest as `description`"))
        }
    }
}

pub(crate) fn description(text: &str) -> Result<(), Refusal> {
    at_most(text, DESCRIPTION_CHARS_MAX, &codes::BAD_TASK, "description")
}

pub(crate) fn summary(text: &str) -> Result<(), Refusal> {
    at_most(text, SUMMARY_CHARS_MAX, &codes::BAD_SUMMARY, "summary")
}

pub(crate) fn reason(text: &str) -> Result<(), Refusal> {
    at_most(text, REASON_CHARS_MAX, &codes::BAD_REASON, "reason")
}

pub(crate) fn client_id(text: &str) -> Result<(), Refusal> {
    match (1..=CLIENT_ID_CHARS_MAX).contains(&text.chars().count()) {
        true => Ok(()),
        false => {
            let message = format!("the id of a call has 1 to {CLIENT_ID_CHARS_MAX} characters");
            Err(invalid(&codes::BAD_CALL_ID, message, "id"))
        }
    }
}

fn at_most(text: &str, max: usize, code: &'static Code, field: &'static str) -> Result<(), Refusal> {
    match text.chars().count() <= max {
        true => Ok(()),
        false => Err(invalid(code, format!("`{field}` has at most {max} characters"), field)
            .hint("shorten it, or store it as an artifact")),
    }
}

/// A manifest: sorted, and each path once.
pub(crate) fn manifest(mut files: Vec<InputFile>) -> Result<Vec<InputFile>, Refusal> {
    if files.len() > INPUT_FILES_MAX {
        let message = format!("a run gets at most {INPUT_FILES_MAX} files");
        return Err(invalid(&codes::BAD_INPUT, message, "input").hint("put them into an archive"));
    }
    let mut paths = BTreeSet::new();
    for file in &files {
        if !is_path(&file.path) {
            let message = format!("{:?} is no path of a file", file.path);
            return Err(invalid(&codes::BAD_INPUT, message, "input").hint(
                "a path has steps between single `/`, none of them `.` or `..`, and no control characters",
            ));
        }
        if !paths.insert(&file.path) {
            let message = format!("the path {:?} is given twice", file.path);
            return Err(invalid(&codes::BAD_INPUT, message, "input").hint("each path names one file"));
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

fn is_path(path: &str) -> bool {
    let is_step = |step: &str| !matches!(step, "" | "." | "..");
    path.len() <= PATH_BYTES_MAX
        && path.split('/').all(is_step)
        && !path.contains(|c: char| c.is_control() || c == '\\')
}

pub(crate) fn cursor(text: Option<&str>) -> Result<Option<PageCursor>, Refusal> {
    let parsed = text.map(str::parse).transpose();
    parsed.map_err(|_| {
        let message = format!("{:?} is not a cursor of an earlier page", text.unwrap_or_default());
        invalid(&codes::INVALID_CURSOR, message, "cursor")
    })
}

fn invalid(code: &'static Code, message: String, field: &'static str) -> Refusal {
    Refusal::new(code, message).field(field)
}
