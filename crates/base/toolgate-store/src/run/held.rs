//! A run in a tree that is locked until the end of the transaction.

use serde_json::Value;
use toolgate_core::PrincipalId;
use toolgate_core::event::{Durability, Event};
use toolgate_core::id::{CallId, RunId};
use toolgate_core::run::{Run, RunState};

use super::error::RunError;
use super::row::{READ, READ_ROOT, RunRow, SAVE, StoredRun};
use super::{events, log};
use crate::StoreError;
use crate::books::Books;
use crate::db::{Transaction, without_nul};
use crate::error::doing;

/// The principal and the time of an action.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ActionStamp<'a> {
    pub by: &'a PrincipalId,
    pub at_ms: i64,
}

/// If it is dropped, the transaction is rolled back.
pub(super) struct HeldRun<'b> {
    books: &'b Books,
    pub(super) tx: Transaction,
    pub(super) tenant: &'static str,
    /// The operation, for the error message.
    pub(super) doing: &'static str,
    by: PrincipalId,
    at_ms: i64,
    pub(super) kept: StoredRun,
    told: Vec<Event>,
}

impl<'b> HeldRun<'b> {
    pub(super) async fn take(
        books: &'b Books,
        id: &RunId,
        act: ActionStamp<'_>,
        durability: Durability,
        what: &'static str,
    ) -> Result<Self, RunError> {
        let store = books.store();
        let mut tx = store.db.begin(durability).await.map_err(doing(what))?;
        let kept = lock(&mut tx, store.tenant, id, what).await?;
        let kept = kept.ok_or_else(|| RunError::UnknownRun(id.clone()))?;
        let ActionStamp { by, at_ms } = act;
        Ok(Self {
            books,
            tx,
            tenant: store.tenant,
            doing: what,
            by: by.clone(),
            at_ms,
            kept,
            told: Vec::new(),
        })
    }

    pub(super) fn run(&self) -> &Run {
        &self.kept.run
    }

    pub(super) fn act(&self) -> ActionStamp<'_> {
        ActionStamp { by: &self.by, at_ms: self.at_ms }
    }

    /// Records the following events under another principal.
    pub(super) fn act_as(&mut self, by: PrincipalId) {
        self.by = by;
    }

    /// Names the attempted operation.
    pub(super) fn failed(&self) -> impl Fn(sqlx::Error) -> StoreError + use<> {
        doing(self.doing)
    }

    pub(super) fn tell(&mut self, event: Event) {
        self.told.push(event);
    }

    /// The runs above it, the nearest first.
    pub(super) async fn above(&mut self) -> Result<Vec<StoredRun>, StoreError> {
        let mut above = Vec::new();
        let mut next = self.kept.run.parent.clone();
        while let Some(id) = next {
            let parent = read(&mut self.tx, self.tenant, &id, self.doing).await?;
            let Some(parent) = parent else { break };
            next = parent.run.parent.clone();
            above.push(parent);
        }
        Ok(above)
    }

    /// Takes the run itself one step on.
    pub(super) async fn step(&mut self, next: RunState, reason: &str) -> Result<(), RunError> {
        let kept = self.kept.clone();
        self.kept = self.step_one(kept, next, reason, None).await?;
        Ok(())
    }

    /// Takes a run of the tree one step on and tells of it.
    pub(super) async fn step_one(
        &mut self,
        mut kept: StoredRun,
        next: RunState,
        reason: &str,
        call: Option<&CallId>,
    ) -> Result<StoredRun, RunError> {
        let from = kept.run.state;
        kept.run = kept.run.become_state(next, reason, self.at_ms)?;
        kept.run.events += 1;
        self.save(&kept).await?;
        let told = events::stepped(&kept, from, self.act(), call);
        self.log(&kept.run, told, None).await?;
        Ok(kept)
    }

    /// Tells of an event of a run of the tree, and puts it into the run's own list under the number that the run has
    /// reached. `shown` is its detail there, if that has more than the ledger gets.
    pub(super) async fn log(
        &mut self,
        run: &Run,
        event: Event,
        shown: Option<&Value>,
    ) -> Result<(), StoreError> {
        let failed = self.failed();
        log::insert(&mut self.tx, self.tenant, run, &event, shown).await.map_err(failed)?;
        self.tell(event);
        Ok(())
    }

    pub(super) async fn save(&mut self, kept: &StoredRun) -> Result<(), StoreError> {
        let failed = self.failed();
        let mut save = self.tx.sql(SAVE);
        kept.push_changed(self.tenant, &mut save);
        save.execute().await.map(drop).map_err(failed)
    }

    pub(super) async fn save_own(&mut self) -> Result<(), StoreError> {
        let kept = self.kept.clone();
        self.save(&kept).await
    }

    /// Commits it with its events.
    pub(super) async fn commit(self) -> Result<Run, RunError> {
        let failed = self.failed();
        self.books.record(self.tx, self.told).await.map_err(failed)?;
        Ok(self.kept.run)
    }
}

/// Locks the tree of a run and reads the run.
pub(super) async fn lock(
    tx: &mut Transaction,
    tenant: &'static str,
    id: &RunId,
    what: &'static str,
) -> Result<Option<StoredRun>, StoreError> {
    let root = tx.sql_for_update(READ_ROOT).bind(tenant).bind(without_nul(id.as_str()));
    let root: Option<RunRow> = root.fetch_optional().await.map_err(doing(what))?;
    match root.map(|row| row.read(what)).transpose()? {
        Some(root) if root.run.id != *id => read(tx, tenant, id, what).await,
        found => Ok(found),
    }
}

/// Reads a run of a tree that is locked.
async fn read(
    tx: &mut Transaction,
    tenant: &'static str,
    id: &RunId,
    what: &'static str,
) -> Result<Option<StoredRun>, StoreError> {
    let read = tx.sql(READ).bind(tenant).bind(without_nul(id.as_str()));
    let row: Option<RunRow> = read.fetch_optional().await.map_err(doing(what))?;
    row.map(|row| row.read(what)).transpose()
}
