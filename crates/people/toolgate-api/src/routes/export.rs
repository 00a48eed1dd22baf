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
use toolgate_archive::ArchiveExport;
use toolgate_store::{ExportFormat, LedgerExport};
use utoipa::IntoParams;

use super::ledger_filter::{EventPlace, Selected, Selection, no_archive};
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::word;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ExportQuery {
    /// jsonl (events as the ledger stores them, the default) or cloudevents
    #[serde(default)]
    format: Option<String>,
    /// tc_…
    #[serde(default)]
    call: Option<String>,
    /// tool.call.completed, policy.decided, approval.requested, …
    #[serde(default)]
    kind: Option<String>,
    /// database (the default) or archive: days that are over, also where the database no longer has them
    #[serde(default)]
    source: Option<String>,
}

/// Export events
///
/// One JSON value per line, oldest first, up to the last event at the time of the request. If the store fails
/// during the export, the last line is `{"problem": …}`: the lines before it are correct but not complete.
#[utoipa::path(get, path = "/ledger/export", tag = "ledger", params(Selection, ExportQuery),
    responses((status = 200, description = "Lines of JSON", content_type = "application/x-ndjson", body = String)))]
pub(crate) async fn export(
    State(context): State<ApiContext>,
    Selected { by, own: query }: Selected<ExportQuery>,
) -> ApiResult<Response> {
    let format = query.format()?;
    let Some(filter) = by.read_of_events(query.call.as_deref(), query.kind.as_deref())? else {
        return Ok(answer(format, Body::empty()));
    };
    match EventPlace::read(query.source.as_deref())? {
        EventPlace::Database => {
            let export = context.store.export_ledger(filter, format).await?;
            Ok(answer(format, Body::from_stream(lines(export))))
        }
        EventPlace::Archive => {
            let archive = context.archive.as_ref().ok_or_else(no_archive)?;
            let export = archive.export(&filter, format).await?;
            Ok(answer(format, Body::from_stream(archived_lines(export))))
        }
    }
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

fn archived_lines(export: ArchiveExport) -> impl Stream<Item = Result<Bytes, Infallible>> {
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
    fn format(&self) -> ApiResult<ExportFormat> {
        let words = ExportFormat::ALL.map(ExportFormat::as_str);
        let format = word("format", self.format.as_deref(), &words, ExportFormat::parse)?;
        Ok(format.unwrap_or(ExportFormat::Jsonl))
    }
}
