//! The aliases in effect: those of the operator's file, of the settings, and of servers that registered. Pure.

use std::collections::{BTreeMap, HashMap, HashSet};

use toolgate_catalog::{Alias, AliasCollision, is_reserved_name, wire_name};
use toolgate_core::server::{InstanceSpec, TransportSpec};
use toolgate_core::tool::ToolExtra;
use toolgate_core::{CanonicalName, ServerName};

use crate::source::{AliasSpec, ServerEntry, ServerSource};

pub(crate) const FILE: &str = "toolgate.toml";
pub(crate) const SETTINGS: &str = "settings";
/// The owner of the names of the gateway's own tools.
const GATEWAY: &str = "Toolgate itself";

pub(crate) fn of_specs(specs: &[AliasSpec], owner: &str) -> Vec<Alias> {
    let alias = |spec: &AliasSpec| Alias {
        name: spec.name.clone(),
        target: spec.tool.clone(),
        until_ms: spec.until_ms,
        primary: spec.primary,
        owner: owner.to_owned(),
    };
    specs.iter().map(alias).collect()
}

/// The last statements of registered servers about their tools, by the tools' own names.
pub(crate) type LastDefinitions = BTreeMap<ServerName, BTreeMap<String, ToolExtra>>;

/// The aliases that instances of registered servers give their tools, each name once. A server whose last
/// instance has left keeps its last names: its tools are still listed.
pub(crate) fn of_roster(entries: &[ServerEntry], last_said: &LastDefinitions) -> Vec<Alias> {
    let mut aliases = Vec::new();
    for entry in entries
        .iter()
        .filter(|entry| matches!(entry.source, ServerSource::Expected | ServerSource::Registered))
    {
        let TransportSpec::Http { instances, .. } = &entry.spec.transport else { continue };
        if instances.is_empty() {
            let extras = last_said.get(&entry.spec.name);
            aliases.extend(extras.map(|extras| of_extras(&entry.spec.name, extras)).unwrap_or_default());
            continue;
        }
        // The newest instance has precedence; the others add names that it does not have.
        let said = instances.iter().rev().flat_map(|instance| of_instance(&entry.spec.name, instance));
        aliases.extend(each_once(said));
    }
    aliases
}

/// The first of each name.
pub(crate) fn each_once(aliases: impl Iterator<Item = Alias>) -> Vec<Alias> {
    let mut seen = HashSet::new();
    aliases.filter(|alias| seen.insert(alias.name.clone())).collect()
}

/// The server that owns the namespace of a name, if it is another one than `own`.
pub(crate) fn intruded<'a>(
    name: &str,
    own: &ServerName,
    servers: impl Iterator<Item = &'a ServerName>,
) -> Option<&'a ServerName> {
    let (name, wire) = (look(name), look(&name.replace(['.', ':'], "__")));
    let mut others = servers.filter(|server| *server != own);
    others.find(|server| {
        name.starts_with(&look(&format!("{server}:"))) || wire.starts_with(&look(&wire_name(server, "")))
    })
}

fn of_instance(server: &ServerName, instance: &InstanceSpec) -> Vec<Alias> {
    of_extras(server, &instance.extras)
}

/// The part of a server's statements that is kept for the time without instances.
pub(crate) fn to_remember(extras: &BTreeMap<String, ToolExtra>) -> BTreeMap<String, ToolExtra> {
    let named = extras.iter().filter(|(_, extra)| !extra.aliases.is_empty());
    let aliases = |extra: &ToolExtra| ToolExtra { aliases: extra.aliases.clone(), ..ToolExtra::default() };
    named.map(|(own, extra)| (own.clone(), aliases(extra))).collect()
}

/// Additional names only: the operator decides the name that agents see, or one server could take the name of
/// another that comes later.
pub(crate) fn of_extras(server: &ServerName, extras: &BTreeMap<String, ToolExtra>) -> Vec<Alias> {
    let alias = |own: &str, name: &String| Alias {
        name: name.clone(),
        target: CanonicalName::of(server, own),
        until_ms: None,
        primary: false,
        owner: owner_of(server),
    };
    extras.iter().flat_map(|(own, extra)| extra.aliases.iter().map(move |name| alias(own, name))).collect()
}

pub(crate) fn owner_of(server: &ServerName) -> String {
    format!("server {:?}", server.as_str())
}

/// The common form of two names that a reader could confuse.
fn look(name: &str) -> String {
    name.to_lowercase()
}

/// Checks that `candidates` are available beside `others` and beside the names of tools. Names both owners if
/// not.
pub(crate) fn check<'a>(
    tools: impl Iterator<Item = &'a CanonicalName>,
    others: &[Alias],
    candidates: &[Alias],
) -> Result<(), AliasCollision> {
    if candidates.is_empty() {
        return Ok(());
    }
    let mut taken: HashMap<String, (&CanonicalName, String)> = HashMap::new();
    for tool in tools {
        let Some((server, own)) = split(tool) else { continue };
        let owner = owner_of(&server);
        taken.insert(look(&wire_name(&server, own)), (tool, owner.clone()));
        taken.insert(look(tool.as_str()), (tool, owner));
    }
    // If the others conflict with each other, the earlier one has the name.
    for alias in others {
        for name in names_of(alias) {
            taken.entry(look(&name)).or_insert((&alias.target, alias.owner.clone()));
        }
    }
    for alias in candidates {
        for name in names_of(alias) {
            if is_reserved_name(&name) {
                let other = format!("{}, for {}", alias.owner, alias.target);
                return Err(AliasCollision { name, one: GATEWAY.to_owned(), other });
            }
            let (target, owner) = taken.entry(look(&name)).or_insert((&alias.target, alias.owner.clone()));
            if **target != alias.target {
                let one = format!("{owner}, for {target}");
                let other = format!("{}, for {}", alias.owner, alias.target);
                return Err(AliasCollision { name, one, other });
            }
        }
    }
    Ok(())
}

/// The names that an alias occupies: its own, and its wire name if agents see it.
fn names_of(alias: &Alias) -> Vec<String> {
    let wire = alias.primary.then(|| wire_of(&alias.name));
    std::iter::once(alias.name.clone()).chain(wire).collect()
}

pub(crate) fn occupies(alias: &Alias, name: &str) -> bool {
    names_of(alias).iter().any(|one| one == name)
}

pub(crate) fn wire_of(domain_name: &str) -> String {
    domain_name.replace('.', "__")
}

/// The two halves of a canonical name.
pub(crate) fn split(name: &CanonicalName) -> Option<(ServerName, &str)> {
    let (server, own) = name.as_str().split_once(':')?;
    Some((ServerName::new(server).ok()?, own))
}

/// A tool that agents see under another name from now on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ToolRename {
    pub(crate) tool: CanonicalName,
    pub(crate) from: String,
    pub(crate) to: String,
}

pub(crate) fn renames(before: &[Alias], after: &[Alias]) -> Vec<ToolRename> {
    let (old, new) = (shown_names(before), shown_names(after));
    let tools: std::collections::BTreeSet<&CanonicalName> = old.keys().chain(new.keys()).copied().collect();
    let rename = |tool: &CanonicalName| {
        let name =
            |names: &BTreeMap<&CanonicalName, String>| names.get(tool).cloned().or_else(|| plain(tool));
        let (from, to) = (name(&old)?, name(&new)?);
        (from != to).then(|| ToolRename { tool: tool.clone(), from, to })
    };
    tools.into_iter().filter_map(rename).collect()
}

fn shown_names(aliases: &[Alias]) -> BTreeMap<&CanonicalName, String> {
    let mut names = BTreeMap::new();
    for alias in aliases.iter().filter(|alias| alias.primary) {
        names.entry(&alias.target).or_insert_with(|| wire_of(&alias.name));
    }
    names
}

fn plain(tool: &CanonicalName) -> Option<String> {
    let (server, own) = split(tool)?;
    Some(wire_name(&server, own))
}

#[cfg(test)]
mod tests;
