//! A run in a tree that is locked until the end of the transaction.

use serde_json::Value;
use toolgate_core::PrincipalId;
use toolgate_core::event::{Durability, Event};
use toolgate_core::id::{CallId, RunId};
use toolgate_core::run::{RequiredAction, Run, RunState};

use super::error::RunError;
use super::row::{READ, READ_ROOT, RunRow, SAVE, StoredRun};
use super::{events, log, loops};
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
pub(crate) struct HeldRun<'b> {
    books: &'b Books,
    pub(crate) tx: Transaction,
    pub(crate) tenant: &'static str,
    /// The operation, for the error message.
    pub(crate) doing: &'static str,
    by: PrincipalId,
    at_ms: i64,
    pub(crate) kept: StoredRun,
    told: Vec<Event>,
}

/// A step of a run's state machine.
#[derive(Clone, Copy)]
pub(super) struct RunStep<'a> {
    pub(super) next: RunState,
    pub(super) reason: &'a str,
    /// The call that caused it.
    pub(super) call: Option<&'a CallId>,
    /// The action that it waits for from now on.
    pub(super) action: Option<&'a RequiredAction>,
}

impl<'b> HeldRun<'b> {
    pub(crate) async fn take(
        books: &'b Books,
        id: &RunId,
        act: ActionStamp<'_>,
        durability: Durability,
        what: &'static str,
    ) -> Result<Self, RunError> {
        let tx = books.store().db.begin(durability).await.map_err(doing(what))?;
        Self::take_in(books, tx, id, act, what).await
    }

    /// The same in a transaction that holds an approval or nothing.
    pub(crate) async fn take_in(
        books: &'b Books,
        mut tx: Transaction,
        id: &RunId,
        act: ActionStamp<'_>,
        what: &'static str,
    ) -> Result<Self, RunError> {
        let store = books.store();
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

    pub(crate) fn run(&self) -> &Run {
        &self.kept.run
    }

    pub(crate) fn act(&self) -> ActionStamp<'_> {
        ActionStamp { by: &self.by, at_ms: self.at_ms }
    }

    /// Records the following events under another principal.
    pub(super) fn act_as(&mut self, by: PrincipalId) {
        self.by = by;
    }

    /// Names the attempted operation.
    pub(crate) fn failed(&self) -> impl Fn(sqlx::Error) -> StoreError + use<> {
        doing(self.doing)
    }

    pub(super) fn tell(&mut self, event: Event) {
        self.told.push(event);
    }

    /// The runs above it, the nearest first.
    pub(crate) async fn above(&mut self) -> Result<Vec<StoredRun>, StoreError> {
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
    pub(crate) async fn step(&mut self, next: RunState, reason: &str) -> Result<(), RunError> {
        let kept = self.kept.clone();
        self.kept = self.step_one(kept, next, reason, None).await?;
        Ok(())
    }

    /// Takes a run of the tree one step on and tells of it.
    pub(super) async fn step_one(
        &mut self,
        kept: StoredRun,
        next: RunState,
        reason: &str,
        call: Option<&CallId>,
    ) -> Result<StoredRun, RunError> {
        self.take_one(kept, RunStep { next, reason, call, action: None }).await
    }

    /// Pauses the run itself until somebody acts.
    pub(crate) async fn pause_for(
        &mut self,
        action: &RequiredAction,
        reason: &str,
        call: Option<&CallId>,
    ) -> Result<(), RunError> {
        let kept = self.kept.clone();
        let step = RunStep { next: RunState::Paused, reason, call, action: Some(action) };
        self.kept = self.take_one(kept, step).await?;
        Ok(())
    }

    async fn take_one(&mut self, kept: StoredRun, step: RunStep<'_>) -> Result<StoredRun, RunError> {
        let act = ActionStamp { by: &self.by, at_ms: self.at_ms };
        let (kept, told) = take_step(&mut self.tx, self.tenant, kept, step, act, self.doing).await?;
        self.told.push(told);
        Ok(kept)
    }

    /// Tells of an event of a run of the tree, and puts it into the run's own list under the number that the run has
    /// reached. `shown` is its detail there, if that has more than the ledger gets.
    pub(crate) async fn log(
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
        save(&mut self.tx, self.tenant, kept).await.map_err(failed)
    }

    pub(crate) async fn save_own(&mut self) -> Result<(), StoreError> {
        let kept = self.kept.clone();
        self.save(&kept).await
    }

    /// Commits it with its events.
    pub(crate) async fn commit(self) -> Result<Run, RunError> {
        let failed = self.failed();
        self.books.record(self.tx, self.told).await.map_err(failed)?;
        Ok(self.kept.run)
    }
}

/// Takes a run of a locked tree one step on, and its loop with it. Returns the event, which is to be told.
pub(super) async fn take_step(
    tx: &mut Transaction,
    tenant: &'static str,
    mut kept: StoredRun,
    step: RunStep<'_>,
    act: ActionStamp<'_>,
    what: &'static str,
) -> Result<(StoredRun, Event), RunError> {
    let from = kept.run.state;
    kept.run = kept.run.become_state(step.next, step.reason, act.at_ms)?;
    kept.run.events += 1;
    save(tx, tenant, &kept).await.map_err(doing(what))?;
    loops::follow(tx, tenant, &kept.run, act.at_ms).await.map_err(doing(what))?;
    let told = events::stepped(&kept, from, act, step);
    log::insert(tx, tenant, &kept.run, &told, None).await.map_err(doing(what))?;
    Ok((kept, told))
}

async fn save(tx: &mut Transaction, tenant: &'static str, kept: &StoredRun) -> Result<(), sqlx::Error> {
    let mut save = tx.sql(SAVE);
    kept.push_changed(tenant, &mut save);
    save.execute().await.map(drop)
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
