//! Figures: calls, errors, refusals, latency, approvals, tokens and money over time.

mod range;
mod view;

use std::collections::BTreeMap;

use axum::extract::State;
use axum::response::Response;
use http::StatusCode;
use serde::Deserialize;
use toolgate_store::{FigureBy, FigureQuery, FigureSeries, FigureSums, OTHER_NAMES};
use utoipa::IntoParams;

use self::range::{FigureRange, POINTS_MAX, POINTS_USUAL, RANGES};
use self::view::{FigureGroupView, FiguresBefore, FiguresView};
use super::answer::json;
use super::spend::moment;
use crate::ApiContext;
use crate::problem::{ApiResult, Problem};
use crate::read::{Query, bad_parameter, word};

/// The busiest names that have a group of their own; the others share one.
const GROUPS_MAX: usize = 10;
const BEFORE: &str = "before";

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct FigureParameters {
    /// The time until now: 15m, 1h, 3h, 6h, 24h (the default), 7d, 30d or 90d
    #[serde(default)]
    range: Option<String>,
    /// RFC 3339, or a date; instead of `range`
    #[serde(default)]
    from: Option<String>,
    /// Exclusive; now by default
    #[serde(default)]
    until: Option<String>,
    /// all (the default), agent, tool, server, model or error
    #[serde(default)]
    by: Option<String>,
    /// Only this agent, tool, server, model or error code
    #[serde(default)]
    name: Option<String>,
    /// `before` adds the figures of the time before, of the same length
    #[serde(default)]
    compare: Option<String>,
    /// The points to be drawn at most: 1 to 400, 200 by default
    #[serde(default)]
    points: Option<String>,
}

/// Show figures
///
/// Calls by their outcome, the time that gateway and servers took, approvals, tokens and the cost of models, from 15 minutes to years. The
/// step follows from the range: minutes are kept for 14 days, hours for 400, days for ever. A call counts at its end.
#[utoipa::path(get, path = "/figures", tag = "overview", params(FigureParameters),
    responses((status = 200, description = "The figures", body = FiguresView)))]
pub(crate) async fn show(
    State(context): State<ApiContext>,
    Query(asked): Query<FigureParameters>,
) -> ApiResult<Response> {
    let by = word("by", asked.by.as_deref(), &FigureBy::ALL.map(FigureBy::as_str), FigureBy::parse)?;
    let by = by.unwrap_or(FigureBy::All);
    let is_compared =
        word("compare", asked.compare.as_deref(), &[BEFORE], |text| (text == BEFORE).then_some(true))?;
    let now_ms = context.clock.now_ms();
    let range = range_of(&asked, now_ms)?;
    let (total, groups) = read(&context, &range, by, asked.name.as_deref()).await?;
    let mut view = FiguresView::of(&range, by, total, groups);
    if by == FigureBy::All && range.until_ms > now_ms {
        view.count_waiting(context.store.count_waiting().await?.approvals);
    }
    if is_compared == Some(true) {
        let before = range.before();
        let (total, groups) = read(&context, &before, by, asked.name.as_deref()).await?;
        view.before = Some(FiguresBefore::of(&before, total, groups));
    }
    view.due_blocks = context.store.figures_due().await?;
    Ok(json(StatusCode::OK, &view))
}

/// The group of everything, and the others.
async fn read(
    context: &ApiContext,
    range: &FigureRange,
    by: FigureBy,
    name: Option<&str>,
) -> ApiResult<(FigureGroupView, Vec<FigureGroupView>)> {
    let query = |by, name: Option<&str>| FigureQuery {
        by,
        name: name.map(str::to_owned),
        from_ms: range.from_ms,
        until_ms: range.until_ms,
        step_ms: range.step_ms,
    };
    if by == FigureBy::All {
        let mut all = context.store.figures(&query(by, None)).await?;
        let points = all.remove("").unwrap_or_default();
        return Ok((FigureGroupView::of(String::new(), &points, range), Vec::new()));
    }
    let series = context.store.figures(&query(by, name)).await?;
    let total = match name {
        // Names do not overlap, but what has no name counts as well.
        None => context.store.figures(&query(FigureBy::All, None)).await?.remove("").unwrap_or_default(),
        Some(name) => series.get(name).cloned().unwrap_or_default(),
    };
    let total = FigureGroupView::of(String::new(), &total, range);
    let groups = busiest(series).into_iter();
    Ok((total, groups.map(|(name, points)| FigureGroupView::of(name, &points, range)).collect()))
}

type NamedPoints = (String, BTreeMap<i64, FigureSums>);

/// The busiest names, and the others as one.
fn busiest(series: FigureSeries) -> Vec<NamedPoints> {
    let mut groups: Vec<(u64, NamedPoints)> =
        series.into_iter().map(|group| (group.1.values().map(view::weight).sum(), group)).collect();
    // Equally busy ones stay sorted by name.
    groups.sort_by_key(|(weight, (name, _))| (name == OTHER_NAMES, std::cmp::Reverse(*weight)));
    let mut groups: Vec<NamedPoints> = groups.into_iter().map(|(_, group)| group).collect();
    let rest = groups.split_off(groups.len().min(GROUPS_MAX));
    if !rest.is_empty() {
        let mut other: NamedPoints = (OTHER_NAMES.to_owned(), BTreeMap::new());
        for (at, sums) in rest.into_iter().flat_map(|(_, points)| points) {
            other.1.entry(at).or_default().add_all(&sums);
        }
        groups.push(other);
    }
    groups
}

fn range_of(asked: &FigureParameters, now_ms: i64) -> ApiResult<FigureRange> {
    let points = match asked.points.as_deref() {
        None => POINTS_USUAL,
        Some(text) => {
            let number = text.parse().ok().filter(|number| (1..=POINTS_MAX).contains(number));
            number
                .ok_or_else(|| bad_parameter("points", text, &format!("a number from 1 to {POINTS_MAX}")))?
        }
    };
    let until_ms = match asked.until.as_deref() {
        Some(until) => moment("until", until)?,
        None => now_ms,
    };
    let from_ms = match (asked.from.as_deref(), asked.range.as_deref()) {
        (Some(from), None) => moment("from", from)?,
        (Some(_), Some(range)) => {
            return Err(bad_parameter("range", range, "possible beside `from`").hint("give one of the two"));
        }
        (None, range) => {
            let known = RANGES.map(|(name, _)| name);
            let find = |text: &str| RANGES.iter().find(|(name, _)| *name == text).map(|(_, ms)| *ms);
            until_ms - word("range", range, &known, find)?.unwrap_or(range::DAY_MS)
        }
    };
    if from_ms >= until_ms {
        let from = asked.from.as_deref().unwrap_or_default();
        return Err(bad_parameter("from", from, "before `until`"));
    }
    FigureRange::of(from_ms, until_ms, now_ms, points).ok_or_else(|| -> Box<Problem> {
        bad_parameter("from", asked.from.as_deref().unwrap_or_default(), "within ten years")
    })
}
