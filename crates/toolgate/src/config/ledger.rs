//! `[store]`, `[ledger]` and `[[redact]]`: the place of the record, its extent, and the data that never
//! enters it.

use std::ops::RangeInclusive;
use std::time::Duration;

use toolgate_pipeline::redact::{BadPattern, BadRule, RedactRule, Redactor};
use toolgate_store::{POSTGRES_CONNECTIONS, PostgresSettings};
use url::Url;

use super::problem::ConfigProblems;
use super::section::{ConfigSection, Located};
use super::tools::checked_pattern;
use super::value::ReadContext;

pub(super) const STORE_KEYS: &[&str] = &["url", "stream", "connections_max"];
pub(super) const LEDGER_KEYS: &[&str] = &[
    "reads_when_down",
    "keep_events_days",
    "keep_days",
    "keep_days_detailed",
    "body_bytes_max",
    "body_bytes_max_detailed",
    "archive",
];
pub(super) const ARCHIVE_KEYS: &[&str] = &["enabled", "after_days"];
pub(super) const REDACT_KEYS: &[&str] = &["tools", "input", "output"];

const KEEP_DAYS: RangeInclusive<usize> = 1..=36_500;
/// Long enough for sinks of events that were away for some days.
const KEEP_EVENTS_DAYS: RangeInclusive<usize> = 7..=36_500;
const CONNECTIONS: RangeInclusive<usize> =
    *POSTGRES_CONNECTIONS.start() as usize..=*POSTGRES_CONNECTIONS.end() as usize;
const ARCHIVE_AFTER_DAYS: RangeInclusive<usize> = 0..=36_500;
const BODY_BYTES: RangeInclusive<usize> = 0..=64 << 20;
const STREAM_CHARS_MAX: usize = 64;
const DAY: Duration = Duration::from_secs(24 * 3600);

/// The place of all data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct StoreSettings {
    /// A Postgres database; SQLite in the data folder without it.
    pub(crate) url: Option<String>,
    /// The name under which this gateway writes the ledger.
    pub(crate) stream: String,
    pub(crate) postgres: PostgresSettings,
}

impl Default for StoreSettings {
    fn default() -> Self {
        Self { url: None, stream: "gateway".into(), postgres: PostgresSettings::default() }
    }
}

/// The amount of recorded data of calls, and the behaviour while nothing can be recorded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct LedgerSettings {
    pub(crate) reads_when_down: ReadsWhenDown,
    /// `None` is forever.
    pub(crate) keep_events: Option<Duration>,
    pub(crate) keep: Duration,
    pub(crate) keep_detailed: Duration,
    pub(crate) body_bytes_max: usize,
    pub(crate) body_bytes_max_detailed: usize,
    pub(crate) archive: ArchiveSettings,
}

/// The archive of closed days, beside the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ArchiveSettings {
    pub(crate) enabled: bool,
    /// The time from the end of a day until it is archived.
    pub(crate) after: Duration,
}

impl Default for ArchiveSettings {
    fn default() -> Self {
        Self { enabled: false, after: DAY }
    }
}

/// The treatment of read-only calls while the store is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReadsWhenDown {
    Refuse,
    Serve,
}

const READS_WHEN_DOWN: [(&str, ReadsWhenDown); 2] =
    [("refuse", ReadsWhenDown::Refuse), ("serve", ReadsWhenDown::Serve)];

impl Default for LedgerSettings {
    fn default() -> Self {
        Self {
            reads_when_down: ReadsWhenDown::Refuse,
            keep_events: None,
            keep: 90 * DAY,
            keep_detailed: 365 * DAY,
            body_bytes_max: 16 << 10,
            body_bytes_max_detailed: 1 << 20,
            archive: ArchiveSettings::default(),
        }
    }
}

pub(super) fn read_store(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> StoreSettings {
    section.refuse_unknown_keys(STORE_KEYS, &[], problems);
    let places = ctx.places(section);
    let url = section.string("url", problems).and_then(|url| {
        let expanded = places.plain("url", &url, problems)?;
        checked_store_url(&expanded, &url, problems)
    });
    let stream = section.string("stream", problems).and_then(|stream| {
        let expanded = places.plain("stream", &stream, problems)?;
        checked_stream(expanded, &stream, problems)
    });
    let fallback = StoreSettings::default();
    let connections = section.count("connections_max", CONNECTIONS, problems);
    let connections = connections.and_then(|connections| u32::try_from(connections).ok());
    let postgres =
        PostgresSettings { connections_max: connections.unwrap_or(fallback.postgres.connections_max) };
    StoreSettings { url, stream: stream.unwrap_or(fallback.stream), postgres }
}

/// Messages do not quote the value of a reference: it contains a password.
fn checked_store_url(expanded: &str, url: &Located<&str>, problems: &mut ConfigProblems) -> Option<String> {
    const SQLITE: &str =
        "leave `url` out for SQLite: it is kept in the data folder, which `data` at the top of the file sets";
    let lower = expanded.to_ascii_lowercase();
    let is_file = lower.starts_with("sqlite") || !lower.contains("://");
    let (what, hint) = match Url::parse(expanded) {
        _ if is_file => ("`url` in `[store]` is not a Postgres address", SQLITE),
        Ok(url) if matches!(url.scheme(), "postgres" | "postgresql") => return Some(expanded.to_owned()),
        Ok(_) => ("`url` in `[store]` has another scheme", "only Postgres is spoken: `postgres://…`"),
        Err(_) => (
            "`url` in `[store]` is not an address",
            "special characters in a password are written as `%` and two digits",
        ),
    };
    problems.add(url.span.clone(), what, "an address such as `postgres://user:password@host/database`", hint);
    None
}

fn checked_stream(name: String, stream: &Located<&str>, problems: &mut ConfigProblems) -> Option<String> {
    let fits = !name.is_empty() && name.chars().count() <= STREAM_CHARS_MAX;
    if fits && name.chars().all(|c| c.is_alphanumeric() || matches!(c, '-' | '_' | '.')) {
        return Some(name);
    }
    let what = format!("`stream` in `[store]` cannot be {name:?}");
    let expected = "1 to 64 letters, digits, `-`, `_` and `.`";
    problems.add(
        stream.span.clone(),
        what,
        expected,
        "each gateway on one database has its own, such as `gate-2`",
    );
    None
}

pub(super) fn read_ledger(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> LedgerSettings {
    section.refuse_unknown_keys(LEDGER_KEYS, &[], problems);
    let fallback = LedgerSettings::default();
    let hint = "`refuse`: nothing runs unrecorded; `serve`: calls that only read go on";
    let reads_when_down = section.word("reads_when_down", &READS_WHEN_DOWN, hint, problems);
    let keep_events = keep_events(section, problems).unwrap_or(fallback.keep_events);
    // Without its events, an erasure would not find a body.
    let longest = keep_events.unwrap_or(Duration::MAX);
    let mut days = |key, default| {
        let days = section.count(key, KEEP_DAYS, problems).and_then(|days| u32::try_from(days).ok());
        days.map_or(default, |days| days * DAY).min(longest)
    };
    let keep = days("keep_days", fallback.keep);
    let keep_detailed = days("keep_days_detailed", fallback.keep_detailed);
    let archive = section.section("archive", "`[ledger.archive]`", problems);
    let mut bytes = |key, default| section.bytes(key, BODY_BYTES, problems).unwrap_or(default);
    LedgerSettings {
        reads_when_down: reads_when_down.unwrap_or(fallback.reads_when_down),
        keep_events,
        keep,
        keep_detailed,
        body_bytes_max: bytes("body_bytes_max", fallback.body_bytes_max),
        body_bytes_max_detailed: bytes("body_bytes_max_detailed", fallback.body_bytes_max_detailed),
        archive: archive.map(|section| read_archive(&section, problems)).unwrap_or_default(),
    }
}

/// The retention of events, if set: `None` is forever.
fn keep_events(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Option<Option<Duration>> {
    const KEY: &str = "keep_events_days";
    if !section.is_text(KEY) {
        let days = u32::try_from(section.count(KEY, KEEP_EVENTS_DAYS, problems)?).ok()?;
        return Some(Some(days * DAY));
    }
    let written = section.string(KEY, problems)?;
    if written.value == "forever" {
        return Some(None);
    }
    let what = format!("`{KEY}` in `[ledger]` cannot be {:?}", written.value);
    let (least, most) = (KEEP_EVENTS_DAYS.start(), KEEP_EVENTS_DAYS.end());
    let expected = format!("a whole number from {least} to {most}, or \"forever\"");
    problems.add(written.span, what, expected, "write the number of days without quotes and without a unit");
    None
}

fn read_archive(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> ArchiveSettings {
    section.refuse_unknown_keys(ARCHIVE_KEYS, &[], problems);
    let fallback = ArchiveSettings::default();
    let enabled = section.boolean("enabled", problems).map_or(fallback.enabled, |enabled| enabled.value);
    let days = section.count("after_days", ARCHIVE_AFTER_DAYS, problems);
    let days = days.and_then(|days| u32::try_from(days).ok());
    ArchiveSettings { enabled, after: days.map_or(fallback.after, |days| days * DAY) }
}

/// Reads one `[[redact]]` table. `None` if a problem was added.
pub(super) fn read_redact(
    mut section: ConfigSection<'_>,
    problems: &mut ConfigProblems,
) -> Option<RedactRule> {
    section.rename("a `[[redact]]` table".into());
    section.refuse_unknown_keys(REDACT_KEYS, &[], problems);
    let tools = checked_pattern(&section, "tools", problems);
    let input = paths(&section, "input", problems);
    let output = paths(&section, "output", problems);
    if section.key_span("input").is_none() && section.key_span("output").is_none() {
        let what = "a `[[redact]]` table has neither `input` nor `output`";
        let expected = "paths to leave out, of arguments (`input`) or results (`output`)";
        problems.add(section.span.clone(), what, expected, "add a line such as `input = [\"/password\"]`");
        return None;
    }
    Some(RedactRule { tools: tools?, input, output })
}

fn paths(section: &ConfigSection<'_>, key: &str, problems: &mut ConfigProblems) -> Vec<String> {
    let mut checked = Vec::new();
    for path in section.strings(key, problems) {
        let text = path.value;
        let Some(bad) = problem_of_path(text) else {
            checked.push(text.to_owned());
            continue;
        };
        let hint = match bad {
            BadPattern::NoSlash => format!("write `/{text}`, or `/**/{text}` for wherever it stands"),
            other => other.to_string(),
        };
        let what = format!("{text:?} in `{key}` of {} is not a path", section.title());
        let expected = "a path that starts with `/`, such as `/pin`, `/items/*/secret` or `/**/iban`";
        problems.add(path.span, what, expected, hint);
    }
    checked
}

/// The redactor itself validates a path.
fn problem_of_path(path: &str) -> Option<BadPattern> {
    let rule = RedactRule { tools: "*".into(), input: vec![path.to_owned()], output: Vec::new() };
    match Redactor::new(vec![rule]) {
        Err(BadRule::Path { problem, .. }) => Some(problem),
        _ => None,
    }
}
