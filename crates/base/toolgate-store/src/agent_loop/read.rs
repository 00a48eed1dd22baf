//! Loops, turns and messages, read.

use toolgate_core::id::RunId;
use toolgate_core::run::{AgentLoop, LoopTurn, StoredMessage};

use super::error::LoopError;
use super::message::{self, MessageRow};
use super::row::{LoopRow, READ};
use super::turn_row::{self, TurnRow};
use crate::db::without_nul;
use crate::error::doing;
use crate::registry::stored_count;
use crate::{Store, StoreError};

/// The maximum number of turns on a page.
pub const LOOP_TURNS_PAGE_MAX: usize = 500;
/// The maximum number of messages on a page.
pub const LOOP_MESSAGES_PAGE_MAX: usize = 500;

impl Store {
    /// The loop of a run that the gateway drives. `None` for others.
    pub async fn agent_loop(&self, run: &RunId) -> Result<Option<AgentLoop>, StoreError> {
        const DOING: &str = "read the loop of a run";
        let read = self.db.sql(READ).bind(self.tenant).bind(without_nul(run.as_str()));
        let row: Option<LoopRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// The turns of a run after a number, oldest first.
    pub async fn loop_turns(
        &self,
        run: &RunId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<LoopTurn>, StoreError> {
        const DOING: &str = "read the turns of a run";
        let read = self.db.sql(turn_row::PAGE).bind(self.tenant).bind(without_nul(run.as_str()));
        let read = read.bind(stored_count(after)).bind(rows(limit, LOOP_TURNS_PAGE_MAX));
        let rows: Vec<TurnRow> = read.fetch_all().await.map_err(doing(DOING))?;
        rows.into_iter().map(|row| row.read(DOING).map(|kept| kept.turn)).collect()
    }

    /// The messages of a run after a number, oldest first. A message that is not what was written, or that is missing, is named.
    pub async fn loop_messages(
        &self,
        run: &RunId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<StoredMessage>, LoopError> {
        let mut messages = Vec::new();
        let rows = self.message_rows(run, after, limit).await?;
        for (row, expected) in rows.into_iter().zip(after.saturating_add(1)..) {
            if row.number() != expected {
                return Err(LoopError::Tampered { run: run.clone(), number: expected });
            }
            messages.push(row.read(run, "read the messages of a run")?);
        }
        Ok(messages)
    }

    pub(super) async fn message_rows(
        &self,
        run: &RunId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<MessageRow>, StoreError> {
        let read = self.db.sql(message::PAGE).bind(self.tenant).bind(without_nul(run.as_str()));
        let read = read.bind(stored_count(after)).bind(rows(limit, LOOP_MESSAGES_PAGE_MAX));
        read.fetch_all().await.map_err(doing("read the messages of a run"))
    }
}

fn rows(limit: usize, limit_max: usize) -> i64 {
    i64::try_from(limit.clamp(1, limit_max)).expect("a page is limited")
}
