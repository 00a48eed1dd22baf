//! Runs: lists, events, pausing and cancelling.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use toolgate_core::PrincipalId;
use toolgate_core::approval::{Approval, ApprovalState};
use toolgate_core::id::{RunId, TaskId};
use toolgate_core::run::{InputState, Run, RunState};
use toolgate_core::scope::Credential;
use toolgate_runs::{InputQuery, RunPage, RunQuery};
use toolgate_store::{APPROVALS_PAGE_MAX, ApprovalFilter, RUN_PAGE_MAX};
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use super::driven_view::DrivenView;
use super::inputs::InputView;
use super::run_access::{find, operates, own_run};
use super::run_view::{CallCounts, CallView, RunCallsPage, RunDetail, RunView, RunsPage, WaitingView};
use super::seat::oversees;
use super::views::ApprovalView;
use crate::ApiContext;
use crate::problem::ApiResult;
use crate::read::{Json, Query, limit, word};

const PAGE_USUAL: usize = 50;
/// Pages of approvals among which those of a run are looked for.
const APPROVAL_PAGES_MAX: usize = 4;
/// The default reason for cancelling a run.
const CANCELLED: &str = "cancelled";

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunsQuery {
    /// pending, running, paused, completed, partial, failed or cancelled
    #[serde(default)]
    state: Option<String>,
    /// Only runs of this task
    #[serde(default)]
    task: Option<String>,
    /// Only runs of this principal
    #[serde(default)]
    principal: Option<String>,
    /// Only runs within this run
    #[serde(default)]
    parent: Option<String>,
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    limit: Option<String>,
}

/// A page of runs or tasks.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct RunPageQuery {
    /// `next_cursor` of the previous page
    #[serde(default)]
    pub(super) cursor: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    pub(super) limit: Option<String>,
}

/// The reason for cancelling a run
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct CancelBody {
    #[serde(default)]
    reason: Option<String>,
}

/// List runs, newest first
///
/// Agents see their own runs.
#[utoipa::path(get, path = "/runs", tag = "runs", params(RunsQuery),
    responses((status = 200, description = "A page", body = RunsPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Query(query): Query<RunsQuery>,
) -> ApiResult<Response> {
    let query = query.read()?;
    if credential.session.is_some() {
        let own = own_run_if(&context, &credential, &query).await?;
        return Ok(page(&context, RunPage { runs: own.into_iter().collect(), next: None }));
    }
    let Some(query) = seen(&credential, query) else {
        return Ok(page(&context, RunPage { runs: Vec::new(), next: None }));
    };
    Ok(page(&context, context.runs.list(query).await?))
}

/// Show a run
#[utoipa::path(get, path = "/runs/{id}", tag = "runs", params(("id" = String, Path, description = "run_…")),
    responses((status = 200, description = "The run", body = RunDetail),
        (status = 404, description = "Not found, or not visible to the caller")))]
pub(crate) async fn show(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let run = find(&context, &credential, &RunId::new(id)).await?;
    Ok(json(StatusCode::OK, &detail(&context, run).await?))
}

/// List the runs within a run, newest first
#[utoipa::path(get, path = "/runs/{id}/children", tag = "runs",
    params(("id" = String, Path, description = "run_…"), RunPageQuery),
    responses((status = 200, description = "A page", body = RunsPage),
        (status = 404, description = "Not found, or not visible to the caller")))]
pub(crate) async fn children(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    Query(query): Query<RunPageQuery>,
) -> ApiResult<Response> {
    let run = find(&context, &credential, &RunId::new(id)).await?;
    let children = context.runs.list(RunQuery {
        parent: Some(run.id),
        cursor: query.cursor,
        limit: limit(query.limit.as_deref(), PAGE_USUAL, RUN_PAGE_MAX)?,
        ..RunQuery::default()
    });
    Ok(page(&context, children.await?))
}

/// List the calls in a run
#[utoipa::path(get, path = "/runs/{id}/calls", tag = "runs", params(("id" = String, Path, description = "run_…")),
    responses((status = 200, description = "The calls", body = RunCallsPage),
        (status = 404, description = "Not found, or not visible to the caller")))]
pub(crate) async fn calls(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let run = find(&context, &credential, &RunId::new(id)).await?;
    let calls = context.runs.calls(&run.id).await?.into_iter().map(CallView::from).collect();
    Ok(json(StatusCode::OK, &RunCallsPage { calls }))
}

/// Pause a run
///
/// Calls in progress finish; no others start. In a run that the gateway drives, the request to the model ends now.
#[utoipa::path(post, path = "/runs/{id}/pause", tag = "runs", params(("id" = String, Path, description = "run_…")),
    responses((status = 200, description = "The run in its new state", body = RunView),
        (status = 404, description = "Not found, or not visible to the caller"),
        (status = 409, description = "It is not running"), (status = 410, description = "It has ended")))]
pub(crate) async fn pause(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let run = find(&context, &credential, &RunId::new(id)).await?;
    let run = context.runs.pause(&run.id, &credential.principal.id).await?;
    context.driven.interrupt(&run.id).await;
    Ok(stepped(&context, run))
}

/// Resume a run
///
/// A question that it waits for is cancelled: to resume with an answer, answer it. A run that an operator or
/// admin paused can be resumed only by operators and admins.
#[utoipa::path(post, path = "/runs/{id}/resume", tag = "runs", params(("id" = String, Path, description = "run_…")),
    responses((status = 200, description = "The run in its new state", body = RunView),
        (status = 403, description = "An operator has paused it"),
        (status = 404, description = "Not found, or not visible to the caller"),
        (status = 409, description = "It is not paused"), (status = 410, description = "It has ended")))]
pub(crate) async fn resume(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let run = find(&context, &credential, &RunId::new(id)).await?;
    if run.state == RunState::Paused && !operates(&credential) {
        context.runs.check_resumable(&run).await?;
    }
    let run = context.runs.resume(&run.id, &credential.principal.id).await?;
    Ok(stepped(&context, run))
}

/// Cancel a run
///
/// All runs within it end with it, and their questions are cancelled. Their calls in progress are cancelled at the servers.
#[utoipa::path(post, path = "/runs/{id}/cancel", tag = "runs", request_body = CancelBody,
    params(("id" = String, Path, description = "run_…")),
    responses((status = 200, description = "The run in its new state", body = RunView),
        (status = 404, description = "Not found, or not visible to the caller"), (status = 410, description = "It has ended")))]
pub(crate) async fn cancel(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    Json(body): Json<CancelBody>,
) -> ApiResult<Response> {
    let run = find(&context, &credential, &RunId::new(id)).await?;
    let reason = body.reason.as_deref().map(str::trim).filter(|reason| !reason.is_empty());
    let by = &credential.principal.id;
    let run = context.runs.cancel(&run.id, by, reason.unwrap_or(CANCELLED)).await?;
    Ok(stepped(&context, run))
}

fn stepped(context: &ApiContext, run: Run) -> Response {
    json(StatusCode::OK, &RunView::at(run, context.clock.now_ms()))
}

fn page(context: &ApiContext, page: RunPage) -> Response {
    let now_ms = context.clock.now_ms();
    let runs = page.runs.into_iter().map(|run| RunView::at(run, now_ms)).collect();
    json(StatusCode::OK, &RunsPage { runs, next_cursor: page.next })
}

/// The query as far as the caller may see it; `None` if it may not.
fn seen(credential: &Credential, query: RunQuery) -> Option<RunQuery> {
    if oversees(credential) {
        return Some(query);
    }
    let own = &credential.principal.id;
    let is_other = query.principal.as_ref().is_some_and(|asked| asked != own);
    (!is_other).then(|| RunQuery { principal: Some(own.clone()), ..query })
}

/// The one run that a session's token sees, if it matches the query.
async fn own_run_if(
    context: &ApiContext,
    credential: &Credential,
    query: &RunQuery,
) -> ApiResult<Option<Run>> {
    let Some(id) = own_run(context, credential).await? else { return Ok(None) };
    let run = context.runs.get(&id).await?;
    let is_asked_for = query.state.is_none_or(|state| state == run.state)
        && query.principal.as_ref().is_none_or(|principal| *principal == run.principal)
        && (query.task.is_none() || query.task == run.task)
        && (query.parent.is_none() || query.parent == run.parent);
    Ok(is_asked_for.then_some(run))
}

async fn detail(context: &ApiContext, run: Run) -> ApiResult<RunDetail> {
    let calls = context.runs.calls(&run.id).await?;
    let children = context.runs.count_children(&run.id).await?;
    let waiting = waiting(context, &run).await?;
    let driven = context.store.agent_loop(&run.id).await?.map(DrivenView::from);
    let run = RunView::at(run, context.clock.now_ms());
    Ok(RunDetail { run, waiting, calls: CallCounts::of(&calls), children, driven })
}

async fn waiting(context: &ApiContext, run: &Run) -> ApiResult<WaitingView> {
    let asked = InputQuery {
        state: Some(InputState::Pending),
        run: Some(run.id.clone()),
        cursor: None,
        limit: RUN_PAGE_MAX,
    };
    let inputs = context.runs.inputs(asked).await?.inputs.into_iter().map(InputView::from).collect();
    let view = |approval| ApprovalView::of(context, approval);
    let approvals = approvals(context, run).await?.into_iter().map(view).collect();
    Ok(WaitingView { inputs, approvals })
}

async fn approvals(context: &ApiContext, run: &Run) -> ApiResult<Vec<Approval>> {
    let filter = ApprovalFilter {
        state: Some(ApprovalState::Pending),
        principal: Some(run.principal.clone()),
        ..ApprovalFilter::default()
    };
    let (mut found, mut cursor) = (Vec::new(), None);
    for _ in 0..APPROVAL_PAGES_MAX {
        let page = context.store.list_approvals(&filter, cursor.as_deref(), APPROVALS_PAGE_MAX).await?;
        found.extend(page.0.into_iter().filter(|approval| approval.run.as_ref() == Some(&run.id)));
        match page.1 {
            Some(next) => cursor = Some(next),
            None => break,
        }
    }
    Ok(found)
}

impl RunsQuery {
    fn read(self) -> ApiResult<RunQuery> {
        let words = RunState::ALL.map(RunState::as_str);
        Ok(RunQuery {
            state: word("state", self.state.as_deref(), &words, RunState::parse)?,
            task: self.task.map(TaskId::new),
            principal: self.principal.as_deref().map(PrincipalId::new),
            parent: self.parent.map(RunId::new),
            cursor: self.cursor,
            limit: limit(self.limit.as_deref(), PAGE_USUAL, RUN_PAGE_MAX)?,
            ..RunQuery::default()
        })
    }
}
