//! Other names for tools: old flat names that still work, and names such as `documents.text.extract` under which agents
//! see a tool. A real name always wins over an alias.

use std::collections::{BTreeMap, HashMap};

use toolgate_core::{CanonicalName, DomainName};

use crate::memory::NameMemory;
use crate::naming::{domain_wire_name, is_reserved_name};
use crate::section::{CatalogEntry, CatalogSection};

/// Another name for a tool.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Alias {
    pub name: String,
    pub target: CanonicalName,
    /// From when on it no longer works, in milliseconds since 1970.
    pub until_ms: Option<i64>,
    /// True if agents see the tool under this name, which then has three parts.
    pub primary: bool,
    /// The source of the name, in words: `toolgate.toml`, `the setting aliases`, `server files`.
    pub owner: String,
}

impl Alias {
    pub fn works_at(&self, now_ms: i64) -> bool {
        self.until_ms.is_none_or(|until_ms| now_ms < until_ms)
    }
}

/// Two owners claim the same name.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the name {name:?} is taken: {one} has it, and {other} wants it")]
pub struct AliasCollision {
    pub name: String,
    /// The current owner.
    pub one: String,
    /// The other claimant.
    pub other: String,
}

/// The valid aliases, the refused ones with the reason, and the wire names that tools get by them.
#[derive(Default)]
pub(crate) struct ResolvedAliases {
    pub(crate) aliases: BTreeMap<String, Alias>,
    pub(crate) refused: Vec<(Alias, String)>,
    /// Wire names by those that the tools have on their own.
    pub(crate) renames: HashMap<String, String>,
}

/// Goes through aliases in their order, the earlier ones winning.
pub(crate) fn resolve(aliases: &[Alias], tools: &CatalogSection, memory: &NameMemory) -> ResolvedAliases {
    let mut resolved = ResolvedAliases::default();
    let mut seats = NameOwners::new(tools);
    for alias in aliases {
        let primary = match primary_of(alias, &mut seats, memory) {
            Ok(primary) => primary,
            Err(why) => {
                resolved.refused.push((alias.clone(), why));
                continue;
            }
        };
        resolved.aliases.entry(alias.name.clone()).or_insert_with(|| alias.clone());
        if let (Some(wire), Some(entry)) = (primary, tools.find(alias.target.as_str())) {
            resolved.renames.entry(entry.wire.clone()).or_insert(wire);
        }
    }
    resolved
}

/// Takes the alias and tells which wire name it makes, if any.
fn primary_of<'a>(
    alias: &'a Alias,
    seats: &mut NameOwners<'a>,
    memory: &NameMemory,
) -> Result<Option<String>, String> {
    let name = primary_name(alias)?;
    seats.take(alias).map_err(|taken| taken.collision(alias).to_string())?;
    // A name under which agents saw a tool that has gone does not change hands.
    let holder = name.as_deref().and_then(|name| memory.other_owner(name, &alias.target));
    match holder {
        None => Ok(name),
        Some(holder) => {
            let taken =
                NameTaken { name: alias.name.clone(), by: format!("{holder} (agents knew it by that)") };
            Err(taken.collision(alias).to_string())
        }
    }
}

/// The wire name that a primary alias makes.
fn primary_name(alias: &Alias) -> Result<Option<String>, String> {
    if !alias.primary {
        return Ok(None);
    }
    if alias.until_ms.is_some() {
        return Err(format!(
            "{:?} is what agents see, so it cannot end on a date ({})",
            alias.name, alias.owner
        ));
    }
    let name = DomainName::new(&alias.name).map_err(|error| format!("{error} ({})", alias.owner))?;
    Ok(Some(domain_wire_name(&name)))
}

/// The owner of the names of the gateway's own tools.
const GATEWAY: &str = "Toolgate itself (for its own tools)";

/// The owners of names.
struct NameOwners<'a> {
    tools: &'a CatalogSection,
    names: HashMap<String, &'a Alias>,
    /// The primary alias of each tool.
    primaries: HashMap<&'a CanonicalName, &'a Alias>,
}

/// The reason why a name is unavailable.
struct NameTaken {
    name: String,
    by: String,
}

fn claim(alias: &Alias) -> String {
    format!("{} (for {})", alias.owner, alias.target)
}

impl NameTaken {
    fn by_tool(name: &str, entry: &CatalogEntry) -> Self {
        Self {
            name: name.to_owned(),
            by: format!("server {} (for its tool {})", entry.server, entry.canonical),
        }
    }

    fn by_alias(name: &str, alias: &Alias) -> Self {
        Self { name: name.to_owned(), by: claim(alias) }
    }

    fn collision(self, alias: &Alias) -> AliasCollision {
        AliasCollision { name: self.name, one: self.by, other: claim(alias) }
    }
}

impl<'a> NameOwners<'a> {
    fn new(tools: &'a CatalogSection) -> Self {
        Self { tools, names: HashMap::new(), primaries: HashMap::new() }
    }

    fn take(&mut self, alias: &'a Alias) -> Result<(), NameTaken> {
        let primary = primary_name(alias).ok().flatten();
        for name in [Some(&alias.name), primary.as_ref()].into_iter().flatten() {
            self.check(name, alias)?;
        }
        if primary.is_some() {
            match self.primaries.get(&alias.target) {
                Some(first) if first.name != alias.name => {
                    return Err(NameTaken {
                        name: alias.name.clone(),
                        by: format!("{} (which shows {} as {:?})", first.owner, first.target, first.name),
                    });
                }
                Some(_) => {}
                None => {
                    self.primaries.insert(&alias.target, alias);
                }
            }
        }
        for name in [Some(alias.name.clone()), primary].into_iter().flatten() {
            self.names.entry(name).or_insert(alias);
        }
        Ok(())
    }

    fn check(&self, name: &str, alias: &Alias) -> Result<(), NameTaken> {
        if is_reserved_name(name) {
            return Err(NameTaken { name: name.to_owned(), by: GATEWAY.to_owned() });
        }
        if let Some(entry) = self.tools.find_real(name)
            && entry.canonical != alias.target
        {
            return Err(NameTaken::by_tool(name, entry));
        }
        match self.names.get(name) {
            Some(first) if first.target != alias.target => Err(NameTaken::by_alias(name, first)),
            _ => Ok(()),
        }
    }
}
