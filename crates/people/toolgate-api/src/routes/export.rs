//! The export of the ledger, as lines of JSON that are sent as they are read.

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::{self, Stream};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use serde::Deserialize;
use serde_json::json as value;
use std::convert::Infallible;
use toolgate_core::event::Filter;
use toolgate_store::{ExportFormat, LedgerExport};
use utoipa::IntoParams;

use super::ledger_filter::FilterWords;
use crate::Context;
use crate::problem::{Answered, Problem};
use crate::read::{Query, word};

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct ExportQuery {
    /// jsonl (events as the ledger stores them, the default) or cloudevents
    #[serde(default)]
    format: Option<String>,
    /// Start of the period (inclusive): RFC 3339, or milliseconds since 1970
    #[serde(default)]
    from: Option<String>,
    /// End of the period (exclusive), in the same format
    #[serde(default)]
    until: Option<String>,
    /// Who did it
    #[serde(default)]
    principal: Option<String>,
    #[serde(default)]
    session: Option<String>,
    #[serde(default)]
    run: Option<String>,
    /// tc_…
    #[serde(default)]
    call: Option<String>,
    /// The canonical name of a tool
    #[serde(default)]
    tool: Option<String>,
    #[serde(default)]
    server: Option<String>,
    /// Outcome of a call: succeeded, tool_error, failed, denied, …
    #[serde(default)]
    outcome: Option<String>,
    /// permit, approve or deny
    #[serde(default)]
    decision: Option<String>,
    /// tool.call.completed, policy.decided, approval.requested, …
    #[serde(default)]
    kind: Option<String>,
}

/// Export events
///
/// One JSON value per line, oldest first, up to the last event at the time of the request. If the store fails
/// during the export, the last line is `{"problem": …}`: the lines before it are correct but not complete.
#[utoipa::path(get, path = "/ledger/export", tag = "ledger", params(ExportQuery),
    responses((status = 200, description = "Lines of JSON", content_type = "application/x-ndjson", body = String)))]
pub(crate) async fn export(
    State(context): State<Context>,
    Query(query): Query<ExportQuery>,
) -> Answered<Response> {
    let format = query.format()?;
    let Some(filter) = query.filter()? else { return Ok(answer(format, Body::empty())) };
    let export = context.store.export_ledger(filter, format).await?;
    Ok(answer(format, Body::from_stream(lines(export))))
}

fn answer(format: ExportFormat, body: Body) -> Response {
    let (media, name) = match format {
        ExportFormat::Jsonl => ("application/x-ndjson", "attachment; filename=\"ledger.jsonl\""),
        ExportFormat::CloudEvents => {
            ("application/cloudevents+x-ndjson", "attachment; filename=\"ledger.cloudevents.jsonl\"")
        }
    };
    ([(CONTENT_TYPE, media), (CONTENT_DISPOSITION, name)], body).into_response()
}

fn lines(export: LedgerExport) -> impl Stream<Item = Result<Bytes, Infallible>> {
    stream::unfold(Some(export), async |export| {
        let mut export = export?;
        match export.next().await {
            Ok(lines) => Some((Ok(Bytes::from(lines?.text)), Some(export))),
            Err(error) => Some((Ok(broken_off(error.into())), None)),
        }
    })
}

/// The length of a stream is unknown, so a truncated one would not be noticed.
fn broken_off(problem: Box<Problem>) -> Bytes {
    format!("{}\n", value!({ "problem": problem })).into()
}

impl ExportQuery {
    fn format(&self) -> Answered<ExportFormat> {
        let words = ExportFormat::ALL.map(ExportFormat::as_str);
        let format = word("format", self.format.as_deref(), &words, ExportFormat::parse)?;
        Ok(format.unwrap_or(ExportFormat::Jsonl))
    }

    fn filter(&self) -> Answered<Option<Filter>> {
        let words = FilterWords {
            from: self.from.as_deref(),
            until: self.until.as_deref(),
            kind: self.kind.as_deref(),
            principal: self.principal.as_deref(),
            session: self.session.as_deref(),
            run: self.run.as_deref(),
            call: self.call.as_deref(),
            tool: self.tool.as_deref(),
            server: self.server.as_deref(),
            outcome: self.outcome.as_deref(),
            decision: self.decision.as_deref(),
        };
        words.read()
    }
}
