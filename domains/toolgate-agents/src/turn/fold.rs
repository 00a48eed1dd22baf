//! Folding in the store: old turns become lines, or a summary by the model itself. A fold that does not succeed changes nothing.

use toolgate_core::model::{MessageRole, ModelDefinition, ModelMessage, ModelPiece, ToolUse};
use toolgate_store::{BilledSummary, Folding, LoopError};

use crate::actions;
use crate::error::DriveError;
use crate::folding::{self, FOLD_FAULTS_MAX, FoldRange};
use crate::held::{LeasedLoop, LoopPace, new_message};
use crate::lines;
use crate::{prompt, tokens};

/// The last turns that stay when the model says that the request is too large.
const KEPT_AT_OVERFLOW: usize = 1;

/// Folds if the conversation has grown too long. The way of the loop, if it cannot go on.
pub(super) async fn fold_if_due(held: &mut LeasedLoop) -> Result<Option<LoopPace>, DriveError> {
    // If the model is gone, asking it says so.
    let Some(definition) = held.desk.models.definition(&held.agent_loop.model) else { return Ok(None) };
    if !is_due(held, &definition, size(held)) {
        return Ok(None);
    }
    let kept = held.desk.settings.turns_kept;
    match Box::pin(fold(held, &definition, kept)).await? {
        FoldEnd::Folded | FoldEnd::NothingOld => Ok(None),
        // The run was paused or cancelled meanwhile: nobody is to blame.
        FoldEnd::Failed if held.halt.is_cancelled() => Ok(Some(held.halted())),
        FoldEnd::Failed => {
            let faults = held.desk.books.note_fold_fault(&held.lease).await?;
            match faults >= FOLD_FAULTS_MAX {
                true => {
                    actions::stuck(held, "Its conversation is too long and cannot be folded.").await.map(Some)
                }
                false => Ok(None),
            }
        }
    }
}

/// Folds all but the last turn, because the model said that the request is too large. True if something was folded.
pub(super) async fn fold_all(held: &mut LeasedLoop) -> Result<bool, DriveError> {
    let Some(definition) = held.desk.models.definition(&held.agent_loop.model) else { return Ok(false) };
    Ok(Box::pin(fold(held, &definition, KEPT_AT_OVERFLOW)).await? == FoldEnd::Folded)
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum FoldEnd {
    Folded,
    /// There is no turn but those that stay.
    NothingOld,
    Failed,
}

async fn fold(
    held: &mut LeasedLoop,
    definition: &ModelDefinition,
    turns_kept: usize,
) -> Result<FoldEnd, DriveError> {
    let Some(range) = folding::plan(&held.history, turns_kept) else { return Ok(FoldEnd::NothingOld) };
    let (before, short) = (size(held), shortened(held, range));
    let left = before.saturating_sub(old_size(held, range));
    let with = |message: &ModelMessage| left.saturating_add(tokens::of_message(message));
    let is_short_enough = folding::frees_enough(before, with(&short));
    if is_short_enough && !is_due(held, definition, with(&short)) {
        return write(held, range, short).await;
    }
    let summary = summary(held, definition, &short).await?;
    match summary.filter(|summary| folding::frees_enough(before, with(summary))) {
        Some(summary) => write(held, range, summary).await,
        // Lines are better than nothing.
        None if is_short_enough => write(held, range, short).await,
        None => Ok(FoldEnd::Failed),
    }
}

async fn write(
    held: &mut LeasedLoop,
    range: FoldRange,
    message: ModelMessage,
) -> Result<FoldEnd, DriveError> {
    let folding = Folding { from: range.from, to: range.to, stands_for: new_message(message) };
    match held.desk.books.fold_loop(&held.lease, folding, held.act()).await {
        Ok(()) => {}
        Err(LoopError::Run(error)) => {
            tracing::warn!(run = %held.run.id, %error, "the messages of a run are not folded");
            return Ok(FoldEnd::Failed);
        }
        Err(error) => return Err(error.into()),
    }
    held.reread().await?;
    Ok(FoldEnd::Folded)
}

fn shortened(held: &LeasedLoop, range: FoldRange) -> ModelMessage {
    folding::shortened(&folding::members(&held.history, range))
}

/// A summary of the short text, by the model and without tools. `None` if it gives none. It is billed whatever becomes of it.
async fn summary(
    held: &LeasedLoop,
    definition: &ModelDefinition,
    short: &ModelMessage,
) -> Result<Option<ModelMessage>, DriveError> {
    let Some(goal) = held.history.live().first().map(|one| one.message.clone()) else { return Ok(None) };
    let messages = vec![goal, short.clone(), lines::summarise()];
    let output_tokens_max = definition.limits.output_tokens_max;
    let request = prompt::request_of(&held.agent_loop, messages, ToolUse::Forbidden, output_tokens_max);
    let unheard = |_: ModelPiece| {};
    let began_us = held.desk.clock.monotonic_us();
    let answer = tokio::select! {
        biased;
        () = held.halt.cancelled() => None,
        answer = held.desk.models.ask(&held.agent_loop.model, &request, &unheard) => answer.ok(),
    };
    let Some(answer) = answer else { return Ok(None) };
    let billed = BilledSummary {
        usage: answer.usage,
        cost_micros: answer.usage.cost_micros(definition.prices),
        duration_ms: held.desk.passed_ms(began_us),
    };
    held.desk.books.bill_summary(&held.lease, billed, held.act()).await?;
    let said = ModelMessage { role: MessageRole::Assistant, parts: answer.parts };
    let text = said.text();
    Ok((!text.trim().is_empty()).then(|| lines::folded(text.trim())))
}

fn is_due(held: &LeasedLoop, definition: &ModelDefinition, tokens: u64) -> bool {
    folding::is_due(tokens, definition.context_tokens, held.desk.settings.fold_at_percent)
}

/// About how many tokens the next request has.
fn size(held: &LeasedLoop) -> u64 {
    let agent_loop = &held.agent_loop;
    let messages: u64 = held.history.live().iter().map(|one| one.tokens).sum();
    let tools = tokens::of_tools(agent_loop.tools.as_deref().unwrap_or_default());
    tokens::of_text(&agent_loop.system) + tools + messages
}

fn old_size(held: &LeasedLoop, range: FoldRange) -> u64 {
    folding::members(&held.history, range).iter().map(|one| one.tokens).sum()
}
