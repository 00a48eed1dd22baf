//! A tool as policy and ledger see it: its version, its effects, its audit level, the handling of its calls.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use toolgate_core::scope::MountNeed;
use toolgate_core::tool::{
    BadExtra, CacheRule, CacheScope, CallRate, EXTRA_META, FileSlot, ToolExtra, ToolHandling, version_of,
    version_of_text,
};
use toolgate_core::{AuditLevel, CanonicalName, Digest, Effects, OutputCheck, RawJson, ServerName, Tool};
use toolgate_wire::ObjectMembers;
use wildmatch::WildMatch;

/// The operator's settings for tools, by canonical name. They override the servers' own statements.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolRule {
    pub name: WildMatch,
    pub effects: Option<Effects>,
    pub audit: Option<AuditLevel>,
    pub idempotent: Option<bool>,
    pub output_check: Option<OutputCheck>,
    pub formats: Option<bool>,
    pub timeout: Option<Duration>,
    pub concurrency_max: Option<usize>,
    pub rate: Option<CallRate>,
    /// A time of zero overrides the server's setting.
    pub cache: Option<CacheRule>,
    /// Empty means unset.
    pub capabilities: Vec<String>,
    /// The mounts that a session needs. Empty means unset.
    pub needs: Vec<MountNeed>,
    /// Queries that should find the tool. Empty means unset.
    pub examples: Vec<String>,
    /// An empty list overrides the server's setting: no argument takes a file.
    pub files: Option<Vec<FileSlot>>,
}

impl ToolRule {
    /// `name` may have `*` for any run of characters and `?` for one.
    pub fn new(name: &str) -> Self {
        Self {
            name: WildMatch::new(name),
            effects: None,
            audit: None,
            idempotent: None,
            output_check: None,
            formats: None,
            timeout: None,
            concurrency_max: None,
            rate: None,
            cache: None,
            capabilities: Vec::new(),
            needs: Vec::new(),
            examples: Vec::new(),
            files: None,
        }
    }
}

/// The degree of trust in a server's own statements about its tools.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HintTrust {
    Believed,
    /// The handling of its tools, such as the arguments that take files, but not the effects of calls.
    Handling,
    Ignored,
}

impl HintTrust {
    /// The meaning of `trust_annotations` for a server that is not in the operator's file.
    pub fn of_newcomer(trusted: Option<bool>) -> Self {
        trusted.map_or(HintTrust::Handling, HintTrust::of_operator)
    }

    /// The meaning of `trust_annotations` in the operator's file.
    pub fn of_operator(trusted: bool) -> Self {
        if trusted { HintTrust::Believed } else { HintTrust::Ignored }
    }
}

/// The statements of a definition, believed or not.
#[derive(Debug)]
pub(crate) struct DefinitionFacts {
    version: Digest,
    effects: Effects,
    idempotent: bool,
    extra: Result<ToolExtra, BadExtra>,
    input_schema: Option<RawJson>,
    output_schema: Option<RawJson>,
}

impl DefinitionFacts {
    /// `members` and `definition` are the content of `item`; `definition` is null if it cannot be decoded.
    pub(crate) fn read(item: &RawJson, members: &ObjectMembers<'_>, definition: &Value) -> Self {
        let buffer = item.clone().into_bytes();
        // A part of the definition and no copy of it.
        let schema = |key: &str| members.get(key).map(|schema| RawJson::within(&buffer, schema));
        let annotations = &definition["annotations"];
        Self {
            version: if definition.is_null() { version_of_text(item) } else { version_of(definition) },
            effects: effects_of(annotations),
            idempotent: annotations["idempotentHint"] == Value::Bool(true),
            extra: ToolExtra::of(definition).map(Option::unwrap_or_default),
            input_schema: schema("inputSchema"),
            output_schema: schema("outputSchema"),
        }
    }
}

/// The operator's rules decide, then the server's own statements, then the hints of MCP.
pub(crate) fn describe(
    server: &ServerName,
    own: &str,
    name: &CanonicalName,
    facts: &DefinitionFacts,
    hints: HintTrust,
    rules: &[ToolRule],
) -> Result<Tool, String> {
    let nothing = ToolExtra::default();
    let extra = match (hints, &facts.extra) {
        (HintTrust::Ignored, _) => &nothing,
        (HintTrust::Believed | HintTrust::Handling, Ok(extra)) => extra,
        (HintTrust::Believed | HintTrust::Handling, Err(error)) => {
            return Err(format!("its `_meta` \"{EXTRA_META}\" cannot be read: {error}"));
        }
    };
    let (hinted_effects, hinted_idempotent) = match hints {
        HintTrust::Believed => {
            (extra.effects.unwrap_or(facts.effects), extra.idempotent.unwrap_or(facts.idempotent))
        }
        HintTrust::Handling | HintTrust::Ignored => (Effects::ALL, false),
    };
    let said = MatchingRules(rules.iter().filter(|rule| rule.name.matches(name.as_str())).collect());
    let vouched = said.last(|rule| rule.effects);
    let effects = vouched.unwrap_or(hinted_effects);
    Ok(Tool {
        name: name.clone(),
        server: server.clone(),
        own: own.into(),
        version: facts.version,
        effects,
        hinted: vouched.is_none(),
        idempotent: said.last(|rule| rule.idempotent).unwrap_or(hinted_idempotent),
        audit: said.last(|rule| rule.audit).unwrap_or(AuditLevel::Standard),
        input_schema: facts.input_schema.clone(),
        output_schema: facts.output_schema.clone(),
        output_check: said.last(|rule| rule.output_check),
        handling: handling(server, &said, extra, effects),
    })
}

fn handling(
    server: &ServerName,
    said: &MatchingRules<'_>,
    extra: &ToolExtra,
    effects: Effects,
) -> ToolHandling {
    let own_cache = || Some(CacheRule { fresh: extra.cache()?, scope: CacheScope::Private });
    let cache = said.last(|rule| rule.cache).or_else(own_cache);
    ToolHandling {
        capabilities: sorted(said.last_list(|rule| &rule.capabilities).unwrap_or(&extra.capabilities)),
        needs: needs(server, said.last_list(|rule| &rule.needs).unwrap_or(&extra.mounts)),
        // A server is not asked: its tool has the traits that its name tells.
        traits: None,
        examples: said.last_list(|rule| &rule.examples).unwrap_or_default().into(),
        files: match said.last(|rule| rule.files.as_deref()) {
            Some(files) => files.into(),
            None => extra.slots().into(),
        },
        secrets: extra.secrets.as_slice().into(),
        timeout: said.last(|rule| rule.timeout).or(extra.timeout()),
        concurrency_max: said.last(|rule| rule.concurrency_max),
        rate: said.last(|rule| rule.rate),
        // A call with effects must not be skipped because the same call ran before; and one that may have the value of a
        // credential in it must leave no key behind that is made of it.
        cache: cache
            .filter(|rule| !rule.fresh.is_zero() && !effects.changes_something() && extra.secrets.is_empty()),
        formats: said.last(|rule| rule.formats),
    }
}

/// Tools of a connector always need its provider, whatever else is said of them.
fn needs(server: &ServerName, said: &[MountNeed]) -> Arc<[MountNeed]> {
    let provider = server.provider().map(|provider| MountNeed::Provider(provider.to_owned()));
    let all: Vec<MountNeed> = said.iter().cloned().chain(provider).collect();
    sorted(&all)
}

/// In order, and each once.
fn sorted<T: Clone + Ord>(list: &[T]) -> Arc<[T]> {
    list.iter().collect::<BTreeSet<_>>().into_iter().cloned().collect()
}

/// The rules that speak of a tool, in their order.
struct MatchingRules<'a>(Vec<&'a ToolRule>);

impl<'a> MatchingRules<'a> {
    /// The last rule with a value decides.
    fn last<T>(&self, about: impl Fn(&'a ToolRule) -> Option<T>) -> Option<T> {
        self.0.iter().rev().find_map(|rule| about(rule))
    }

    /// The same for a list, where an empty one means unset.
    fn last_list<T>(&self, about: impl Fn(&'a ToolRule) -> &'a Vec<T>) -> Option<&'a [T]> {
        self.last(|rule| Some(about(rule).as_slice()).filter(|list| !list.is_empty()))
    }
}

/// The hints of MCP with the defaults of MCP; without any hint, nothing is known.
fn effects_of(annotations: &Value) -> Effects {
    const HINTS: [&str; 4] = ["readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
    if !HINTS.iter().any(|hint| annotations[hint].is_boolean()) {
        return Effects::ALL;
    }
    let hint = |name: &str, default: bool| annotations[name].as_bool().unwrap_or(default);
    let mut effects = Effects::READ;
    if !hint("readOnlyHint", false) {
        effects = effects.and(Effects::WRITE);
        if hint("destructiveHint", true) {
            effects = effects.and(Effects::DESTRUCTIVE);
        }
    }
    if hint("openWorldHint", true) {
        effects = effects.and(Effects::EXTERNAL);
    }
    effects
}

#[cfg(test)]
mod tests;
