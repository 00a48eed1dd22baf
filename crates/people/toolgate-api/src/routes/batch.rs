//! The calls of one turn of a model, all at once.

use std::collections::BTreeSet;

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::{HeaderMap, StatusCode};
use serde::{Deserialize, Serialize};
use toolgate_core::RawJson;
use toolgate_core::codes;
use toolgate_core::id::RunId;
use toolgate_core::run::RunState;
use toolgate_core::scope::Credential;
use utoipa::ToSchema;

use super::answer::json;
use super::run_access::find;
use super::tools::{EnvelopeView, hold, trace};
use super::turns::{CallTurn, TurnCall};
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::Json;

const CALLS_MAX: usize = 128;

/// The calls of one turn of a model
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchBody {
    #[schema(min_items = 1, max_items = 128)]
    calls: Vec<BatchCallBody>,
    /// The number of calls that run at the same time; by default the gateway's limit.
    #[serde(default)]
    #[schema(minimum = 1)]
    parallel_max: Option<usize>,
}

/// A call as a model makes it
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct BatchCallBody {
    /// The model's own id for the call. If it is sent again, the earlier result is returned and the call does
    /// not run again.
    #[schema(example = "call_1")]
    id: String,
    /// Canonical name, wire name or alias.
    #[schema(example = "bank:transfer")]
    name: String,
    /// An object, or a string with its JSON. `input` is an alias.
    #[serde(default, alias = "input")]
    #[schema(value_type = Option<Object>)]
    arguments: Option<RawJson>,
}

/// The results of the calls
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BatchView {
    run: String,
    /// The state of the run.
    #[schema(value_type = String)]
    state: RunState,
    /// In the order of the request.
    #[schema(value_type = Vec<BatchResult>)]
    results: Vec<RawJson>,
}

/// The result of one call: the envelope that `/tools/call` returns
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct BatchResult {
    /// The id as it was sent.
    id: String,
    /// True if the call was sent before and did not run again.
    #[serde(skip_serializing_if = "Option::is_none")]
    replayed: Option<bool>,
    /// `status` is `not_called` if it never became a call.
    #[serde(flatten)]
    envelope: EnvelopeView,
}

/// Make the calls of one turn
///
/// Each call takes the path of every call. Independent calls run at the same time; then people are asked, one
/// question after the other; `complete_workflow` comes last, wherever it is in the list. A call that fails
/// does not stop the others. A call that was sent before under the same id returns its earlier result; one
/// that waited for people continues. Servers are asked for progress, which `GET /runs/{id}/events` tells.
#[utoipa::path(post, path = "/runs/{id}/tool-calls", tag = "runs", request_body = BatchBody,
    params(("id" = String, Path, description = "run_…"),
        ("prefer" = Option<String>, Header, description = "`respond-async`: do not wait for people"),
        ("traceparent" = Option<String>, Header, description = "W3C trace context")),
    responses((status = 200, description = "The result of each call", body = BatchView),
        (status = 403, description = "Another principal works in the run"),
        (status = 404, description = "Not found, or not visible to the caller"),
        (status = 422, description = "No calls, too many of them, or one id twice")))]
pub(crate) async fn call(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
    headers: HeaderMap,
    Json(body): Json<BatchBody>,
) -> ApiResult<Response> {
    let run = find(&context, &credential, &RunId::new(id)).await?;
    let parallel_max = body.check(context.parallel_calls_max)?;
    let turn = CallTurn::of(&context, &credential, run, hold(&headers), trace(&headers)).await?;
    let calls =
        body.calls.into_iter().map(|call| TurnCall::new(call.id, call.name, call.arguments)).collect();
    let run = turn.run().clone();
    // Started work continues without its client, which may ask again.
    let results = context.see_through(turn.play(calls, parallel_max)).await;
    let state = context.runs.get(&run).await?.state;
    Ok(json(StatusCode::OK, &BatchView { run: run.to_string(), state, results }))
}

impl BatchBody {
    /// The number of concurrent calls, if the request is valid.
    fn check(&self, most: usize) -> ApiResult<usize> {
        let bad = |field: &str, detail: String| Err(Problem::bad_field(&codes::FIELD_INVALID, field, detail));
        if !(1..=CALLS_MAX).contains(&self.calls.len()) {
            return bad("calls", format!("field `calls`: 1 to {CALLS_MAX} calls are made at once"));
        }
        let mut ids = BTreeSet::new();
        for (place, call) in self.calls.iter().enumerate() {
            let field = format!("calls[{place}].id");
            if call.id.is_empty() || call.id.contains(char::is_control) {
                return bad(&field, format!("field `{field}`: an id has printable characters, at least one"));
            }
            if !ids.insert(&call.id) {
                let detail = format!("field `{field}`: {:?} is the id of another call too", call.id);
                return Err(Problem::bad_field(&codes::CALL_ID_TWICE, &field, detail));
            }
        }
        let parallel = self.parallel_max.unwrap_or(most);
        if !(1..=most).contains(&parallel) {
            return bad("parallel_max", format!("field `parallel_max`: a number from 1 to {most}"));
        }
        Ok(parallel)
    }
}
