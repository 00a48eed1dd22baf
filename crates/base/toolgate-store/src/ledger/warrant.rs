//! Using up the permissions of a batch of calls.

use toolgate_core::event::{Event, LedgerEntry};
use toolgate_core::governance::{StartRefused, Warrant};
use toolgate_core::id::CallId;

use super::batch::WriteOp;
use super::clean;
use super::head::LedgerStream;
use crate::db::Transaction;
use crate::warrant::{WarrantOutcome, consume, use_grant};

/// The gateway that takes a round continues the call, in its own stream.
const TAKE_ROUND: &str = "UPDATE open_calls SET paused_at_ms = NULL, stream = $3 \
     WHERE call = $1 AND round = $2 AND paused_at_ms IS NOT NULL";

/// Uses up the warrants of a whole batch and returns for each op the entry to write before it, or the
/// refusal. They are locked in the order of their ids, so that two batches never wait for each other in a
/// circle.
pub(super) async fn use_up_all(
    tx: &mut Transaction,
    pen: &LedgerStream,
    ops: &[WriteOp],
) -> Result<Vec<WarrantOutcome>, sqlx::Error> {
    let mut used: Vec<WarrantOutcome> = ops.iter().map(|_| Ok(Vec::<Event>::new())).collect();
    let mut needed: Vec<(&str, usize)> =
        ops.iter().enumerate().filter_map(|(place, op)| Some((id(&op.warrant)?, place))).collect();
    needed.sort_unstable();
    for (_, place) in needed {
        let WriteOp { entry, warrant, .. } = &ops[place];
        used[place] = use_up(tx, pen, entry, warrant).await?;
    }
    Ok(used)
}

fn id(warrant: &Warrant) -> Option<&str> {
    match warrant {
        Warrant::NoneNeeded => None,
        Warrant::Approval { id, .. } => Some(id.as_str()),
        Warrant::Grant { id } => Some(id.as_str()),
        Warrant::Round { call, .. } => Some(call.as_str()),
    }
}

async fn use_up(
    tx: &mut Transaction,
    pen: &LedgerStream,
    entry: &LedgerEntry,
    warrant: &Warrant,
) -> Result<WarrantOutcome, sqlx::Error> {
    match warrant {
        Warrant::NoneNeeded => Ok(Ok(Vec::new())),
        Warrant::Approval { id, binding, effective, call } => {
            consume(tx, pen.tenant, id, binding, *effective, call).await
        }
        Warrant::Grant { id } => use_grant(tx, pen.tenant, id, entry).await,
        Warrant::Round { call, round } => take_round(tx, pen, call, *round).await,
    }
}

async fn take_round(
    tx: &mut Transaction,
    pen: &LedgerStream,
    call: &CallId,
    round: u32,
) -> Result<WarrantOutcome, sqlx::Error> {
    let take = tx.sql(TAKE_ROUND).bind(clean::replaced(call.as_str()));
    let taken = take.bind(i64::from(round)).bind(&*pen.stream).execute().await?;
    Ok(if taken == 1 { Ok(Vec::new()) } else { Err(StartRefused::Round) })
}
