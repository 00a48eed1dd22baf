//! The aliases in effect: those of the operator's file, of the settings, and of servers that registered. Pure.

use std::collections::{BTreeMap, HashMap, HashSet};

use toolgate_catalog::{Alias, AliasCollision, is_reserved_name, wire_name};
use toolgate_core::server::{InstanceSpec, TransportSpec};
use toolgate_core::tool::ToolExtra;
use toolgate_core::{CanonicalName, ServerName};

use crate::source::{AliasSpec, ServerEntry, Source};

pub(crate) const FILE: &str = "toolgate.toml";
pub(crate) const SETTINGS: &str = "settings";
/// Who has the names of the gateway's own tools.
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

/// What was said last about the tools of servers that registered, by their own names.
pub(crate) type LastSaid = BTreeMap<ServerName, BTreeMap<String, ToolExtra>>;

/// What the instances of registered servers call their tools, each name once. The names of a server whose last instance
/// has left are those it gave last: its tools are listed still.
pub(crate) fn of_roster(entries: &[ServerEntry], last_said: &LastSaid) -> Vec<Alias> {
    let mut aliases = Vec::new();
    for entry in entries.iter().filter(|entry| matches!(entry.source, Source::Expected | Source::Registered))
    {
        let TransportSpec::Http { instances, .. } = &entry.spec.transport else { continue };
        if instances.is_empty() {
            let extras = last_said.get(&entry.spec.name);
            aliases.extend(extras.map(|extras| of_extras(&entry.spec.name, extras)).unwrap_or_default());
            continue;
        }
        // The newest instance knows best; the others add what it does not say.
        let said = instances.iter().rev().flat_map(|instance| of_instance(&entry.spec.name, instance));
        aliases.extend(each_once(said));
    }
    aliases
}

/// Of each name the first.
pub(crate) fn each_once(aliases: impl Iterator<Item = Alias>) -> Vec<Alias> {
    let mut seen = HashSet::new();
    aliases.filter(|alias| seen.insert(alias.name.clone())).collect()
}

/// The name of a server in whose namespace a name lies, if that is another server than `own`.
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

/// Of what a server said, what is kept for the time when it has no instance.
pub(crate) fn to_remember(extras: &BTreeMap<String, ToolExtra>) -> BTreeMap<String, ToolExtra> {
    let named = extras.iter().filter(|(_, extra)| !extra.aliases.is_empty());
    let aliases = |extra: &ToolExtra| ToolExtra { aliases: extra.aliases.clone(), ..ToolExtra::default() };
    named.map(|(own, extra)| (own.clone(), aliases(extra))).collect()
}

/// Further names only: what agents see a tool under is the operator's to say, or one server could stand under the name of
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

/// What two names have in common that a reader would take for each other.
fn look(name: &str) -> String {
    name.to_lowercase()
}

/// Whether `candidates` can be had beside `others` and beside the names that tools have. Names both owners if not.
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
    // Where the others disagree among themselves, the earlier one has the name.
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

/// What an alias occupies: its name, and for one that agents see what it is on the wire.
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
pub(crate) struct Rename {
    pub(crate) tool: CanonicalName,
    pub(crate) from: String,
    pub(crate) to: String,
}

pub(crate) fn renames(before: &[Alias], after: &[Alias]) -> Vec<Rename> {
    let (old, new) = (shown_names(before), shown_names(after));
    let tools: std::collections::BTreeSet<&CanonicalName> = old.keys().chain(new.keys()).copied().collect();
    let rename = |tool: &CanonicalName| {
        let name =
            |names: &BTreeMap<&CanonicalName, String>| names.get(tool).cloned().or_else(|| plain(tool));
        let (from, to) = (name(&old)?, name(&new)?);
        (from != to).then(|| Rename { tool: tool.clone(), from, to })
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
