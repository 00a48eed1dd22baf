//! `[[agents]]` and `[[capabilities]]`: the tools of each kind of agent, and their presentation.
//!
//! An agent may have a capability that the file does not define: it may come from the settings. The registry
//! reports undefined ones.

mod rules;

use std::collections::BTreeMap;
use std::ops::{Range, RangeInclusive};

use toolgate_core::ServerName;
use toolgate_core::decision::PolicyTemplate;
use toolgate_core::scope::{
    AgentDefinition, AgentLimits, AgentName, BadPart, Capability, CapabilityName, Mounts, TokenBudget,
};

use super::problem::ConfigProblems;
use super::section::{ConfigSection, Located, require};
use super::server::legal_name;

use rules::{PatternSubject, names, patterns, texts};

pub(super) const MOUNTS_KEYS: &[&str] = &["servers", "providers", "pointers", "knowledge_bases"];
pub(super) const LIMITS_KEYS: &[&str] = &["idle_seconds", "lifetime_seconds", "sessions_max"];

const NAME_EXPECTED: &str = "1 to 64 letters, digits, `-`, `_` and `.`, not beginning with `ses_`";
const TEMPLATE_HINT: &str = "it can only be stricter than that of `[policy]`";
const BUDGET: RangeInclusive<usize> = 0..=u32::MAX as usize;
const BUDGET_HINT: &str =
    "a number without quotes, such as `8000`; `0` always searches, `\"off\"` always lists everything";
const SECONDS: RangeInclusive<usize> = 1..=AgentLimits::SECONDS_MAX as usize;
const SESSIONS: RangeInclusive<usize> = 1..=1_000_000;

pub(super) fn read_capabilities(
    sections: Vec<ConfigSection<'_>>,
    problems: &mut ConfigProblems,
) -> Vec<Capability> {
    let mut capabilities: Vec<Capability> = Vec::new();
    for mut section in sections {
        title(&mut section, "capability", "a capability");
        section.refuse_unknown_keys(Capability::KEYS, &[], problems);
        let Some(name) = name(&section, "documents", CapabilityName::new, problems) else { continue };
        if capabilities.iter().any(|capability| capability.name == name.value) {
            refuse_second(&section, name.span, problems);
        }
        let capability = Capability {
            name: name.value,
            description: section.string("description", problems).map(|text| text.value.to_owned()),
            tools: patterns(&section, "tools", PatternSubject::Tools, problems),
            tags: texts(&section, "tags", problems),
            servers: patterns(&section, "servers", PatternSubject::Servers, problems),
        };
        refuse_excess(&section, capability.check(), problems);
        capabilities.push(capability);
    }
    capabilities
}

pub(super) fn read_agents(
    sections: Vec<ConfigSection<'_>>,
    problems: &mut ConfigProblems,
) -> Vec<AgentDefinition> {
    let mut claims = ConfigClaims::default();
    let mut agents: Vec<AgentDefinition> = Vec::new();
    for mut section in sections {
        title(&mut section, "agent", "an agent");
        section.refuse_unknown_keys(AgentDefinition::KEYS, &[], problems);
        let Some(name) = name(&section, "researcher", AgentName::new, problems) else { continue };
        if agents.iter().any(|agent| agent.name == name.value) {
            refuse_second(&section, name.span, problems);
        }
        let agent = read_agent(&section, name.value, problems);
        refuse_excess(&section, agent.check(), problems);
        claims.take(&section, &agent.name, problems);
        agents.push(agent);
    }
    agents
}

fn read_agent(
    section: &ConfigSection<'_>,
    name: AgentName,
    problems: &mut ConfigProblems,
) -> AgentDefinition {
    let templates = PolicyTemplate::ALL.map(|template| (template.as_str(), template));
    let mut flag = |key| section.boolean(key, problems).is_some_and(|flag| flag.value);
    let (schema_diet, reveal_found) = (flag("schema_diet"), flag("reveal_found"));
    AgentDefinition {
        name,
        description: section.string("description", problems).map(|text| text.value.to_owned()),
        capabilities: capability_names(section, problems),
        pinned: patterns(section, "pinned", PatternSubject::Tools, problems),
        blocked: patterns(section, "blocked", PatternSubject::Tools, problems),
        mounts: mounts(section, problems),
        policy_template: section.word("policy_template", &templates, TEMPLATE_HINT, problems),
        token_budget: token_budget(section, problems),
        schema_diet,
        reveal_found,
        limits: limits(section, problems),
        principals: texts(section, "principals", problems),
        groups: texts(section, "groups", problems),
    }
}

fn title(section: &mut ConfigSection<'_>, kind: &str, nameless: &str) {
    match section.string("name", &mut ConfigProblems::default()) {
        Some(name) => section.rename(format!("{kind} {:?}", name.value)),
        None => section.rename(nameless.to_owned()),
    }
}

fn name<T>(
    section: &ConfigSection<'_>,
    example: &str,
    parse: fn(&str) -> Result<T, String>,
    problems: &mut ConfigProblems,
) -> Option<Located<T>> {
    require(section, "name", &format!("{example:?}"), problems);
    let name = section.string("name", problems)?;
    match parse(name.value) {
        Ok(value) => Some(Located { value, span: name.span }),
        Err(_) => {
            let what = format!("{} cannot have that name", section.title());
            let legal = legal_name(name.value.trim_start_matches("ses_"));
            problems.add(name.span, what, NAME_EXPECTED, format!("for example `name = {legal:?}`"));
            None
        }
    }
}

/// A missing list means every tool, and an invalid one none: not every tool.
fn capability_names(
    section: &ConfigSection<'_>,
    problems: &mut ConfigProblems,
) -> Option<Vec<CapabilityName>> {
    section.key_span("capabilities")?;
    Some(names(section, "capabilities", "capability", CapabilityName::new, problems))
}

fn mounts(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> Mounts {
    let title = format!("`mounts` of {}", section.title());
    let Some(mounts) = section.section("mounts", &title, problems) else { return Mounts::default() };
    mounts.refuse_unknown_keys(MOUNTS_KEYS, &[], problems);
    let server = |name: &str| ServerName::new(name).map_err(|bad| bad.to_string());
    Mounts {
        servers: names(&mounts, "servers", "server", server, problems).into_iter().collect(),
        providers: texts(&mounts, "providers", problems).into_iter().collect(),
        pointers: texts(&mounts, "pointers", problems).into_iter().collect(),
        knowledge_bases: texts(&mounts, "knowledge_bases", problems).into_iter().collect(),
    }
}

fn token_budget(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> TokenBudget {
    let written = if section.is_text("token_budget") {
        section.word("token_budget", &[("off", TokenBudget::Off)], BUDGET_HINT, problems)
    } else {
        let count = section.count("token_budget", BUDGET, problems);
        count.and_then(|count| u32::try_from(count).ok()).map(TokenBudget::Tokens)
    };
    written.unwrap_or_default()
}

fn limits(section: &ConfigSection<'_>, problems: &mut ConfigProblems) -> AgentLimits {
    let usual = AgentLimits::default();
    let title = format!("`limits` of {}", section.title());
    let Some(limits) = section.section("limits", &title, problems) else { return usual };
    limits.refuse_unknown_keys(LIMITS_KEYS, &[], problems);
    let mut count = |key, within| limits.count(key, within, problems);
    let seconds = |count: Option<usize>| count.and_then(|count| u64::try_from(count).ok());
    AgentLimits {
        idle_seconds: seconds(count("idle_seconds", SECONDS)).unwrap_or(usual.idle_seconds),
        lifetime_seconds: seconds(count("lifetime_seconds", SECONDS)),
        sessions_max: count("sessions_max", SESSIONS)
            .and_then(|count| u32::try_from(count).ok())
            .unwrap_or(usual.sessions_max),
    }
}

fn refuse_second(section: &ConfigSection<'_>, span: Range<usize>, problems: &mut ConfigProblems) {
    let what = format!("{} stands here twice", section.title());
    problems.add(span, what, "each name once", "remove one of the two, or rename it");
}

/// Refuses values that the settings would refuse too.
fn refuse_excess(section: &ConfigSection<'_>, checked: Result<(), BadPart>, problems: &mut ConfigProblems) {
    let Err(bad) = checked else { return };
    let key = bad.field.split(['.', '[']).next().unwrap_or_default();
    let span = section.key_span(key).unwrap_or_else(|| section.span.clone());
    let what = format!("`{}` in {} cannot be so", bad.field, section.title());
    problems.add(span, what, bad.what, "`toolgate.example.toml` shows this key in use");
}

/// The holders of each definition: a principal or a group begins with one.
#[derive(Default)]
struct ConfigClaims(BTreeMap<(&'static str, String), AgentName>);

impl ConfigClaims {
    fn take(&mut self, section: &ConfigSection<'_>, agent: &AgentName, problems: &mut ConfigProblems) {
        for (key, kind) in [("principals", "principal"), ("groups", "group")] {
            for one in section.strings(key, &mut ConfigProblems::default()) {
                let first = self.0.entry((key, one.value.to_owned())).or_insert_with(|| agent.clone());
                if first != agent {
                    let what = format!(
                        "the agents \"{first}\" and \"{agent}\" are both for the {kind} {:?}",
                        one.value
                    );
                    let expected = format!("each {kind} in one agent");
                    problems.add(one.span, what, expected, "remove it from one of the two");
                }
            }
        }
    }
}
