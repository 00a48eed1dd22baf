//! The columns of a segment, in their order. People query them; the record itself is `line`.

use toolgate_core::Digest;
use toolgate_store::{ArchivalLine, LineFields};

/// One row: a line, and its fields.
pub(crate) struct SegmentRow<'a> {
    pub(crate) line: &'a ArchivalLine,
    pub(crate) fields: LineFields,
}

/// How the values of a column are found in a row.
#[derive(Clone, Copy)]
pub(crate) enum ColumnValues {
    Day(fn(&SegmentRow<'_>) -> i32),
    Number(fn(&SegmentRow<'_>) -> i64),
    MaybeNumber(fn(&SegmentRow<'_>) -> Option<i64>),
    Bytes(fn(&SegmentRow<'_>) -> Vec<u8>),
    MaybeText(fn(&SegmentRow<'_>) -> Option<String>),
}

pub(crate) struct SegmentColumn {
    pub(crate) name: &'static str,
    /// As a Parquet schema says it.
    kind: &'static str,
    pub(crate) values: ColumnValues,
}

use ColumnValues::{Bytes, Day, MaybeNumber, MaybeText, Number};

/// The columns that are read back.
pub(crate) const NUMBER: &str = "number";
pub(crate) const TIME: &str = "time";
pub(crate) const LINE: &str = "line";

const TEXT: &str = "required binary {} (STRING)";
const MAYBE_TEXT: &str = "optional binary {} (STRING)";

const fn column(name: &'static str, kind: &'static str, values: ColumnValues) -> SegmentColumn {
    SegmentColumn { name, kind, values }
}

pub(crate) const COLUMNS: [SegmentColumn; 25] = [
    column("tenant", TEXT, Bytes(|row| row.fields.tenant.clone().into_bytes())),
    column("stream", TEXT, Bytes(|row| row.fields.stream.clone().into_bytes())),
    column("day", "required int32 {} (DATE)", Day(|row| row.line.time.day().try_into().unwrap_or(i32::MAX))),
    column(NUMBER, "required int64 {}", Number(|row| row.line.number)),
    column(TIME, "required int64 {}", Number(|row| row.line.time.number())),
    // Not `at`, which is a word of SQL in DuckDB.
    column("happened_at", "required int64 {} (TIMESTAMP(MILLIS,true))", Number(|row| row.fields.at_ms)),
    column("kind", TEXT, Bytes(|row| row.fields.kind.clone().into_bytes())),
    column("principal", TEXT, Bytes(|row| row.fields.principal.clone().into_bytes())),
    column("session", MAYBE_TEXT, MaybeText(|row| row.fields.session.clone())),
    column("run", MAYBE_TEXT, MaybeText(|row| row.fields.run.clone())),
    column("task", MAYBE_TEXT, MaybeText(|row| row.fields.task.clone())),
    column("call", MAYBE_TEXT, MaybeText(|row| row.fields.call.clone())),
    column("tool", MAYBE_TEXT, MaybeText(|row| row.fields.tool.clone())),
    column("server", MAYBE_TEXT, MaybeText(|row| row.fields.server.clone())),
    column("tool_version", MAYBE_TEXT, MaybeText(|row| hex(row.fields.tool_version))),
    column("trace", MAYBE_TEXT, MaybeText(|row| row.fields.trace.clone())),
    column("approval", MAYBE_TEXT, MaybeText(|row| row.fields.approval.clone())),
    column("policy_version", MAYBE_TEXT, MaybeText(|row| hex(row.fields.policy_version))),
    column("decision", MAYBE_TEXT, MaybeText(|row| row.fields.decision.clone())),
    column("outcome", MAYBE_TEXT, MaybeText(|row| row.fields.outcome.clone())),
    column("duration_us", "optional int64 {}", MaybeNumber(|row| row.fields.duration_us)),
    column("input_commitment", MAYBE_TEXT, MaybeText(|row| hex(row.fields.input))),
    column("output_commitment", MAYBE_TEXT, MaybeText(|row| hex(row.fields.output))),
    column("detail", MAYBE_TEXT, MaybeText(|row| row.fields.detail.clone())),
    column(LINE, "required binary {}", Bytes(|row| row.line.bytes.clone())),
];

/// The schema, as Parquet writes schemas.
pub(crate) fn schema_text() -> String {
    let fields = COLUMNS.iter().map(|column| format!("  {};\n", column.kind.replace("{}", column.name)));
    format!("message ledger {{\n{}}}", fields.collect::<String>())
}

/// A digest as 64 digits.
fn hex(digest: Option<Digest>) -> Option<String> {
    let text = digest?.to_string();
    text.split_once(':').map(|(_, hex)| hex.to_owned())
}
