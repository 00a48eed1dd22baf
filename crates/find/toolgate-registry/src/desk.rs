//! The shared state of the registry's tasks.

use std::sync::Arc;
use std::time::Duration;

use arc_swap::ArcSwap;
use parking_lot::{Mutex, MutexGuard};
use serde_json::Value;
use tokio::sync::Notify;
use toolgate_catalog::ToolNames;
use toolgate_core::governance::Clock;
use toolgate_store::{Books, Revisions, Store, StoreError, StoredSetting};

use crate::definitions::DefinitionsInForce;
use crate::policy_texts::PolicyTexts;
use crate::port::{AgentCatalog, PolicyControl, ServerControl};
use crate::records::Records;
use crate::roster::RosterDifference;
use crate::settings::RegistrySettings;
use crate::setup::RegistrySetup;
use crate::source::FileState;
use crate::state::RegistryState;

pub(crate) struct RegistryDesk {
    pub(crate) store: Store,
    pub(crate) books: Arc<Books>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) machinery: Arc<dyn ServerControl>,
    pub(crate) shelf: Arc<dyn AgentCatalog>,
    pub(crate) policies: Option<Arc<dyn PolicyControl>>,
    pub(crate) records: Records,
    state: Mutex<RegistryState>,
    /// From file and settings together. Replaced while `state` is locked.
    pub(crate) defined: ArcSwap<DefinitionsInForce>,
    /// The names of all listed tools, for the scan.
    pub(crate) names: Mutex<ToolNames>,
    /// Locked while the agents' catalogue is updated.
    pub(crate) showing: Mutex<()>,
    /// Locked while the roster is handed to the code that reaches servers.
    pub(crate) handing_out: Mutex<()>,
    /// There is something to do in `RegistryState::pending`.
    pub(crate) wake: Notify,
    /// The revision of the tool rows in `RegistryState`. Held while they are written or read.
    pub(crate) tools_revision: tokio::sync::Mutex<u64>,
    /// Locked while registrations are written or read: data read before a write must not undo it here.
    pub(crate) registrations: tokio::sync::Mutex<()>,
}

impl RegistryDesk {
    /// Reads the store. Revisions come first: a change meanwhile is read once more rather than never.
    pub(crate) async fn open(setup: RegistrySetup) -> Result<(Arc<RegistryDesk>, Revisions), StoreError> {
        let RegistrySetup { store, books, clock, file, machinery, shelf, policies, shutdown: _ } = setup;
        let revisions = store.read_revisions().await?;
        let records = Records::new(store.clone(), Arc::clone(&books), Arc::clone(&clock));
        let state = Mutex::new(RegistryState { file, ..RegistryState::default() });
        let desk = RegistryDesk {
            store,
            books,
            clock,
            machinery,
            shelf,
            policies,
            records,
            state,
            defined: ArcSwap::default(),
            names: Mutex::default(),
            showing: Mutex::default(),
            handing_out: Mutex::default(),
            wake: Notify::new(),
            tools_revision: tokio::sync::Mutex::new(revisions.tools),
            registrations: tokio::sync::Mutex::default(),
        };
        desk.load_rows().await?;
        desk.load_registrations().await?;
        desk.load_settings().await?;
        Ok((Arc::new(desk), revisions))
    }

    pub(crate) fn state(&self) -> MutexGuard<'_, RegistryState> {
        self.state.lock()
    }

    /// On the monotonic clock.
    pub(crate) fn since_start(&self) -> Duration {
        Duration::from_micros(u64::try_from(self.clock.monotonic_us()).unwrap_or_default())
    }

    pub(crate) async fn load_rows(&self) -> Result<(), StoreError> {
        let (rows, names) = (self.store.read_tool_rows().await?, self.store.read_wire_names().await?);
        let mut state = self.state();
        state.take_rows(rows);
        state.pending.names = names;
        drop(state);
        self.wake.notify_one();
        Ok(())
    }

    pub(crate) async fn load_registrations(&self) -> Result<Vec<RosterDifference>, StoreError> {
        let _held = self.registrations.lock().await;
        let servers = self.store.read_registered_servers().await?;
        let instances = self.store.read_instances().await?;
        let now = self.since_start();
        let mut state = self.state();
        let beats: Vec<_> = instances
            .iter()
            .map(|one| ((one.server.clone(), one.spec.id.clone()), one.beat, one.lease))
            .collect();
        state.leases.see(beats, now);
        state.take_registrations(servers, instances);
        Ok(self.changed(state))
    }

    pub(crate) async fn load_settings(&self) -> Result<Vec<RosterDifference>, StoreError> {
        let stored = self.store.read_settings().await?;
        let (differences, policy) = self.take_settings(&stored);
        if let Some(policies) = &self.policies {
            policies.take(policy).await;
        }
        Ok(differences)
    }

    fn take_settings(&self, stored: &[StoredSetting]) -> (Vec<RosterDifference>, PolicyTexts) {
        let mut state = self.state();
        let settings = read_settings(stored, &state.settings);
        let before = std::mem::replace(&mut state.settings, settings);
        self.define(&state);
        if state.settings.review != before.review {
            state.judge_all_again();
        }
        state.note_switched(&before.disabled);
        let policy = state.settings.policy.clone();
        (self.changed(state), policy)
    }

    /// Rebuilds the roster and hands it out.
    pub(crate) fn changed(&self, mut state: MutexGuard<'_, RegistryState>) -> Vec<RosterDifference> {
        let differences = state.recompute();
        drop(state);
        self.wake.notify_one();
        differences
    }

    /// Combines the definitions of file and settings. Parts without effect are reported once.
    fn define(&self, state: &RegistryState) {
        let (before, mut next) =
            (self.defined.load(), DefinitionsInForce::merge(&state.file, &state.settings.set));
        if **before == next {
            return;
        }
        for problem in next.problems.iter().filter(|problem| !before.problems.contains(problem)) {
            tracing::warn!("{problem}");
        }
        // Holders of the old value detect a change by its identity.
        if before.definitions == next.definitions {
            next.definitions = Arc::clone(&before.definitions);
        }
        self.defined.store(Arc::new(next));
    }

    pub(crate) fn take_file(&self, file: FileState) -> Vec<RosterDifference> {
        let mut state = self.state();
        let reviewed_otherwise = state.file.review != file.review;
        state.pending.rules |= state.file.rules != file.rules;
        state.file = file;
        self.define(&state);
        if reviewed_otherwise {
            state.judge_all_again();
        }
        self.changed(state)
    }
}

/// Each was checked when it was written. One that can no longer be read stays as it was read last.
fn read_settings(stored: &[StoredSetting], before: &RegistrySettings) -> RegistrySettings {
    let mut settings = before.clone();
    for one in stored {
        let value: Value = one.value.decode().unwrap_or_default();
        if let Err(refusal) = settings.take(&one.key, &value) {
            tracing::error!(
                setting = one.key,
                version = one.version,
                "cannot be read, and stays as it was: {refusal}"
            );
        }
    }
    settings
}
