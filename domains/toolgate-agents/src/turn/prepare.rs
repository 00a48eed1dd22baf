//! All that comes before a request: frozen tools, the words of people, lines about budgets and repetition, folding.

use toolgate_core::model::ToolUse;
use toolgate_core::run::Run;

use super::fold;
use crate::actions;
use crate::error::DriveError;
use crate::held::{LeasedLoop, LoopPace, new_message};
use crate::lines::{self, LineKind};
use crate::{budget, repetition};

/// A turn whose request may be built.
pub(super) struct ReadyTurn<'a> {
    held: &'a mut LeasedLoop,
    turn: u64,
    attempts: u64,
    tool_use: ToolUse,
}

pub(super) enum Preparation<'a> {
    Ready(ReadyTurn<'a>),
    Stops(LoopPace),
}

impl<'a> ReadyTurn<'a> {
    pub(super) async fn prepare(
        held: &'a mut LeasedLoop,
        turn: u64,
        attempts: u64,
    ) -> Result<Preparation<'a>, DriveError> {
        if let Some(pace) = freeze_tools(held).await? {
            return Ok(Preparation::Stops(pace));
        }
        if let Some(pace) = actions::heed(held).await? {
            return Ok(Preparation::Stops(pace));
        }
        if let Some(pace) = limit_spending(held).await? {
            return Ok(Preparation::Stops(pace));
        }
        let tool_use = match close_if_exhausted(held).await? {
            true => ToolUse::Forbidden,
            false => ToolUse::Allowed,
        };
        if tool_use == ToolUse::Allowed {
            tell_budget(held).await?;
            if let Some(pace) = notice_repetition(held).await? {
                return Ok(Preparation::Stops(pace));
            }
        }
        if let Some(pace) = Box::pin(fold::fold_if_due(held)).await? {
            return Ok(Preparation::Stops(pace));
        }
        Ok(Preparation::Ready(ReadyTurn { held, turn, attempts, tool_use }))
    }

    /// The loop, the number of the turn, the attempts that were made in it, and the use of tools.
    pub(super) fn into_parts(self) -> (&'a mut LeasedLoop, u64, u64, ToolUse) {
        (self.held, self.turn, self.attempts, self.tool_use)
    }
}

/// The first turn freezes the tools for the whole run, so that the cache of prompts holds.
async fn freeze_tools(held: &mut LeasedLoop) -> Result<Option<LoopPace>, DriveError> {
    if held.agent_loop.tools.is_some() {
        return Ok(None);
    }
    let mut offer = match held.desk.player.offer(&held.run).await {
        Ok(offer) => offer,
        Err(refusal) => return actions::not_offered(held, &refusal).await.map(Some),
    };
    offer.tools.sort_by(|one, other| one.name.cmp(&other.name));
    let note = (!offer.away.is_empty()).then(|| new_message(lines::away(&offer.away)));
    held.desk.books.freeze_loop_tools(&held.lease, &offer.tools, note, held.act()).await?;
    held.refresh().await?;
    Ok(None)
}

/// Limits over many runs end no run: it waits for people.
async fn limit_spending(held: &mut LeasedLoop) -> Result<Option<LoopPace>, DriveError> {
    let Some(limit) = held.desk.spend.clone() else { return Ok(None) };
    match limit.reached(&held.run, &held.agent_loop.model).await? {
        Some(reached) => actions::spent(held, &reached).await.map(Some),
        None => Ok(None),
    }
}

/// True if only a closing answer follows.
async fn close_if_exhausted(held: &mut LeasedLoop) -> Result<bool, DriveError> {
    let above = runs_above(held).await?;
    let limit = budget::exhausted(&held.run, &above, held.desk.clock.now_ms());
    match (limit, held.history.is_closing()) {
        (Some(limit), false) => held.add_line(lines::closing(limit), false).await?,
        (None, true) => held.add_line(lines::reopened(), false).await?,
        (Some(_), true) | (None, false) => {}
    }
    Ok(limit.is_some())
}

async fn runs_above(held: &LeasedLoop) -> Result<Vec<Run>, DriveError> {
    let mut above: Vec<Run> = Vec::new();
    let mut next = held.run.parent.clone();
    // Runs are nested to a limited depth.
    while let Some(id) = next {
        let run = held.desk.runs.get(&id).await?;
        next = run.parent.clone();
        above.push(run);
    }
    Ok(above)
}

/// Once in a run.
async fn tell_budget(held: &mut LeasedLoop) -> Result<(), DriveError> {
    if held.history.has(LineKind::Budget) {
        return Ok(());
    }
    match budget::near(&held.run, held.desk.clock.now_ms()) {
        Some(used) => held.add_line(lines::budget(&used), false).await,
        None => Ok(()),
    }
}

/// The agent is told once; then people are asked.
async fn notice_repetition(held: &mut LeasedLoop) -> Result<Option<LoopPace>, DriveError> {
    let was_told = held.history.ends_with(LineKind::Nudge) || held.history.ends_with(LineKind::Paused);
    let Some(found) = repetition::find(&held.history).filter(|_| !was_told) else { return Ok(None) };
    if held.agent_loop.nudged {
        let why = format!("It repeats itself: {}.", found.told());
        return actions::stuck(held, &why).await.map(Some);
    }
    held.add_line(lines::nudge(found.told()), true).await?;
    Ok(None)
}
