//! The answer: sums by point and group.

use std::collections::BTreeMap;

use serde::Serialize;
use toolgate_core::moment::rfc3339;
use toolgate_store::{Figure, FigureBy, FigureSums, TimeFigure};
use utoipa::ToSchema;

use super::range::FigureRange;

/// Figures over time
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Figures)]
pub(crate) struct FiguresView {
    from: String,
    /// Exclusive; the last step may still be running.
    until: String,
    step_seconds: i64,
    /// all, agent, tool, server, model or error.
    by: &'static str,
    total: FigureGroupView,
    /// The busiest first, at most ten; then `(other)`, if there are more.
    groups: Vec<FigureGroupView>,
    /// The time before, of the same length.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) before: Option<FiguresBefore>,
    /// Blocks of an older ledger that are not counted yet.
    pub(super) due_blocks: u64,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FiguresBefore {
    from: String,
    until: String,
    total: FigureGroupView,
    groups: Vec<FigureGroupView>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FigureGroup)]
pub(crate) struct FigureGroupView {
    /// Empty for all together.
    name: String,
    sums: FigureSumsView,
    /// Oldest first. Steps in which nothing happened are absent.
    points: Vec<FigurePointView>,
}

#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FigurePoint)]
pub(crate) struct FigurePointView {
    /// The beginning of the step.
    at: String,
    #[serde(flatten)]
    sums: FigureSumsView,
}

/// The events of a span of time
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = FigureSums)]
pub(crate) struct FigureSumsView {
    /// The sum of the four that follow.
    calls: u64,
    succeeded: u64,
    /// The tool failed, the call was never answered, or its outcome is not known.
    failed: u64,
    /// Nothing was sent.
    refused: u64,
    /// Cancelled, or answered with a pending state.
    other: u64,
    /// Calls by outcome, as far as there are any.
    #[schema(value_type = BTreeMap<String, u64>)]
    outcomes: BTreeMap<&'static str, u64>,
    /// Of calls that ran without asking anyone.
    #[serde(skip_serializing_if = "Option::is_none")]
    latency: Option<FigureTimes>,
    /// The part of the latency that the servers took.
    #[serde(skip_serializing_if = "Option::is_none")]
    server_latency: Option<FigureTimes>,
    /// The part of the latency that the gateway took.
    #[serde(skip_serializing_if = "Option::is_none")]
    gateway_latency: Option<FigureTimes>,
    #[serde(skip_serializing_if = "Option::is_none")]
    approvals: Option<FigureApprovals>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tokens: Option<FigureTokens>,
    #[serde(skip_serializing_if = "Option::is_none")]
    models: Option<FigureModels>,
}

/// Durations, at most an eighth too high
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FigureTimes {
    count: u64,
    p50_ms: f64,
    p95_ms: f64,
    p99_ms: f64,
}

#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct FigureApprovals {
    /// Approvals that were asked for.
    asked: u64,
    /// Approvals that were approved, denied, sent back, or ended undecided.
    decided: u64,
    /// Those that waited at the end of the step; for all together, where the range ends now.
    #[serde(skip_serializing_if = "Option::is_none")]
    waiting: Option<u64>,
    /// From the request to the decision.
    #[serde(skip_serializing_if = "Option::is_none")]
    time_to_decide: Option<FigureTimes>,
}

/// The tokens that models read because of calls, long texts estimated
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FigureTokens {
    arguments: u64,
    results: u64,
    /// The tokens that lists of tools did not cost because tools are searched: one list for each call.
    saved: u64,
}

/// The models of the runs that the gateway drives
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct FigureModels {
    turns: u64,
    input_tokens: u64,
    cached_tokens: u64,
    output_tokens: u64,
    cost_micros: u64,
}

/// The place of a group among the others.
pub(super) fn weight(sums: &FigureSums) -> u64 {
    sums.calls() + sums.get(Figure::Turns) + sums.get(Figure::ApprovalsAsked)
}

impl FiguresView {
    pub(super) fn of(
        range: &FigureRange,
        by: FigureBy,
        total: FigureGroupView,
        groups: Vec<FigureGroupView>,
    ) -> Self {
        Self {
            from: rfc3339(range.from_ms),
            until: rfc3339(range.until_ms),
            step_seconds: range.step_ms / 1_000,
            by: by.as_str(),
            total,
            groups,
            before: None,
            due_blocks: 0,
        }
    }

    /// Goes back from the approvals that wait now, at the end of the range.
    pub(super) fn count_waiting(&mut self, now: u64) {
        let mut waiting = now;
        if let Some(sums) = &mut self.total.sums.approvals {
            sums.waiting = Some(now);
        }
        for approvals in self.total.points.iter_mut().rev().filter_map(|one| one.sums.approvals.as_mut()) {
            approvals.waiting = Some(waiting);
            waiting = (waiting + approvals.decided).saturating_sub(approvals.asked);
        }
    }
}

impl FiguresBefore {
    pub(super) fn of(range: &FigureRange, total: FigureGroupView, groups: Vec<FigureGroupView>) -> Self {
        Self { from: rfc3339(range.from_ms), until: rfc3339(range.until_ms), total, groups }
    }
}

impl FigureGroupView {
    pub(super) fn of(name: String, points: &BTreeMap<i64, FigureSums>, range: &FigureRange) -> Self {
        let mut all = FigureSums::default();
        points.values().for_each(|sums| all.add_all(sums));
        let points = points.range(range.from_ms..range.until_ms);
        let points = points.map(|(at, sums)| FigurePointView { at: rfc3339(*at), sums: sums.into() });
        Self { name, sums: (&all).into(), points: points.collect() }
    }
}

impl From<&FigureSums> for FigureSumsView {
    fn from(sums: &FigureSums) -> Self {
        Self {
            calls: sums.calls(),
            succeeded: sums.get(Figure::Succeeded),
            failed: sums.failed(),
            refused: sums.refused(),
            other: sums.other(),
            outcomes: outcomes(sums),
            latency: times(sums, TimeFigure::Call, 1_000.0),
            server_latency: times(sums, TimeFigure::Server, 1_000.0),
            gateway_latency: times(sums, TimeFigure::Gateway, 1_000.0),
            approvals: approvals(sums),
            tokens: tokens(sums),
            models: models(sums),
        }
    }
}

/// By the words of the ledger; `pending` stands for all states in which a call waits.
fn outcomes(sums: &FigureSums) -> BTreeMap<&'static str, u64> {
    const WORDS: [(Figure, &str); 10] = [
        (Figure::Succeeded, "succeeded"),
        (Figure::ToolError, "tool_error"),
        (Figure::Failed, "failed"),
        (Figure::Unknown, "unknown"),
        (Figure::Invalid, "invalid"),
        (Figure::Denied, "denied"),
        (Figure::Expired, "expired"),
        (Figure::Unrecorded, "refused"),
        (Figure::Cancelled, "cancelled"),
        (Figure::Waits, "pending"),
    ];
    WORDS.into_iter().map(|(figure, word)| (word, sums.get(figure))).filter(|(_, count)| *count > 0).collect()
}

fn times(sums: &FigureSums, figure: TimeFigure, in_ms: f64) -> Option<FigureTimes> {
    let told = |percent| sums.percentile(figure, percent).map(|time| time as f64 / in_ms);
    Some(FigureTimes { count: sums.times(figure), p50_ms: told(50)?, p95_ms: told(95)?, p99_ms: told(99)? })
}

fn approvals(sums: &FigureSums) -> Option<FigureApprovals> {
    let (asked, decided) = (sums.get(Figure::ApprovalsAsked), sums.get(Figure::ApprovalsDecided));
    let time_to_decide = times(sums, TimeFigure::Decision, 1.0);
    (asked + decided > 0).then_some(FigureApprovals { asked, decided, waiting: None, time_to_decide })
}

fn tokens(sums: &FigureSums) -> Option<FigureTokens> {
    let arguments = sums.get(Figure::ArgumentTokens);
    let (results, saved) = (sums.get(Figure::ResultTokens), sums.get(Figure::SavedTokens));
    (arguments + results + saved > 0).then_some(FigureTokens { arguments, results, saved })
}

fn models(sums: &FigureSums) -> Option<FigureModels> {
    let view = FigureModels {
        turns: sums.get(Figure::Turns),
        input_tokens: sums.get(Figure::InputTokens),
        cached_tokens: sums.get(Figure::CachedTokens),
        output_tokens: sums.get(Figure::OutputTokens),
        cost_micros: sums.get(Figure::CostMicros),
    };
    (view.turns + view.input_tokens + view.output_tokens > 0).then_some(view)
}
