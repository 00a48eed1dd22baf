//! The public data of approvals and grants. Times are RFC 3339.

use std::sync::Arc;

use serde::Serialize;
use serde_json::Value;
use toolgate_catalog::CatalogEntry;
use toolgate_core::approval::{Approval, Grant, Vote, WithdrawalReason};
use toolgate_core::content::Attachment;
use toolgate_core::credential::CredentialUse;
use toolgate_core::decision::ApprovalRequirement;
use toolgate_core::id::ApprovalId;
use toolgate_core::moment::rfc3339;
use toolgate_core::{Digest, Effects, RawJson, Tool};
use toolgate_store::ArgumentNames;
use utoipa::ToSchema;

use crate::ApiContext;

/// An approval of one exact call
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ApprovalView {
    #[schema(example = "apr_0198f5c2a4b07c3d8e1f")]
    id: String,
    /// pending, approved, denied, changes_requested, expired, cancelled, used or lapsed.
    state: &'static str,
    tool: String,
    principal: String,
    /// The call that asked first.
    call: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    /// The agent of the caller.
    #[serde(skip_serializing_if = "Option::is_none")]
    agent: Option<String>,
    /// The principal that opened the session, on whose behalf the call is made.
    #[serde(skip_serializing_if = "Option::is_none")]
    opened_by: Option<String>,
    /// The effects of the call: read, write, external, destructive. Absent if the tool's version has changed
    /// or it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Vec<String>>)]
    effects: Option<Effects>,
    /// The arguments that would run, redacted. `null` if they are too long for a list.
    #[schema(value_type = Object)]
    arguments: RawJson,
    /// Their length, if they were left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments_bytes: Option<usize>,
    /// Files and refs in the arguments: the approval covers exactly this content.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    attachments: Vec<AttachmentView>,
    /// Credentials whose values the server would get, by handle, name and origin.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    credentials: Vec<CredentialUseView>,
    /// The arguments that were proposed, if an approver changed them.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    proposed_arguments: Option<RawJson>,
    /// The name of the arguments that would run, for decisions. It is of this approval alone, and no digest of theirs.
    #[schema(value_type = String)]
    effective: Digest,
    #[schema(value_type = String)]
    tool_version: Digest,
    /// The policies that were in force when people were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    policy_version: Option<Digest>,
    /// The people who must agree, and how.
    #[schema(value_type = Object)]
    requirement: ApprovalRequirement,
    votes: Vec<VoteView>,
    /// The number of people who agree to what would run now. All persons that a webhook without `persons`
    /// names count as one.
    agreed: usize,
    created_at: String,
    /// While pending: the end of the time to decide. Once approved: the end of the time to run the call.
    expires_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved_at: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    escalated_to: Option<Vec<String>>,
    /// The call that ran under it.
    #[serde(skip_serializing_if = "Option::is_none")]
    used_by: Option<String>,
    /// The reason why it ended without a decision: by_caller, policies_changed or tool_changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<String>)]
    withdrawn: Option<WithdrawalReason>,
    /// When the caller learned how it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    told_at: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct AttachmentView {
    /// A JSON pointer into the arguments.
    #[schema(example = "/file_id")]
    place: String,
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<String>,
    media_type: String,
    size: u64,
    #[schema(value_type = String)]
    digest: Digest,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CredentialUseView {
    /// A JSON pointer into the arguments.
    #[schema(example = "/secret")]
    place: String,
    #[schema(example = "cred_0198f5c2a4b07c3d8e1f.password")]
    handle: String,
    /// The name that people gave it.
    name: String,
    /// The only origin that the value is for.
    #[schema(example = "https://jobs.example")]
    origin: String,
    /// True if no earlier call of the session used it.
    new: bool,
}

impl From<CredentialUse> for CredentialUseView {
    fn from(one: CredentialUse) -> Self {
        let handle = one.handle();
        Self { place: one.place, handle, name: one.name, origin: one.origin, new: one.is_new }
    }
}

impl From<Attachment> for AttachmentView {
    fn from(one: Attachment) -> Self {
        Self {
            place: one.place,
            id: one.id,
            name: one.name.map(|name| name.to_string()),
            media_type: one.media_type,
            size: one.bytes,
            digest: one.digest,
        }
    }
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct VoteView {
    person: String,
    /// approve, deny, edit or request_changes.
    decision: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<String>,
    at: String,
    /// The name of the arguments that they saw, as in the approval.
    #[schema(value_type = String)]
    effective: Digest,
}

/// A grant: calls that run without asking again
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GrantView {
    #[schema(example = "grt_0198f5c2a4b07c3d8e1f")]
    id: String,
    principal: String,
    tool: String,
    #[schema(value_type = String)]
    tool_version: Digest,
    pins: Vec<PinView>,
    /// `null` is unlimited.
    uses_left: Option<u32>,
    created_at: String,
    created_by: String,
    expires_at: String,
    /// The approval with which it was created.
    approval: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    revoked_at: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct PinView {
    /// A JSON pointer into the arguments, whose value must be as it was; the empty one is all of them.
    path: String,
}

/// The tool of an approval, if it is unchanged.
pub(super) fn tool_of(context: &ApiContext, approval: &Approval) -> Option<Arc<CatalogEntry>> {
    let found = context.catalog.snapshot().tools.find(approval.binding.tool.as_str())?.clone();
    let is_it = |tool: &Arc<Tool>| tool.version == approval.binding.tool_version;
    found.tool.as_ref().is_some_and(is_it).then_some(found)
}

impl ApprovalView {
    pub(super) fn of(context: &ApiContext, approval: Approval) -> Self {
        let effects = tool_of(context, &approval).and_then(|entry| Some(entry.tool.as_ref()?.effects));
        let names = &context.names;
        let votes =
            approval.votes.iter().map(|vote| VoteView::of(names, &approval.id, vote.clone())).collect();
        Self {
            effects,
            votes,
            effective: names.name(&approval.id, approval.effective),
            arguments_bytes: None,
            agreed: approval.agreed(),
            agent: approval.agent.map(|agent| agent.to_string()),
            opened_by: approval.opened_by.map(|by| by.to_string()),
            id: approval.id.to_string(),
            state: approval.state.as_str(),
            tool: approval.binding.tool.to_string(),
            principal: approval.binding.principal.to_string(),
            call: approval.call.to_string(),
            session: approval.session.map(|session| session.to_string()),
            run: approval.run.map(|run| run.to_string()),
            task: approval.task,
            attachments: approval.attachments.into_iter().map(AttachmentView::from).collect(),
            credentials: approval.credentials.into_iter().map(CredentialUseView::from).collect(),
            arguments: approval.arguments,
            proposed_arguments: approval.proposed_arguments,
            tool_version: approval.binding.tool_version,
            policy_version: approval.policy_version,
            requirement: approval.requirement,
            created_at: rfc3339(approval.created_at_ms),
            expires_at: rfc3339(approval.expires_at_ms),
            resolved_at: approval.resolved_at_ms.map(rfc3339),
            escalated_to: approval.escalated_to,
            used_by: approval.used_by.map(|call| call.to_string()),
            withdrawn: approval.withdrawn,
            told_at: approval.told_at_ms.map(rfc3339),
        }
    }

    /// For lists, which have many entries.
    pub(super) fn without_arguments_over(mut self, bytes_max: usize) -> Self {
        let bytes = self.arguments.as_str().len();
        if bytes > bytes_max {
            self.arguments = RawJson::from(Value::Null);
            self.arguments_bytes = Some(bytes);
            self.proposed_arguments = None;
        }
        self
    }
}

impl VoteView {
    fn of(names: &ArgumentNames, approval: &ApprovalId, vote: Vote) -> Self {
        Self {
            person: vote.person.to_string(),
            decision: vote.ballot.as_str(),
            reason: vote.reason,
            at: rfc3339(vote.at_ms),
            effective: names.name(approval, vote.effective),
        }
    }
}

impl From<Grant> for GrantView {
    fn from(grant: Grant) -> Self {
        let pins = grant.pins.into_iter().map(|pin| PinView { path: pin.path });
        Self {
            id: grant.id.to_string(),
            principal: grant.principal.to_string(),
            tool: grant.tool.to_string(),
            tool_version: grant.tool_version,
            pins: pins.collect(),
            uses_left: grant.uses_left,
            created_at: rfc3339(grant.created_at_ms),
            created_by: grant.created_by.to_string(),
            expires_at: rfc3339(grant.expires_at_ms),
            approval: grant.approval.to_string(),
            revoked_at: grant.revoked_at_ms.map(rfc3339),
        }
    }
}
