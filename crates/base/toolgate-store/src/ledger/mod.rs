//! The ledger: events in an order that cannot be changed unnoticed.
//!
//! Each writer has its own stream. An event holds the hash of the one before it in its stream (`line.rs`),
//! and the end of each stream is sealed (`head.rs`). Reading, verification and export are separate from
//! writing.

mod append;
mod archival;
mod at_once;
mod batch;
mod block;
mod bodies;
mod calls;
mod clean;
mod code;
mod commitments;
mod convert;
mod cut;
mod days;
mod erase;
mod export;
mod failure;
mod figures;
mod first;
mod head;
mod json;
mod kept;
mod line;
mod on_disk;
mod outbox;
mod own_calls;
mod read;
mod row;
mod scan;
mod set_back;
mod single;
mod sqlite;
mod sweep;
mod terms;
mod text;
mod traffic;
mod trees;
mod verify;
mod warrant;
mod writer;

use toolgate_core::event::LedgerEntry;

pub use archival::{
    ArchivalLine, LedgerDay, LineFields, LinePlace, LineReader, StreamEnd, ledger_root, ledger_start,
};
pub use bodies::KeptBody;
pub use calls::counts::CallCounts;
pub use calls::{
    AskedApproval, BadCallCursor, CALLS_COUNTED_MAX, CALLS_PAGE_MAX, CALLS_SEARCHED_MAX, CallCursor,
    CallEntry, CallError, CallFilter, CallPage, CallStanding, CallState,
};
pub use cut::{CutOutcome, LedgerCut};
pub use erase::{ErasureCounts, ErasureReport, ErasureRequest, ErasureScope};
pub use export::{ExportFormat, ExportedLines, LedgerExport, exported};
pub use figures::{
    Figure, FigureBy, FigureQuery, FigureSeries, FigureSpan, FigureSums, OTHER_NAMES, TimeFigure,
};
pub use json::{CLOUD_EVENT_SOURCE, CLOUD_EVENT_TYPE_PREFIX, ledger_event_cloudevent, ledger_event_json};
pub use outbox::{OUTBOX_LEASE_MS, OutboxBatch, SinkStart};
pub use read::{LEDGER_PAGE_MAX, LedgerOrder};
pub use row::event_of_line;
pub use traffic::{CALL_ENDS_MAX, CallEnd, CallEnds};
pub use trees::SignedRootMatch;
pub use verify::{BodyCheck, FaultyBody, LedgerFault, LedgerVerification, Tampering};
pub use writer::LedgerWriter;

pub(crate) use head::LedgerStream;

use crate::db::Transaction;

/// Appends an entry in a transaction that the caller opened and will commit. The events appear together with
/// its other changes. Take other locks first: every writer to the stream waits for this one.
pub(crate) async fn append_in(
    tx: &mut Transaction,
    pen: &LedgerStream,
    mut entry: LedgerEntry,
) -> Result<(), sqlx::Error> {
    clean::clean(&mut entry);
    let taken = head::StreamHead::take(tx, pen).await?;
    append::append(tx, pen, taken, &[&entry], &mut append::KnownRows::default()).await?;
    Ok(())
}
