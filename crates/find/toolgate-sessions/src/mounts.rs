//! The additional mounts of a session: their validity, and their effect on its scope.

use std::collections::BTreeSet;

use toolgate_core::codes;
use toolgate_core::scope::{Mounts, Scope, is_within};
use toolgate_core::{Refusal, ServerName};

use crate::refusal::nearest;

/// The existing servers and providers for new mounts.
pub(crate) struct KnownMounts<'a> {
    pub(crate) servers: &'a [ServerName],
    pub(crate) providers: &'a BTreeSet<String>,
    /// The permission to suggest providers for a misspelt one.
    pub(crate) tells: MountDisclosure,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum MountDisclosure {
    Names,
    Nothing,
}

/// Checks that mounts may be added to a scope. Mounts that were there `before` stay even if they are gone
/// meanwhile.
pub(crate) fn check(
    mounts: &Mounts,
    before: &Mounts,
    base: &Scope,
    known: &KnownMounts<'_>,
) -> Result<(), Refusal> {
    mounts.check().map_err(|bad| {
        let field = format!("mounts.{}", bad.field);
        Refusal::new(&codes::INVALID_MOUNTS, bad.to_string()).field(field)
    })?;
    for server in mounts.servers.difference(&before.servers) {
        check_server(server, base, known)?;
    }
    for provider in mounts.providers.difference(&before.providers) {
        if !known.providers.contains(provider) {
            let told = known.providers.iter().filter(|_| known.tells == MountDisclosure::Names);
            let names = told.map(String::as_str);
            let hint = nearest(provider, names, "no tool needs it; tools say what they need");
            let message = format!("no tool needs the provider {provider:?}");
            return Err(unknown("mounts.providers", message).hint(hint));
        }
    }
    mounts.pointers.difference(&before.pointers).try_for_each(|pattern| check_pointers(pattern, base, known))
}

/// Pointers that the agent has are the most that a session may mount. An agent without any has none to mount, unless an
/// operator opens the session.
fn check_pointers(pattern: &str, base: &Scope, known: &KnownMounts<'_>) -> Result<(), Refusal> {
    let of_agent = &base.mounts.pointers;
    let is_free = of_agent.is_empty() && known.tells == MountDisclosure::Names;
    if is_free || is_within(pattern, of_agent) {
        return Ok(());
    }
    let names: Vec<&str> = of_agent.iter().map(String::as_str).collect();
    let has = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    Err(Refusal::new(&codes::MOUNT_LEFT_OUT, format!("the agent leaves out the pointers {pattern:?}"))
        .field("mounts.pointers")
        .hint(format!("it has {has}")))
}

fn check_server(server: &ServerName, base: &Scope, known: &KnownMounts<'_>) -> Result<(), Refusal> {
    const FIELD: &str = "mounts.servers";
    let name = server.as_str();
    if !known.servers.contains(server) {
        let names = known.servers.iter().map(ServerName::as_str);
        let hint = nearest(name, names, "`toolgate servers list` shows all there are");
        return Err(unknown(FIELD, format!("there is no server {name:?}")).hint(hint));
    }
    if base.servers.as_ref().is_some_and(|there| !there.contains(server)) {
        let message = format!("the server {name:?} was not there when the session began");
        return Err(unknown(FIELD, message).hint("open another session"));
    }
    // A list of servers excludes all others, so servers that the agent excludes cannot be added.
    if !base.mounts.servers.is_empty() && !base.mounts.servers.contains(server) {
        let names: Vec<&str> = base.mounts.servers.iter().map(ServerName::as_str).collect();
        let message = format!("the agent leaves out the server {name:?}");
        return Err(Refusal::new(&codes::MOUNT_LEFT_OUT, message)
            .field(FIELD)
            .hint(format!("it has {}", names.join(", "))));
    }
    Ok(())
}

fn unknown(field: &str, message: String) -> Refusal {
    Refusal::new(&codes::UNKNOWN_MOUNT, message).field(field)
}

/// A scope with mounts of the session's own. They have been checked.
pub(crate) fn mounted(base: &Scope, own: &Mounts) -> Scope {
    Scope { mounts: own.clone(), ..base.clone() }.within(base.clone())
}

#[cfg(test)]
mod tests;
