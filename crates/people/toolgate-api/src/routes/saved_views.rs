//! Saved views: filters of the list of calls that people keep under a name, each person their own.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use toolgate_core::{Principal, codes};
use toolgate_store::{
    SAVED_VIEW_NAME_CHARS_MAX, SAVED_VIEW_QUERY_BYTES_MAX, SAVED_VIEWS_MAX, SavedView, SavedViewOutcome,
};
use utoipa::ToSchema;

use super::answer::json;
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::Json;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SavedViewsPage {
    /// By name.
    views: Vec<SavedViewData>,
}

/// A filter of calls under a name
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SavedViewData {
    #[schema(example = "Failed transfers")]
    name: String,
    /// The query of `GET /calls`, or of the console's page.
    #[schema(example = "tool=bank%3Atransfer&outcome=failed&range=24h")]
    query: String,
}

/// The filter to save
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SavedViewBody {
    /// Without a question mark, at most 2,000 bytes.
    query: String,
}

/// List your saved views
#[utoipa::path(get, path = "/calls/views", tag = "calls",
    responses((status = 200, description = "The views that you saved", body = SavedViewsPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
) -> ApiResult<Response> {
    let views = context.store.saved_views(&principal.id).await?;
    let views = views.into_iter().map(SavedViewData::from).collect();
    Ok(json(StatusCode::OK, &SavedViewsPage { views }))
}

/// Save a view
///
/// Replaces your view of this name. A person has at most 50.
#[utoipa::path(put, path = "/calls/views/{name}", tag = "calls", request_body = SavedViewBody,
    params(("name" = String, Path, description = "Its name, at most 60 characters")),
    responses((status = 200, description = "The view", body = SavedViewData),
        (status = 422, description = "The name or the query is too long, or there are too many")))]
pub(crate) async fn save(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(name): Path<String>,
    Json(body): Json<SavedViewBody>,
) -> ApiResult<Response> {
    let name = name.trim().to_owned();
    let chars = name.chars().count();
    if chars == 0 || chars > SAVED_VIEW_NAME_CHARS_MAX {
        return Err(refused("name", &format!("a name has 1 to {SAVED_VIEW_NAME_CHARS_MAX} characters")));
    }
    if body.query.len() > SAVED_VIEW_QUERY_BYTES_MAX {
        return Err(refused("query", &format!("a query has at most {SAVED_VIEW_QUERY_BYTES_MAX} bytes")));
    }
    let view = SavedView { name, query: body.query };
    match context.store.save_view(&principal.id, &view, context.clock.now_ms()).await? {
        SavedViewOutcome::Saved => Ok(json(StatusCode::OK, &SavedViewData::from(view))),
        SavedViewOutcome::TooMany => {
            Err(refused("name", &format!("you have {SAVED_VIEWS_MAX} saved views")).hint("remove one first"))
        }
    }
}

/// Remove a saved view
#[utoipa::path(delete, path = "/calls/views/{name}", tag = "calls",
    params(("name" = String, Path, description = "Its name")),
    responses((status = 204, description = "It is gone"), (status = 404, description = "You have no such view")))]
pub(crate) async fn remove(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(name): Path<String>,
) -> ApiResult<Response> {
    match context.store.remove_view(&principal.id, &name).await? {
        true => Ok(StatusCode::NO_CONTENT.into_response()),
        false => Err(Problem::not_found(format!("you have no saved view {name:?}"))),
    }
}

fn refused(field: &str, why: &str) -> Box<Problem> {
    Problem::new(&codes::FIELD_INVALID, why.to_owned()).with("field", field)
}

impl From<SavedView> for SavedViewData {
    fn from(view: SavedView) -> Self {
        Self { name: view.name, query: view.query }
    }
}
