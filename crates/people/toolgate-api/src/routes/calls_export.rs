//! The export of calls as CSV or lines of JSON, sent as they are read.

use std::convert::Infallible;

use axum::body::Body;
use axum::extract::State;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use futures_util::stream::{self, Stream};
use http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use serde::Deserialize;
use serde_json::{Value, json};
use toolgate_store::{CALLS_PAGE_MAX, CallCursor, CallFilter, Store};
use utoipa::IntoParams;

use super::calls::{CallView, CallWords};
use super::ledger_filter::{Selected, Selection};
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::word;

/// The maximum number of calls in one export.
const CALLS_MAX: usize = 100_000;
/// The maximum number of pages that one export reads, many of which are empty in a search.
const PAGES_MAX: usize = 2_000;
/// The columns of CSV, which are members of a call.
const COLUMNS: [&str; 16] = [
    "id",
    "state",
    "tool",
    "server",
    "principal",
    "session",
    "run",
    "started_at",
    "ended_at",
    "duration_ms",
    "decision",
    "approval",
    "approval_state",
    "used_by",
    "error",
    "message",
];

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct CallsExportQuery {
    /// jsonl (the default) or csv
    #[serde(default)]
    format: Option<String>,
    /// waiting (for a person or its client), running or ended
    #[serde(default)]
    state: Option<String>,
    /// tc_…, apr_…, ses_… or run_…: calls that are related to it
    #[serde(default)]
    id: Option<String>,
    /// A part of the tool, server, principal, ids, arguments or error, in any case of letters
    #[serde(default)]
    #[param(max_length = 200)]
    q: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TableFormat {
    JsonLines,
    Csv,
}

/// Export calls
///
/// One line for each call, in the order of the list, up to 100,000. In CSV, a text that a spreadsheet would take for
/// a formula begins with an apostrophe. If not all calls were sent, the last line says so: `{"incomplete": …}` in
/// JSON, a line that begins with `incomplete` in CSV.
#[utoipa::path(get, path = "/calls/export", tag = "calls", params(Selection, CallsExportQuery),
    responses((status = 200, description = "Lines of JSON or CSV", content_type = "application/x-ndjson", body = String)))]
pub(crate) async fn export(
    State(context): State<ApiContext>,
    Selected { by, own: query }: Selected<CallsExportQuery>,
) -> ApiResult<Response> {
    let format = word("format", query.format.as_deref(), &["jsonl", "csv"], TableFormat::parse)?;
    let format = format.unwrap_or(TableFormat::JsonLines);
    let words = CallWords { state: query.state.as_deref(), id: query.id.as_deref(), q: query.q.as_deref() };
    let lines = match words.filter(&by)? {
        Some(filter) => Body::from_stream(lines(CallsExport::new(context.store.clone(), filter, format))),
        None => Body::from(format.head()),
    };
    Ok(([(CONTENT_TYPE, format.media()), (CONTENT_DISPOSITION, format.name())], lines).into_response())
}

/// An export in progress.
struct CallsExport {
    store: Store,
    filter: CallFilter,
    format: TableFormat,
    cursor: Option<CallCursor>,
    calls: usize,
    pages: usize,
}

impl CallsExport {
    fn new(store: Store, filter: CallFilter, format: TableFormat) -> Self {
        Self { store, filter, format, cursor: None, calls: 0, pages: 0 }
    }

    /// The next lines, and whether there are more to come.
    async fn next(&mut self) -> (String, bool) {
        let mut text = if self.pages == 0 { self.format.head() } else { String::new() };
        let page = match self.store.calls(&self.filter, self.cursor.as_ref(), CALLS_PAGE_MAX).await {
            Ok(page) => page,
            Err(error) => {
                let problem: Box<Problem> = error.into();
                text.push_str(&self.format.incomplete(&problem.detail));
                return (text, false);
            }
        };
        self.pages += 1;
        self.calls += page.calls.len();
        for call in page.calls {
            text.push_str(&self.format.line(&json!(CallView::from(call))));
        }
        self.cursor = page.next;
        let is_cut = self.calls >= CALLS_MAX || self.pages >= PAGES_MAX;
        if is_cut && self.cursor.is_some() {
            text.push_str(&self.format.incomplete("there are more calls; export a shorter period"));
        }
        (text, self.cursor.is_some() && !is_cut)
    }
}

fn lines(export: CallsExport) -> impl Stream<Item = Result<Bytes, Infallible>> {
    stream::unfold(Some(export), async |export| {
        let mut export = export?;
        let (text, more) = export.next().await;
        Some((Ok(Bytes::from(text)), more.then_some(export)))
    })
}

impl TableFormat {
    fn parse(word: &str) -> Option<Self> {
        match word {
            "jsonl" => Some(TableFormat::JsonLines),
            "csv" => Some(TableFormat::Csv),
            _ => None,
        }
    }

    fn media(self) -> &'static str {
        match self {
            TableFormat::JsonLines => "application/x-ndjson",
            TableFormat::Csv => "text/csv; charset=utf-8; header=present",
        }
    }

    fn name(self) -> &'static str {
        match self {
            TableFormat::JsonLines => "attachment; filename=\"calls.jsonl\"",
            TableFormat::Csv => "attachment; filename=\"calls.csv\"",
        }
    }

    fn head(self) -> String {
        match self {
            TableFormat::JsonLines => String::new(),
            TableFormat::Csv => format!("{}\r\n", COLUMNS.join(",")),
        }
    }

    fn line(self, call: &Value) -> String {
        match self {
            TableFormat::JsonLines => format!("{call}\n"),
            TableFormat::Csv => format!("{}\r\n", COLUMNS.map(|column| cell(&call[column])).join(",")),
        }
    }

    /// The length of a stream is unknown, so a truncated one would not be noticed.
    fn incomplete(self, why: &str) -> String {
        match self {
            TableFormat::JsonLines => format!("{}\n", json!({ "incomplete": why })),
            TableFormat::Csv => format!("incomplete,{}\r\n", cell(&Value::from(why))),
        }
    }
}

/// A cell of CSV. A text that begins like a formula would be one in a spreadsheet.
fn cell(value: &Value) -> String {
    let text = match value {
        Value::Null => return String::new(),
        Value::String(text) => text,
        other => return other.to_string(),
    };
    let is_formula = text.trim_start().starts_with(['=', '+', '-', '@', '\t', '\r'])
        || text.starts_with(['\t', '\r', '\n']);
    let mark = if is_formula { "'" } else { "" };
    format!("\"{mark}{}\"", text.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_is_never_a_formula() {
        let told = |text: &str| cell(&Value::from(text));
        assert_eq!(told("=HYPERLINK(\"x\")"), "\"'=HYPERLINK(\"\"x\"\")\"");
        for formula in ["+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "  =1"] {
            assert!(told(formula).starts_with("\"'"), "{formula:?}");
        }
        assert_eq!(
            (told("a,b\nc"), cell(&Value::Null), cell(&json!(-1.5))),
            ("\"a,b\nc\"".into(), String::new(), "-1.5".into())
        );
    }
}
