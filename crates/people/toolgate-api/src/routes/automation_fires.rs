//! The fires of automations: those there were, those to come, those that are caught up, and those that a signed request causes.

use axum::Extension;
use axum::extract::{Path, Request, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use toolgate_core::moment::{parse_rfc3339, rfc3339};
use toolgate_core::{Principal, codes};
use toolgate_store::FIRES_PAGE_MAX;
use toolgate_tasks::WebhookRequest;
use utoipa::IntoParams;

use super::answer::json;
use super::automation_view::{BackfillBody, BackfilledView, FireView, FiresPage, InstantsView};
use super::runs::RunPageQuery;
use super::webhooks::SignatureHeaders;
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::{Json, Query, bad_parameter, limit, read_body};

const PAGE_USUAL: usize = 50;
const INSTANTS_USUAL: usize = 10;
const INSTANTS_MAX: usize = 100;
/// The maximum size of a request that fires an automation.
const FIRE_BYTES_MAX: usize = 256 << 10;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct InstantsQuery {
    /// The moment to begin at, in RFC 3339; now by default
    #[serde(default)]
    from: Option<String>,
    /// Maximum number of instants
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 100)]
    limit: Option<String>,
}

/// List the fires of an automation, newest first
///
/// Every instant and cause has one entry, also those that started nothing.
#[utoipa::path(get, path = "/automations/{name}/fires", tag = "automations",
    params(("name" = String, Path, description = "Its name, or aut_…"), RunPageQuery),
    responses((status = 200, description = "A page", body = FiresPage), (status = 404, description = "Not found")))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Path(name): Path<String>,
    Query(query): Query<RunPageQuery>,
) -> ApiResult<Response> {
    let limit = limit(query.limit.as_deref(), PAGE_USUAL, FIRES_PAGE_MAX)?;
    let tasks = context.tasks.tasks()?;
    let automation = tasks.automation(&name).await?;
    let page = tasks.fires(&automation.id, query.cursor.as_deref(), limit).await?;
    let fires = page.fires.into_iter().map(FireView::from).collect();
    Ok(json(StatusCode::OK, &FiresPage { fires, next_cursor: page.next }))
}

/// Show the next instants of an automation
#[utoipa::path(get, path = "/automations/{name}/next", tag = "automations",
    params(("name" = String, Path, description = "Its name, or aut_…"), InstantsQuery),
    responses((status = 200, description = "The instants", body = InstantsView), (status = 404, description = "Not found")))]
pub(crate) async fn next(
    State(context): State<ApiContext>,
    Path(name): Path<String>,
    Query(query): Query<InstantsQuery>,
) -> ApiResult<Response> {
    let count = limit(query.limit.as_deref(), INSTANTS_USUAL, INSTANTS_MAX)?;
    let from_ms = match query.from.as_deref() {
        Some(from) => parse_rfc3339(from)
            .ok_or_else(|| bad_parameter("from", from, "a time").hint("write it as 2027-01-31T09:00:00Z"))?,
        None => context.clock.now_ms(),
    };
    let tasks = context.tasks.tasks()?;
    let automation = tasks.automation(&name).await?;
    let instants = tasks.next(&automation, from_ms, count).into_iter().map(rfc3339).collect();
    Ok(json(StatusCode::OK, &InstantsView { instants }))
}

/// Start the instants of a span of time now
///
/// Instants that had a run are not started again. Those that were missed, skipped or failed are, whatever the rule for overlapping
/// runs says.
#[utoipa::path(post, path = "/automations/{name}/backfill", tag = "automations", request_body = BackfillBody,
    params(("name" = String, Path, description = "Its name, or aut_…")),
    responses((status = 200, description = "The fires", body = BackfilledView), (status = 404, description = "Not found"),
        (status = 422, description = "The span has too many instants, or the automation has none")))]
pub(crate) async fn backfill(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(name): Path<String>,
    Json(body): Json<BackfillBody>,
) -> ApiResult<Response> {
    let (from_ms, until_ms) = (moment("from", &body.from)?, moment("until", &body.until)?);
    let fires = context.tasks.tasks()?.backfill(&name, from_ms, until_ms, &principal.id).await?;
    let fires = fires.into_iter().map(FireView::from).collect();
    Ok(json(StatusCode::OK, &BackfilledView { fires }))
}

/// Fire an automation
///
/// The message is signed with the secret that the trigger names, within five minutes; no token is needed. The same message again, by
/// its id, is the same start. Its body becomes part of the run's first message, as data.
#[utoipa::path(post, path = "/automations/{name}/fire", tag = "automations", request_body = Object,
    params(("name" = String, Path, description = "The automation's name"),
        ("webhook-id" = String, Header, description = "The message's own id"),
        ("webhook-timestamp" = String, Header, description = "Seconds since 1970"),
        ("webhook-signature" = String, Header, description = "`v1,` and the base64 of HMAC-SHA256 over \"id.timestamp.body\"")),
    responses((status = 202, description = "The fire", body = FireView),
        (status = 401, description = "The signature is missing, wrong or too old"),
        (status = 413, description = "The body is larger than 256 KiB")))]
pub(crate) async fn fire(
    State(context): State<ApiContext>,
    Path(name): Path<String>,
    request: Request,
) -> ApiResult<Response> {
    let (parts, body) = request.into_parts();
    let SignatureHeaders { id, timestamp, signatures } = SignatureHeaders::of(&parts.headers)?;
    let body = read_body(body, FIRE_BYTES_MAX.min(context.limits.request_bytes_max)).await?;
    let request = WebhookRequest { id, timestamp, signature: signatures, body: body.to_vec() };
    let fire = context.tasks.tasks()?.fire_webhook(&name, request).await?;
    Ok(json(StatusCode::ACCEPTED, &FireView::from(fire)))
}

fn moment(field: &str, text: &str) -> ApiResult<i64> {
    parse_rfc3339(text).ok_or_else(|| {
        let detail = format!("field `{field}`: {text:?} is not a time");
        Problem::bad_field(&codes::FIELD_INVALID, field, detail).hint("write it as 2027-01-31T09:00:00Z")
    })
}
