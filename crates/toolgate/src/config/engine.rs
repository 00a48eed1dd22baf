//! `[engine]`: the program beside the gateway that reads documents, builds indexes and searches them.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::time::Duration;

use toolgate_engine::{EngineLimits, EngineSettings};
use url::Url;

use super::problem::ConfigProblems;
use super::section::{ConfigSection, Located, SecondsRange};
use super::value::ReadContext;

pub(super) const KEYS: &[&str] = &[
    "command",
    "folder",
    "model",
    "ocr",
    "postgres",
    "contents_bytes_max",
    "start_seconds",
    "parse_seconds",
    "search_seconds",
    "build_seconds",
    "parallel_max",
];

/// Below, not even the files of one index fit.
const CONTENTS_BYTES: RangeInclusive<usize> = 64 << 20..=1 << 50;
const PARALLEL: RangeInclusive<usize> = 1..=1_000;
const POSTGRES_EXPECTED: &str = "an address such as `postgres://user:password@host/database`";
/// Behind the name of the data folder.
const FOLDER_ENDING: &str = "-engine";

/// Beside the data folder: the engine is a process of its own, and no process sees into the data folder.
pub(super) fn usual_folder(data: &Path) -> PathBuf {
    let mut name = data.file_name().unwrap_or_default().to_owned();
    name.push(FOLDER_ENDING);
    data.with_file_name(name)
}

pub(super) fn usual(data: &Path) -> EngineSettings {
    EngineSettings::in_folder(usual_folder(data))
}

pub(super) fn read(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    data: &Path,
    problems: &mut ConfigProblems,
) -> EngineSettings {
    section.refuse_unknown_keys(KEYS, &[], problems);
    let usual = usual(data);
    let places = ctx.places(section);
    let path = |key: &str, problems: &mut ConfigProblems| places.path(key, ctx.folder, problems);
    let folder = path("folder", problems).and_then(|folder| checked_folder(folder, data, problems));
    let contents = section.bytes("contents_bytes_max", CONTENTS_BYTES, problems);
    EngineSettings {
        command: path("command", problems).map(|command| command.value),
        folder: folder.unwrap_or(usual.folder),
        model: path("model", problems).map(|model| model.value),
        ocr: path("ocr", problems).map(|ocr| ocr.value),
        postgres: postgres(section, ctx, problems),
        contents_bytes_max: contents.map_or(usual.contents_bytes_max, |bytes| bytes as u64),
        limits: limits(section, problems),
    }
}

fn limits(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> EngineLimits {
    let usual = EngineLimits::default();
    let mut seconds =
        |key, usual: Duration| section.seconds(key, SecondsRange::Positive, problems).unwrap_or(usual);
    EngineLimits {
        start: seconds("start_seconds", usual.start),
        parse: seconds("parse_seconds", usual.parse),
        search: seconds("search_seconds", usual.search),
        build: seconds("build_seconds", usual.build),
        parallel_max: section.count("parallel_max", PARALLEL, problems),
        ..usual
    }
}

/// Refuses a folder that the engine could not see.
fn checked_folder(folder: Located<PathBuf>, data: &Path, problems: &mut ConfigProblems) -> Option<PathBuf> {
    if !folder.value.starts_with(data) && !data.starts_with(&folder.value) {
        return Some(folder.value);
    }
    let what = "`folder` in `[engine]` and the data folder lie in one another";
    let hint = "leave the key out: it is a folder beside the data folder then";
    problems.add(folder.span, what, "a folder of its own, which the engine may see", hint);
    None
}

/// Messages do not quote the address: it has a password.
fn postgres(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> Option<String> {
    let url = section.string("postgres", problems)?;
    let expanded = ctx.places(section).plain("postgres", &url, problems)?;
    if Url::parse(&expanded).is_ok_and(|url| matches!(url.scheme(), "postgres" | "postgresql")) {
        return Some(expanded);
    }
    let hint = "leave the key out to keep indexes as files alone";
    problems.add(url.span, "`postgres` in `[engine]` is not a Postgres address", POSTGRES_EXPECTED, hint);
    None
}
