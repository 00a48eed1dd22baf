//! Approvals: the waiting ones, and the decisions.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_core::approval::{Approval, ApprovalState};
use toolgate_core::codes;
use toolgate_core::governance::DecidedApproval;
use toolgate_core::id::ApprovalId;
use toolgate_core::{CanonicalName, Digest, Principal, PrincipalId, RawJson, Role};
use toolgate_pipeline::desk::{ApproverDecision, DecideRequest, GrantRequest};
use toolgate_store::{APPROVALS_PAGE_MAX, ApprovalFilter};
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use super::calls::CallView;
use super::earlier_calls::AskedAt;
use super::inbox::arguments_bytes_max;
use super::views::{ApprovalView, GrantView, tool_of};
use crate::problem::{ApiResult, Problem};
use crate::read::{Json, Query, limit, word};
use crate::{ApiContext, RequestDoor};

const PAGE_USUAL: usize = 50;
const REASON_CHARS_MAX: usize = 4_000;
/// Asks for approvals in any state but pending.
const DECIDED: &str = "decided";

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct ApprovalsQuery {
    /// pending, approved, denied, changes_requested, expired, cancelled, used or lapsed; decided for all but pending
    #[serde(default)]
    state: Option<String>,
    /// Principal that asked
    #[serde(default)]
    principal: Option<String>,
    /// The canonical name of a tool
    #[serde(default)]
    tool: Option<String>,
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 500)]
    limit: Option<String>,
    /// Longer arguments are left out; `arguments_bytes` then has their length
    #[serde(default)]
    #[param(value_type = Option<u64>, minimum = 0)]
    arguments_bytes_max: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ApprovalsPage {
    approvals: Vec<ApprovalView>,
    /// The cursor of the next page; absent on the last page.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// An approval, with the information needed to decide
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ApprovalDetail {
    #[serde(flatten)]
    approval: ApprovalView,
    /// The tool as agents see it; absent if its version has changed or it is gone.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    definition: Option<RawJson>,
    /// The latest calls before it in its run or session, newest first; only for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Vec<CallView>>,
}

/// A decision on an approval
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct DecideBody {
    decision: DecisionWord,
    /// The reason. Required when asking for changes.
    #[serde(default)]
    pub(crate) reason: Option<String>,
    /// For `edit`: the arguments to run with instead. `edit` without arguments asks for changes.
    #[serde(default)]
    #[schema(value_type = Option<Object>)]
    arguments: Option<Value>,
    #[serde(default)]
    grant: Option<GrantBody>,
    /// `effective` of the approval as it was shown. If it has changed since, nothing is decided. Without it,
    /// an approval counts only if the arguments have not been edited.
    #[serde(default)]
    #[schema(value_type = Option<String>)]
    effective: Option<Digest>,
}

#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DecisionWord {
    Approve,
    Deny,
    Edit,
    RequestChanges,
}

/// "Don't ask again for this"
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
struct GrantBody {
    /// JSON pointers to arguments that must stay the same. Without it, all of them must.
    #[serde(default)]
    #[schema(example = json!(["/account"]))]
    pins: Option<Vec<String>>,
    /// The number of calls; unlimited if left out.
    #[serde(default)]
    uses: Option<u32>,
    #[serde(default)]
    expires_in_seconds: Option<u64>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct DecidedView {
    approval: ApprovalView,
    #[serde(skip_serializing_if = "Option::is_none")]
    grant: Option<GrantView>,
}

/// List approvals, newest first
#[utoipa::path(get, path = "/approvals", tag = "approvals", params(ApprovalsQuery),
    responses((status = 200, description = "A page", body = ApprovalsPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Query(query): Query<ApprovalsQuery>,
) -> ApiResult<Response> {
    let (state, except) = query.states()?;
    let filter = ApprovalFilter {
        state,
        except,
        principal: query.principal.as_deref().map(PrincipalId::new),
        tool: query.tool.as_deref().map(CanonicalName::recorded),
    };
    let limit = limit(query.limit.as_deref(), PAGE_USUAL, APPROVALS_PAGE_MAX)?;
    let bytes_max = arguments_bytes_max(query.arguments_bytes_max.as_deref())?;
    let page = context.store.list_approvals(&filter, query.cursor.as_deref(), limit).await?;
    let (approvals, next_cursor) = page;
    let view = |approval| ApprovalView::of(&context, approval).without_arguments_over(bytes_max);
    let approvals = approvals.into_iter().map(view).collect();
    Ok(json(StatusCode::OK, &ApprovalsPage { approvals, next_cursor }))
}

impl ApprovalsQuery {
    /// The requested state, and the excluded one.
    fn states(&self) -> ApiResult<(Option<ApprovalState>, Option<ApprovalState>)> {
        if self.state.as_deref() == Some(DECIDED) {
            return Ok((None, Some(ApprovalState::Pending)));
        }
        let states = ApprovalState::ALL.map(ApprovalState::as_str);
        let states: Vec<&str> = states.into_iter().chain([DECIDED]).collect();
        Ok((word("state", self.state.as_deref(), &states, ApprovalState::parse)?, None))
    }
}

/// Show an approval
///
/// Agents see the approvals of their own calls.
#[utoipa::path(get, path = "/approvals/{id}", tag = "approvals", params(("id" = String, Path, description = "apr_…")),
    responses((status = 200, description = "The approval", body = ApprovalDetail), (status = 404, description = "Not found")))]
pub(crate) async fn show(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let found = context.store.get_approval(&ApprovalId::new(id.as_str())).await?;
    let sees_all = principal.role != Role::Agent;
    let seen = found.filter(|approval| sees_all || approval.binding.principal == principal.id);
    let approval = seen.ok_or_else(|| Problem::not_found(format!("there is no approval {id}")))?;
    let definition = tool_of(&context, &approval).map(|entry| entry.definition());
    let before = match sees_all {
        true => Some(asked(&approval).before(&context).await?),
        false => None,
    };
    let approval = ApprovalView::of(&context, approval);
    Ok(json(StatusCode::OK, &ApprovalDetail { approval, definition, before }))
}

fn asked(approval: &Approval) -> AskedAt<'_> {
    AskedAt {
        run: approval.run.as_ref(),
        session: approval.session.as_ref(),
        call: Some(&approval.call),
        at_ms: approval.created_at_ms,
    }
}

/// Decide on an approval
///
/// Repeating a decision changes nothing; contradicting one is a conflict.
#[utoipa::path(post, path = "/approvals/{id}/decide", tag = "approvals", request_body = DecideBody,
    params(("id" = String, Path, description = "apr_…")),
    responses((status = 200, description = "The approval in its new state", body = DecidedView),
        (status = 404, description = "Not found"), (status = 409, description = "It was decided otherwise, it has expired, or the arguments were changed in the meantime"),
        (status = 422, description = "The edited arguments are not valid")))]
pub(crate) async fn decide(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    door: Option<Extension<RequestDoor>>,
    Path(id): Path<String>,
    Json(body): Json<DecideBody>,
) -> ApiResult<Response> {
    let RequestDoor(via) = door.map_or(RequestDoor::API, |door| door.0);
    let voice = VoteSource { voter: principal, counts_as: None, via: via.to_owned() };
    let decided = body.decide(&context, ApprovalId::new(id), voice).await?;
    Ok(decided_view(&context, decided))
}

pub(crate) fn decided_view(context: &ApiContext, decided: DecidedApproval) -> Response {
    let approval = ApprovalView::of(context, decided.approval);
    let view = DecidedView { approval, grant: decided.grant.map(GrantView::from) };
    json(StatusCode::OK, &view)
}

/// The decider, and the channel.
pub(crate) struct VoteSource {
    pub(crate) voter: Principal,
    /// The sender that vouches for the person, and possibly for others.
    pub(crate) counts_as: Option<String>,
    pub(crate) via: String,
}

impl DecideBody {
    pub(crate) fn new(
        decision: DecisionWord,
        reason: Option<String>,
        arguments: Option<Value>,
        effective: Option<Digest>,
    ) -> Self {
        Self { decision, reason, arguments, grant: None, effective }
    }

    pub(crate) async fn decide(
        self,
        context: &ApiContext,
        id: ApprovalId,
        voice: VoteSource,
    ) -> ApiResult<DecidedApproval> {
        self.check()?;
        let grant = self.grant.map(|grant| GrantRequest {
            pins: grant.pins,
            uses: grant.uses,
            expires_in_seconds: grant.expires_in_seconds,
        });
        let decision = match (self.decision, self.arguments) {
            (DecisionWord::Approve, _) => ApproverDecision::Approve,
            (DecisionWord::Deny, _) => ApproverDecision::Deny,
            (DecisionWord::Edit, Some(arguments)) => ApproverDecision::Edit(arguments),
            (DecisionWord::Edit, None) | (DecisionWord::RequestChanges, _) => {
                ApproverDecision::RequestChanges
            }
        };
        let VoteSource { voter, counts_as, via } = voice;
        let shown = match self.effective {
            Some(name) => {
                let found = context.store.get_approval(&id).await?;
                // Without an approval, the desk says so.
                found.map(|approval| context.names.arguments(&approval, name))
            }
            None => None,
        };
        let reason = self.reason;
        let request = DecideRequest { id, voter, decision, reason, grant, shown, counts_as, via };
        Ok(context.desk.decide(request).await?)
    }

    /// An argument that would be ignored is a misunderstanding; it is better refused than decided
    /// differently.
    fn check(&self) -> ApiResult<()> {
        let misplaced = |field: &str, belongs: &str| {
            let detail = format!("field `{field}`: it belongs to {belongs} and to no other decision");
            Err(Problem::new(&codes::FIELD_MISPLACED, detail).with("field", field))
        };
        let long = |reason: &String| reason.chars().count() > REASON_CHARS_MAX;
        match self.decision {
            _ if self.reason.as_ref().is_some_and(long) => {
                let detail = format!("field `reason`: it has more than {REASON_CHARS_MAX} characters");
                Err(Problem::new(&codes::FIELD_INVALID, detail).with("field", "reason"))
            }
            DecisionWord::Edit => Ok(()),
            _ if self.arguments.is_some() => misplaced("arguments", "`edit`"),
            DecisionWord::Deny | DecisionWord::RequestChanges if self.grant.is_some() => {
                misplaced("grant", "`approve` and `edit`")
            }
            _ => Ok(()),
        }
    }
}
