//! The keys of `[[tools]]` that say how calls are handled: limits, whether results may be used again.

use std::sync::Arc;

use toolgate_core::Effects;
use toolgate_core::scope::MountNeed;
use toolgate_core::tool::{CacheRule, CacheScope, ToolExtra, ToolHandling};

use super::super::problem::ConfigProblems;
use super::super::section::{ConfigSection, SecondsRange};
use super::super::server::CONCURRENCY;

const CACHE_SCOPE: [(&str, CacheScope); 2] =
    [("private", CacheScope::Private), ("public", CacheScope::Public)];
const CACHE_SCOPE_HINT: &str =
    "`private`: a cached result is only for the same caller; `public`: for everyone";
const CAPABILITY_CHARS_MAX: usize = 128;
const EXAMPLES_MAX: usize = 20;
const EXAMPLE_CHARS_MAX: usize = 200;

pub(super) fn read(
    section: &ConfigSection<'_>,
    effects: Option<Effects>,
    problems: &mut ConfigProblems,
) -> ToolHandling {
    ToolHandling {
        capabilities: capabilities(section, problems).into(),
        needs: needs(section, problems).into(),
        examples: examples(section, problems).into(),
        timeout: section.seconds("timeout_seconds", SecondsRange::Positive, problems),
        concurrency_max: section.count("concurrency_max", CONCURRENCY, problems),
        rate: section.rate("rate", problems),
        cache: cache(section, effects, problems),
        formats: section.boolean("formats", problems).map(|flag| flag.value),
        // They are read separately: an explicit empty list differs from a missing one.
        files: Arc::default(),
        // Only a server knows where it can take the value of a credential.
        secrets: Arc::default(),
        // A server's tool has those that its name tells.
        traits: None,
    }
}

fn cache(
    section: &ConfigSection<'_>,
    effects: Option<Effects>,
    problems: &mut ConfigProblems,
) -> Option<CacheRule> {
    let fresh = section.seconds("cache_seconds", SecondsRange::Positive, problems);
    let scope = section.word("cache_scope", &CACHE_SCOPE, CACHE_SCOPE_HINT, problems);
    match (section.key_span("cache_seconds"), section.key_span("cache_scope")) {
        (None, Some(span)) => {
            let what = format!("`cache_scope` in {} has no `cache_seconds`", section.title());
            problems.add(span, what, "both", "add a line such as `cache_seconds = 60`");
        }
        (Some(span), _) if effects.is_some_and(Effects::changes_something) => {
            let what = format!("`cache_seconds` in {}, which writes or destroys", section.title());
            let expected = "`cache_seconds` only for tools that change nothing";
            problems.add(span, what, expected, "remove the line, or the effects if the tool only reads");
        }
        _ => {}
    }
    Some(CacheRule { fresh: fresh?, scope: scope.unwrap_or_default() })
}

/// Sorted, each once.
fn capabilities(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Vec<String> {
    let expected = format!("at most {} names without spaces", ToolExtra::CAPABILITIES_MAX);
    let written = section.strings("capabilities", problems);
    if written.len() > ToolExtra::CAPABILITIES_MAX {
        let span = section.key_span("capabilities").expect("a key that was read was written");
        let what = format!("`capabilities` in {} has {} names", section.title(), written.len());
        problems.add(span, what, &expected, "make one capability of several");
        return Vec::new();
    }
    let mut names = Vec::new();
    for name in written {
        let text = name.value;
        let fits = (1..=CAPABILITY_CHARS_MAX).contains(&text.chars().count());
        if fits && !text.contains(|c: char| c.is_whitespace() || c.is_control()) {
            names.push(text.to_owned());
            continue;
        }
        let what = format!("{text:?} in `capabilities` of {} is not a name", section.title());
        problems.add(name.span, what, &expected, "for example `capabilities = [\"documents\"]`");
    }
    names.sort();
    names.dedup();
    names
}

/// Sorted, each once.
fn needs(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Vec<MountNeed> {
    const EXPECTED: &str = "`provider:NAME`, `pointer`, `knowledge_base` or `operator`";
    let written = section.strings("mounts", problems);
    if written.len() > ToolExtra::MOUNTS_MAX {
        let span = section.key_span("mounts").expect("a key that was read was written");
        let what = format!("`mounts` in {} has {} entries", section.title(), written.len());
        let expected = format!("at most {}", ToolExtra::MOUNTS_MAX);
        problems.add(span, what, expected, "a tool is seen only where all of them are mounted");
        return Vec::new();
    }
    let mut needs = Vec::new();
    for text in written {
        match text.value.parse() {
            Ok(need) => needs.push(need),
            Err(_) => {
                let what = format!("{:?} in `mounts` of {} cannot be mounted", text.value, section.title());
                let hint = "what a session must have mounted for the tool to be of use: `mounts = [\"provider:slack\"]`";
                problems.add(text.span, what, EXPECTED, hint);
            }
        }
    }
    needs.sort();
    needs.dedup();
    needs
}

fn examples(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Vec<String> {
    let Some(key) = section.key_span("examples") else { return Vec::new() };
    let before = problems.count();
    let written = section.strings("examples", problems);
    let expected = format!("1 to {EXAMPLES_MAX} texts of at most {EXAMPLE_CHARS_MAX} characters");
    if problems.count() == before && !(1..=EXAMPLES_MAX).contains(&written.len()) {
        let what = format!("`examples` in {} has {} texts", section.title(), written.len());
        problems.add(key, what, &expected, "queries that should find the tool, such as `[\"send money\"]`");
        return Vec::new();
    }
    let mut examples = Vec::new();
    for text in written {
        let fits = !text.value.trim().is_empty() && text.value.chars().count() <= EXAMPLE_CHARS_MAX;
        if fits {
            examples.push(text.value.to_owned());
            continue;
        }
        let what = format!("a text in `examples` of {} is blank or too long", section.title());
        problems.add(text.span, what, &expected, "write it as a request that the tool should be found for");
    }
    examples
}
