//! `connector.test`: the first page of a stream, read as a sync reads it, and nothing of it is kept. A connector without streams
//! has its probe called.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolgate_core::Refusal;
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};

use super::output::RateOutput;
use crate::connectors::Connectors;
use crate::pages::PagePlace;
use crate::sync::RecordForm;

pub(super) const TEST: ToolDefinition = ToolDefinition::reads(
    "connector.test",
    "Try a connector",
    "Calls the connector's probe, reads the first page of a stream as a sync would, and keeps nothing: says whether the sign-in works, how many records came, and the fields that they have.",
)
.external();

#[derive(Deserialize, JsonSchema)]
pub(super) struct ConnectorTestArguments {
    /// Such as slack
    provider: String,
    /// Needed where the provider has several
    connection: Option<String>,
    /// Usually the first
    stream: Option<String>,
}

#[derive(Default, Serialize, JsonSchema)]
pub(super) struct ConnectorTestOutput {
    /// The action that was called as a probe, if the connector has one
    #[serde(skip_serializing_if = "Option::is_none")]
    probe: Option<String>,
    /// Absent if the connector has none
    #[serde(skip_serializing_if = "Option::is_none")]
    stream: Option<String>,
    records: usize,
    /// There are more pages
    more: bool,
    /// Of the records
    fields: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<RateOutput>,
}

pub(super) async fn try_out(
    connectors: Arc<Connectors>,
    context: ToolContext,
    arguments: ConnectorTestArguments,
) -> Result<ToolReply<ConnectorTestOutput>, Refusal> {
    let ConnectorTestArguments { provider, connection, stream } = arguments;
    let of = connectors.named(&context, &provider, connection.as_deref())?;
    let probe = connectors.probe(&of, &context.caller).await?;
    let wanted: Vec<String> = stream.into_iter().collect();
    let is_any = wanted.is_empty();
    let mut streams = match connectors.wanted_streams(&of, &context.caller, wanted).await {
        Ok(streams) => streams,
        // The probe has shown what there is to show.
        Err(_) if is_any && probe.is_some() => {
            let nothing = ConnectorTestOutput { probe, ..ConnectorTestOutput::default() };
            return Ok(ToolReply::new(nothing));
        }
        Err(refusal) => return Err(refusal),
    };
    // There is at least one.
    let stream = streams.swap_remove(0);
    let page = connectors.page(&of, &context.caller, &stream, PagePlace::default()).await?;
    let mut form = RecordForm::default();
    form.meet(page.records.iter().map(|record| &record.value));
    let rate = connectors.rates.lock().get(&of.server).copied();
    Ok(ToolReply::new(ConnectorTestOutput {
        probe,
        stream: Some(stream),
        records: page.records.len(),
        more: page.next_page.is_some() && !page.done,
        fields: form.names().map(str::to_owned).collect(),
        rate: rate.map(RateOutput::from),
    }))
}
