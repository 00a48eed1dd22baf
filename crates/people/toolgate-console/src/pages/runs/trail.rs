//! The steps of a run, in the order in which they began: turns of its model, calls, approvals, questions and child runs. A page shows
//! a limited part of them and links to the rest.

use std::ops::Range;

use super::axis::StepSpan;
use super::data::{
    DrivenData, RunApprovalData, RunCallData, RunData, RunQuestionData, RunRefData, RunTurnData, ms,
};
use super::record::RunRecord;
use crate::address::PageAddress;
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// Steps on one page.
const PART: usize = 60;
/// The API has the latest calls.
const CALLS_MAX: usize = 1_000;
const TURNS_MAX: u64 = 200;
const CHILDREN_MAX: usize = 50;
const QUESTIONS_MAX: usize = 200;

pub(super) struct RunTrail {
    pub(super) steps: Vec<RunStep>,
    /// The refs of all calls that are no pictures, the newest last.
    pub(super) refs: Vec<RunRefData>,
    /// There are more calls or turns than are known here.
    pub(super) is_cut: bool,
    /// There are more child runs than are known here.
    pub(super) has_more_children: bool,
}

pub(super) enum RunStep {
    Turn(RunTurnData),
    Call(Box<SeenCall>),
    Approval(RunApprovalData),
    Question(RunQuestionData),
    Child(Box<RunData>),
}

/// A call, and the refs that it brought.
pub(super) struct SeenCall {
    pub(super) call: RunCallData,
    pub(super) refs: Vec<RunRefData>,
}

#[derive(serde::Deserialize)]
struct RunCallsData {
    calls: Vec<RunCallData>,
}

#[derive(serde::Deserialize)]
struct RunTurnsData {
    turns: Vec<RunTurnData>,
}

#[derive(serde::Deserialize)]
struct RunQuestionsData {
    inputs: Vec<RunQuestionData>,
}

#[derive(Default, serde::Deserialize)]
struct RunChildrenData {
    runs: Vec<RunData>,
    #[serde(default)]
    next_cursor: Option<String>,
}

/// Reads the steps of a run. `children` is their number.
pub(super) async fn follow(
    visit: &PageVisit,
    run: &str,
    driven: Option<&DrivenData>,
    waiting: Vec<RunApprovalData>,
    children: u64,
) -> PageResult<RunTrail> {
    let calls = calls(visit, run).await?;
    let turns = turns(visit, run, driven).await?;
    let questions = questions(visit, run).await?;
    let children = self::children(visit, run, children).await?;
    let mut record = RunRecord::of(visit, run).await?;
    let is_cut = calls.len() >= CALLS_MAX || turns.first().is_some_and(|turn| turn.turn > 1);
    let mut steps: Vec<RunStep> = turns.into_iter().map(RunStep::Turn).collect();
    let mut refs = Vec::new();
    for call in calls {
        let brought = record.take_refs(&call.call);
        refs.extend(brought.iter().filter(|one| !one.is_picture()).cloned());
        steps.push(RunStep::Call(Box::new(SeenCall { call, refs: brought })));
    }
    steps.extend(record.take_approvals(waiting).into_iter().map(RunStep::Approval));
    steps.extend(questions.into_iter().map(RunStep::Question));
    steps.extend(children.runs.into_iter().map(|run| RunStep::Child(Box::new(run))));
    steps.sort_by_key(|step| (step.span().began_ms, step.rank()));
    Ok(RunTrail { steps, refs, is_cut, has_more_children: children.next_cursor.is_some() })
}

/// The latest calls of a run, oldest first.
pub(super) async fn calls(visit: &PageVisit, run: &str) -> PageResult<Vec<RunCallData>> {
    let found: RunCallsData = visit.get(PageAddress::of(["runs", run, "calls"])).await?;
    Ok(found.calls)
}

async fn turns(visit: &PageVisit, run: &str, driven: Option<&DrivenData>) -> PageResult<Vec<RunTurnData>> {
    let Some(driven) = driven else { return Ok(Vec::new()) };
    let after = driven.turn.saturating_sub(TURNS_MAX);
    let asked = PageAddress::of(["runs", run, "turns"]).with("after", after).with("limit", TURNS_MAX);
    let found: RunTurnsData = visit.get(asked).await?;
    Ok(found.turns)
}

async fn questions(visit: &PageVisit, run: &str) -> PageResult<Vec<RunQuestionData>> {
    let asked = PageAddress::of(["inputs"]).with("run", run).with("state", "all");
    let found = visit.find::<RunQuestionsData>(asked.with("limit", QUESTIONS_MAX)).await?;
    Ok(found.map(|found| found.inputs).unwrap_or_default())
}

async fn children(visit: &PageVisit, run: &str, count: u64) -> PageResult<RunChildrenData> {
    match count {
        0 => Ok(RunChildrenData::default()),
        _ => visit.get(PageAddress::of(["runs", run, "children"]).with("limit", CHILDREN_MAX)).await,
    }
}

impl RunTrail {
    /// The number of parts of the steps, at least one.
    pub(super) fn parts(&self) -> usize {
        self.steps.len().div_ceil(PART).max(1)
    }

    /// The part that is shown: the wanted one from 1, or else the last.
    pub(super) fn part(&self, wanted: Option<usize>) -> usize {
        wanted.unwrap_or(usize::MAX).clamp(1, self.parts())
    }

    /// The steps of a part.
    pub(super) fn range(&self, part: usize) -> Range<usize> {
        let end = self.steps.len().min(part.saturating_mul(PART));
        end.min((part - 1).saturating_mul(PART))..end
    }

    /// The first open question of this run.
    pub(super) fn open_question(&self) -> Option<&RunQuestionData> {
        let mut questions = self.steps.iter().filter_map(|step| match step {
            RunStep::Question(question) => Some(question),
            _ => None,
        });
        questions.find(|question| question.state == "pending")
    }
}

impl RunStep {
    pub(super) fn span(&self) -> StepSpan {
        let (began, ended) = match self {
            RunStep::Turn(turn) => (&turn.asked_at, turn.answered_at.as_ref()),
            RunStep::Call(seen) => (&seen.call.started_at, seen.call.ended_at.as_ref()),
            RunStep::Approval(approval) => (&approval.created_at, approval.resolved_at.as_ref()),
            RunStep::Question(question) => (&question.created_at, question.resolved_at.as_ref()),
            RunStep::Child(run) => {
                (run.started_at.as_ref().unwrap_or(&run.created_at), run.ended_at.as_ref())
            }
        };
        let began_ms = ms(began);
        let ended_ms = ended.map(|ended| ms(ended));
        // A request that failed for good has no answer and is not waited for.
        let ended_ms = ended_ms.or_else(|| self.is_given_up().then_some(began_ms));
        StepSpan { began_ms, ended_ms }
    }

    fn is_given_up(&self) -> bool {
        matches!(self, RunStep::Turn(turn) if turn.phase != "asked")
    }

    /// The order of steps that begin at the same time: a cause before its effects.
    fn rank(&self) -> u8 {
        match self {
            RunStep::Turn(_) => 0,
            RunStep::Call(_) => 1,
            RunStep::Approval(_) => 2,
            RunStep::Question(_) => 3,
            RunStep::Child(_) => 4,
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn call(number: usize) -> RunStep {
        let call = json!({ "call": format!("tc_{number}"), "tool": "a:b", "kind": "data", "state": "open",
            "started_at": "2026-08-01T12:00:00.000Z" });
        let call = serde_json::from_value(call).expect("a call");
        RunStep::Call(Box::new(SeenCall { call, refs: Vec::new() }))
    }

    fn trail(count: usize) -> RunTrail {
        let steps = (0..count).map(call).collect();
        RunTrail { steps, refs: Vec::new(), is_cut: false, has_more_children: false }
    }

    #[test]
    fn a_long_run_is_shown_in_parts_from_its_end() {
        let long = trail(2 * PART + 1);
        assert_eq!((long.parts(), long.part(None), long.part(Some(1)), long.part(Some(99))), (3, 3, 1, 3));
        assert_eq!((long.range(1), long.range(3)), (0..PART, 2 * PART..2 * PART + 1));
        let empty = trail(0);
        assert_eq!((empty.parts(), empty.part(Some(0)), empty.range(1)), (1, 1, 0..0));
    }

    #[test]
    fn a_request_that_failed_for_good_does_not_go_on() {
        let turn = |phase: &str| {
            let turn = json!({ "turn": 1, "phase": phase, "model": "gpt", "tokens": { "input": 0, "output": 0 },
                "cost_micros": 0, "asked_at": "1970-01-01T00:00:01.000Z" });
            RunStep::Turn(serde_json::from_value(turn).expect("a turn")).span()
        };
        assert_eq!(turn("failed"), StepSpan { began_ms: 1_000, ended_ms: Some(1_000) });
        assert_eq!(turn("asked"), StepSpan { began_ms: 1_000, ended_ms: None });
    }
}
