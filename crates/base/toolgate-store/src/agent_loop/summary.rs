//! Summaries that a loop asks its model for between its turns: they cost what they cost, whatever becomes of them.

use serde_json::json;
use toolgate_core::event::EventKind;

use super::error::LoopError;
use super::held_loop::HeldLoop;
use super::lease::LoopLease;
use super::row::push_usage;
use super::write::BilledSummary;
use crate::books::Books;
use crate::db::without_nul;
use crate::registry::stored_count;
use crate::run::ActionStamp;

const INSERT: &str =
    "INSERT INTO run_summaries (tenant, run, number, turn, model, input, cached, written, output, cost,
        answered_at_ms)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)";

impl Books {
    /// Charges the run and those above it for a summary. It is no turn.
    pub async fn bill_summary(
        &self,
        lease: &LoopLease,
        billed: BilledSummary,
        act: ActionStamp<'_>,
    ) -> Result<(), LoopError> {
        let mut held = HeldLoop::take(self, lease, act, "bill a summary").await?;
        let BilledSummary { usage, cost_micros, duration_ms } = billed;
        held.charge(usage, cost_micros, 0).await?;
        let principal = held.held.run().principal.clone();
        let detail = json!({ "model": held.kept.model, "principal": principal, "turn": held.kept.turn, "for": "summary", "input": usage.input,
            "cached": usage.cached, "written": usage.written, "output": usage.output, "cost_micros": cost_micros,
            "duration_ms": duration_ms });
        held.log(EventKind::ModelCalled, detail).await?;
        write(&mut held, billed).await?;
        held.commit().await.map(drop)
    }
}

/// Under the number of its event.
async fn write(held: &mut HeldLoop<'_>, billed: BilledSummary) -> Result<(), LoopError> {
    let (failed, at_ms, number) = (held.held.failed(), held.held.act().at_ms, held.held.run().events);
    let run = without_nul(held.kept.run.as_str());
    let mut insert = held.held.tx.sql(INSERT).bind(held.held.tenant).bind(run);
    insert.push(stored_count(number));
    insert.push(stored_count(held.kept.turn));
    insert.push(held.kept.model.as_str());
    push_usage(billed.usage, billed.cost_micros, &mut insert);
    insert.push(at_ms);
    Ok(insert.execute().await.map(drop).map_err(failed)?)
}
