//! The knowledge of this process's registry, and its pending work.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use toolgate_catalog::Alias;
use toolgate_core::address::Reach;
use toolgate_core::event::Event;
use toolgate_core::model::{KnownModel, ModelDefinition};
use toolgate_core::registry::WireName;
use toolgate_core::server::{InstanceId, InstanceSpec, ServerListing, ServerSpec};
use toolgate_core::{CanonicalName, ServerName};
use toolgate_store::{RegisteredServer, StoredInstance, StoredTool};

use crate::alias::{self, LastDefinitions};
use crate::health::HealthLog;
use crate::known::SettingContext;
use crate::leases::Leases;
use crate::pins::{self, ToolOffer, ToolRows};
use crate::roster::{self, RegisteredServers, Roster, RosterDifference};
use crate::settings::{DisabledServers, RegistrySettings};
use crate::source::{FileState, ReviewRules};

/// Health changes that wait to be written. Beyond it the oldest are given up: the status table has the latest anyway.
const EVENTS_MAX: usize = 1000;

#[derive(Default)]
pub(crate) struct RegistryState {
    pub(crate) file: FileState,
    /// The places where the operator's file does not load, if its last version does not.
    pub(crate) file_refused: Option<String>,
    pub(crate) settings: RegistrySettings,
    /// By server, in order of arrival; empty if the last instance left.
    pub(crate) registered: BTreeMap<ServerName, Vec<StoredInstance>>,
    /// The time of the first registration of each: the first one keeps a name that two could have, even after
    /// a restart.
    pub(crate) first_registered_ms: BTreeMap<ServerName, i64>,
    /// The last statements of each about its tools.
    pub(crate) last_said: LastDefinitions,
    pub(crate) leases: Leases,
    pub(crate) roster: Roster,
    /// In effect now.
    pub(crate) aliases: Vec<Alias>,
    pub(crate) rows: BTreeMap<ServerName, ServerRows>,
    pub(crate) readings: BTreeMap<ServerName, ServerReading>,
    /// The last time the store was told that a server's tools were seen.
    pub(crate) seen_ms: BTreeMap<ServerName, i64>,
    pub(crate) health: HealthLog,
    /// Names that the catalogue needs and the store does not have yet.
    pub(crate) unrecorded: Vec<WireName>,
    pub(crate) pending: PendingWork,
}

/// The tools of one server as the store has them.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct ServerRows {
    pub(crate) tools: ToolRows,
    /// The number of writes of each row, by the same names: a write is based on it.
    pub(crate) versions: BTreeMap<Arc<str>, u64>,
}

/// The last offer of a server.
#[derive(Clone)]
pub(crate) struct ServerReading {
    pub(crate) offers: Vec<ToolOffer>,
    /// All but its tools.
    pub(crate) rest: ServerListing,
    pub(crate) freshness: Freshness,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Freshness {
    /// Read by this process.
    Now,
    /// Read before it started: shown as far as pinned, and without consequences.
    Before,
}

/// The work of the next round.
#[derive(Default)]
pub(crate) struct PendingWork {
    /// New readings, the latest of each server.
    pub(crate) listings: BTreeMap<ServerName, ServerListing>,
    /// Servers whose reading is to be judged again: the rules have changed, or it could not be written.
    pub(crate) again: BTreeSet<ServerName>,
    /// Servers whose rows have changed: the agents' catalogue is updated. Nothing is judged by it: two
    /// gateways that read a server at different times would contradict each other forever.
    pub(crate) rows: BTreeSet<ServerName>,
    /// Servers that are gone: their tools retire.
    pub(crate) gone: BTreeSet<ServerName>,
    /// The servers have changed: the code that reaches them has not been told.
    pub(crate) specs: bool,
    /// The changes that agents do not see yet.
    pub(crate) servers: bool,
    pub(crate) rules: bool,
    pub(crate) aliases: bool,
    /// All names that are recorded, after they were read.
    pub(crate) names: Vec<WireName>,
    pub(crate) events: Vec<Event>,
}

impl ServerReading {
    pub(crate) fn of(mut listing: ServerListing, rows: &ToolRows, freshness: Freshness) -> Self {
        let offers = pins::offers(&listing, rows);
        listing.tools = Vec::new();
        listing.conflicts = Vec::new();
        Self { offers, rest: listing, freshness }
    }

    /// Of a server that has not listed anything yet.
    fn nothing() -> Self {
        Self { offers: Vec::new(), rest: ServerListing::default(), freshness: Freshness::Before }
    }
}

impl ServerRows {
    pub(crate) fn put(&mut self, stored: StoredTool) {
        self.versions.insert(Arc::clone(&stored.row.own), stored.row_version);
        self.tools.insert(Arc::clone(&stored.row.own), stored.row);
    }
}

impl RegistryState {
    /// Replaces all rows.
    pub(crate) fn take_rows(&mut self, stored: Vec<StoredTool>) {
        let mut rows: BTreeMap<ServerName, ServerRows> = BTreeMap::new();
        for tool in stored {
            rows.entry(tool.row.server.clone()).or_default().put(tool);
        }
        let before = std::mem::replace(&mut self.rows, rows);
        let differs = |server: &&ServerName| {
            before.get(*server).map(|rows| &rows.versions)
                != self.rows.get(*server).map(|rows| &rows.versions)
        };
        let changed: Vec<ServerName> =
            before.keys().chain(self.rows.keys()).filter(differs).cloned().collect();
        // A gateway that no longer has the server has retired its tools; here it offers them.
        let retired_too_soon = changed.iter().filter(|server| self.offers_what_is_retired(server));
        self.pending.again.extend(retired_too_soon.cloned().collect::<Vec<_>>());
        self.pending.rows.extend(changed);
    }

    fn offers_what_is_retired(&self, server: &ServerName) -> bool {
        let (Some(rows), Some(reading)) = (self.rows.get(server), self.readings.get(server)) else {
            return false;
        };
        let is_retired = |offer: &ToolOffer| {
            let row = rows.tools.get(&offer.own);
            row.is_some_and(|row| row.reason.as_deref() == Some(pins::reason::SERVER_REMOVED))
        };
        reading.freshness == Freshness::Now
            && self.roster.get(server).is_some()
            && reading.offers.iter().any(is_retired)
    }

    pub(crate) fn take_registrations(
        &mut self,
        servers: Vec<RegisteredServer>,
        instances: Vec<StoredInstance>,
    ) {
        // An unreadable value was written by another version of the gateway; only a name is missing then.
        let said =
            |server: &RegisteredServer| (server.name.clone(), server.settings.decode().unwrap_or_default());
        self.last_said = servers.iter().map(said).collect();
        self.first_registered_ms =
            servers.iter().map(|server| (server.name.clone(), server.first_registered_ms)).collect();
        let mut registered: BTreeMap<ServerName, Vec<StoredInstance>> =
            servers.into_iter().map(|server| (server.name, Vec::new())).collect();
        for instance in instances {
            registered.entry(instance.server.clone()).or_default().push(instance);
        }
        self.registered = registered;
    }

    /// A registration here is known here at once.
    pub(crate) fn join(&mut self, instance: StoredInstance) {
        self.last_said.insert(instance.server.clone(), alias::to_remember(&instance.spec.extras));
        self.first_registered_ms.entry(instance.server.clone()).or_insert(instance.registered_at_ms);
        let instances = self.registered.entry(instance.server.clone()).or_default();
        match instances.iter_mut().find(|one| one.spec.id == instance.spec.id) {
            Some(known) => *known = StoredInstance { registered_at_ms: known.registered_at_ms, ..instance },
            None => instances.push(instance),
        }
    }

    pub(crate) fn leave(&mut self, server: &ServerName, instance: &InstanceId) {
        if let Some(instances) = self.registered.get_mut(server) {
            instances.retain(|one| one.spec.id != *instance);
        }
        self.leases.forget(&(server.clone(), instance.clone()));
    }

    pub(crate) fn lease_of(&self, server: &ServerName, instance: &InstanceId) -> Option<Duration> {
        let instances = self.registered.get(server)?;
        instances.iter().find(|one| one.spec.id == *instance).map(|one| one.lease)
    }

    /// Rebuilds the roster, and returns the differences.
    pub(crate) fn recompute(&mut self) -> Vec<RosterDifference> {
        let roster = Roster::merge(&self.file, &self.settings.servers, &self.registrations());
        let differences = roster::differences(&self.roster.entries, &roster.entries);
        for shadowed in roster.shadowed.iter().filter(|one| !self.roster.shadowed.contains(one)) {
            let (place, by) = (shadowed.source.place(), shadowed.by_source.place());
            tracing::warn!(server = %shadowed.name, "{place} is not used: {by} has {:?}", shadowed.by);
        }
        for name in roster.reserved.iter().filter(|one| !self.roster.reserved.contains(one)) {
            tracing::warn!(server = %name, "not used: Toolgate's own tools have the name");
        }
        // Only differences are shown again: agents' lists consist of thousands of tools.
        self.pending.servers |= self.roster.settings() != roster.settings();
        self.pending.specs |= !differences.is_empty();
        self.roster = roster;
        self.note_differences(&differences);
        let aliases = self.aliases_in_effect();
        self.pending.aliases |= self.aliases != aliases;
        self.aliases = aliases;
        differences
    }

    /// True if the server is there and not disabled.
    pub(crate) fn is_in_use(&self, server: &ServerName) -> bool {
        self.roster.get(server).is_some() && !self.settings.disabled.contains_key(server)
    }

    /// The servers to reach, in the order of the roster.
    pub(crate) fn specs(&self) -> Vec<ServerSpec> {
        let in_use = |spec: &ServerSpec| !self.settings.disabled.contains_key(&spec.name);
        self.roster.specs().into_iter().filter(in_use).collect()
    }

    /// Servers that were disabled or enabled are ended or started, and shown as they are now.
    pub(crate) fn note_switched(&mut self, before: &DisabledServers) {
        let now = &self.settings.disabled;
        let differs = |server: &&ServerName| before.get(*server) != now.get(*server);
        let switched: BTreeSet<ServerName> =
            before.keys().chain(now.keys()).filter(differs).cloned().collect();
        self.pending.specs |= !switched.is_empty();
        for server in &switched {
            if self.is_in_use(server) {
                self.readings.entry(server.clone()).or_insert_with(ServerReading::nothing);
            } else {
                self.health.forget(server);
                self.pending.listings.remove(server);
            }
        }
        self.pending.rows.extend(switched);
    }

    fn note_differences(&mut self, differences: &[RosterDifference]) {
        for one in differences {
            if one.what == roster::RosterChange::Removed {
                self.readings.remove(&one.server);
                self.health.forget(&one.server);
                self.pending.listings.remove(&one.server);
                self.pending.gone.insert(one.server.clone());
            } else {
                self.pending.gone.remove(&one.server);
            }
            if self.settings.disabled.contains_key(&one.server) {
                self.pending.rows.insert(one.server.clone());
            }
            if one.is_about_review() {
                self.pending.again.insert(one.server.clone());
            }
        }
    }

    fn registrations(&self) -> RegisteredServers {
        let specs = |instances: &Vec<StoredInstance>| -> Vec<InstanceSpec> {
            instances.iter().map(|instance| instance.spec.clone()).collect()
        };
        let came = |(server, _): &(ServerName, Vec<InstanceSpec>)| {
            (self.first_registered_ms.get(server).copied().unwrap_or(i64::MAX), server.clone())
        };
        let all = self.registered.iter();
        let mut all: RegisteredServers =
            all.map(|(server, instances)| (server.clone(), specs(instances))).collect();
        all.sort_by_cached_key(came);
        all
    }

    fn aliases_in_effect(&self) -> Vec<Alias> {
        let mut aliases = alias::of_specs(&self.file.aliases, alias::FILE);
        aliases.extend(alias::of_specs(&self.settings.aliases, alias::SETTINGS));
        aliases.extend(alias::of_roster(&self.roster.entries, &self.last_said));
        aliases
    }

    /// The treatment of changes to a server's tools.
    pub(crate) fn review_of(&self, server: &ServerName) -> ReviewRules {
        let usual = self.settings.review(self.file.review);
        let Some(entry) = self.roster.get(server) else { return usual };
        ReviewRules {
            drift: entry.drift.unwrap_or(usual.drift),
            new_tools: entry.new_tools.unwrap_or(usual.new_tools),
            findings: usual.findings,
        }
    }

    /// The models of the file, and those of the settings that the file does not have.
    pub(crate) fn models(&self) -> Vec<KnownModel> {
        let (file, mut models) = (&self.file, self.file.models.clone());
        let is_new =
            |one: &&ModelDefinition| file.models.iter().all(|known| known.definition.name != one.name);
        models.extend(self.settings.models.iter().filter(is_new).map(|definition| KnownModel {
            definition: definition.clone(),
            reach: Reach::Within(file.addresses),
            egress: Arc::clone(&file.egress),
        }));
        models.sort_by(|one, other| one.definition.name.cmp(&other.definition.name));
        models
    }

    /// Everything that was read by this process is judged again: the rules are others now.
    pub(crate) fn judge_all_again(&mut self) {
        let servers: Vec<ServerName> = self.readings.keys().cloned().collect();
        self.pending.again.extend(servers);
    }

    pub(crate) fn tools(&self) -> impl Iterator<Item = &CanonicalName> {
        self.rows.values().flat_map(|rows| rows.tools.values().map(|row| &row.name))
    }

    pub(crate) fn setting_context(&self) -> SettingContext {
        SettingContext {
            file: self.file.clone(),
            registered: self.registered.keys().cloned().collect(),
            aliases: self.aliases.iter().filter(|alias| alias.owner != alias::SETTINGS).cloned().collect(),
            tools: self.tools().cloned().collect(),
            policies: None,
        }
    }

    pub(crate) fn tell(&mut self, event: Event) {
        if self.pending.events.len() >= EVENTS_MAX {
            self.pending.events.remove(0);
        }
        self.pending.events.push(event);
    }
}
