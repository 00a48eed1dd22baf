//! A server's registration, checked before anything is stored.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use toolgate_catalog::{check_reserved, check_server_name};
use toolgate_core::address::AddressRules;
use toolgate_core::codes;
use toolgate_core::server::{InstanceId, InstanceSpec};
use toolgate_core::tool::ToolExtra;
use toolgate_core::{Principal, RawJson, Refusal, Role, ServerName};
use toolgate_store::{NewInstance, RegistrationLimits};

use crate::alias;
use crate::known::Lease;
use crate::roster::Roster;
use crate::settings::address;
use crate::source::{Registration, ServerSource};

pub(crate) const LIMITS: RegistrationLimits = RegistrationLimits { servers_max: 1000, instances_max: 64 };

const LEASE_SECONDS: f64 = 30.0;
const LEASE_SECONDS_MIN: f64 = 5.0;
const LEASE_SECONDS_MAX: f64 = 600.0;
/// Heartbeats in one lease, so that one or two may be lost.
const HEARTBEATS: f64 = 3.0;
const VERSION_CHARS_MAX: usize = 128;
const CONCURRENCY_MAX: usize = 100_000;
const EXTRAS_MAX: usize = 2000;
/// The maximum number of aliases for all tools in one registration.
const ALIASES_MAX: usize = 2000;
const TOOL_NAME_CHARS_MAX: usize = 256;

fn invalid(field: &str, message: impl Into<String>) -> Refusal {
    Refusal::new(&codes::INVALID_REGISTRATION, message).field(field)
}

/// Checks that a principal may register a server. A server's token is valid for its own name only.
pub(crate) fn check_speaker(by: &Principal, server: &str) -> Result<(), Refusal> {
    match by.role {
        Role::Admin | Role::Operator => Ok(()),
        Role::Server if by.id.as_str() == server => Ok(()),
        Role::Server => {
            let message = format!("this token is that of the server {:?}, not of {server:?}", by.id.as_str());
            Err(Refusal::new(&codes::FOREIGN_NAME, message).hint(format!(
                "an admin makes one with `toolgate token create --role server --server {server}`"
            )))
        }
        Role::Approver | Role::Auditor | Role::Agent => {
            let message = format!("a token of role {} cannot speak for a server", by.role.as_str());
            Err(Refusal::new(&codes::WRONG_ROLE, message).hint(format!(
                "an admin makes one with `toolgate token create --role server --server {server}`"
            )))
        }
    }
}

/// The data to store.
pub(crate) fn read(registration: &Registration, rules: AddressRules) -> Result<NewInstance, Refusal> {
    let server = ServerName::new(&registration.name).map_err(|error| invalid("name", error.to_string()))?;
    let id = InstanceId::new(&registration.instance_id)
        .map_err(|error| invalid("instance_id", error.to_string()))?;
    let url =
        address::check(&registration.url, rules).map_err(|bad| invalid("url", bad.message).hint(bad.hint))?;
    let spec = InstanceSpec {
        id,
        url,
        version: read_version(registration.version.as_deref())?,
        concurrency_max: read_concurrency(registration.concurrency_max)?,
        wants_token: registration.wants_token,
        extras: Arc::new(read_extras(&registration.tools)?),
    };
    let settings = Some(RawJson::from_serialize(&alias::to_remember(&spec.extras)));
    Ok(NewInstance { server, spec, lease: read_lease(registration.lease_seconds)?, settings })
}

fn read_version(version: Option<&str>) -> Result<Option<String>, Refusal> {
    let fits = |text: &str| text.chars().count() <= VERSION_CHARS_MAX && !text.contains(char::is_control);
    match version {
        Some(text) if !fits(text) => {
            Err(invalid("version", format!("a version has at most {VERSION_CHARS_MAX} printable characters")))
        }
        version => Ok(version.map(str::to_owned)),
    }
}

fn read_concurrency(count: Option<usize>) -> Result<Option<usize>, Refusal> {
    match count {
        Some(count) if !(1..=CONCURRENCY_MAX).contains(&count) => Err(invalid(
            "concurrency_max",
            format!("`concurrency_max` is not between 1 and {CONCURRENCY_MAX}"),
        )),
        count => Ok(count),
    }
}

fn read_lease(seconds: Option<f64>) -> Result<Duration, Refusal> {
    let seconds = seconds.unwrap_or(LEASE_SECONDS);
    if !(LEASE_SECONDS_MIN..=LEASE_SECONDS_MAX).contains(&seconds) {
        let message = format!("a lease lasts {LEASE_SECONDS_MIN} to {LEASE_SECONDS_MAX} seconds");
        return Err(invalid("lease_seconds", message));
    }
    Ok(Duration::from_secs_f64(seconds))
}

fn read_extras(tools: &BTreeMap<String, ToolExtra>) -> Result<BTreeMap<String, ToolExtra>, Refusal> {
    if tools.len() > EXTRAS_MAX {
        return Err(invalid(
            "tools",
            format!("{} tools are described; {EXTRAS_MAX} are allowed", tools.len()),
        ));
    }
    let aliases: usize = tools.values().map(|extra| extra.aliases.len()).sum();
    if aliases > ALIASES_MAX {
        return Err(invalid("tools", format!("{aliases} aliases are given; {ALIASES_MAX} are allowed")));
    }
    let read = |(own, extra): (&String, &ToolExtra)| {
        let field = format!("tools.{own}");
        if own.is_empty() || own.chars().count() > TOOL_NAME_CHARS_MAX {
            let message = format!("the name of a tool has 1 to {TOOL_NAME_CHARS_MAX} characters");
            return Err(invalid("tools", message));
        }
        let extra = extra.clone().checked().map_err(|error| invalid(&field, error.to_string()))?;
        Ok((own.clone(), extra))
    };
    tools.iter().map(read).collect()
}

/// Checks that a server may register under this name beside the existing ones.
pub(crate) fn check_name(server: &ServerName, roster: &Roster) -> Result<(), Refusal> {
    let taken = |message: String| Refusal::new(&codes::NAME_TAKEN, message).field("name");
    check_reserved(server)
        .map_err(|reserved| taken(reserved.to_string()).hint("register under another name"))?;
    if let Some(entry) = roster.get(server) {
        if matches!(entry.source, ServerSource::Expected | ServerSource::Registered) {
            return Ok(());
        }
        let place = entry.source.place();
        return Err(taken(format!("the server {server:?} is configured in {place}"))
            .hint("register under another name, or have it configured with `registered = true`"));
    }
    let names = roster.entries.iter().map(|entry| &entry.spec.name);
    check_server_name(names, server).map_err(|collision| {
        taken(collision.to_string()).hint("choose a name that differs in more than its spelling")
    })
}

pub(crate) fn lease(server: &ServerName, instance: &InstanceId, lease: Duration) -> Lease {
    let lease_seconds = lease.as_secs_f64();
    Lease {
        server: server.clone(),
        instance_id: instance.to_string(),
        lease_seconds,
        heartbeat_seconds: lease_seconds / HEARTBEATS,
    }
}

pub(crate) fn lease_lost(server: &str, instance: &str) -> Refusal {
    let message = format!("the instance {instance:?} of the server {server:?} holds no lease");
    Refusal::new(&codes::LEASE_LOST, message)
}

#[cfg(test)]
mod tests;
