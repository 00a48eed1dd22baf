//! `connector.sync`: the records of a connector are taken in, in a run.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_core::connector::CONNECTOR_NAMESPACE;
use toolgate_core::platform::ObjectRef;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_store::Actor;
use toolgate_work::{StartedWork, WorkView};

use super::output::RateOutput;
use crate::connectors::Connectors;
use crate::limits::{WAIT_SECONDS_MAX, WAIT_SECONDS_USUAL};
use crate::reach::ConnectorServer;
use crate::sync::SyncResult;

pub(super) const SYNC: ToolDefinition = ToolDefinition::writes(
    "connector.sync",
    "Take in records",
    "Reads the streams of a connector in a run: only what is new since the last time. Each record becomes an artifact, and the pointer of the connector moves to a manifest of all of them.",
)
.idempotent();

#[derive(Deserialize, JsonSchema)]
pub(super) struct ConnectorSyncArguments {
    /// Such as slack
    provider: String,
    /// Needed where the provider has several
    connection: Option<String>,
    /// Usually all
    #[serde(default)]
    streams: Vec<String>,
    /// The longest wait for the end of the run
    #[serde(default = "wait_usual")]
    #[schemars(range(max = WAIT_SECONDS_MAX))]
    wait_seconds: u16,
}

fn wait_usual() -> u16 {
    WAIT_SECONDS_USUAL
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ConnectorSyncOutput {
    /// queued, running, done or partial
    state: &'static str,
    run: String,
    /// The same connector was being synced
    joined: bool,
    /// The pointer to what was synced
    namespace: &'static str,
    name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    manifest: Option<String>,
    /// Records that were read this time
    records: u64,
    pages: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<RateOutput>,
    /// The first of what was left out, or was not as before
    problems: Vec<String>,
    problem_count: u64,
}

pub(super) async fn sync(
    connectors: Arc<Connectors>,
    context: ToolContext,
    arguments: ConnectorSyncArguments,
) -> Result<ToolReply<ConnectorSyncOutput>, Refusal> {
    let ConnectorSyncArguments { provider, connection, streams, wait_seconds } = arguments;
    let of = connectors.named(&context, &provider, connection.as_deref())?;
    let streams = connectors.wanted_streams(&of, &context.caller, streams).await?;
    let started = connectors.start_sync(&of, streams, Actor::of(&context.holder)).await?;
    let wait = Duration::from_secs(wait_seconds.min(WAIT_SECONDS_MAX).into());
    let view = connectors.work.wait(&started.id, wait).await?.unless_failed()?;
    let refs = [ObjectRef::Run { id: started.run.clone() }];
    Ok(ToolReply::new(ConnectorSyncOutput::of(&of, &started, view)).refs(refs))
}

impl ConnectorSyncOutput {
    fn of(of: &ConnectorServer, started: &StartedWork, view: WorkView) -> Self {
        let state = view.word();
        let result: Option<SyncResult> = view.result.and_then(|result| serde_json::from_value(result).ok());
        let manifest = result.as_ref().and_then(|result| result.manifest);
        Self {
            state,
            run: started.run.to_string(),
            joined: started.joined,
            namespace: CONNECTOR_NAMESPACE,
            name: of.connector.pointer(),
            manifest: manifest.map(|manifest| manifest.to_string()),
            records: result.as_ref().map_or(view.done, |result| result.records),
            pages: result.as_ref().map_or(0, |result| result.pages),
            rate: result.and_then(|result| result.rate).map(RateOutput::from),
            problems: view.problems,
            problem_count: view.problem_count,
        }
    }
}
