//! `connector.status`: the health of connectors, their last sync, the rate that is left, and what to do next.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::connector::CONNECTOR_NAMESPACE;
use toolgate_core::moment::rfc3339;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};

use super::output::{RateOutput, SyncFaultOutput};
use crate::connectors::Connectors;
use crate::limits::CONNECTORS_MAX;
use crate::states::{ConnectorState, LastSync};

pub(super) const STATUS: ToolDefinition = ToolDefinition::reads(
    "connector.status",
    "Show connectors",
    "Shows for each connector of a mounted provider whether it is healthy, its last sync, the rate that is left, and what to do next.",
);

#[derive(Deserialize, JsonSchema)]
pub(super) struct ConnectorStatusArguments {
    /// Usually all
    provider: Option<String>,
    connection: Option<String>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ConnectorStatusOutput {
    connectors: Vec<ConnectorStateOutput>,
    /// Connectors past the limit of one answer
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<usize>,
}

#[derive(Serialize, JsonSchema)]
struct ConnectorStateOutput {
    provider: String,
    connection: String,
    server: String,
    /// starting, healthy, degraded or disabled
    health: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    /// The pointer to what was synced
    pointer: SyncedPointerOutput,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_sync: Option<LastSyncOutput>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<RateOutput>,
    /// Writes whose answer was lost, and that nobody has judged yet
    doubts: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_step: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct SyncedPointerOutput {
    namespace: &'static str,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    manifest: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct LastSyncOutput {
    /// queued, running, done, partial or failed
    state: &'static str,
    run: String,
    at: String,
    records: u64,
    problems: Vec<String>,
    problem_count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<SyncFaultOutput>,
}

pub(super) async fn status(
    connectors: Arc<Connectors>,
    context: ToolContext,
    arguments: ConnectorStatusArguments,
) -> Result<ToolReply<ConnectorStatusOutput>, Refusal> {
    let ConnectorStatusArguments { provider, connection } = arguments;
    let mut seen = connectors.seen(&context);
    seen.retain(|one| {
        provider.as_deref().is_none_or(|wanted| wanted == one.connector.provider())
            && connection.as_deref().is_none_or(|wanted| wanted == one.connector.connection())
    });
    let left_out = seen.len().checked_sub(CONNECTORS_MAX).filter(|more| *more > 0);
    seen.truncate(CONNECTORS_MAX);
    let states = connectors.states_of(&seen, &context.caller).await?;
    let connectors = states.into_iter().map(ConnectorStateOutput::of).collect();
    Ok(ToolReply::new(ConnectorStatusOutput { connectors, left_out }))
}

impl ConnectorStateOutput {
    fn of(state: ConnectorState) -> Self {
        let manifest = state.manifest.map(|manifest| manifest.to_string());
        Self {
            provider: state.provider,
            connection: state.connection,
            server: state.server,
            health: state.health,
            reason: state.reason,
            pointer: SyncedPointerOutput { namespace: CONNECTOR_NAMESPACE, name: state.pointer, manifest },
            last_sync: state.last_sync.map(LastSyncOutput::of),
            rate: state.rate.map(RateOutput::from),
            doubts: state.doubts,
            next_step: state.next_step,
        }
    }
}

impl LastSyncOutput {
    fn of(sync: LastSync) -> Self {
        Self {
            state: sync.state,
            run: sync.run.to_string(),
            at: rfc3339(sync.at_ms),
            records: sync.records,
            problems: sync.problems,
            problem_count: sync.problem_count,
            error: sync.error.map(SyncFaultOutput::from),
        }
    }
}
