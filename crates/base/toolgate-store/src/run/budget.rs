//! The use of budgets by calls and answers of a model: that of their run, and of all runs above it.

use toolgate_core::run::{BudgetUsage, CallKind, Run, RunCall};

use super::error::{BudgetExhausted, RunError};
use super::held::HeldRun;
use super::row::StoredRun;
use crate::StoreError;

/// Only data tools use up anything but time.
pub(super) fn exhausted(held: &HeldRun<'_>, above: &[StoredRun], call: &RunCall) -> Option<BudgetExhausted> {
    if call.kind != CallKind::Data {
        return None;
    }
    let outer = above.iter().map(|kept| &kept.run);
    std::iter::once(held.run()).chain(outer).find_map(|run| exhausted_by(run, call, held.act().at_ms))
}

fn exhausted_by(run: &Run, call: &RunCall, now_ms: i64) -> Option<BudgetExhausted> {
    let (budget, used) = (&run.budget, run.used_at(now_ms));
    let of = |limit, max: Option<u64>, used| {
        let max = max.unwrap_or(u64::MAX);
        BudgetExhausted { run: run.id.clone(), limit, max, used, wanted: 0 }
    };
    match run.exhausted(now_ms) {
        Some("seconds") => Some(of("seconds", budget.seconds, used.active_ms / 1_000)),
        Some("calls") => Some(of("calls", budget.calls, used.calls)),
        Some("bytes") => Some(of("bytes", budget.bytes, used.bytes)),
        // Limits of turns, tokens and cost are not for calls: the loop of the run closes it.
        Some(_) | None => {
            let is_too_large = budget.bytes.is_some_and(|max| used.bytes.saturating_add(call.bytes) > max);
            is_too_large
                .then(|| BudgetExhausted { wanted: call.bytes, ..of("bytes", budget.bytes, used.bytes) })
        }
    }
}

/// The refusal of a call is remembered: such a run ends at best as partial.
pub(super) async fn refuse(mut held: HeldRun<'_>, exhausted: BudgetExhausted) -> Result<(), RunError> {
    if held.kept.ran_out_of.is_none() {
        held.kept.ran_out_of = Some(exhausted.limit.to_owned());
        held.save_own().await?;
        held.commit().await?;
    }
    Err(RunError::Exhausted(Box::new(exhausted)))
}

pub(super) async fn charge(
    held: &mut HeldRun<'_>,
    above: &mut [StoredRun],
    call: &RunCall,
    calls: u64,
) -> Result<(), StoreError> {
    match call.kind {
        CallKind::Data => {
            add(held, above, BudgetUsage { calls, bytes: call.bytes, ..BudgetUsage::default() }).await
        }
        CallKind::Control | CallKind::Ask => Ok(()),
    }
}

/// The use of a run counts for all runs above it as well.
pub(crate) async fn add(
    held: &mut HeldRun<'_>,
    above: &mut [StoredRun],
    more: BudgetUsage,
) -> Result<(), StoreError> {
    let charge = |run: &mut Run| {
        let used = &mut run.used;
        used.calls = used.calls.saturating_add(more.calls);
        used.bytes = used.bytes.saturating_add(more.bytes);
        used.turns = used.turns.saturating_add(more.turns);
        used.tokens = used.tokens.saturating_add(more.tokens);
        used.cost_micros = used.cost_micros.saturating_add(more.cost_micros);
    };
    charge(&mut held.kept.run);
    held.save_own().await?;
    for outer in above {
        charge(&mut outer.run);
        held.save(outer).await?;
    }
    Ok(())
}
