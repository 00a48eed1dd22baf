//! Checks of input about tasks and runs.

use std::collections::BTreeSet;

use serde_json::Value;
use toolgate_core::codes::{self, Code};
use toolgate_core::run::{InputFile, RunLabel, TaskPlan};
use toolgate_core::{RawJson, Refusal};
use toolgate_store::PageCursor;

const NAME_CHARS_MAX: usize = 200;
const DESCRIPTION_CHARS_MAX: usize = 20_000;
const GOAL_BYTES_MAX: usize = 100 << 10;
const INSTRUCTIONS_BYTES_MAX: usize = 100 << 10;
const OUTCOME_SCHEMA_BYTES_MAX: usize = 256 << 10;
const SUMMARY_CHARS_MAX: usize = 20_000;
const REASON_CHARS_MAX: usize = 500;
const CLIENT_ID_CHARS_MAX: usize = 200;
const RUN_KEY_CHARS_MAX: usize = 200;
const INPUT_FILES_MAX: usize = 1_000;
const PATH_BYTES_MAX: usize = 1_024;
const LABEL_CHARS_MAX: usize = 200;
/// The configuration, result and error of a run, and the data of one report. An answer that shows them stays within what
/// results may have.
const WORDS_BYTES_MAX: usize = 8 << 10;
/// Input that is given as JSON.
const INPUT_JSON_BYTES_MAX: usize = 1 << 20;
/// A state that is given as JSON.
const STATE_JSON_BYTES_MAX: usize = 1 << 20;
/// A state in a file.
const STATE_BYTES_MAX: u64 = 64 << 20;

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

/// The plan of a task, with its files sorted.
pub(crate) fn plan(plan: TaskPlan) -> Result<TaskPlan, Refusal> {
    if plan.goal.trim().is_empty() {
        return Err(invalid(&codes::BAD_TASK, "the goal of a task is empty".to_owned(), "goal")
            .hint("say what the agent shall reach"));
    }
    let schema = plan.outcome_schema.as_ref().map_or("", RawJson::as_str);
    for (text, max, field) in [
        (&*plan.goal, GOAL_BYTES_MAX, "goal"),
        (&*plan.instructions, INSTRUCTIONS_BYTES_MAX, "instructions"),
        (schema, OUTCOME_SCHEMA_BYTES_MAX, "outcome_schema"),
    ] {
        if text.len() > max {
            let message = format!("`{field}` has at most {max} bytes; this has {}", text.len());
            return Err(invalid(&codes::BAD_TASK, message, field).hint("give the rest as input files"));
        }
    }
    if !schema.is_empty() && !schema.trim_start().starts_with('{') {
        let message = "`outcome_schema` is a JSON Schema, which is an object".to_owned();
        return Err(
            invalid(&codes::BAD_TASK, message, "outcome_schema").hint("for instance {\"type\": \"object\"}")
        );
    }
    Ok(TaskPlan { input: manifest(plan.input)?, ..plan })
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

/// The key of a run.
pub(crate) fn run_key(text: &str) -> Result<(), Refusal> {
    let fits = (1..=RUN_KEY_CHARS_MAX).contains(&text.chars().count());
    match fits && !text.contains(char::is_control) {
        true => Ok(()),
        false => {
            let message = format!("the key of a run has 1 to {RUN_KEY_CHARS_MAX} printable characters");
            Err(invalid(&codes::FIELD_INVALID, message, "key"))
        }
    }
}

/// The type, name and configuration of a run.
pub(crate) fn label(label: &RunLabel) -> Result<(), Refusal> {
    for (text, field) in [(&label.run_type, "run_type"), (&label.name, "name")] {
        if let Some(text) = text {
            word(text, field)?;
        }
    }
    words(label.config.as_ref(), "config")
}

/// A short name in the agent's own words: of a step, a tool, a checkpoint, a kind of error.
pub(crate) fn word(text: &str, field: &'static str) -> Result<(), Refusal> {
    let fits = !text.trim().is_empty() && text.chars().count() <= LABEL_CHARS_MAX;
    match fits && !text.contains(char::is_control) {
        true => Ok(()),
        false => {
            let message = format!("`{field}` has 1 to {LABEL_CHARS_MAX} printable characters");
            Err(invalid(&codes::INVALID_ARGUMENTS, message, field)
                .hint("shorten it; the rest belongs into the data"))
        }
    }
}

/// JSON that is kept with the run itself.
pub(crate) fn words(value: Option<&Value>, field: &'static str) -> Result<(), Refusal> {
    let length = value.map_or(0, |value| value.to_string().len());
    json_bytes(length, WORDS_BYTES_MAX, field)
}

pub(crate) fn input_json(length: usize) -> Result<(), Refusal> {
    json_bytes(length, INPUT_JSON_BYTES_MAX, "input")
}

pub(crate) fn state_json(length: usize) -> Result<(), Refusal> {
    json_bytes(length, STATE_JSON_BYTES_MAX, "state").map_err(|refusal| {
        refusal.hint("upload it as a file (file_upload_url) and give its id as `state_file_id`")
    })
}

pub(crate) fn state_bytes(bytes: u64) -> Result<(), Refusal> {
    match bytes <= STATE_BYTES_MAX {
        true => Ok(()),
        false => {
            let message = format!("a state has at most {STATE_BYTES_MAX} bytes; this one has {bytes}");
            let hint = "keep large parts as artifacts, and their digests in the state";
            Err(invalid(&codes::RUN_DATA_TOO_LARGE, message, "state_file_id").hint(hint))
        }
    }
}

fn json_bytes(length: usize, max: usize, field: &'static str) -> Result<(), Refusal> {
    match length <= max {
        true => Ok(()),
        false => {
            let message = format!("`{field}` has at most {max} bytes as JSON; this has {length}");
            Err(invalid(&codes::RUN_DATA_TOO_LARGE, message, field))
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
