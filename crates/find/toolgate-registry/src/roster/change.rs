//! The differences between two rosters, in words without secrets.

use std::collections::BTreeMap;
use std::fmt;

use toolgate_core::ServerName;
use toolgate_core::server::TransportSpec;

use crate::source::{ServerEntry, ServerSource};

/// One server that was added, changed or removed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RosterDifference {
    pub(crate) server: ServerName,
    pub(crate) source: ServerSource,
    pub(crate) what: RosterChange,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum RosterChange {
    Added,
    /// The changed keys, by the operator's names.
    Changed(Vec<&'static str>),
    Removed,
}

/// In the order of the new roster; removed servers come last.
pub(crate) fn differences(before: &[ServerEntry], after: &[ServerEntry]) -> Vec<RosterDifference> {
    let old = by_name(before);
    let new = by_name(after);
    let mut differences = Vec::new();
    for entry in after {
        let what = match old.get(&entry.spec.name) {
            None => Some(RosterChange::Added),
            Some(old) => {
                Some(changed_keys(old, entry)).filter(|keys| !keys.is_empty()).map(RosterChange::Changed)
            }
        };
        differences.extend(what.map(|what| of(entry, what)));
    }
    let gone = before.iter().filter(|entry| !new.contains_key(&entry.spec.name));
    differences.extend(gone.map(|entry| of(entry, RosterChange::Removed)));
    differences
}

fn by_name(entries: &[ServerEntry]) -> BTreeMap<&ServerName, &ServerEntry> {
    entries.iter().map(|entry| (&entry.spec.name, entry)).collect()
}

fn of(entry: &ServerEntry, what: RosterChange) -> RosterDifference {
    RosterDifference { server: entry.spec.name.clone(), source: entry.source, what }
}

fn changed_keys(old: &ServerEntry, new: &ServerEntry) -> Vec<&'static str> {
    let (a, b) = (&old.spec, &new.spec);
    let mut keys = changed_transport(&a.transport, &b.transport);
    let rest = [
        ("timeout_seconds", a.timeout != b.timeout),
        ("connect_timeout_seconds", a.connect_timeout != b.connect_timeout),
        ("concurrency_max", a.concurrency_max != b.concurrency_max),
        ("rate", a.rate != b.rate),
        ("isolation", a.isolation != b.isolation),
        ("affinity", a.affinity != b.affinity),
        ("era", a.era != b.era),
        ("network", a.reach != b.reach || a.egress != b.egress),
        ("prefix", old.settings.prefix != new.settings.prefix),
        ("tools", old.settings.filter != new.settings.filter),
        ("trust_annotations", old.settings.hints != new.settings.hints),
        ("elicitation", old.settings.asks.elicitation != new.settings.asks.elicitation),
        ("sampling", old.settings.asks.sampling != new.settings.asks.sampling),
        ("drift", old.drift != new.drift),
        ("new_tools", old.new_tools != new.new_tools),
        ("source", old.source != new.source),
        ("published", old.published != new.published),
    ];
    keys.extend(rest.into_iter().filter(|(_, differs)| *differs).map(|(key, _)| key));
    keys
}

fn changed_transport(old: &TransportSpec, new: &TransportSpec) -> Vec<&'static str> {
    let differing: Vec<(&'static str, bool)> = match (old, new) {
        (
            TransportSpec::Stdio { command, args, env, cwd, sandbox },
            TransportSpec::Stdio {
                command: command_now,
                args: args_now,
                env: env_now,
                cwd: cwd_now,
                sandbox: sandbox_now,
            },
        ) => vec![
            ("command", command != command_now),
            ("args", args != args_now),
            ("env", env != env_now),
            ("cwd", cwd != cwd_now),
            ("sandbox", sandbox != sandbox_now),
        ],
        (
            TransportSpec::Http { instances, headers },
            TransportSpec::Http { instances: instances_now, headers: headers_now },
        ) => vec![("url", instances != instances_now), ("headers", headers != headers_now)],
        (TransportSpec::Api(api), TransportSpec::Api(now)) => vec![
            ("openapi", api.document != now.document),
            ("connector", api.connector != now.connector),
            ("base_url", api.base_url != now.base_url),
            ("headers", api.headers != now.headers),
            ("query", api.query != now.query),
        ],
        (TransportSpec::Api(_), _) | (_, TransportSpec::Api(_)) => vec![("openapi", true), ("url", true)],
        _ => vec![("command", true), ("url", true)],
    };
    differing.into_iter().filter(|(_, differs)| *differs).map(|(key, _)| key).collect()
}

impl RosterDifference {
    /// True if the treatment of changes to its tools has changed.
    pub(crate) fn is_about_review(&self) -> bool {
        let about = |keys: &Vec<&str>| keys.iter().any(|key| matches!(*key, "drift" | "new_tools"));
        matches!(&self.what, RosterChange::Changed(keys) if about(keys))
    }
}

impl RosterChange {
    pub(crate) fn as_str(&self) -> &'static str {
        match self {
            RosterChange::Added => "added",
            RosterChange::Changed(_) => "changed",
            RosterChange::Removed => "removed",
        }
    }
}

impl fmt::Display for RosterDifference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "server {:?} {}", self.server, self.what.as_str())?;
        match &self.what {
            RosterChange::Changed(keys) => write!(f, ": {}", keys.join(", ")),
            RosterChange::Added | RosterChange::Removed => Ok(()),
        }
    }
}
