//! `[registry]` and `[[aliases]]`: the treatment of changes to tools, the registry that servers are searched in, and additional
//! names of tools.

use std::ops::Range;
use std::time::Duration;

use toolgate_catalog::is_reserved_name;
use toolgate_core::name::DomainName;
use toolgate_core::{CanonicalName, ServerName};
use toolgate_registry::{AliasSpec, Drift, NewTools, OnFinding, ReviewRules};

use super::problem::ConfigProblems;
use super::section::{ConfigSection, Located, SecondsRange, require};
use super::value::{ReadContext, UrlForm};

pub(super) const REGISTRY_KEYS: &[&str] =
    &["drift", "new_tools", "findings", "url", "timeout_seconds", "check_every_seconds"];
pub(super) const ALIASES_KEYS: &[&str] = &["name", "tool", "until", "primary"];

pub(super) const DRIFT: [(&str, Drift); 2] = [("quarantine", Drift::Quarantine), ("accept", Drift::Accept)];
pub(super) const DRIFT_HINT: &str =
    "`quarantine`: a changed tool waits for `toolgate tools accept`; `accept`: it is taken as it comes";
pub(super) const NEW_TOOLS: [(&str, NewTools); 3] =
    [("visible", NewTools::Visible), ("review", NewTools::Review), ("review_all", NewTools::ReviewAll)];
pub(super) const NEW_TOOLS_HINT: &str = "`visible`: agents see a new tool at once; `review`: after `toolgate tools accept`; \
     `review_all`: so do they see the tools that a server has from the start";
const FINDINGS: [(&str, OnFinding); 2] = [("flag", OnFinding::Flag), ("quarantine", OnFinding::Quarantine)];
const FINDINGS_HINT: &str =
    "`flag`: a suspicious description is marked; `quarantine`: the tool waits for `toolgate tools accept`";

const ALIAS_CHARS_MAX: usize = 128;

const OFFICIAL_REGISTRY: &str = "https://registry.modelcontextprotocol.io/";
const REGISTRY_TIMEOUT: Duration = Duration::from_secs(10);
const CHECK_EVERY: Duration = Duration::from_secs(24 * 60 * 60);
const REGISTRY_URL: UrlForm = UrlForm {
    expected: "the address of an MCP registry, such as `https://registry.modelcontextprotocol.io`",
    instead_of_password: "registries are read without a credential",
};

/// The registry that `toolgate servers search` and `add` ask, and how often it is asked about servers that came from there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RegistryAddress {
    pub(crate) url: String,
    /// For one request.
    pub(crate) timeout: Duration,
    /// The time between two looks for other versions; `None` is never.
    pub(crate) check_every: Option<Duration>,
}

impl Default for RegistryAddress {
    fn default() -> Self {
        let check_every = Some(CHECK_EVERY);
        Self { url: OFFICIAL_REGISTRY.to_owned(), timeout: REGISTRY_TIMEOUT, check_every }
    }
}

impl RegistryAddress {
    /// True if the other one is asked in another way.
    pub(super) fn is_elsewhere(&self, other: &RegistryAddress) -> bool {
        self.url != other.url || self.timeout != other.timeout
    }
}

pub(super) fn read_registry(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> ReviewRules {
    section.refuse_unknown_keys(REGISTRY_KEYS, &[], problems);
    ReviewRules {
        drift: section.word("drift", &DRIFT, DRIFT_HINT, problems).unwrap_or_default(),
        new_tools: section.word("new_tools", &NEW_TOOLS, NEW_TOOLS_HINT, problems).unwrap_or_default(),
        findings: section.word("findings", &FINDINGS, FINDINGS_HINT, problems).unwrap_or_default(),
    }
}

pub(super) fn read_address(
    section: &ConfigSection<'_>,
    ctx: &ReadContext<'_>,
    problems: &mut ConfigProblems,
) -> RegistryAddress {
    let usual = RegistryAddress::default();
    let url = ctx.values(section).url("url", &REGISTRY_URL, problems);
    let timeout = section.seconds("timeout_seconds", SecondsRange::Positive, problems);
    let check_every = match section.seconds("check_every_seconds", SecondsRange::ZeroOrMore, problems) {
        Some(every) => Some(every).filter(|every| !every.is_zero()),
        None => usual.check_every,
    };
    RegistryAddress { url: url.unwrap_or(usual.url), timeout: timeout.unwrap_or(usual.timeout), check_every }
}

pub(super) fn read_aliases(
    sections: Vec<ConfigSection<'_>>,
    problems: &mut ConfigProblems,
) -> Vec<AliasSpec> {
    let mut read: Vec<(AliasSpec, Range<usize>)> = Vec::new();
    for section in sections {
        let Some((alias, span)) = read_alias(section, problems) else { continue };
        refuse_second_name(&read, &alias, &span, problems);
        read.push((alias, span));
    }
    read.into_iter().map(|(alias, _)| alias).collect()
}

fn read_alias(
    mut section: ConfigSection<'_>,
    problems: &mut ConfigProblems,
) -> Option<(AliasSpec, Range<usize>)> {
    match section.string("name", &mut ConfigProblems::default()) {
        Some(name) => section.rename(format!("alias {:?}", name.value)),
        None => section.rename("an alias".into()),
    }
    section.refuse_unknown_keys(ALIASES_KEYS, &[], problems);
    require(&section, "name", "\"read_file\"", problems);
    require(&section, "tool", "\"files:read\"", problems);
    let primary = section.boolean("primary", problems).is_some_and(|primary| primary.value);
    let name = section.string("name", problems).and_then(|name| own_name(name, problems));
    let name = name.and_then(|name| match primary {
        true => domain_name(name, problems),
        false => alias_name(name, problems),
    });
    let tool = section.string("tool", problems).and_then(|tool| tool_name(&section, "tool", &tool, problems));
    let until_ms = section.moment_ms("until", problems);
    if let (true, Some(span)) = (primary, section.key_span("until")) {
        let what = format!("{} is the name that agents see and has an end", section.title());
        let hint = "remove `until`, or `primary = true`";
        problems.add(span, what, "`until` only for names that agents do not see", hint);
    }
    let name = name?;
    let alias = AliasSpec { name: name.value.to_owned(), tool: tool?, until_ms, primary };
    Some((alias, name.span))
}

fn own_name<'t>(name: Located<&'t str>, problems: &mut ConfigProblems) -> Option<Located<&'t str>> {
    if !is_reserved_name(name.value) {
        return Some(name);
    }
    let what = format!("alias {:?} is a name of Toolgate's own tools", name.value);
    problems.add(name.span, what, "a name that they do not have", "choose another name");
    None
}

fn alias_name<'t>(name: Located<&'t str>, problems: &mut ConfigProblems) -> Option<Located<&'t str>> {
    let fits = (1..=ALIAS_CHARS_MAX).contains(&name.value.chars().count());
    if fits && !name.value.contains(|c: char| c.is_whitespace() || c.is_control()) {
        return Some(name);
    }
    let what = format!("an alias cannot be named {:?}", name.value);
    let expected = format!("1 to {ALIAS_CHARS_MAX} characters without spaces");
    problems.add(name.span, what, expected, "the name under which agents used to call the tool");
    None
}

fn domain_name<'t>(name: Located<&'t str>, problems: &mut ConfigProblems) -> Option<Located<&'t str>> {
    match DomainName::new(name.value) {
        Ok(_) => Some(name),
        Err(bad) => {
            let what = format!("alias {:?} cannot be the name that agents see", name.value);
            let hint = "remove `primary = true` to have it as a second name";
            problems.add(name.span, what, bad.to_string(), hint);
            None
        }
    }
}

/// The name of one tool.
pub(super) fn tool_name(
    section: &ConfigSection<'_>,
    key: &str,
    tool: &Located<&str>,
    problems: &mut ConfigProblems,
) -> Option<CanonicalName> {
    let (what, hint) = match tool.value.split_once(':') {
        _ if tool.value.contains(['*', '?']) => ("is a pattern", "name one tool".to_owned()),
        Some((server, own)) if !own.is_empty() => match ServerName::new(server) {
            Ok(server) => return Some(CanonicalName::of(&server, own)),
            Err(bad) => ("names no server", bad.to_string()),
        },
        _ => ("is not a canonical name", format!("write the server in front: `server:{}`", tool.value)),
    };
    let what = format!("`{key}` in {} {what}: {:?}", section.title(), tool.value);
    problems.add(tool.span.clone(), what, "a canonical name such as `files:read`", hint);
    None
}

/// One name leads to one tool, and a tool has one name that agents see.
fn refuse_second_name(
    read: &[(AliasSpec, Range<usize>)],
    alias: &AliasSpec,
    span: &Range<usize>,
    problems: &mut ConfigProblems,
) {
    let before = read.iter().map(|(alias, _)| alias);
    if let Some(other) = before.clone().find(|other| other.name == alias.name) {
        let (name, first, second) = (&alias.name, &other.tool, &alias.tool);
        let what = match first == second {
            true => format!("alias {name:?} of `{first}` stands here twice"),
            false => format!("alias {name:?} belongs to `{first}` and cannot lead to `{second}` too"),
        };
        problems.add(span.clone(), what, "each alias once", "remove one of the two, or rename it");
    }
    let seen = |other: &&AliasSpec| other.primary && alias.primary && other.tool == alias.tool;
    if let Some(other) = before.clone().find(seen) {
        let what = format!(
            "`{}` has two names with `primary = true`: {:?} and {:?}",
            alias.tool, other.name, alias.name
        );
        let hint = "remove `primary = true` from one; it keeps working as a second name";
        problems.add(span.clone(), what, "one name that agents see for each tool", hint);
    }
}
