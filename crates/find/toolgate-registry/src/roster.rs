//! The roster: all servers, from the operator's file, the settings, and registration. Pure.
//!
//! The operator's file wins over the settings, and these win over registration. The order decides who keeps a
//! name that two could have.

mod change;

use std::collections::BTreeMap;
use std::time::Duration;

use toolgate_catalog::{HintTrust, ServerSettings, ToolNameFilter, check_reserved, wire_name};
use toolgate_core::ServerName;
use toolgate_core::address::{AddressRules, Reach};
use toolgate_core::server::{
    Affinity, AskPermissions, EraChoice, InstanceSpec, Isolation, ServerSpec, TransportSpec,
};

use crate::source::{FileState, ServerEntry, ServerSource};

pub(crate) use change::{RosterChange, RosterDifference, differences};

pub(crate) const TIMEOUT: Duration = Duration::from_secs(60);
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(30);
pub(crate) const CONCURRENCY_MAX: usize = 64;

/// The instances of each registered server in order of arrival, with the servers in the order of their first
/// registration. A server whose last one has left is here without any.
pub(crate) type RegisteredServers = Vec<(ServerName, Vec<InstanceSpec>)>;

#[derive(Clone, Debug, Default)]
pub(crate) struct Roster {
    pub(crate) entries: Vec<ServerEntry>,
    /// Servers whose name an earlier one has.
    pub(crate) shadowed: Vec<ShadowedServer>,
    /// Servers that were stored before their name became the gateway's own.
    pub(crate) reserved: Vec<ServerName>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct ShadowedServer {
    pub(crate) name: ServerName,
    pub(crate) source: ServerSource,
    pub(crate) by: ServerName,
    pub(crate) by_source: ServerSource,
}

impl Roster {
    pub(crate) fn merge(file: &FileState, settings: &[ServerEntry], registered: &RegisteredServers) -> Self {
        let mut merging = RosterMerge::default();
        for entry in &file.servers {
            merging.put(of_file(entry, registered, file.addresses));
        }
        for entry in settings {
            merging.add(of_settings(entry.clone(), file));
        }
        for (name, instances) in registered {
            if !merging.expects(name) {
                merging.add(of_registration(name, instances, file));
            }
        }
        merging.roster
    }

    pub(crate) fn get(&self, name: &ServerName) -> Option<&ServerEntry> {
        self.entries.iter().find(|entry| entry.spec.name == *name)
    }

    pub(crate) fn specs(&self) -> Vec<ServerSpec> {
        self.entries.iter().map(|entry| entry.spec.clone()).collect()
    }

    pub(crate) fn settings(&self) -> Vec<ServerSettings> {
        self.entries.iter().map(|entry| entry.settings.clone()).collect()
    }
}

#[derive(Default)]
struct RosterMerge {
    roster: Roster,
    taken: BTreeMap<String, (ServerName, ServerSource)>,
}

impl RosterMerge {
    fn add(&mut self, entry: ServerEntry) {
        let (name, source) = (entry.spec.name.clone(), entry.source);
        if check_reserved(&name).is_err() {
            return self.roster.reserved.push(name);
        }
        let key = key(&name);
        if let Some((by, by_source)) = self.taken.get(&key) {
            let shadowed = ShadowedServer { name, source, by: by.clone(), by_source: *by_source };
            return self.roster.shadowed.push(shadowed);
        }
        self.put(entry);
    }

    /// The operator's file is taken as written: similar names in it are distinguished on the wire.
    fn put(&mut self, entry: ServerEntry) {
        let (name, source) = (entry.spec.name.clone(), entry.source);
        self.taken.entry(key(&name)).or_insert((name, source));
        self.roster.entries.push(entry);
    }

    /// True if the file names it without an address, so that it is in the roster already.
    fn expects(&self, name: &ServerName) -> bool {
        self.taken
            .get(&key(name))
            .is_some_and(|(holder, source)| holder == name && *source == ServerSource::Expected)
    }
}

/// The common form of two names that agents or people could confuse.
fn key(name: &ServerName) -> String {
    wire_name(name, "").to_lowercase()
}

fn of_file(entry: &ServerEntry, registered: &RegisteredServers, addresses: AddressRules) -> ServerEntry {
    if entry.source != ServerSource::Expected {
        return entry.clone();
    }
    let mut entry = with_reach(entry.clone(), addresses);
    if let TransportSpec::Http { instances, .. } = &mut entry.spec.transport {
        let own = registered.iter().find(|(name, _)| *name == entry.spec.name);
        *instances = own.map(|(_, instances)| instances.clone()).unwrap_or_default();
    }
    entry
}

/// Its address came over the network: the operator's current rules apply.
fn with_reach(mut entry: ServerEntry, addresses: AddressRules) -> ServerEntry {
    entry.spec.reach = Reach::Within(addresses);
    entry
}

fn of_settings(entry: ServerEntry, file: &FileState) -> ServerEntry {
    let mut entry = with_reach(entry, file.addresses);
    entry.spec.egress = file.egress.clone();
    entry
}

fn of_registration(name: &ServerName, instances: &[InstanceSpec], file: &FileState) -> ServerEntry {
    let transport = TransportSpec::Http { instances: instances.to_vec(), headers: BTreeMap::new() };
    ServerEntry {
        spec: ServerSpec {
            name: name.clone(),
            transport,
            timeout: TIMEOUT,
            connect_timeout: CONNECT_TIMEOUT,
            concurrency_max: CONCURRENCY_MAX,
            rate: None,
            isolation: Isolation::Shared,
            affinity: Affinity::default(),
            era: EraChoice::default(),
            reach: Reach::Within(file.addresses),
            egress: file.egress.clone(),
        },
        settings: ServerSettings {
            name: name.clone(),
            prefix: true,
            filter: ToolNameFilter::default(),
            hints: HintTrust::of_newcomer(None),
            asks: AskPermissions::default(),
        },
        drift: None,
        new_tools: None,
        source: ServerSource::Registered,
        published: None,
    }
}

#[cfg(test)]
mod tests;
