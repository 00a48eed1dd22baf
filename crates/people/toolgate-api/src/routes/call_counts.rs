//! How many calls have each tool, server, caller, outcome and error, for the filters of a list.

use std::collections::BTreeMap;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use toolgate_store::CallCounts;
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use super::calls::CallWords;
use super::ledger_filter::{Selected, Selection};
use crate::ApiContext;
use crate::problem::ApiResult;

/// Values that are told of each kind, the most frequent ones.
const VALUES_MAX: usize = 20;

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct CallCountsQuery {
    /// waiting (for a person or its client), running or ended
    #[serde(default)]
    state: Option<String>,
    /// tc_…, apr_…, ses_… or run_…: calls that are related to it
    #[serde(default)]
    id: Option<String>,
    /// A part of the tool, server, principal, ids, arguments or error, in any case of letters
    #[serde(default)]
    #[param(max_length = 200)]
    q: Option<String>,
}

/// The latest calls that pass a filter, counted
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct CallCountsView {
    /// The calls that were counted.
    calls: usize,
    /// True if there are more, which were not counted.
    more: bool,
    /// The most frequent values, up to 20 of each.
    tools: Vec<ValueCount>,
    servers: Vec<ValueCount>,
    principals: Vec<ValueCount>,
    /// Of calls that ended.
    outcomes: Vec<ValueCount>,
    /// Of calls that failed or were refused, as the parameter `error` takes them.
    errors: Vec<ValueCount>,
}

/// A value and the number of calls with it
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ValueCount {
    #[schema(example = "bank:transfer")]
    value: String,
    calls: usize,
}

/// Count calls by tool, server, principal, outcome and error
///
/// Counts the latest calls that pass the filter, at most 200 of them and of those under way.
#[utoipa::path(get, path = "/calls/counts", tag = "calls", params(Selection, CallCountsQuery),
    responses((status = 200, description = "The counts", body = CallCountsView)))]
pub(crate) async fn count(
    State(context): State<ApiContext>,
    Selected { by, own: query }: Selected<CallCountsQuery>,
) -> ApiResult<Response> {
    let words = CallWords { state: query.state.as_deref(), id: query.id.as_deref(), q: query.q.as_deref() };
    let counts = match words.filter(&by)? {
        Some(filter) => CallCountsView::of(context.store.count_calls(&filter).await?),
        None => CallCountsView::default(),
    };
    Ok(json(StatusCode::OK, &counts))
}

impl CallCountsView {
    fn of(counts: CallCounts) -> Self {
        Self {
            calls: counts.calls,
            more: counts.more,
            tools: most(counts.tools),
            servers: most(counts.servers),
            principals: most(counts.principals),
            outcomes: most(counts.outcomes),
            errors: most(counts.errors),
        }
    }
}

/// The most frequent ones first; by name among equals.
fn most(counts: BTreeMap<String, usize>) -> Vec<ValueCount> {
    let mut values: Vec<ValueCount> =
        counts.into_iter().map(|(value, calls)| ValueCount { value, calls }).collect();
    values.sort_by_key(|one| std::cmp::Reverse(one.calls));
    values.truncate(VALUES_MAX);
    values
}
