//! Automations: rules that start runs of a task at instants, after events, or when something arrives.

use crate::event::{EventKind, Outcome};
use crate::id::{AutomationId, RunId, TaskId};
use crate::run::RunState;
use crate::{CanonicalName, PrincipalId, ServerName};

#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Automation {
    pub id: AutomationId,
    /// Unique among automations.
    pub name: String,
    pub task: TaskId,
    pub trigger: Trigger,
    pub overlap: Overlap,
    /// An instant that is missed by no more than this still starts a run, and only the latest of them.
    pub catch_up_seconds: u64,
    /// Each start is delayed by a part of this, which is the same for the same instant.
    pub jitter_seconds: u64,
    pub pause_on_failure: bool,
    /// Set while it is paused: the reason, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub paused: Option<String>,
    /// The principal whose rights its runs have.
    pub principal: PrincipalId,
    pub created_by: PrincipalId,
    pub created_at_ms: i64,
    pub updated_at_ms: i64,
    /// 1 when it was made.
    pub row_version: u64,
}

/// The cause of a start.
#[derive(Clone, PartialEq, Debug, serde::Serialize, serde::Deserialize)]
#[serde(tag = "on", rename_all = "snake_case", deny_unknown_fields)]
pub enum Trigger {
    Cron {
        /// Five fields, or six with seconds: `0 9 * * MON-FRI`.
        pattern: String,
        /// An IANA name: `Europe/Berlin`.
        #[serde(default = "utc")]
        timezone: String,
    },
    Interval {
        seconds: u64,
        /// The first instant, in milliseconds since 1970.
        from_ms: i64,
    },
    Once {
        at_ms: i64,
    },
    /// An event of the ledger. What is left out matches everything.
    Event {
        kind: EventKind,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool: Option<CanonicalName>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        server: Option<ServerName>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        outcome: Option<Outcome>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        principal: Option<PrincipalId>,
    },
    /// A signed request to `/automations/{name}/fire`.
    Webhook {
        /// The name of the vault's secret that signs it.
        secret: String,
    },
    /// A pointer moved, so that a file arrived there.
    Pointer {
        /// Namespace and name, with `*`: `inbox/*`.
        pattern: String,
    },
    RunEnded {
        #[serde(default, skip_serializing_if = "Option::is_none")]
        task: Option<TaskId>,
        /// Empty for every end.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        states: Vec<RunState>,
    },
    /// A stored one that this release cannot read: it is damaged, or of a newer release. It starts nothing, and nobody can ask for it.
    #[serde(skip_deserializing)]
    Unreadable {
        why: String,
    },
}

fn utc() -> String {
    "UTC".to_owned()
}

impl Trigger {
    /// True if it fires at instants that are known before.
    pub fn is_timed(&self) -> bool {
        matches!(self, Trigger::Cron { .. } | Trigger::Interval { .. } | Trigger::Once { .. })
    }
}

/// The rule for a start while an earlier run of the same automation has not ended.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Overlap {
    /// It is left out.
    #[default]
    Skip,
    /// One start waits until the run has ended; further ones are left out.
    BufferOne,
    /// The earlier run is cancelled.
    CancelOther,
    AllowAll,
}

impl Overlap {
    pub const ALL: [Overlap; 4] =
        [Overlap::Skip, Overlap::BufferOne, Overlap::CancelOther, Overlap::AllowAll];

    pub fn as_str(self) -> &'static str {
        match self {
            Overlap::Skip => "skip",
            Overlap::BufferOne => "buffer_one",
            Overlap::CancelOther => "cancel_other",
            Overlap::AllowAll => "allow_all",
        }
    }

    pub fn parse(text: &str) -> Option<Overlap> {
        Self::ALL.into_iter().find(|overlap| overlap.as_str() == text)
    }
}

/// One instant or cause of an automation. There is one row for each, however many gateways there are.
#[derive(Clone, PartialEq, Debug, serde::Serialize)]
pub struct Fire {
    pub automation: AutomationId,
    /// The instant in milliseconds since 1970, or the name of the cause: the position of an event, the id of a request or of a run.
    pub cause: String,
    pub state: FireState,
    /// The reason of a start that did not happen.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    pub at_ms: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FireState {
    /// A gateway is starting its run.
    Claimed,
    Started,
    /// It waits for the end of the run before.
    Buffered,
    /// An earlier run had not ended.
    Skipped,
    /// No gateway was there in time.
    Missed,
    /// The run could not be started.
    Failed,
}

impl FireState {
    pub const ALL: [FireState; 6] = [
        FireState::Claimed,
        FireState::Started,
        FireState::Buffered,
        FireState::Skipped,
        FireState::Missed,
        FireState::Failed,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            FireState::Claimed => "claimed",
            FireState::Started => "started",
            FireState::Buffered => "buffered",
            FireState::Skipped => "skipped",
            FireState::Missed => "missed",
            FireState::Failed => "failed",
        }
    }

    pub fn parse(text: &str) -> Option<FireState> {
        Self::ALL.into_iter().find(|state| state.as_str() == text)
    }
}
