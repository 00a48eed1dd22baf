//! The questions to policy and its answers.

mod template;

use std::collections::BTreeSet;
use std::time::Duration;

use crate::credential::CredentialUse;
use crate::id::{RunId, SessionId};
use crate::scope::AgentName;
use crate::{Digest, Principal, PrincipalId, Tool};

pub use template::PolicyTemplate;

/// The policy port. It decides from what is in memory.
pub trait Policy: Send + Sync {
    fn decide(&self, question: &PolicyRequest<'_>) -> Decision;
    /// The decision before there are arguments: whether the tool is visible, and whether people will be
    /// asked.
    fn visibility(&self, glimpse: &VisibilityRequest<'_>) -> Visibility;
    /// Identifies everything that decides: texts, template, settings.
    fn version(&self) -> Digest;
    /// The same for sessions with their own level of care: the `policy_version` of their decisions.
    fn version_under(&self, _template: Option<PolicyTemplate>) -> Digest {
        self.version()
    }
}

/// One proposed call.
#[derive(Clone, Copy, Debug)]
pub struct PolicyRequest<'a> {
    pub principal: &'a Principal,
    pub tool: &'a Tool,
    /// The object of arguments.
    pub arguments: &'a serde_json::Value,
    pub session: Option<&'a SessionId>,
    pub agent: Option<&'a AgentName>,
    /// The level of care of the session. It never relaxes that of the gateway.
    pub template: Option<PolicyTemplate>,
    pub run: Option<&'a RunId>,
    pub task: Option<&'a str>,
    /// The credentials that the arguments name.
    pub credentials: &'a [CredentialUse],
}

impl<'a> PolicyRequest<'a> {
    /// A call without a session, run or task.
    pub fn alone(principal: &'a Principal, tool: &'a Tool, arguments: &'a serde_json::Value) -> Self {
        Self {
            principal,
            tool,
            arguments,
            session: None,
            agent: None,
            template: None,
            run: None,
            task: None,
            credentials: &[],
        }
    }
}

/// A tool that may be called later.
#[derive(Clone, Copy, Debug)]
pub struct VisibilityRequest<'a> {
    pub principal: &'a Principal,
    pub tool: &'a Tool,
    pub agent: Option<&'a AgentName>,
    pub template: Option<PolicyTemplate>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Visibility {
    /// No arguments would make policy allow it: it does not exist for this caller.
    Hidden(Denial),
    Visible(ApprovalLikelihood),
}

/// The likelihood that people are asked when a tool is called.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ApprovalLikelihood {
    Never,
    /// It depends on the call.
    Sometimes,
    Always,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Decision {
    pub verdict: Verdict,
    pub policy_version: Digest,
    /// The decision of the policies in shadow mode, if it differs.
    pub shadow: Option<Verdict>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Verdict {
    Permit,
    /// A person must agree.
    Approve(ApprovalRequirement),
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

    /// Identifies the policy's requirement, which may be empty. A denied call has none either, and never
    /// runs.
    pub fn basis(&self, template: Option<PolicyTemplate>) -> Option<Digest> {
        match self {
            Verdict::Permit => Some(Digest::of("nobody is asked")),
            Verdict::Approve(requirement) => Some(requirement.basis(template)),
            Verdict::Deny(_) => None,
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug, Default, serde::Serialize)]
pub struct Denial {
    /// The policies that forbid it; empty where none permits it.
    pub policies: Vec<PolicyRef>,
    /// An error during the evaluation of the policies; it denies too.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A policy and its author's reason (`@reason`).
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
pub struct PolicyRef {
    /// The `@id` of the policy, otherwise file and line: `gates.cedar:12`.
    pub id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// The digest of its meaning, including annotations: white space and comments do not count.
    pub text: Digest,
}

/// The approval that is required: all gates that matched, merged.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize, serde::Deserialize)]
pub struct ApprovalRequirement {
    /// Sorted by id.
    pub gates: Vec<PolicyRef>,
    /// One entry for each gate that names approvers. A member of each entry must agree; within an entry any
    /// group counts. Without entries, anyone with the right to approve may agree.
    pub approvers: Vec<Vec<String>>,
    /// The largest of all gates; at least 1.
    pub quorum: u32,
    /// The shortest of all gates, in seconds.
    pub timeout_seconds: Option<u64>,
    pub on_timeout: OnTimeout,
    /// True if all gates let an approver change the arguments.
    pub editable: bool,
    /// True if all gates let the call run after an approval even if its caller has left.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub unattended: bool,
    /// Sorted. Those whose own work is judged: their yes does not count.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub excluded: Vec<PrincipalId>,
}

/// The group of the person at the client that makes the call.
pub const CALLER_GROUP: &str = "caller";

impl ApprovalRequirement {
    /// True if the person at the calling client alone can satisfy it.
    pub fn caller_may_decide(&self) -> bool {
        self.quorum == 1
            && !self.approvers.is_empty()
            && self.approvers.iter().all(|groups| groups.iter().any(|group| group == CALLER_GROUP))
    }

    /// Merges two requirements; the result is never less strict than either.
    #[must_use]
    pub fn merged(mut self, other: ApprovalRequirement) -> ApprovalRequirement {
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
        self.unattended &= other.unattended;
        self.excluded.extend(other.excluded);
        self.excluded.sort();
        self.excluded.dedup();
        self
    }

    /// Identifies the requirement: the meaning of the gates and their merged demands, at a level of care.
    /// File names and line numbers do not count, so unrelated policies may change around them.
    pub fn basis(&self, template: Option<PolicyTemplate>) -> Digest {
        let gates: BTreeSet<String> = self.gates.iter().map(|gate| gate.text.to_string()).collect();
        let ApprovalRequirement {
            approvers,
            quorum,
            timeout_seconds,
            on_timeout,
            editable,
            unattended,
            excluded,
            ..
        } = self;
        let asked = (gates, approvers, quorum, timeout_seconds, on_timeout, editable, unattended, template);
        let plain = "texts and numbers are plain data";
        // Most exclude nobody, and approvals of earlier versions keep their basis.
        Digest::of(match excluded.is_empty() {
            true => serde_json::to_vec(&asked).expect(plain),
            false => serde_json::to_vec(&(asked, excluded)).expect(plain),
        })
    }

    pub fn timeout(&self) -> Option<Duration> {
        self.timeout_seconds.map(Duration::from_secs)
    }
}

/// The action when no decision comes in time. It never lets the call run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum OnTimeout {
    Deny,
    /// The people whom the operator named are asked too, once, for the same time again.
    Escalate,
}
