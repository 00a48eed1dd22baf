//! A loop under its lease, in a tree of runs that is locked until the end of the transaction.

use serde_json::Value;
use toolgate_core::event::{Durability, EventKind};
use toolgate_core::model::ModelUsage;
use toolgate_core::run::{AgentLoop, BudgetUsage};

use super::digest::NumberedDigest;
use super::error::LoopError;
use super::lease::LoopLease;
use super::message::{self, SealedMessage};
use super::row::{self, LoopRow};
use super::turn_row::{self, StoredTurn, TurnRow};
use super::write::NewMessage;
use crate::books::Books;
use crate::db::{Transaction, without_nul};
use crate::error::doing;
use crate::registry::stored_count;
use crate::run::{ActionStamp, HeldRun, charge, loop_event};

const UNCLOSED: &str = "UPDATE run_loops SET unclosed = $3 WHERE tenant = $1 AND run = $2";

/// If it is dropped, the transaction is rolled back.
pub(super) struct HeldLoop<'b> {
    pub(super) held: HeldRun<'b>,
    pub(super) kept: AgentLoop,
}

impl<'b> HeldLoop<'b> {
    /// Locks it, if the lease still counts.
    pub(super) async fn take(
        books: &'b Books,
        lease: &LoopLease,
        act: ActionStamp<'_>,
        what: &'static str,
    ) -> Result<Self, LoopError> {
        let tx = books.store().db.begin(Durability::OnDisk).await.map_err(doing(what))?;
        Self::take_in(books, tx, lease, act, what).await
    }

    /// The same in a transaction that holds an approval or nothing.
    pub(super) async fn take_in(
        books: &'b Books,
        tx: Transaction,
        lease: &LoopLease,
        act: ActionStamp<'_>,
        what: &'static str,
    ) -> Result<Self, LoopError> {
        let mut held = HeldRun::take_in(books, tx, &lease.run, act, what).await?;
        let id = without_nul(lease.run.as_str());
        let read = held.tx.sql_for_update(row::READ).bind(held.tenant).bind(id);
        let row: Option<LoopRow> = read.fetch_optional().await.map_err(doing(what))?;
        let kept = row.ok_or(LoopError::Lost)?.read(what)?;
        if kept.fence != lease.fence || kept.owner.as_ref() != Some(&lease.stream) {
            return Err(LoopError::Lost);
        }
        Ok(Self { held, kept })
    }

    /// A loop that is created in this transaction.
    pub(super) async fn create(mut held: HeldRun<'b>, kept: AgentLoop) -> Result<Self, LoopError> {
        let (failed, tenant, at_ms) = (held.failed(), held.tenant, held.act().at_ms);
        let mut insert = held.tx.sql(row::INSERT);
        row::push_new(tenant, &kept, at_ms, &mut insert);
        insert.execute().await.map_err(failed)?;
        Ok(Self { held, kept })
    }

    pub(super) async fn turn(&mut self, turn: u64) -> Result<Option<StoredTurn>, LoopError> {
        let (failed, doing) = (self.held.failed(), self.held.doing);
        let run = without_nul(self.kept.run.as_str());
        let read = self.held.tx.sql(turn_row::READ).bind(self.held.tenant).bind(run);
        let row: Option<TurnRow> = read.bind(stored_count(turn)).fetch_optional().await.map_err(failed)?;
        Ok(row.map(|row| row.read(doing)).transpose()?)
    }

    /// Adds a message under the next number.
    pub(super) async fn add(&mut self, new: &NewMessage, turn: u64) -> Result<NumberedDigest, LoopError> {
        let sealed = SealedMessage::new(&self.kept.run, self.kept.last_message + 1, turn, new)?;
        self.add_sealed(&sealed).await
    }

    pub(super) async fn add_sealed(&mut self, sealed: &SealedMessage) -> Result<NumberedDigest, LoopError> {
        let (failed, tenant, at_ms) = (self.held.failed(), self.held.tenant, self.held.act().at_ms);
        let mut insert = self.held.tx.sql(message::INSERT);
        sealed.push_new(tenant, &self.kept.run, at_ms, &mut insert);
        insert.execute().await.map_err(failed)?;
        self.kept.last_message = sealed.number;
        Ok(NumberedDigest { number: sealed.number, digest: sealed.digest })
    }

    pub(super) async fn add_all(
        &mut self,
        messages: &[NewMessage],
        turn: u64,
    ) -> Result<Vec<NumberedDigest>, LoopError> {
        let mut added = Vec::with_capacity(messages.len());
        for message in messages {
            added.push(self.add(message, turn).await?);
        }
        Ok(added)
    }

    /// Adds to the use of the loop, of its run, and of the runs above it.
    pub(super) async fn charge(
        &mut self,
        usage: ModelUsage,
        cost_micros: u64,
        turns: u64,
    ) -> Result<(), LoopError> {
        let kept = &mut self.kept.usage;
        kept.input = kept.input.saturating_add(usage.input);
        kept.cached = kept.cached.saturating_add(usage.cached);
        kept.written = kept.written.saturating_add(usage.written);
        kept.output = kept.output.saturating_add(usage.output);
        self.kept.cost_micros = self.kept.cost_micros.saturating_add(cost_micros);
        let mut above = self.held.above().await?;
        let used = BudgetUsage { turns, tokens: usage.tokens(), cost_micros, ..BudgetUsage::default() };
        Ok(charge(&mut self.held, &mut above, used).await?)
    }

    /// Notes for a run that has ended whether calls of its last answer lack their results. As long as it goes on, its turns say so.
    pub(super) async fn note_unclosed(&mut self, is_unclosed: bool) -> Result<(), LoopError> {
        if !self.held.run().state.is_final() {
            return Ok(());
        }
        let (failed, run) = (self.held.failed(), without_nul(self.kept.run.as_str()));
        let note = self.held.tx.sql(UNCLOSED).bind(self.held.tenant).bind(run);
        Ok(note.bind(i64::from(is_unclosed)).execute().await.map(drop).map_err(failed)?)
    }

    /// Tells of it, in the run's own list and in the ledger.
    pub(super) async fn log(&mut self, kind: EventKind, mut detail: Value) -> Result<(), LoopError> {
        self.held.kept.run.events += 1;
        self.held.save_own().await?;
        let run = self.held.run().clone();
        detail["number"] = Value::from(run.events);
        let event = loop_event(kind, &run, self.held.act(), detail);
        Ok(self.held.log(&run, event, None).await?)
    }

    /// Commits it with its events.
    pub(super) async fn commit(mut self) -> Result<AgentLoop, LoopError> {
        let (failed, tenant) = (self.held.failed(), self.held.tenant);
        let mut save = self.held.tx.sql(row::SAVE);
        row::push_changed(tenant, &self.kept, &mut save);
        save.execute().await.map_err(failed)?;
        self.held.commit().await?;
        Ok(self.kept)
    }
}
