//! `[index]`: the profiles of indexes, the engine that keeps them, and what is ingested by itself.

use toolgate_index::{EngineKind, IndexSettings};

use super::problem::ConfigProblems;
use super::section::ConfigSection;
use super::value::ReadContext;

pub(super) const KEYS: &[&str] = &["profiles", "engine", "follow"];

const ENGINES: [(&str, EngineKind); 2] = [("inside", EngineKind::Inside), ("postgres", EngineKind::Postgres)];
const ENGINE_HINT: &str =
    "`inside` keeps indexes as files; `postgres` keeps them in the database of `[engine]`";

pub(super) fn read(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> IndexSettings {
    section.refuse_unknown_keys(KEYS, &[], problems);
    let usual = IndexSettings::default();
    IndexSettings {
        // The files are read when the gateway starts, and one that cannot be used is named then.
        profiles: ctx.places(section).path("profiles", ctx.folder, problems).map(|profiles| profiles.value),
        engine: section.word("engine", &ENGINES, ENGINE_HINT, problems).unwrap_or(usual.engine),
        follow: section.boolean("follow", problems).map_or(usual.follow, |follow| follow.value),
    }
}
