//! Automations: rules that start runs of tasks.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::header::LOCATION;
use http::{HeaderMap, StatusCode};
use toolgate_core::automation::Automation;
use toolgate_core::scope::Credential;
use toolgate_core::{Principal, PrincipalId, Refusal, RefusalKind, Role, codes};
use toolgate_store::RUN_PAGE_MAX;
use toolgate_tasks::NewAutomation;

use super::answer::json;
use super::automation_view::{AutomationBody, AutomationView, AutomationsPage, PauseBody};
use super::runs::RunPageQuery;
use super::tag::{expected_version, tagged};
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::{Json, Query, limit};

const PAGE_USUAL: usize = 50;
/// The note of a pause without one.
const PAUSED: &str = "paused";

/// List automations
#[utoipa::path(get, path = "/automations", tag = "automations", params(RunPageQuery),
    responses((status = 200, description = "A page", body = AutomationsPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Query(query): Query<RunPageQuery>,
) -> ApiResult<Response> {
    let limit = limit(query.limit.as_deref(), PAGE_USUAL, RUN_PAGE_MAX)?;
    let page = context.tasks.tasks()?.automations(query.cursor.as_deref(), limit).await?;
    let view = |automation| viewed(&context, automation);
    let automations = page.automations.into_iter().map(view).collect::<ApiResult<_>>()?;
    Ok(json(StatusCode::OK, &AutomationsPage { automations, next_cursor: page.next }))
}

/// Create an automation
///
/// Its runs have the rights of its principal: the caller, or another whom an admin names.
#[utoipa::path(post, path = "/automations", tag = "automations", request_body = AutomationBody,
    responses((status = 201, description = "The automation", body = AutomationView),
        (status = 403, description = "Only admins name another principal, and a token that is bound to an agent makes none"),
        (status = 404, description = "There is no such task"),
        (status = 409, description = "The name is taken, or there are too many"),
        (status = 422, description = "The trigger makes no sense: a pattern that never fires or fires too often, a time zone that does not exist")))]
pub(crate) async fn create(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Json(body): Json<AutomationBody>,
) -> ApiResult<Response> {
    let (new, by) = (body.read(), &credential.principal.id);
    check_principal(&credential, new.principal.as_ref().unwrap_or(by))?;
    let automation = context.tasks.tasks()?.create_automation(new, by).await?;
    let location = format!("/automations/{}", automation.id);
    Ok(([(LOCATION, location)], shown(&context, StatusCode::CREATED, automation)?).into_response())
}

/// Show an automation
#[utoipa::path(get, path = "/automations/{name}", tag = "automations",
    params(("name" = String, Path, description = "Its name, or aut_…")),
    responses((status = 200, description = "The automation; `etag` is its version", body = AutomationView),
        (status = 404, description = "Not found")))]
pub(crate) async fn show(State(context): State<ApiContext>, Path(name): Path<String>) -> ApiResult<Response> {
    shown(&context, StatusCode::OK, context.tasks.tasks()?.automation(&name).await?)
}

/// Change an automation
///
/// Runs that it has started stay as they are.
#[utoipa::path(put, path = "/automations/{name}", tag = "automations", request_body = AutomationBody,
    params(("name" = String, Path, description = "Its name, or aut_…"),
        ("if-match" = Option<String>, Header, description = "The `etag` of what was read: it is changed only if it still has this version")),
    responses((status = 200, description = "The new automation", body = AutomationView),
        (status = 403, description = "It has the rights of another principal, which only admins hand on"),
        (status = 404, description = "Not found"),
        (status = 412, description = "It was changed in the meantime; `version` is the current one"),
        (status = 422, description = "The trigger makes no sense")))]
pub(crate) async fn put(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(name): Path<String>,
    headers: HeaderMap,
    Json(body): Json<AutomationBody>,
) -> ApiResult<Response> {
    let (tasks, expected) = (context.tasks.tasks()?, expected_version(&headers)?);
    let (change, by) = (body.read(), &credential.principal.id);
    // The principal stays if none is named: its rights would serve another task.
    let principal = match change.principal.clone() {
        Some(principal) => principal,
        None => tasks.automation(&name).await?.principal,
    };
    check_principal(&credential, &principal)?;
    let change = NewAutomation { principal: Some(principal), ..change };
    match tasks.change_automation(&name, change, expected, by).await {
        Ok(automation) => shown(&context, StatusCode::OK, automation),
        Err(refusal) => Err(refused(&context, &name, refusal).await),
    }
}

/// Delete an automation
///
/// Its runs stay.
#[utoipa::path(delete, path = "/automations/{name}", tag = "automations",
    params(("name" = String, Path, description = "Its name, or aut_…")),
    responses((status = 204, description = "It is gone"), (status = 404, description = "Not found")))]
pub(crate) async fn remove(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(name): Path<String>,
) -> ApiResult<StatusCode> {
    context.tasks.tasks()?.delete_automation(&name, &principal.id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Pause an automation
///
/// Runs in progress continue. Instants that pass meanwhile are recorded as missed when it is resumed; requests are refused, and
/// events are not heard.
#[utoipa::path(post, path = "/automations/{name}/pause", tag = "automations", request_body = PauseBody,
    params(("name" = String, Path, description = "Its name, or aut_…")),
    responses((status = 200, description = "The automation", body = AutomationView),
        (status = 404, description = "Not found")))]
pub(crate) async fn pause(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(name): Path<String>,
    Json(body): Json<PauseBody>,
) -> ApiResult<Response> {
    let note = body.note.as_deref().map(str::trim).filter(|note| !note.is_empty()).unwrap_or(PAUSED);
    let paused = context.tasks.tasks()?.pause_automation(&name, note, &principal.id).await?;
    shown(&context, StatusCode::OK, paused)
}

/// Resume an automation
#[utoipa::path(post, path = "/automations/{name}/resume", tag = "automations",
    params(("name" = String, Path, description = "Its name, or aut_…")),
    responses((status = 200, description = "The automation", body = AutomationView),
        (status = 404, description = "Not found")))]
pub(crate) async fn resume(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(name): Path<String>,
) -> ApiResult<Response> {
    let resumed = context.tasks.tasks()?.resume_automation(&name, &principal.id).await?;
    shown(&context, StatusCode::OK, resumed)
}

/// Whoever makes an automation hands on the rights of its principal, for good: their own, unless they may act as anyone.
pub(super) fn check_principal(credential: &Credential, principal: &PrincipalId) -> ApiResult<()> {
    if let Some(agent) = &credential.agent {
        let detail = format!("this token is bound to the agent {agent}, and an automation is not");
        return Err(Problem::new(&codes::NOT_ALLOWED, detail).hint("use a token that is bound to no agent"));
    }
    if credential.principal.role == Role::Admin || credential.principal.id == *principal {
        return Ok(());
    }
    let detail = format!("only admins let an automation run with the rights of {principal}");
    Err(Problem::new(&codes::NOT_ALLOWED, detail)
        .hint("name yourself as its principal, or let an admin do it")
        .with("field", "principal"))
}

fn shown(context: &ApiContext, status: StatusCode, automation: Automation) -> ApiResult<Response> {
    let version = automation.row_version;
    Ok(tagged(version, json(status, &viewed(context, automation)?)))
}

fn viewed(context: &ApiContext, automation: Automation) -> ApiResult<AutomationView> {
    let next = context.tasks.tasks()?.next(&automation, context.clock.now_ms(), 1);
    Ok(AutomationView::of(automation, next.first().copied()))
}

/// A late client learns which version to read again.
async fn refused(context: &ApiContext, name: &str, refusal: Refusal) -> Box<Problem> {
    let is_late = refusal.kind == RefusalKind::Stale;
    let problem = Box::<Problem>::from(refusal);
    let Ok(tasks) = context.tasks.tasks() else { return problem };
    match tasks.automation(name).await {
        Ok(automation) if is_late => problem.with("version", automation.row_version),
        _ => problem,
    }
}
