//! Filters: those in force, and a trial on the last calls. They are changed in the configuration.

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use toolgate_core::codes;
use toolgate_pipeline::filter::FilterRule;
use utoipa::ToSchema;

use super::answer::json;
use crate::problem::{ApiResult, Problem};
use crate::read::Json;
use crate::{ApiContext, FilterInForce, FilterTrial, FilterTrialResult, FilterView};

const LAST_USUAL: usize = 1_000;
const LAST_MAX: usize = 10_000;

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FiltersPage {
    /// In the order of the configuration, where they are changed.
    filters: Vec<FilterView>,
}

/// Show the filters in force
#[utoipa::path(get, path = "/filters", tag = "filters",
    responses((status = 200, description = "Every filter that calls go through", body = FiltersPage)))]
pub(crate) async fn list(State(context): State<ApiContext>) -> ApiResult<Response> {
    let view = |FilterInForce { rule, matched }: FilterInForce| FilterView {
        matched: Some(matched),
        ..FilterView::from(&rule)
    };
    let filters = context.filters.in_force().into_iter().map(view).collect();
    Ok(json(StatusCode::OK, &FiltersPage { filters }))
}

/// The filters to try, and the number of calls
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct FiltersTest {
    /// Only this one.
    #[serde(default)]
    filter: Option<String>,
    /// The number of calls to go through, from the last one back; 1,000 if left out.
    #[serde(default)]
    #[schema(minimum = 1, maximum = 10_000)]
    last: Option<usize>,
}

/// Try the filters on the last calls
///
/// Says what the filters in force would have done to calls that the ledger still has: how many, where, and never what was
/// found. Nothing is changed. Drafts are tried with `toolgate filters test --file`.
#[utoipa::path(post, path = "/filters/test", tag = "filters", request_body = FiltersTest,
    responses((status = 200, description = "What each filter would have done", body = FilterTrialResult),
        (status = 404, description = "There is no such filter, or none at all")))]
pub(crate) async fn test(
    State(context): State<ApiContext>,
    Json(body): Json<FiltersTest>,
) -> ApiResult<Response> {
    let last = body.last.unwrap_or(LAST_USUAL);
    if !(1..=LAST_MAX).contains(&last) {
        let detail = format!("field `last`: {last} is not a number from 1 to {LAST_MAX}");
        return Err(Problem::bad_field(&codes::FIELD_INVALID, "last", detail));
    }
    let rules = chosen(&context, body.filter.as_deref())?;
    let trial = FilterTrial::new(&rules).expect("filters that are in force compile");
    Ok(json(StatusCode::OK, &trial.run(&context.store, last).await?))
}

fn chosen(context: &ApiContext, wanted: Option<&str>) -> ApiResult<Vec<FilterRule>> {
    let rules: Vec<FilterRule> = context.filters.in_force().into_iter().map(|filter| filter.rule).collect();
    if rules.is_empty() {
        return Err(Problem::not_found("there are no filters").hint("a `[[filters]]` table makes one"));
    }
    let Some(name) = wanted else { return Ok(rules) };
    let known: Vec<String> = rules.iter().map(|rule| format!("{:?}", rule.name)).collect();
    let found: Vec<FilterRule> = rules.into_iter().filter(|rule| rule.name == name).collect();
    if found.is_empty() {
        return Err(Problem::not_found(format!("there is no filter {name:?}"))
            .hint(format!("there are {}", known.join(", ")))
            .with("field", "filter"));
    }
    Ok(found)
}
