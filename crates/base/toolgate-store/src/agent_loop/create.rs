//! New loops, and the tools that they freeze.

use serde_json::json;
use toolgate_core::event::{Durability, EventKind};
use toolgate_core::model::{ModelMessage, OfferedTool};
use toolgate_core::run::{AgentLoop, LoopState, NewLoop, RunState, ended};

use super::error::LoopError;
use super::held_loop::HeldLoop;
use super::lease::LoopLease;
use super::row::{self, LoopRow};
use super::write::NewMessage;
use crate::books::Books;
use crate::db::without_nul;
use crate::run::{ActionStamp, HeldRun, RunError};

impl Books {
    /// Stores the loop of a run, with the goal as its first message. A loop that is there already is returned as it is.
    pub async fn create_loop(
        &self,
        new: NewLoop,
        goal_tokens: u64,
        act: ActionStamp<'_>,
    ) -> Result<AgentLoop, LoopError> {
        const DOING: &str = "create the loop of a run";
        let mut held = HeldRun::take(self, &new.run, act, Durability::OnDisk, DOING).await?;
        if let Some(before) = find(&mut held).await? {
            return Ok(before);
        }
        let state = state_of(&held)?;
        let goal = NewMessage { message: ModelMessage::user(new.goal.clone()), tokens: goal_tokens };
        let mut held = HeldLoop::create(held, row::fresh(new, state)).await?;
        let added = held.add(&goal, 0).await?;
        let detail = json!({ "turn": 0, "model": held.kept.model, "messages": [added] });
        held.log(EventKind::RunMessages, detail).await?;
        held.commit().await
    }

    /// Freezes the tools of a run for all its turns; a note says for instance which servers are away. Nothing, if they are frozen.
    pub async fn freeze_loop_tools(
        &self,
        lease: &LoopLease,
        tools: &[OfferedTool],
        note: Option<NewMessage>,
        act: ActionStamp<'_>,
    ) -> Result<(), LoopError> {
        let mut held = HeldLoop::take(self, lease, act, "freeze the tools of a run").await?;
        if held.kept.tools.is_some() {
            return Ok(());
        }
        held.kept.tools = Some(tools.to_vec());
        let turn = held.kept.turn;
        let added = held.add_all(note.as_slice(), turn).await?;
        let detail = json!({ "turn": turn, "tools": tools.len(), "messages": added });
        held.log(EventKind::RunMessages, detail).await?;
        held.commit().await.map(drop)
    }
}

/// The state of a loop that is created in a run.
pub(super) fn state_of(held: &HeldRun<'_>) -> Result<LoopState, RunError> {
    match held.run().state {
        RunState::Pending | RunState::Running => Ok(LoopState::Ready),
        RunState::Paused => Ok(LoopState::Waiting),
        state => Err(ended(&held.run().id, state).into()),
    }
}

pub(super) async fn find(held: &mut HeldRun<'_>) -> Result<Option<AgentLoop>, LoopError> {
    let (failed, doing) = (held.failed(), held.doing);
    let run = without_nul(held.run().id.as_str());
    let read = held.tx.sql(row::READ).bind(held.tenant).bind(run);
    let row: Option<LoopRow> = read.fetch_optional().await.map_err(failed)?;
    Ok(row.map(|row| row.read(doing)).transpose()?)
}
