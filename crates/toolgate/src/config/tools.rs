//! `[[tools]]` and `[validation]`: the operator's settings for tools, which override those of servers.

mod files;
mod handling;

use toolgate_core::tool::{FileSlot, ToolHandling};
use toolgate_core::{AuditLevel, Effects, OutputCheck};

use super::problem::ConfigProblems;
use super::section::{ConfigSection, Located};
pub(super) use files::KEYS as FILE_KEYS;

pub(super) const TOOLS_KEYS: &[&str] = &[
    "name",
    "effects",
    "audit",
    "idempotent",
    "output",
    "formats",
    "timeout_seconds",
    "concurrency_max",
    "rate",
    "cache_seconds",
    "cache_scope",
    "capabilities",
    "mounts",
    "examples",
    "file_strategy",
    "files",
];
pub(super) const VALIDATION_KEYS: &[&str] = &["output"];

/// The settings of one table for the tools that its pattern matches. `None` leaves a value to others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ToolRule {
    /// A pattern over canonical names: `*` is any characters, `?` one.
    pub(crate) name: String,
    pub(crate) effects: Option<Effects>,
    pub(crate) audit: Option<AuditLevel>,
    pub(crate) idempotent: Option<bool>,
    pub(crate) output: Option<OutputCheck>,
    /// Arguments that take files; an empty list overrides the server's.
    pub(crate) files: Option<Vec<FileSlot>>,
    /// Everything else about calls.
    pub(crate) handling: ToolHandling,
}

const OUTPUT: [(&str, OutputCheck); 3] =
    [("warn", OutputCheck::Warn), ("enforce", OutputCheck::Enforce), ("off", OutputCheck::Off)];
const OUTPUT_HINT: &str = "`warn` passes a wrong result on with a warning, `enforce` makes an error of it";

pub(super) fn read_validation(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> OutputCheck {
    section.refuse_unknown_keys(VALIDATION_KEYS, &[], problems);
    section.word("output", &OUTPUT, OUTPUT_HINT, problems).unwrap_or_default()
}

/// Reads one `[[tools]]` table. `None` if a problem was added.
pub(super) fn read_tool(mut section: ConfigSection<'_>, problems: &mut ConfigProblems) -> Option<ToolRule> {
    match section.string("name", &mut ConfigProblems::default()) {
        Some(name) => section.rename(format!("tool {:?}", name.value)),
        None => section.rename("a `[[tools]]` table".into()),
    }
    section.refuse_unknown_keys(TOOLS_KEYS, &[], problems);
    let name = checked_pattern(&section, "name", problems);
    let effects = effects(&section, problems);
    let audit = section.word("audit", &audit_levels(), "`none`, `standard` or `detailed`", problems);
    refuse_unrecorded_change(&section, effects, audit, problems);
    let idempotent = section.boolean("idempotent", problems).map(|flag| flag.value);
    let output = section.word("output", &OUTPUT, OUTPUT_HINT, problems);
    let files = files::read(&section, problems);
    let handling = handling::read(&section, effects, problems);
    Some(ToolRule { name: name?, effects, audit, idempotent, output, files, handling })
}

fn audit_levels() -> [(&'static str, AuditLevel); 3] {
    AuditLevel::ALL.map(|level| (level.as_str(), level))
}

fn effects(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Option<Effects> {
    let known = Effects::NAMES.map(|(effect, name)| (name, effect));
    let hint = "`external` reaches beyond the server, `destructive` cannot be undone; `[]` is none of them";
    let words = section.words("effects", &known, hint, problems)?;
    Some(words.into_iter().fold(Effects::NONE, Effects::and))
}

/// A call that changes something is always recorded, so a wish not to is a mistake about one or the other.
fn refuse_unrecorded_change(
    section: &ConfigSection<'_>,
    effects: Option<Effects>,
    audit: Option<AuditLevel>,
    problems: &mut ConfigProblems,
) {
    if audit != Some(AuditLevel::None) || !effects.is_some_and(Effects::changes_something) {
        return;
    }
    let span = section.key_span("audit").expect("an audit level that was read was written");
    let what = format!("`audit = \"none\"` in {}, which writes or destroys", section.title());
    let expected = "`standard` or `detailed`: what changes something is always recorded";
    problems.add(span, what, expected, "remove the line, or the effects if the tool only reads");
}

/// A required pattern over canonical names.
pub(super) fn checked_pattern(
    section: &ConfigSection<'_>,
    key: &str,
    problems: &mut ConfigProblems,
) -> Option<String> {
    let Some(pattern) = section.string(key, problems) else {
        if section.key_span(key).is_none() {
            let what = format!("{} has no `{key}`", section.title());
            let hint = format!("add a line such as `{key} = \"bank:*\"`");
            problems.add(section.span.clone(), what, PATTERN_EXPECTED, hint);
        }
        return None;
    };
    checked_one(section, key, pattern, problems)
}

/// A list of patterns over canonical names.
pub(super) fn checked_patterns(
    section: &ConfigSection<'_>,
    key: &str,
    problems: &mut ConfigProblems,
) -> Vec<String> {
    let patterns = section.strings(key, problems);
    if patterns.is_empty()
        && let Some(span) = section.key_span(key)
    {
        let what = format!("`{key}` in {} fits no tool", section.title());
        problems.add(span, what, PATTERN_EXPECTED, "`*` stands for every tool");
    }
    patterns.into_iter().filter_map(|pattern| checked_one(section, key, pattern, problems)).collect()
}

const PATTERN_EXPECTED: &str =
    "a canonical name such as `bank:transfer`, with `*` for any characters and `?` for one";

fn checked_one(
    section: &ConfigSection<'_>,
    key: &str,
    pattern: Located<&str>,
    problems: &mut ConfigProblems,
) -> Option<String> {
    let text = pattern.value;
    let foreign = |c: char| matches!(c, '[' | ']' | '{' | '}' | '\\') || c.is_control();
    let (what, hint) = match text.chars().find(|c| foreign(*c)) {
        Some(c) => {
            (format!("has {c:?} in it, which has no meaning"), "make one table for each name".to_owned())
        }
        None if text.is_empty() => ("is empty".to_owned(), "`*` stands for every tool".to_owned()),
        None if !text.contains([':', '.', '*']) => (
            "is not a canonical name".to_owned(),
            format!("write `server:{text}`, or `*:{text}` for any server"),
        ),
        None => return Some(text.to_owned()),
    };
    problems.add(pattern.span, format!("`{key}` in {} {what}", section.title()), PATTERN_EXPECTED, hint);
    None
}
