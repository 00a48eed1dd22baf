//! Reading automations and fires.

use toolgate_core::automation::{Automation, Fire};
use toolgate_core::id::{AutomationId, RunId};
use toolgate_core::run::RunLabel;

use super::held::{READ, READ_FIRE};
use super::row::{AutomationRow, FireRow, select, select_fire};
use crate::cursor::PageCursor;
use crate::db::without_nul;
use crate::error::doing;
use crate::page::{PageQuery, RUN_PAGE_MAX};
use crate::registry::read_count;
use crate::{Store, StoreError};

/// The maximum number of fires on a page.
pub const FIRES_PAGE_MAX: usize = 200;

const SELECT: &str = select!("");
const TIMED: &str = select!(" WHERE tenant = $1 AND paused IS NULL AND is_timed = 1 ORDER BY id");
const FOLLOWING: &str = select!(" WHERE tenant = $1 AND paused IS NULL AND is_timed = 0 ORDER BY id");
const FIRES: &str = select_fire!(
    " WHERE tenant = $1 AND automation = $2 AND (at_ms, cause) < ($3, $4) ORDER BY at_ms DESC, cause DESC LIMIT $5"
);
const FIRES_FIRST: &str =
    select_fire!(" WHERE tenant = $1 AND automation = $2 ORDER BY at_ms DESC, cause DESC LIMIT $3");
const FIRE_OF_RUN: &str = select_fire!(" WHERE tenant = $1 AND run = $2 LIMIT 1");
const LAPSED: &str = "SELECT automation, cause FROM automation_fires
    WHERE tenant = $1 AND state = 'claimed' AND claimed_until_ms <= $2 ORDER BY claimed_until_ms LIMIT $3";
const BUFFERED: &str = "SELECT automation, cause FROM automation_fires
    WHERE tenant = $1 AND state = 'buffered' ORDER BY at_ms LIMIT $2";
const RUN_OF_FIRE: &str = "SELECT id FROM runs WHERE tenant = $1 AND run_type = 'automation' AND name = $2
    ORDER BY created_at_ms DESC, id DESC LIMIT 1";
/// The run of the event and those above it: each may be a run of an automation.
const DEPTH: &str = "WITH RECURSIVE above (id, parent) AS (
        SELECT id, parent FROM runs WHERE tenant = $1 AND id = $2
        UNION ALL SELECT runs.id, runs.parent FROM runs JOIN above ON runs.id = above.parent WHERE runs.tenant = $1)
    SELECT COALESCE(MAX(fires.depth), 0) FROM automation_fires fires JOIN above ON fires.run = above.id
    WHERE fires.tenant = $1";
const FORGET: &str = "DELETE FROM automation_fires
    WHERE tenant = $1 AND at_ms < $2 AND state NOT IN ('claimed', 'buffered')";

/// An automation, and the last instant that it has had.
#[derive(Clone, PartialEq, Debug)]
pub struct WatchedAutomation {
    pub automation: Automation,
    pub passed_ms: i64,
}

impl Store {
    pub async fn automation(&self, id: &AutomationId) -> Result<Option<Automation>, StoreError> {
        const DOING: &str = "read an automation";
        let read = self.db.sql(READ).bind(self.tenant).bind(without_nul(id.as_str()));
        let row: Option<AutomationRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        Ok(row.map(AutomationRow::read))
    }

    /// One page, newest first, and the cursor of the next one.
    pub async fn automations(
        &self,
        cursor: Option<&PageCursor>,
        limit: usize,
    ) -> Result<(Vec<Automation>, Option<PageCursor>), StoreError> {
        const DOING: &str = "list the automations";
        let page = PageQuery::new(cursor, limit, RUN_PAGE_MAX);
        let (rows, more) = page.fetch::<AutomationRow>(self, SELECT).await.map_err(doing(DOING))?;
        let listed: Vec<Automation> = rows.into_iter().map(AutomationRow::read).collect();
        let next = listed.last().filter(|_| more).map(|last| PageCursor::at(last.created_at_ms, &last.id));
        Ok((listed, next))
    }

    /// Those with instants that are not paused, with any that cannot be read. Their number is limited.
    pub async fn timed_automations(&self) -> Result<Vec<WatchedAutomation>, StoreError> {
        self.working(TIMED).await
    }

    /// Those that wait for something else and are not paused, with any that cannot be read. Their number is limited.
    pub async fn following_automations(&self) -> Result<Vec<WatchedAutomation>, StoreError> {
        self.working(FOLLOWING).await
    }

    async fn working(&self, statement: &'static str) -> Result<Vec<WatchedAutomation>, StoreError> {
        const DOING: &str = "read the automations that are not paused";
        let read = self.db.sql(statement).bind(self.tenant);
        let rows: Vec<AutomationRow> = read.fetch_all().await.map_err(doing(DOING))?;
        let watched = |row: AutomationRow| {
            let passed_ms = row.passed_ms;
            WatchedAutomation { automation: row.read(), passed_ms }
        };
        Ok(rows.into_iter().map(watched).collect())
    }

    /// One page of the fires of an automation, newest first, and the cursor of the next one.
    pub async fn fires(
        &self,
        automation: &AutomationId,
        cursor: Option<&PageCursor>,
        limit: usize,
    ) -> Result<(Vec<Fire>, Option<PageCursor>), StoreError> {
        const DOING: &str = "list the fires of an automation";
        let limit = limit.clamp(1, FIRES_PAGE_MAX);
        let (first, id) = (if cursor.is_some() { FIRES } else { FIRES_FIRST }, automation.as_str());
        let mut read = self.db.sql(first).bind(self.tenant).bind(without_nul(id));
        if let Some(PageCursor { created_at_ms, id }) = cursor {
            read = read.bind(*created_at_ms).bind(without_nul(id));
        }
        // One row more than requested shows whether there is a next page.
        let read = read.bind(i64::try_from(limit + 1).expect("a page is limited"));
        let mut rows: Vec<FireRow> = read.fetch_all().await.map_err(doing(DOING))?;
        let more = rows.len() > limit;
        rows.truncate(limit);
        let fires: Vec<Fire> = rows.into_iter().map(|row| row.read(DOING)).collect::<Result<_, _>>()?;
        let next = fires.last().filter(|_| more).map(|last| PageCursor::at(last.at_ms, &last.cause));
        Ok((fires, next))
    }

    pub async fn fire(&self, automation: &AutomationId, cause: &str) -> Result<Option<Fire>, StoreError> {
        const DOING: &str = "read a fire of an automation";
        let read = self.db.sql(READ_FIRE).bind(self.tenant).bind(without_nul(automation.as_str()));
        let row: Option<FireRow> =
            read.bind(without_nul(cause)).fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// The fire that started a run.
    pub async fn fire_of_run(&self, run: &RunId) -> Result<Option<Fire>, StoreError> {
        const DOING: &str = "look for the automation of a run";
        let read = self.db.sql(FIRE_OF_RUN).bind(self.tenant).bind(without_nul(run.as_str()));
        let row: Option<FireRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }

    /// The latest run of a cause, found by its label: the claim may have ended before it was noted.
    pub async fn run_of_fire(&self, fire: &Fire) -> Result<Option<RunId>, StoreError> {
        let label = RunLabel::of_fire(&fire.automation, &fire.cause).name.unwrap_or_default();
        let read = self.db.sql(RUN_OF_FIRE).bind(self.tenant).bind(without_nul(&label));
        let found: Option<(String,)> =
            read.fetch_optional().await.map_err(doing("look for the run of a cause"))?;
        Ok(found.map(|(id,)| RunId::new(id)))
    }

    /// Claims whose time is over, the longest first.
    pub async fn lapsed_fires(
        &self,
        now_ms: i64,
        limit: usize,
    ) -> Result<Vec<(AutomationId, String)>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let read = self.db.sql(LAPSED).bind(self.tenant).bind(now_ms).bind(limit);
        let rows: Vec<(String, String)> =
            read.fetch_all().await.map_err(doing("find starts that nobody finished"))?;
        Ok(rows.into_iter().map(|(id, cause)| (AutomationId::new(id), cause)).collect())
    }

    /// Fires that wait for the end of the run before, the oldest first.
    pub async fn buffered_fires(&self, limit: usize) -> Result<Vec<(AutomationId, String)>, StoreError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let read = self.db.sql(BUFFERED).bind(self.tenant).bind(limit);
        let rows: Vec<(String, String)> = read.fetch_all().await.map_err(doing("find buffered starts"))?;
        Ok(rows.into_iter().map(|(id, cause)| (AutomationId::new(id), cause)).collect())
    }

    /// The number of automations that led to a run: 0 if a person or another program started it.
    pub async fn chain_depth(&self, run: &RunId) -> Result<u64, StoreError> {
        let read = self.db.sql(DEPTH).bind(self.tenant).bind(without_nul(run.as_str()));
        let (depth,): (i64,) =
            read.fetch_one().await.map_err(doing("count the automations that led to a run"))?;
        Ok(read_count(depth))
    }

    /// Deletes fires of before a moment, except those that wait.
    pub async fn forget_fires(&self, before_ms: i64) -> Result<u64, StoreError> {
        let forget = self.db.sql(FORGET).bind(self.tenant).bind(before_ms);
        forget.execute().await.map_err(doing("delete old fires of automations"))
    }
}
