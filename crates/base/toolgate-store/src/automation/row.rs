//! The rows of automations and fires.

use toolgate_core::PrincipalId;
use toolgate_core::automation::{Automation, Fire, FireState, Overlap, Trigger};
use toolgate_core::id::{AutomationId, RunId, TaskId};

use crate::StoreError;
use crate::registry::{read_count, unreadable};
use crate::row::row;

macro_rules! select {
    ($conditions:literal) => {
        concat!(
            "SELECT id, name, task, fires_on, overlap, catch_up_seconds, jitter_seconds, pause_on_failure, paused, principal, \
             created_by, created_at_ms, updated_at_ms, row_version, passed_ms FROM automations",
            $conditions
        )
    };
}

macro_rules! select_fire {
    ($conditions:literal) => {
        concat!(
            "SELECT automation, cause, state, reason, run, depth, data, attempts, at_ms FROM automation_fires",
            $conditions
        )
    };
}

pub(super) use {select, select_fire};

row! {
    pub(super) struct AutomationRow {
        id: String,
        name: String,
        task: String,
        fires_on: String,
        overlap: String,
        catch_up_seconds: i64,
        jitter_seconds: i64,
        pause_on_failure: i64,
        paused: Option<String>,
        principal: String,
        created_by: String,
        created_at_ms: i64,
        updated_at_ms: i64,
        row_version: i64,
        pub(super) passed_ms: i64,
    }
}

/// The characters of what is said about a row that cannot be read.
const WHY_CHARS_MAX: usize = 200;

impl AutomationRow {
    /// One that cannot be read is there all the same, with a trigger that says so: it can be seen, paused, replaced and deleted, and does
    /// not stop others.
    pub(super) fn read(self) -> Automation {
        let (trigger, overlap) = self.rules();
        Automation {
            id: AutomationId::new(self.id),
            name: self.name,
            task: TaskId::new(self.task),
            trigger,
            overlap,
            catch_up_seconds: read_count(self.catch_up_seconds),
            jitter_seconds: read_count(self.jitter_seconds),
            pause_on_failure: self.pause_on_failure != 0,
            paused: self.paused,
            principal: PrincipalId::new(&self.principal),
            created_by: PrincipalId::new(&self.created_by),
            created_at_ms: self.created_at_ms,
            updated_at_ms: self.updated_at_ms,
            row_version: read_count(self.row_version),
        }
    }

    fn rules(&self) -> (Trigger, Overlap) {
        match (serde_json::from_str(&self.fires_on), Overlap::parse(&self.overlap)) {
            (Ok(trigger), Some(overlap)) => (trigger, overlap),
            (Err(error), overlap) => (unreadable_rule(&error.to_string()), overlap.unwrap_or_default()),
            (Ok(_), None) => {
                (unreadable_rule(&format!("there is no overlap {:?}", self.overlap)), Overlap::default())
            }
        }
    }
}

fn unreadable_rule(why: &str) -> Trigger {
    Trigger::Unreadable { why: why.chars().take(WHY_CHARS_MAX).collect() }
}

row! {
    pub(super) struct FireRow {
        automation: String,
        cause: String,
        state: String,
        reason: Option<String>,
        run: Option<String>,
        pub(super) depth: i64,
        pub(super) data: Option<String>,
        pub(super) attempts: i64,
        at_ms: i64,
    }
}

impl FireRow {
    pub(super) fn read(self, doing: &'static str) -> Result<Fire, StoreError> {
        Ok(Fire {
            automation: AutomationId::new(self.automation),
            cause: self.cause,
            state: FireState::parse(&self.state).ok_or_else(|| unreadable(doing, "state of a fire"))?,
            reason: self.reason,
            run: self.run.map(RunId::new),
            at_ms: self.at_ms,
        })
    }
}
