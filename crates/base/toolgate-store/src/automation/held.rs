//! An automation whose row is locked until the end of the transaction.

use toolgate_core::automation::{Automation, Fire};
use toolgate_core::event::Event;
use toolgate_core::id::{AutomationId, RunId};

use super::error::AutomationError;
use super::events::{self, AutomationStep};
use super::fire::BusyFires;
use super::row::{AutomationRow, FireRow, select, select_fire};
use crate::StoreError;
use crate::books::Books;
use crate::db::{Transaction, without_nul};
use crate::error::doing;
use crate::registry::{read_count, stored_count};
use crate::run::ActionStamp;

/// The newest started fires whose runs are looked at for open ones.
const STARTED_LOOKED_AT_MAX: i64 = 100;

pub(super) const READ: &str = select!(" WHERE tenant = $1 AND id = $2");
pub(super) const READ_FIRE: &str = select_fire!(" WHERE tenant = $1 AND automation = $2 AND cause = $3");
const PAUSE: &str = "UPDATE automations SET paused = $3, updated_at_ms = $4, row_version = $5, passed_ms = $6
    WHERE tenant = $1 AND id = $2";
const OPEN_RUNS: &str = "SELECT runs.id FROM runs JOIN
        (SELECT run FROM automation_fires WHERE tenant = $1 AND automation = $2 AND state = 'started'
            ORDER BY at_ms DESC, cause DESC LIMIT $3) AS started ON runs.id = started.run
    WHERE runs.tenant = $1 AND runs.state IN ('pending', 'running', 'paused') ORDER BY runs.id";
const COUNT_STARTING: &str = "SELECT COUNT(*) FROM automation_fires
    WHERE tenant = $1 AND state = 'claimed' AND automation = $2 AND cause <> $3";
const COUNT_BUFFERED: &str = "SELECT COUNT(*) FROM automation_fires
    WHERE tenant = $1 AND state = 'buffered' AND automation = $2 AND cause <> $3";

/// If it is dropped, the transaction is rolled back.
pub(super) struct HeldAutomation<'b> {
    books: &'b Books,
    pub(super) tx: Transaction,
    pub(super) tenant: &'static str,
    pub(super) doing: &'static str,
    pub(super) automation: Automation,
    pub(super) passed_ms: i64,
    told: Vec<Event>,
}

impl<'b> HeldAutomation<'b> {
    pub(super) async fn take(
        books: &'b Books,
        id: &AutomationId,
        what: &'static str,
    ) -> Result<Self, AutomationError> {
        let tenant = books.store().tenant;
        let mut tx = books.begin().await.map_err(doing(what))?;
        let read = tx.sql_for_update(READ).bind(tenant).bind(without_nul(id.as_str()));
        let row: Option<AutomationRow> = read.fetch_optional().await.map_err(doing(what))?;
        let row = row.ok_or_else(|| AutomationError::Unknown(id.to_string()))?;
        let passed_ms = row.passed_ms;
        let automation = row.read();
        Ok(Self { books, tx, tenant, doing: what, automation, passed_ms, told: Vec::new() })
    }

    pub(super) fn failed(&self) -> impl Fn(sqlx::Error) -> StoreError + use<> {
        doing(self.doing)
    }

    pub(super) fn id(&self) -> String {
        without_nul(self.automation.id.as_str())
    }

    pub(super) fn tell_change(&mut self, step: AutomationStep, act: ActionStamp<'_>) {
        self.told.push(events::changed(&self.automation, step, act));
    }

    pub(super) fn tell_fire(&mut self, fire: &Fire, act: ActionStamp<'_>) {
        self.told.push(events::fired(&self.automation, fire, act));
    }

    pub(super) async fn fire(&mut self, cause: &str) -> Result<Option<FireRow>, StoreError> {
        let (failed, id) = (self.failed(), self.id());
        let read = self.tx.sql(READ_FIRE).bind(self.tenant).bind(id).bind(without_nul(cause));
        read.fetch_optional().await.map_err(failed)
    }

    /// The fires besides one cause that have begun and not ended.
    pub(super) async fn busy(&mut self, besides: &str) -> Result<BusyFires, StoreError> {
        let failed = self.failed();
        let open = self.tx.sql(OPEN_RUNS).bind(self.tenant).bind(without_nul(self.automation.id.as_str()));
        let open: Vec<(String,)> = open.bind(STARTED_LOOKED_AT_MAX).fetch_all().await.map_err(failed)?;
        Ok(BusyFires {
            open: open.into_iter().map(|(id,)| RunId::new(id)).collect(),
            starting: self.count(COUNT_STARTING, besides).await?,
            buffered: self.count(COUNT_BUFFERED, besides).await?,
        })
    }

    async fn count(&mut self, statement: &'static str, besides: &str) -> Result<u64, StoreError> {
        let (failed, id) = (self.failed(), self.id());
        let count = self.tx.sql(statement).bind(self.tenant).bind(id).bind(without_nul(besides));
        let (count,): (i64,) = count.fetch_one().await.map_err(failed)?;
        Ok(read_count(count))
    }

    /// Pauses it with a note, or lets it go on. The instants of a pause are nobody's.
    pub(super) async fn set_paused(
        &mut self,
        note: Option<&str>,
        act: ActionStamp<'_>,
    ) -> Result<(), StoreError> {
        let (failed, id) = (self.failed(), self.id());
        let note = note.map(without_nul);
        self.automation.paused.clone_from(&note);
        self.automation.updated_at_ms = act.at_ms;
        self.automation.row_version += 1;
        if note.is_none() {
            self.passed_ms = act.at_ms;
        }
        let step = if note.is_some() { AutomationStep::Paused } else { AutomationStep::Resumed };
        let pause = self.tx.sql(PAUSE).bind(self.tenant).bind(id).bind(note).bind(act.at_ms);
        let pause = pause.bind(stored_count(self.automation.row_version)).bind(self.passed_ms);
        pause.execute().await.map_err(failed)?;
        self.tell_change(step, act);
        Ok(())
    }

    /// Commits it with its events.
    pub(super) async fn commit(self) -> Result<Automation, StoreError> {
        let failed = self.failed();
        self.books.record(self.tx, self.told).await.map_err(failed)?;
        Ok(self.automation)
    }
}
