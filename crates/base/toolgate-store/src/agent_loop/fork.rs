//! Another run that goes on from a turn of one: a copy of its messages under digests of its own.

use serde_json::json;
use toolgate_core::event::{Durability, EventKind};
use toolgate_core::id::RunId;
use toolgate_core::run::{AgentLoop, NewLoop, StoredMessage};
use toolgate_core::{Refusal, codes};

use super::create::{find, state_of};
use super::error::LoopError;
use super::held_loop::HeldLoop;
use super::message::{MessageRow, SealedMessage, UNTIL_TURN};
use super::row::{self, LoopRow};
use super::turn_row::{self, TurnRow};
use super::write::NewMessage;
use crate::books::Books;
use crate::db::without_nul;
use crate::registry::stored_count;
use crate::run::{ActionStamp, HeldRun, RunError};

/// Messages whose digests are in one event.
const TOLD_AT_ONCE: usize = 200;

impl Books {
    /// Stores the loop of a new run with a copy of another's messages up to the end of a turn. The tools are frozen anew.
    pub async fn fork_loop(
        &self,
        from: &RunId,
        turn: u64,
        to: NewLoop,
        act: ActionStamp<'_>,
    ) -> Result<AgentLoop, LoopError> {
        let mut held = HeldRun::take(self, &to.run, act, Durability::OnDisk, "fork a run").await?;
        if let Some(before) = find(&mut held).await? {
            return Ok(before);
        }
        let state = state_of(&held)?;
        check_turn(&mut held, from, turn).await?;
        let messages = history(&mut held, from, turn).await?;
        let mut held = HeldLoop::create(held, AgentLoop { turn, ..row::fresh(to, state) }).await?;
        let (mut added, mut folded) = (Vec::with_capacity(messages.len()), Vec::new());
        let last = messages.last().map_or(0, |message| message.number);
        for message in messages {
            let copy = NewMessage { message: message.message, tokens: message.tokens };
            let mut sealed = SealedMessage::new(&held.kept.run, message.number, message.turn, &copy)?;
            // Those that were folded later are sent again.
            sealed.folded_into = message.folded_into.filter(|into| *into <= last);
            folded.extend(sealed.folded_into.map(|into| (sealed.number, into)));
            added.push(held.add_sealed(&sealed).await?);
        }
        for some in added.chunks(TOLD_AT_ONCE) {
            let numbers = some[0].number..=some[some.len() - 1].number;
            let folded: Vec<&(u64, u64)> = folded.iter().filter(|(one, _)| numbers.contains(one)).collect();
            let detail = json!({ "turn": turn, "from": from, "messages": some, "folded_into": folded });
            held.log(EventKind::RunMessages, detail).await?;
        }
        held.commit().await
    }
}

/// A history is valid only where every planned call has its result.
async fn check_turn(held: &mut HeldRun<'_>, from: &RunId, turn: u64) -> Result<(), LoopError> {
    let (failed, doing, id) = (held.failed(), held.doing, without_nul(from.as_str()));
    let read = held.tx.sql(row::READ).bind(held.tenant).bind(id.clone());
    let row: Option<LoopRow> = read.fetch_optional().await.map_err(&failed)?;
    let source = row.ok_or_else(|| RunError::UnknownRun(from.clone()))?.read(doing)?;
    let read = held.tx.sql(turn_row::READ).bind(held.tenant).bind(id).bind(stored_count(turn));
    let row: Option<TurnRow> = read.fetch_optional().await.map_err(&failed)?;
    let row = row.map(|row| row.read(doing)).transpose()?;
    match turn <= source.turn && row.is_none_or(|row| row.is_closed()) {
        true => Ok(()),
        false => Err(refused(format!("turn {turn} of the run {from} has not ended"))),
    }
}

async fn history(held: &mut HeldRun<'_>, from: &RunId, turn: u64) -> Result<Vec<StoredMessage>, LoopError> {
    let (failed, doing) = (held.failed(), held.doing);
    let read = held.tx.sql(UNTIL_TURN).bind(held.tenant).bind(without_nul(from.as_str()));
    let rows: Vec<MessageRow> = read.bind(stored_count(turn)).fetch_all().await.map_err(failed)?;
    let mut messages = Vec::with_capacity(rows.len());
    for (row, expected) in rows.into_iter().zip(1..) {
        if row.number() != expected {
            return Err(LoopError::Tampered { run: from.clone(), number: expected });
        }
        if row.is_erased() {
            return Err(refused(format!("message {expected} of the run {from} was erased")));
        }
        messages.push(row.read(from, doing)?);
    }
    Ok(messages)
}

fn refused(message: String) -> LoopError {
    let refusal = Refusal::new(&codes::RUN_STATE, message).hint("begin at another turn, or start a new run");
    RunError::from(refusal).into()
}
