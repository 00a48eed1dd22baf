//! What policy is asked and what it answers.

use std::time::Duration;

use crate::id::{RunId, SessionId};
use crate::{Digest, Principal, Tool};

/// The policy port. A decision is made from what is in memory.
pub trait Policy: Send + Sync {
    fn decide(&self, question: &Question<'_>) -> Decision;
    /// Stands for everything that decides: texts, template, settings.
    fn version(&self) -> Digest;
}

/// One call that somebody proposes.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    pub principal: &'a Principal,
    pub tool: &'a Tool,
    /// The object of arguments.
    pub arguments: &'a serde_json::Value,
    pub session: Option<&'a SessionId>,
    pub run: Option<&'a RunId>,
    pub task: Option<&'a str>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    pub verdict: Verdict,
    pub policy_version: Digest,
    /// What the policies in shadow mode would have said, where it differs.
    pub shadow: Option<Verdict>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Permit,
    /// A person must agree.
    Approve(Requirement),
    Deny(Denial),
}

impl Verdict {
    pub fn as_str(&self) -> &'static str {
        match self {
            Verdict::Permit => "permit",
            Verdict::Approve(_) => "approve",
            Verdict::Deny(_) => "deny",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Denial {
    /// The policies that forbid it; empty where none permits it.
    pub policies: Vec<PolicyRef>,
    /// What went wrong while the policies were evaluated; that denies too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A policy and why it is there, in its author's words (`@reason`).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
pub struct PolicyRef {
    /// `@id` where there is one, else file and line: `gates.cedar:12`.
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The digest of its own text, annotations included.
    pub text: Digest,
}

/// Who must agree, and how: all gates that matched, merged.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct Requirement {
    /// Sorted by id.
    pub gates: Vec<PolicyRef>,
    /// One entry for each gate that names approvers. Somebody of each entry must agree; within an entry any group
    /// will do. Without entries anybody with the right to approve may.
    pub approvers: Vec<Vec<String>>,
    /// The largest of all gates; at least 1.
    pub quorum: u32,
    /// The shortest of all gates, in seconds.
    pub timeout_seconds: Option<u64>,
    pub on_timeout: OnTimeout,
    /// Whether all gates let an approver change the arguments.
    pub editable: bool,
}

/// The group that stands for the person at the client that makes the call.
pub const CALLER_GROUP: &str = "caller";

impl Requirement {
    /// Whether the person at the calling client alone can satisfy it.
    pub fn caller_may_decide(&self) -> bool {
        self.quorum == 1
            && !self.approvers.is_empty()
            && self.approvers.iter().all(|groups| groups.iter().any(|group| group == CALLER_GROUP))
    }

    /// What both ask together: never less strict than either.
    #[must_use]
    pub fn merged(mut self, other: Requirement) -> Requirement {
        self.gates.extend(other.gates);
        self.gates.sort();
        self.gates.dedup();
        for groups in other.approvers {
            if !self.approvers.contains(&groups) {
                self.approvers.push(groups);
            }
        }
        self.quorum = self.quorum.max(other.quorum);
        self.timeout_seconds = match (self.timeout_seconds, other.timeout_seconds) {
            (Some(one), Some(two)) => Some(one.min(two)),
            (one, two) => one.or(two),
        };
        self.on_timeout = self.on_timeout.min(other.on_timeout);
        self.editable &= other.editable;
        self
    }

    pub fn timeout(&self) -> Option<Duration> {
        self.timeout_seconds.map(Duration::from_secs)
    }
}

/// What happens when nobody decides in time. Never: it runs.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnTimeout {
    Deny,
    /// Those whom the operator named are asked as well, once, for as long again.
    Escalate,
}
