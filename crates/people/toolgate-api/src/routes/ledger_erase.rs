//! Erasing what is kept of a principal's calls.

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use toolgate_core::id::{CallId, SessionId};
use toolgate_core::{Principal, PrincipalId};
use toolgate_store::{ErasureReport, ErasureRequest, ErasureScope};
use utoipa::ToSchema;

use super::answer::json;
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::Json;

/// The scope of an erasure
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct EraseBody {
    /// The principal whose calls they are.
    #[schema(example = "ann")]
    principal: String,
    /// Only calls of this session.
    #[serde(default)]
    session: Option<String>,
    /// Only this call.
    #[serde(default)]
    call: Option<String>,
    /// Recorded in the ledger.
    #[serde(default)]
    #[schema(example = "request 4711 of 3 August")]
    reason: Option<String>,
    /// Count what would be erased, and erase nothing.
    #[serde(default)]
    dry_run: bool,
}

/// The result of an erasure
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ErasedView {
    dry_run: bool,
    /// Recorded calls within the scope.
    calls: u64,
    /// Arguments and results in the ledger.
    bodies: u64,
    /// Parts of results that were taken out of them.
    refs: u64,
    /// Results of calls with an id of their client.
    results: u64,
    /// Ended approvals, with the arguments that people were shown.
    approvals: u64,
    /// Ended grants, and others whose pinned values were blanked.
    grants: u64,
    /// Messages between ended runs and their models. Runs that have not ended keep theirs.
    messages: u64,
    /// Arguments and results that stay, because earlier versions kept them once for several principals.
    shared: u64,
    /// Approvals that stay, because they are not decided or not used yet.
    open_approvals: u64,
}

/// Erase a person's data
///
/// Deletes the arguments and results of a principal's calls, and whatever else is kept of their content. The events stay,
/// with the principal's name, and the ledger still verifies. It cannot be undone.
#[utoipa::path(post, path = "/ledger/erase", tag = "ledger", request_body = EraseBody,
    responses((status = 200, description = "What was erased, or would be", body = ErasedView),
        (status = 404, description = "The ledger has no such calls")))]
pub(crate) async fn erase(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    Json(body): Json<EraseBody>,
) -> ApiResult<Response> {
    let scope = ErasureScope {
        principal: PrincipalId::new(&body.principal),
        session: body.session.map(SessionId::new),
        call: body.call.map(CallId::new),
    };
    let report = match body.dry_run {
        true => context.store.find_erasable(&scope).await?,
        false => {
            let request = ErasureRequest { scope, by: principal.id, reason: body.reason };
            context.store.erase(context.books.writer().stream(), &request).await?
        }
    };
    if report.calls == 0 && report.erased.is_empty() {
        return Err(Problem::not_found(format!("the ledger has no such calls of {:?}", body.principal)));
    }
    Ok(json(StatusCode::OK, &ErasedView::of(report, body.dry_run)))
}

impl ErasedView {
    fn of(report: ErasureReport, dry_run: bool) -> Self {
        let ErasureReport { calls, erased, shared, open_approvals } = report;
        Self {
            dry_run,
            calls,
            bodies: erased.bodies,
            refs: erased.refs,
            results: erased.results,
            approvals: erased.approvals,
            grants: erased.grants,
            messages: erased.messages,
            shared,
            open_approvals,
        }
    }
}
