//! The registry of one gateway process: its inputs and answers. `publish` and `poll` do the work.

mod defining;
mod disabling;
mod origins;
mod registering;

use std::collections::BTreeSet;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use toolgate_core::event::{Durability, Event, LedgerEntry};
use toolgate_core::governance::Ledger as _;
use toolgate_core::model::KnownModel;
use toolgate_core::registry::ToolRow;
use toolgate_core::server::{Confinement, ServerListing, ServerState, TransportSpec};
use toolgate_core::{Digest, Principal, PrincipalId, Refusal, ServerName};
use toolgate_store::StoreError;

use crate::desk::RegistryDesk;
use crate::events::RegistryEvent;
use crate::known::{CurrentSetting, InstanceView, KnownServer, NewSettingValue, SettingContext};
use crate::pins::ToolRows;
use crate::poll;
use crate::port::VitalsReport;
use crate::publish;
use crate::records::{Records, down};
use crate::settings::address;
use crate::setup::RegistrySetup;
use crate::source::{FileState, ReviewVerdict, ServerEntry};
use crate::state::{Freshness, PendingWork, RegistryState, ServerReading};

/// Live; one per gateway process.
pub struct Registry {
    desk: Arc<RegistryDesk>,
    tasks: TaskTracker,
    shutdown: CancellationToken,
}

impl Registry {
    /// Reads the store, hands out the first roster, and watches from then on.
    pub async fn start(setup: RegistrySetup) -> Result<Arc<Registry>, Refusal> {
        let shutdown = setup.shutdown.child_token();
        let (desk, revisions) = RegistryDesk::open(setup).await.map_err(down)?;
        desk.begin();
        let tasks = TaskTracker::new();
        tasks.spawn(publish::run(Arc::clone(&desk), shutdown.clone()));
        tasks.spawn(poll::watch_revisions(Arc::clone(&desk), revisions, shutdown.clone()));
        tasks.spawn(poll::watch_leases(Arc::clone(&desk), shutdown.clone()));
        tasks.close();
        Ok(Arc::new(Registry { desk, tasks, shutdown }))
    }

    /// Stops the tasks; readings that are not written yet are written, if the store is up.
    pub async fn stop(&self) {
        self.shutdown.cancel();
        self.tasks.wait().await;
    }

    /// Takes a complete listing of a server. Returns at once.
    pub fn listed(&self, server: &ServerName, listing: ServerListing) {
        let mut state = self.desk.state();
        if state.is_in_use(server) {
            state.pending.listings.insert(server.clone(), listing);
            self.desk.wake.notify_one();
        }
    }

    /// The listings from when the gateway last ran: shown, as far as pinned, until the servers are listed
    /// again.
    pub async fn listed_before(&self, listings: Vec<(ServerName, ServerListing)>) {
        let taken = self.take_before(listings);
        self.desk.show(&taken);
        self.named().await;
    }

    /// Entries that could not be named now are left to the worker.
    async fn named(&self) {
        if let Err(error) = self.desk.record_names().await {
            tracing::warn!(%error, "what has no recorded name is shown a moment later");
            self.desk.wake.notify_one();
        }
    }

    fn take_before(&self, listings: Vec<(ServerName, ServerListing)>) -> BTreeSet<ServerName> {
        let mut taken = BTreeSet::new();
        let mut state = self.desk.state();
        for (server, listing) in listings {
            if state.readings.contains_key(&server) || state.roster.get(&server).is_none() {
                continue;
            }
            let rows = state.rows.get(&server).map(|rows| &rows.tools);
            let reading = ServerReading::of(listing, rows.unwrap_or(&ToolRows::new()), Freshness::Before);
            state.readings.insert(server.clone(), reading);
            taken.insert(server);
        }
        taken
    }

    /// Returns at once.
    pub fn health_changed(&self, server: &ServerName, health: &ServerState) {
        let now_ms = self.desk.clock.now_ms();
        let gateway = PrincipalId::gateway();
        let telling = RegistryEvent { at_ms: now_ms, by: &gateway };
        let mut state = self.desk.state();
        // First, since it looks at the health before.
        let restart = state.health.note_restart(server, health, now_ms);
        let untold = state.health.note(server, health, now_ms);
        let changed = untold.map(|untold| telling.health(server, health, untold));
        let restarted = restart.map(|restart| telling.restarted(server, &restart));
        for event in changed.into_iter().chain(restarted) {
            state.tell(event);
            self.desk.wake.notify_one();
        }
    }

    /// Applies a change of the operator's file. Returns the differences, a line each, for the log.
    pub async fn reload(&self, file: FileState, others: Vec<String>) -> Vec<String> {
        let gateway = PrincipalId::gateway();
        let telling = RegistryEvent { at_ms: self.desk.clock.now_ms(), by: &gateway };
        let (rest, aliases_before) = {
            let state = self.desk.state();
            (differing_parts(&state.file, &file), state.aliases.clone())
        };
        let differences = self.desk.take_file(file);
        self.desk.state().file_refused = None;
        let mut lines: Vec<String> = differences.iter().map(ToString::to_string).collect();
        lines.extend(rest);
        lines.extend(others);
        let mut events = vec![telling.config_loaded(&lines)];
        events.extend(differences.iter().map(|one| telling.difference(one)));
        let aliases = self.desk.state().aliases.clone();
        events.extend(telling.aliases(&aliases_before, &aliases));
        self.desk.record_now(events).await;
        lines
    }

    /// The operator's file could not be read; its earlier content stays in effect.
    pub async fn config_refused(&self, why: &str) {
        self.desk.state().file_refused = Some(why.to_owned());
        let gateway = PrincipalId::gateway();
        let event = RegistryEvent { at_ms: self.desk.clock.now_ms(), by: &gateway }.config_refused(why);
        self.desk.record_now(vec![event]).await;
    }

    /// The places where the operator's file does not load, if it does not: then what it said before is in
    /// force.
    pub fn refused_config(&self) -> Option<String> {
        self.desk.state().file_refused.clone()
    }

    /// The roster, in its order.
    pub fn servers(&self) -> Vec<KnownServer> {
        let now = self.desk.since_start();
        let state = self.desk.state();
        let known = |entry: &ServerEntry| KnownServer {
            name: entry.spec.name.clone(),
            source: entry.source,
            instances: instances(&state, entry, now),
            published: entry.published.clone(),
            disabled: disabling::of(&state, &entry.spec.name),
        };
        state.roster.entries.iter().map(known).collect()
    }

    /// The models in force: those of the file, and those of the settings whose names the file does not have. Sorted by name.
    pub fn models(&self) -> Vec<KnownModel> {
        self.desk.state().models()
    }

    pub fn vitals(&self, server: &ServerName) -> Option<VitalsReport> {
        self.desk.machinery.vitals(server)
    }

    /// The confinement of a server's process; `None` if it is not a process of this gateway.
    pub fn confinement(&self, server: &ServerName) -> Option<Confinement> {
        self.desk.machinery.confinement(server)
    }

    /// Connects a server anew, or starts its process again, at this gateway. `false` if there is none of this name.
    pub fn restart(&self, by: &Principal, server: &ServerName) -> bool {
        tracing::info!(%server, by = %by.id, "somebody restarts a server");
        self.desk.machinery.restart(server)
    }

    pub fn records(&self) -> &Records {
        &self.desk.records
    }

    /// Changes a setting. It is in effect in this process on return; others notice a moment later.
    pub async fn change_setting(
        &self,
        by: &Principal,
        key: &str,
        new: NewSettingValue,
    ) -> Result<CurrentSetting, Refusal> {
        let around = self.desk.state().setting_context();
        let around = SettingContext { policies: self.desk.policies.clone(), ..around };
        let setting = self.desk.records.change_setting(by, key, new, &around).await?;
        self.taken_up("a setting", self.desk.load_settings().await.map(drop)).await;
        Ok(setting)
    }

    /// Decides on a changed tool, likewise.
    pub async fn review(
        &self,
        by: &PrincipalId,
        name: &str,
        verdict: ReviewVerdict,
        expected: Option<Digest>,
    ) -> Result<ToolRow, Refusal> {
        let row = self.desk.records.review(by, name, verdict, expected).await?;
        self.taken_up("a review", self.desk.follow_tools().await).await;
        Ok(row)
    }

    /// A write has succeeded; if it cannot be read now, the next poll of the store takes it up.
    async fn taken_up(&self, what: &str, read: Result<(), StoreError>) {
        match read {
            Ok(()) => {
                let touched = self.desk.hand_out_changes();
                self.desk.show(&touched);
                self.named().await;
            }
            Err(error) => tracing::warn!(%error, "{what} counts a moment later"),
        }
    }
}

impl RegistryDesk {
    /// Hands out the known state before anything is listed.
    fn begin(&self) {
        let (specs, disabled) = {
            let mut state = self.state();
            let mut names = self.names.lock();
            for (server, rows) in &state.rows {
                names.set(server, rows.tools.keys().map(|own| own.as_ref().to_owned()));
            }
            let recorded = std::mem::take(&mut state.pending.names);
            // Nothing has been read yet, so there is nothing to judge.
            state.pending = PendingWork {
                servers: true,
                rules: true,
                aliases: true,
                names: recorded,
                ..PendingWork::default()
            };
            (state.specs(), state.settings.disabled.keys().cloned().collect::<BTreeSet<ServerName>>())
        };
        self.show(&disabled);
        self.machinery.apply(specs);
    }

    async fn record_now(&self, events: Vec<Event>) {
        let entry = LedgerEntry { events, durability: Durability::OnDisk, ..LedgerEntry::default() };
        if let Err(error) = self.books.append(entry).await {
            tracing::warn!(%error, "a change of the configuration is not in the ledger");
        }
    }
}

/// The other differences of the file.
fn differing_parts(before: &FileState, after: &FileState) -> Vec<String> {
    let parts = [
        ("tools", before.rules != after.rules),
        ("aliases", before.aliases != after.aliases),
        ("agents", before.agents != after.agents),
        ("capabilities", before.capabilities != after.capabilities),
        ("models", before.models != after.models),
        ("registry", before.review != after.review),
        ("network", before.addresses != after.addresses || before.egress != after.egress),
    ];
    parts.into_iter().filter(|(_, differs)| *differs).map(|(part, _)| format!("{part} changed")).collect()
}

fn instances(state: &RegistryState, entry: &ServerEntry, now: std::time::Duration) -> Vec<InstanceView> {
    let TransportSpec::Http { instances, .. } = &entry.spec.transport else { return Vec::new() };
    let view = |instance: &toolgate_core::server::InstanceSpec| {
        let left = state.leases.left(&(entry.spec.name.clone(), instance.id.clone()), now);
        InstanceView {
            id: instance.id.to_string(),
            url: address::shown(&instance.url),
            version: instance.version.clone(),
            lease_left_seconds: left.map(|left| left.as_secs_f64()),
        }
    };
    instances.iter().map(view).collect()
}
