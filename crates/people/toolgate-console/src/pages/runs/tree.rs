//! The steps of a run, with its child runs. A page shows a limited part and links to the rest.

use toolgate_core::moment::parse_rfc3339;

use super::data::{RunApprovalData, RunCallData, RunData, RunQuestionData};
use super::pictures::CallPictures;
use crate::address::PageAddress;
use crate::problem::PageResult;
use crate::visit::PageVisit;

/// The maximum depth of child runs.
const DEPTH_MAX: usize = 4;
/// The maximum number of runs on one page.
const RUNS_MAX: usize = 40;
const CHILDREN_MAX: usize = 20;
const QUESTIONS_MAX: usize = 200;

/// A run with its steps.
pub(super) struct RunBranch {
    pub(super) run: RunData,
    /// In the order in which they began.
    pub(super) steps: Vec<RunStep>,
    /// There is more than is shown here.
    pub(super) is_cut: bool,
}

pub(super) enum RunStep {
    Call(Box<AskedCall>),
    /// A question without a shown call.
    Question(RunQuestionData),
    /// A call that has not started: it waits for approval.
    Approval(RunApprovalData),
    Child(Box<RunBranch>),
}

/// A call with its questions and approvals.
pub(super) struct AskedCall {
    pub(super) call: RunCallData,
    pub(super) question: Option<RunQuestionData>,
    pub(super) approval: Option<RunApprovalData>,
    /// The refs of its pictures.
    pub(super) pictures: Vec<String>,
}

#[derive(serde::Deserialize)]
struct RunCallsData {
    calls: Vec<RunCallData>,
}

#[derive(serde::Deserialize)]
struct RunQuestionsData {
    inputs: Vec<RunQuestionData>,
}

#[derive(serde::Deserialize)]
struct RunChildrenData {
    runs: Vec<RunData>,
    #[serde(default)]
    next_cursor: Option<String>,
}

/// Reads a run and those within it.
pub(super) async fn grow(
    visit: &PageVisit,
    run: RunData,
    approvals: Vec<RunApprovalData>,
    children: u64,
) -> PageResult<RunBranch> {
    let mut left = RUNS_MAX;
    let mut trunk = leaf(visit, run, approvals).await?;
    if children > 0 {
        add_children(visit, &mut trunk, &mut left, 1).await?;
    }
    Ok(trunk)
}

async fn add_children(
    visit: &PageVisit,
    branch: &mut RunBranch,
    left: &mut usize,
    depth: usize,
) -> PageResult<()> {
    let asked = PageAddress::of(["runs", &branch.run.id, "children"]).with("limit", CHILDREN_MAX);
    let children: RunChildrenData = visit.get(asked).await?;
    branch.is_cut |= children.next_cursor.is_some();
    for run in children.runs {
        if *left == 0 || depth > DEPTH_MAX {
            branch.is_cut = true;
            break;
        }
        *left -= 1;
        let mut child = leaf(visit, run, Vec::new()).await?;
        Box::pin(add_children(visit, &mut child, left, depth + 1)).await?;
        branch.steps.push(RunStep::Child(Box::new(child)));
    }
    branch.steps.sort_by_key(RunStep::began_ms);
    Ok(())
}

async fn leaf(visit: &PageVisit, run: RunData, approvals: Vec<RunApprovalData>) -> PageResult<RunBranch> {
    let RunCallsData { calls } = visit.get(PageAddress::of(["runs", &run.id, "calls"])).await?;
    let asked =
        PageAddress::of(["inputs"]).with("run", &run.id).with("state", "all").with("limit", QUESTIONS_MAX);
    let questions =
        visit.find::<RunQuestionsData>(asked).await?.map(|found| found.inputs).unwrap_or_default();
    let pictures = CallPictures::of_run(visit, &run.id).await?;
    Ok(RunBranch { steps: together(calls, questions, approvals, pictures), run, is_cut: false })
}

/// Questions, approvals and pictures are grouped with their call.
fn together(
    calls: Vec<RunCallData>,
    mut questions: Vec<RunQuestionData>,
    mut approvals: Vec<RunApprovalData>,
    mut pictures: CallPictures,
) -> Vec<RunStep> {
    let mut steps: Vec<RunStep> = Vec::new();
    for call in calls {
        let asked = |of: &Option<String>| of.as_deref() == Some(call.call.as_str());
        let question = questions.iter().position(|one| asked(&one.call)).map(|at| questions.swap_remove(at));
        let approval = approvals.iter().position(|one| asked(&one.call)).map(|at| approvals.swap_remove(at));
        let pictures = pictures.take(&call.call);
        steps.push(RunStep::Call(Box::new(AskedCall { call, question, approval, pictures })));
    }
    steps.extend(questions.into_iter().map(RunStep::Question));
    steps.extend(approvals.into_iter().map(RunStep::Approval));
    steps.sort_by_key(RunStep::began_ms);
    steps
}

impl RunBranch {
    /// The first open question of this run.
    pub(super) fn open_question(&self) -> Option<&RunQuestionData> {
        let asked = self.steps.iter().filter_map(|step| match step {
            RunStep::Call(asked) => asked.question.as_ref(),
            RunStep::Question(question) => Some(question),
            RunStep::Approval(_) | RunStep::Child(_) => None,
        });
        asked.into_iter().find(|question| question.state == "pending")
    }
}

impl RunStep {
    fn began_ms(&self) -> i64 {
        let moment = match self {
            RunStep::Call(asked) => &asked.call.started_at,
            RunStep::Question(question) => &question.created_at,
            RunStep::Approval(approval) => &approval.created_at,
            RunStep::Child(branch) => &branch.run.created_at,
        };
        parse_rfc3339(moment).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read<T: serde::de::DeserializeOwned>(value: serde_json::Value) -> T {
        serde_json::from_value(value).expect("it can be read")
    }

    fn run() -> RunData {
        read(json!({ "id": "run_1", "state": "paused", "agent": "a", "principal": "p", "created_by": "o",
            "used": { "calls": 0, "seconds": 0, "bytes": 0 }, "created_at": "2026-08-01T12:00:00.000Z" }))
    }

    #[test]
    fn questions_stand_with_the_call_that_asks_and_steps_in_their_order() {
        let call = |id: &str, second: u32| {
            read::<RunCallData>(json!({ "call": id, "tool": "a:b", "kind": "data", "state": "open",
                "started_at": format!("2026-08-01T12:00:{second:02}.000Z") }))
        };
        let question = |id: &str, call: Option<&str>| {
            read::<RunQuestionData>(
                json!({ "id": id, "state": "pending", "call": call, "prompt_key": "tone?",
                "created_at": "2026-08-01T12:00:05.000Z" }),
            )
        };
        let approval = |id: &str, call: &str| {
            read::<RunApprovalData>(json!({ "id": id, "call": call, "tool": "a:b", "expires_at": "",
                "created_at": "2026-08-01T12:00:10.000Z" }))
        };
        let calls = vec![call("tc_2", 9), call("tc_1", 1)];
        let questions = vec![question("inp_1", Some("tc_2")), question("inp_2", None)];
        let approvals = vec![approval("apr_1", "tc_1"), approval("apr_2", "tc_3")];
        let steps = together(calls, questions, approvals, CallPictures::default());
        let told: Vec<String> = steps
            .iter()
            .map(|step| match step {
                RunStep::Call(asked) => {
                    let question = asked.question.as_ref().map_or("", |one| &one.id);
                    let approval = asked.approval.as_ref().map_or("", |one| &one.id);
                    format!("{} {question}{approval}", asked.call.call)
                }
                RunStep::Question(question) => question.id.clone(),
                RunStep::Approval(approval) => approval.id.clone(),
                RunStep::Child(_) => "run".to_owned(),
            })
            .collect();
        let trunk = RunBranch { run: run(), steps, is_cut: false };
        assert_eq!(trunk.open_question().map(|question| question.id.as_str()), Some("inp_2"));
        assert_eq!(told, ["tc_1 apr_1", "inp_2", "tc_2 inp_1", "apr_2"]);
    }
}
