//! Connectors as people see them: their health, what was synced last, the rate that is left, and what to do next.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use toolgate_core::connector::CONNECTOR_NAMESPACE;
use toolgate_core::id::RunId;
use toolgate_core::port::Caller;
use toolgate_core::server::ServerHealth;
use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{PrincipalId, Refusal, ServerName, codes};
use toolgate_store::{ServerStatus, WorkFilter, WorkRow};
use toolgate_work::{WorkFault, WorkState, WorkView};

use crate::connectors::Connectors;
use crate::doubts::{DOUBT_KIND, LostCall};
use crate::rate::RateRemainder;
use crate::reach::ConnectorServer;
use crate::refusal::down;
use crate::requester::StreamRequester;
use crate::sync::{SYNC_KIND, SyncResult};

/// Doubts that are counted.
const DOUBTS_MAX: usize = 200;

#[derive(Clone, PartialEq, Debug)]
pub struct ConnectorState {
    pub provider: String,
    pub connection: String,
    pub server: String,
    /// starting, healthy, degraded or disabled.
    pub health: &'static str,
    pub reason: Option<String>,
    /// The name of the pointer in the namespace `connector`.
    pub pointer: String,
    pub manifest: Option<ManifestDigest>,
    pub last_sync: Option<LastSync>,
    pub rate: Option<RateRemainder>,
    /// Writes whose answer was lost, and that nobody has judged yet.
    pub doubts: usize,
    pub next_step: Option<String>,
}

/// The health of a connector's server, and the reason for it.
struct ConnectorHealth {
    word: &'static str,
    reason: Option<String>,
}

/// The newest sync, which may be under way.
#[derive(Clone, PartialEq, Debug)]
pub struct LastSync {
    /// queued, running, done, partial or failed.
    pub state: &'static str,
    pub run: RunId,
    pub at_ms: i64,
    pub records: u64,
    pub problems: Vec<String>,
    pub problem_count: u64,
    pub error: Option<WorkFault>,
}

impl Connectors {
    /// The state of every connector, for those who run the gateway.
    pub async fn states(&self) -> Result<Vec<ConnectorState>, Refusal> {
        let caller: Arc<dyn Caller> = Arc::new(StreamRequester::new(PrincipalId::gateway()));
        self.states_of(&self.all(), &caller).await
    }

    pub(crate) async fn states_of(
        &self,
        wanted: &[ConnectorServer],
        caller: &Arc<dyn Caller>,
    ) -> Result<Vec<ConnectorState>, Refusal> {
        let statuses = self.store.read_statuses().await.map_err(|error| down(&error))?;
        let disabled = self.roster.disabled();
        let doubts = self.open_doubts().await?;
        let sign_ins = self.sign_ins(wanted, caller).await;
        let mut states = Vec::with_capacity(wanted.len());
        for (of, sign_in) in wanted.iter().zip(sign_ins) {
            let health = ConnectorHealth::of(&of.server, &disabled, &statuses);
            let doubts = doubts.iter().filter(|lost| lost.server == of.server).count();
            let state = self.state_of(of, health, doubts).await?;
            states.push(state.with_rate(sign_in.rate).without(sign_in.missing));
        }
        Ok(states)
    }

    async fn state_of(
        &self,
        of: &ConnectorServer,
        health: ConnectorHealth,
        doubts: usize,
    ) -> Result<ConnectorState, Refusal> {
        let pointer = of.connector.pointer();
        let head = self.substrate.pointer_head(CONNECTOR_NAMESPACE, &pointer).await?;
        let (last_sync, kept) = self.last_sync(of).await?;
        let mut state = ConnectorState {
            provider: of.connector.provider().to_owned(),
            connection: of.connector.connection().to_owned(),
            server: of.server.to_string(),
            health: health.word,
            reason: health.reason,
            pointer,
            manifest: head.and_then(|head| head.manifest),
            last_sync,
            rate: newer(self.rates.lock().get(&of.server).copied(), kept),
            doubts,
            next_step: None,
        };
        state.next_step = next_step(&state);
        Ok(state)
    }

    /// The newest sync, and the rate that it saw last.
    async fn last_sync(
        &self,
        of: &ConnectorServer,
    ) -> Result<(Option<LastSync>, Option<RateRemainder>), Refusal> {
        let (kind, key) = (Some(SYNC_KIND.to_owned()), Some(of.server.to_string()));
        let filter = WorkFilter { kind, key, ..WorkFilter::default() };
        let works = self.store.works(&filter, 1).await.map_err(|error| down(&error))?;
        let Some(row) = works.into_iter().next() else { return Ok((None, None)) };
        let view = self.work.wait(&row.id, Duration::ZERO).await?;
        let result: Option<SyncResult> =
            view.result.clone().and_then(|result| serde_json::from_value(result).ok());
        let rate = result.as_ref().and_then(|result| result.rate);
        Ok((Some(LastSync::of(&row, view, result)), rate))
    }

    async fn open_doubts(&self) -> Result<Vec<LostCall>, Refusal> {
        let mut open = Vec::new();
        for state in WorkState::ALL.into_iter().filter(|state| state.is_open()) {
            let kind = Some(DOUBT_KIND.to_owned());
            let filter = WorkFilter { kind, state: Some(state), ..WorkFilter::default() };
            let works = self.store.works(&filter, DOUBTS_MAX).await.map_err(|error| down(&error))?;
            open.extend(works.into_iter().filter_map(|row| serde_json::from_value(row.input).ok()));
        }
        Ok(open)
    }
}

impl ConnectorState {
    /// What the server has heard since counts, if it is newer than what syncs have.
    fn with_rate(mut self, heard: Option<RateRemainder>) -> Self {
        self.rate = newer(self.rate, heard);
        self
    }

    /// A connector whose credentials are missing is of no use, though its server runs.
    fn without(mut self, missing: Option<String>) -> Self {
        let Some(missing) = missing else { return self };
        if !matches!(self.health, "starting" | "disabled") {
            self.health = "degraded";
        }
        self.next_step = Some(missing.clone());
        self.reason = Some(missing);
        self
    }
}

impl ConnectorHealth {
    /// Nobody checks a disabled server: its last status says nothing of it.
    fn of(
        server: &ServerName,
        disabled: &BTreeMap<ServerName, Option<String>>,
        statuses: &[ServerStatus],
    ) -> Self {
        let status = statuses.iter().find(|one| one.name == *server);
        match (disabled.get(server), status) {
            (Some(reason), _) => Self { word: "disabled", reason: reason.clone() },
            (None, Some(status)) => {
                Self { word: health(status.state.health), reason: status.state.reason.clone() }
            }
            (None, None) => Self { word: "starting", reason: None },
        }
    }
}

impl LastSync {
    fn of(row: &WorkRow, view: WorkView, result: Option<SyncResult>) -> Self {
        Self {
            state: view.word(),
            run: view.run.clone(),
            at_ms: row.updated_at_ms,
            records: result.map_or(view.done, |result| result.records),
            problems: view.problems,
            problem_count: view.problem_count,
            error: view.error,
        }
    }
}

fn newer(one: Option<RateRemainder>, other: Option<RateRemainder>) -> Option<RateRemainder> {
    one.into_iter().chain(other).max_by_key(|rate| rate.seen_at_ms)
}

fn health(health: ServerHealth) -> &'static str {
    match health {
        ServerHealth::Starting => "starting",
        ServerHealth::Healthy => "healthy",
        ServerHealth::Degraded => "degraded",
    }
}

/// The one thing that a person should do next.
fn next_step(state: &ConnectorState) -> Option<String> {
    let error = state.last_sync.as_ref().and_then(|sync| sync.error.as_ref());
    let command =
        format!("toolgate connector sync --provider {} --connection {}", state.provider, state.connection);
    match (error, state) {
        (_, ConnectorState { health: "disabled", doubts: 0, server, .. }) => {
            Some(format!("`toolgate servers enable {server}` enables it again"))
        }
        (Some(error), _) if error.code == codes::CONNECTOR_SIGN_IN.name => {
            Some(format!("{}, then sync again: `{command}`", error.hint))
        }
        (_, ConnectorState { doubts: 1.., .. }) => {
            Some("an answer was lost: say in the inbox whether the call happened".to_owned())
        }
        (_, ConnectorState { health: "degraded", server, .. }) => {
            Some(format!("`toolgate servers show {server}` says why it is not healthy"))
        }
        (Some(error), _) => Some(format!("{}; then `{command}`", error.hint)),
        (None, _) => None,
    }
}
