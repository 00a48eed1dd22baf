//! Grants: calls that need no further approval, until a grant is revoked.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Response};
use http::StatusCode;
use serde::{Deserialize, Serialize};
use toolgate_core::Principal;
use toolgate_core::codes;
use toolgate_core::id::GrantId;
use toolgate_store::GrantFilter;
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use super::views::GrantView;
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::{Query, word};

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct GrantsQuery {
    /// live (grants that can be used now, the default) or all
    #[serde(default)]
    which: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct GrantsPage {
    grants: Vec<GrantView>,
}

/// List grants, newest first
#[utoipa::path(get, path = "/grants", tag = "grants", params(GrantsQuery),
    responses((status = 200, description = "The grants", body = GrantsPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Query(query): Query<GrantsQuery>,
) -> ApiResult<Response> {
    let parse = |word: &str| match word {
        "live" => Some(GrantFilter::Live),
        "all" => Some(GrantFilter::All),
        _ => None,
    };
    let which = word("which", query.which.as_deref(), &["live", "all"], parse)?.unwrap_or(GrantFilter::Live);
    let grants = context.store.list_grants(which).await?.into_iter().map(GrantView::from).collect();
    Ok(json(StatusCode::OK, &GrantsPage { grants }))
}

/// Revoke a grant
///
/// People are asked about its calls again.
#[utoipa::path(delete, path = "/grants/{id}", tag = "grants", params(("id" = String, Path, description = "grt_…")),
    responses((status = 204, description = "Revoked"), (status = 404, description = "Not found"),
        (status = 409, description = "It is used up, expired or already revoked")))]
pub(crate) async fn revoke(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let grant = GrantId::new(id.as_str());
    if context.books.revoke_grant(&grant, &principal.id).await? {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    match context.store.get_grant(&grant).await? {
        None => Err(Problem::not_found(format!("there is no grant {id}"))),
        Some(_) => {
            let detail = format!("grant {id} was used up, has expired or was revoked before");
            Err(Problem::new(&codes::GRANT_ENDED, detail))
        }
    }
}
