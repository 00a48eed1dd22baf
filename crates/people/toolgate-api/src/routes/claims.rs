//! Claims, for people who read and judge them. Agents have the tools `claim.*`.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use toolgate_core::claim::ClaimState;
use toolgate_core::id::ClaimId;
use toolgate_core::{Principal, Role, codes};
use toolgate_store::{CLAIMS_PAGE_MAX, ClaimFilter, PageCursor};
use utoipa::IntoParams;

use super::answer::json;
use super::claim_view::{
    ClaimCaseView, ClaimDecisionView, ClaimEvidenceView, ClaimRevisionView, ClaimView, ClaimsPage,
};
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::{Query, bad_parameter, limit};

const PAGE_USUAL: usize = 50;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct ClaimsQuery {
    /// Only claims of this type
    #[serde(default, rename = "type")]
    kind: Option<String>,
    /// draft, submitted, under_review, decided or superseded
    #[serde(default)]
    state: Option<String>,
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    limit: Option<String>,
}

/// List claims, newest first
#[utoipa::path(get, path = "/claims", tag = "claim", params(ClaimsQuery),
    responses((status = 200, description = "A page", body = ClaimsPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Query(query): Query<ClaimsQuery>,
) -> ApiResult<Response> {
    let ClaimsQuery { kind, state, cursor, limit: wanted } = query;
    let words = "draft, submitted, under_review, decided or superseded";
    let state = state
        .map(|state| ClaimState::parse(&state).ok_or_else(|| bad_parameter("state", &state, words)))
        .transpose()?;
    let read = |text: &str| {
        text.parse::<PageCursor>().map_err(|_| bad_parameter("cursor", text, "a `next_cursor` of a page"))
    };
    let cursor = cursor.as_deref().map(read).transpose()?;
    let limit = limit(wanted.as_deref(), PAGE_USUAL, CLAIMS_PAGE_MAX)?;
    let (claims, next) = context.store.claims(&ClaimFilter { kind, state }, cursor.as_ref(), limit).await?;
    let claims = claims.into_iter().map(ClaimView::from).collect();
    let next_cursor = next.map(|next| next.to_string());
    Ok(json(StatusCode::OK, &ClaimsPage { claims, next_cursor }))
}

/// Show a claim with its evidence and decisions
#[utoipa::path(get, path = "/claims/{id}", tag = "claim",
    params(("id" = String, Path, description = "clm_…")),
    responses((status = 200, description = "The claim", body = ClaimCaseView),
        (status = 404, description = "Not found")))]
pub(crate) async fn show(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let id = ClaimId::new(id);
    let claim = context.store.claim(&id).await?;
    let claim = claim
        .ok_or_else(|| Problem::new(&codes::UNKNOWN_CLAIM, format!("there is no claim {:?}", id.as_str())))?;
    let revisions = context.store.claim_revisions(&id).await?;
    let evidence = context.store.claim_evidence(&id).await?.into_iter();
    let decisions = context.store.claim_decisions(&id).await?;
    let reads_documents = principal.role != Role::Auditor;
    let view = ClaimCaseView {
        claim: claim.into(),
        revisions: revisions.into_iter().map(ClaimRevisionView::from).collect(),
        evidence: evidence.map(|one| ClaimEvidenceView::of(one, reads_documents)).collect(),
        decisions: decisions.into_iter().map(ClaimDecisionView::from).collect(),
    };
    Ok(json(StatusCode::OK, &view))
}
