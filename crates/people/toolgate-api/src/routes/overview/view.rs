//! The content of an overview.

use std::collections::BTreeMap;

use serde::Serialize;
use toolgate_archive::Archive;
use toolgate_core::PrincipalId;
use toolgate_core::moment::rfc3339;
use toolgate_core::server::{ServerHealth, ServerState};
use toolgate_registry::{KnownServer, ServerSource};
use toolgate_search::tokens::TOKENIZER;
use toolgate_store::{LedgerFault, ServerStatus, WaitingCounts};
use utoipa::ToSchema;

use crate::pulse::{LastVerification, ListTokens, MINUTES, OutcomeSums, TrafficEdge, TrafficHour};
use crate::routes::spend::SpendSums;

/// The maximum number of principals and edges, the busiest first.
const PRINCIPALS_MAX: usize = 50;
const EDGES_MAX: usize = 200;
const SERVERS_MAX: usize = 200;

/// The state of the gateway
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Overview)]
pub(crate) struct OverviewView {
    at: String,
    waiting: WaitingView,
    /// The places where the configuration file does not load, if it does not: what it said before is in force.
    #[serde(skip_serializing_if = "Option::is_none")]
    config_refused: Option<String>,
    /// This and all that follows is not for approvers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) servers: Option<Vec<OverviewServer>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) traffic: Option<TrafficView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) tokens: Option<TokensView>,
    /// The cost of models since midnight, UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) spend_today: Option<SpendSums>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) ledger: Option<LedgerView>,
}

/// The number of things that wait for people
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WaitingView {
    approvals: u64,
    /// Questions of runs.
    inputs: u64,
    /// Tools that wait for a review.
    reviews: u64,
}

/// The summary of a server
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OverviewServer {
    name: String,
    /// file, expected, settings or registered.
    #[schema(value_type = String)]
    source: ServerSource,
    /// starting, healthy or degraded.
    #[schema(value_type = String)]
    health: ServerHealth,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    tools: usize,
    instances: usize,
    instances_healthy: usize,
}

/// The calls of the last hour, by when they ended
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TrafficView {
    #[serde(flatten)]
    sums: SumsView,
    calls: u64,
    /// The share of failed calls among those that ran or should have run: 0 to 1.
    error_rate: f64,
    /// Of calls that ran without asking anyone.
    latency: OverviewLatency,
    /// Sixty minutes, oldest first; the last one is still running.
    minutes: Vec<MinuteView>,
    /// The number of principals that called.
    principals_total: usize,
    /// Busiest first, at most fifty.
    principals: Vec<PrincipalView>,
    /// Calls by principal and server, busiest first, at most two hundred.
    edges: Vec<EdgeView>,
    /// Calls by server, busiest first, at most two hundred.
    servers: Vec<ServerSumsView>,
}

/// Calls by their outcome
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SumsView {
    succeeded: u64,
    /// The tool failed, the call was never answered, or its outcome is not known.
    failed: u64,
    /// Nothing was sent: the arguments do not fit, policy or a person denied the call, or the time to decide
    /// ran out.
    refused: u64,
    /// Cancelled, or answered with a pending state.
    other: u64,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct MinuteView {
    at: String,
    #[serde(flatten)]
    sums: SumsView,
}

/// The duration of calls, accurate to about a tenth
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct OverviewLatency {
    count: u64,
    p50_ms: f64,
    p95_ms: f64,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PrincipalView {
    id: String,
    calls: u64,
    failed: u64,
    refused: u64,
    last_call_at: String,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EdgeView {
    principal: String,
    /// Absent if the call named no server.
    #[serde(skip_serializing_if = "Option::is_none")]
    server: Option<String>,
    calls: u64,
    failed: u64,
    refused: u64,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ServerSumsView {
    server: String,
    calls: u64,
    failed: u64,
    refused: u64,
}

/// The tokens that scoping saves
///
/// If every session in use listed all tools, each list would cost `catalogue` tokens. Together they cost
/// `listed`; the rest is saved.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct TokensView {
    /// The tokenizer that counts the tokens.
    #[schema(example = "o200k_base")]
    tokenizer: &'static str,
    /// The cost of one list of all tools.
    catalogue: usize,
    /// The number of sessions used in the last minutes, at most a hundred.
    sessions: usize,
    /// The cost of the lists of all these sessions.
    listed: usize,
    saved: usize,
}

/// The state of the ledger
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = OverviewLedger)]
pub(crate) struct LedgerView {
    events: u64,
    /// True if days that are over are archived.
    archive: bool,
    /// The last verification through this gateway since its start.
    #[serde(skip_serializing_if = "Option::is_none")]
    verified: Option<VerificationView>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VerificationView {
    at: String,
    intact: bool,
    /// The number of events that were checked.
    events: u64,
    /// The first event that is not as it was written.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    fault: Option<LedgerFault>,
}

impl OverviewView {
    pub(super) fn of(now_ms: i64, waiting: WaitingCounts, config_refused: Option<String>) -> Self {
        let WaitingCounts { approvals, inputs, reviews } = waiting;
        let waiting = WaitingView { approvals, inputs, reviews };
        let at = rfc3339(now_ms);
        Self {
            at,
            waiting,
            config_refused,
            servers: None,
            traffic: None,
            tokens: None,
            spend_today: None,
            ledger: None,
        }
    }
}

impl OverviewServer {
    /// A server that was not checked yet is starting.
    pub(super) fn of(known: KnownServer, status: Option<ServerStatus>) -> Self {
        let (state, tools) = match status {
            Some(status) => (status.state, status.counts.tools),
            None => (ServerState::starting(), 0),
        };
        let healthy = |health: ServerHealth| usize::from(health == ServerHealth::Healthy);
        // A server that runs on its own is its only instance.
        let (instances, instances_healthy) = match state.instances.len() {
            0 => (known.instances.len().max(1), healthy(state.health)),
            count => (count, state.instances.iter().map(|one| healthy(one.health)).sum()),
        };
        Self {
            name: known.name.to_string(),
            source: known.source,
            health: state.health,
            reason: state.reason,
            tools,
            instances,
            instances_healthy,
        }
    }
}

impl TrafficView {
    pub(super) fn of(hour: &TrafficHour) -> Self {
        let (sums, edges, latencies) = (hour.sums(), hour.edges(), hour.latencies());
        let minutes: Vec<MinuteView> = hour
            .minutes()
            .map(|(at_ms, sums)| MinuteView { at: rfc3339(at_ms), sums: sums.into() })
            .collect();
        debug_assert_eq!(minutes.len() as i64, MINUTES);
        let principals = by_principal(&edges);
        let servers = by_server(&edges).into_iter().map(ServerSumsView::of);
        Self {
            calls: sums.calls(),
            error_rate: sums.error_rate(),
            sums: sums.into(),
            latency: OverviewLatency {
                count: latencies.len(),
                p50_ms: latencies.percentile_ms(50),
                p95_ms: latencies.percentile_ms(95),
            },
            minutes,
            principals_total: principals.len(),
            principals: busiest(principals.into_iter().map(PrincipalView::of), PRINCIPALS_MAX, |one| {
                one.calls
            }),
            servers: busiest(servers, SERVERS_MAX, |one| one.calls),
            edges: busiest(edges.into_iter().map(EdgeView::of), EDGES_MAX, |one| one.calls),
        }
    }
}

fn by_principal(
    edges: &BTreeMap<(&PrincipalId, Option<&str>), TrafficEdge>,
) -> BTreeMap<String, TrafficEdge> {
    let mut all: BTreeMap<String, TrafficEdge> = BTreeMap::new();
    for ((principal, _), edge) in edges {
        all.entry(principal.to_string()).or_default().add(*edge);
    }
    all
}

fn by_server(edges: &BTreeMap<(&PrincipalId, Option<&str>), TrafficEdge>) -> BTreeMap<String, TrafficEdge> {
    let mut all: BTreeMap<String, TrafficEdge> = BTreeMap::new();
    for ((_, server), edge) in edges {
        if let Some(server) = server {
            all.entry((*server).to_owned()).or_default().add(*edge);
        }
    }
    all
}

fn busiest<T>(all: impl Iterator<Item = T>, max: usize, calls: impl Fn(&T) -> u64) -> Vec<T> {
    let mut all: Vec<T> = all.collect();
    // Equally busy ones stay sorted by name.
    all.sort_by_key(|one| std::cmp::Reverse(calls(one)));
    all.truncate(max);
    all
}

impl PrincipalView {
    fn of((id, edge): (String, TrafficEdge)) -> Self {
        let TrafficEdge { sums, last_ms } = edge;
        Self {
            id,
            calls: sums.calls(),
            failed: sums.failed,
            refused: sums.refused,
            last_call_at: rfc3339(last_ms),
        }
    }
}

impl ServerSumsView {
    fn of((server, edge): (String, TrafficEdge)) -> Self {
        let sums = edge.sums;
        Self { server, calls: sums.calls(), failed: sums.failed, refused: sums.refused }
    }
}

impl EdgeView {
    fn of(((principal, server), edge): ((&PrincipalId, Option<&str>), TrafficEdge)) -> Self {
        let sums = edge.sums;
        Self {
            principal: principal.to_string(),
            server: server.map(str::to_owned),
            calls: sums.calls(),
            failed: sums.failed,
            refused: sums.refused,
        }
    }
}

impl From<OutcomeSums> for SumsView {
    fn from(sums: OutcomeSums) -> Self {
        let OutcomeSums { succeeded, failed, refused, other } = sums;
        Self { succeeded, failed, refused, other }
    }
}

impl From<ListTokens> for TokensView {
    fn from(tokens: ListTokens) -> Self {
        let ListTokens { catalogue, sessions, listed } = tokens;
        let saved = (catalogue * sessions).saturating_sub(listed);
        Self { tokenizer: TOKENIZER, catalogue, sessions, listed, saved }
    }
}

impl LedgerView {
    pub(super) fn of(events: u64, archive: Option<&Archive>, verified: Option<LastVerification>) -> Self {
        let verified = verified.map(|found| VerificationView {
            at: rfc3339(found.at_ms),
            intact: found.fault.is_none(),
            events: found.events,
            fault: found.fault,
        });
        Self { events, archive: archive.is_some(), verified }
    }
}
