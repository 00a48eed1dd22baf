//! The steps of a run, with its child runs. A page shows a limited part and links to the rest.

use toolgate_core::moment::parse_rfc3339;

use super::told::{Approval, Call, Question, Run};
use crate::address::Address;
use crate::problem::Answered;
use crate::visit::Visit;

/// The maximum depth of child runs.
const DEPTH_MAX: usize = 4;
/// The maximum number of runs on one page.
const RUNS_MAX: usize = 40;
const CHILDREN_MAX: usize = 20;
const QUESTIONS_MAX: usize = 200;

/// A run with its steps.
pub(super) struct Branch {
    pub(super) run: Run,
    /// In the order in which they began.
    pub(super) steps: Vec<Step>,
    /// There is more than is shown here.
    pub(super) is_cut: bool,
}

pub(super) enum Step {
    Call(Box<Asked>),
    /// A question without a shown call.
    Question(Question),
    /// A call that has not started: it waits for approval.
    Approval(Approval),
    Child(Box<Branch>),
}

/// A call with its questions and approvals.
pub(super) struct Asked {
    pub(super) call: Call,
    pub(super) question: Option<Question>,
    pub(super) approval: Option<Approval>,
}

#[derive(serde::Deserialize)]
struct Calls {
    calls: Vec<Call>,
}

#[derive(serde::Deserialize)]
struct Questions {
    inputs: Vec<Question>,
}

#[derive(serde::Deserialize)]
struct Children {
    runs: Vec<Run>,
    #[serde(default)]
    next_cursor: Option<String>,
}

/// Reads a run and those within it.
pub(super) async fn grow(
    visit: &Visit,
    run: Run,
    approvals: Vec<Approval>,
    children: u64,
) -> Answered<Branch> {
    let mut left = RUNS_MAX;
    let mut trunk = leaf(visit, run, approvals).await?;
    if children > 0 {
        add_children(visit, &mut trunk, &mut left, 1).await?;
    }
    Ok(trunk)
}

async fn add_children(visit: &Visit, branch: &mut Branch, left: &mut usize, depth: usize) -> Answered<()> {
    let asked = Address::of(["runs", &branch.run.id, "children"]).with("limit", CHILDREN_MAX);
    let children: Children = visit.get(asked).await?;
    branch.is_cut |= children.next_cursor.is_some();
    for run in children.runs {
        if *left == 0 || depth > DEPTH_MAX {
            branch.is_cut = true;
            break;
        }
        *left -= 1;
        let mut child = leaf(visit, run, Vec::new()).await?;
        Box::pin(add_children(visit, &mut child, left, depth + 1)).await?;
        branch.steps.push(Step::Child(Box::new(child)));
    }
    branch.steps.sort_by_key(Step::began_ms);
    Ok(())
}

async fn leaf(visit: &Visit, run: Run, approvals: Vec<Approval>) -> Answered<Branch> {
    let Calls { calls } = visit.get(Address::of(["runs", &run.id, "calls"])).await?;
    let asked =
        Address::of(["inputs"]).with("run", &run.id).with("state", "all").with("limit", QUESTIONS_MAX);
    let questions = visit.find::<Questions>(asked).await?.map(|found| found.inputs).unwrap_or_default();
    Ok(Branch { steps: together(calls, questions, approvals), run, is_cut: false })
}

/// Questions and approvals are grouped with their call.
fn together(calls: Vec<Call>, mut questions: Vec<Question>, mut approvals: Vec<Approval>) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for call in calls {
        let asked = |of: &Option<String>| of.as_deref() == Some(call.call.as_str());
        let question = questions.iter().position(|one| asked(&one.call)).map(|at| questions.swap_remove(at));
        let approval = approvals.iter().position(|one| asked(&one.call)).map(|at| approvals.swap_remove(at));
        steps.push(Step::Call(Box::new(Asked { call, question, approval })));
    }
    steps.extend(questions.into_iter().map(Step::Question));
    steps.extend(approvals.into_iter().map(Step::Approval));
    steps.sort_by_key(Step::began_ms);
    steps
}

impl Branch {
    /// The first open question of this run.
    pub(super) fn open_question(&self) -> Option<&Question> {
        let asked = self.steps.iter().filter_map(|step| match step {
            Step::Call(asked) => asked.question.as_ref(),
            Step::Question(question) => Some(question),
            Step::Approval(_) | Step::Child(_) => None,
        });
        asked.into_iter().find(|question| question.state == "pending")
    }
}

impl Step {
    fn began_ms(&self) -> i64 {
        let moment = match self {
            Step::Call(asked) => &asked.call.started_at,
            Step::Question(question) => &question.created_at,
            Step::Approval(approval) => &approval.created_at,
            Step::Child(branch) => &branch.run.created_at,
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

    fn run() -> Run {
        read(json!({ "id": "run_1", "state": "paused", "agent": "a", "principal": "p", "created_by": "o",
            "used": { "calls": 0, "seconds": 0, "bytes": 0 }, "created_at": "2026-08-01T12:00:00.000Z" }))
    }

    #[test]
    fn questions_stand_with_the_call_that_asks_and_steps_in_their_order() {
        let call = |id: &str, second: u32| {
            read::<Call>(json!({ "call": id, "tool": "a:b", "kind": "data", "state": "open",
                "started_at": format!("2026-08-01T12:00:{second:02}.000Z") }))
        };
        let question = |id: &str, call: Option<&str>| {
            read::<Question>(json!({ "id": id, "state": "pending", "call": call, "prompt_key": "tone?",
                "created_at": "2026-08-01T12:00:05.000Z" }))
        };
        let approval = |id: &str, call: &str| {
            read::<Approval>(json!({ "id": id, "call": call, "tool": "a:b", "expires_at": "",
                "created_at": "2026-08-01T12:00:10.000Z" }))
        };
        let calls = vec![call("tc_2", 9), call("tc_1", 1)];
        let questions = vec![question("inp_1", Some("tc_2")), question("inp_2", None)];
        let steps = together(calls, questions, vec![approval("apr_1", "tc_1"), approval("apr_2", "tc_3")]);
        let told: Vec<String> = steps
            .iter()
            .map(|step| match step {
                Step::Call(asked) => {
                    let question = asked.question.as_ref().map_or("", |one| &one.id);
                    let approval = asked.approval.as_ref().map_or("", |one| &one.id);
                    format!("{} {question}{approval}", asked.call.call)
                }
                Step::Question(question) => question.id.clone(),
                Step::Approval(approval) => approval.id.clone(),
                Step::Child(_) => "run".to_owned(),
            })
            .collect();
        let trunk = Branch { run: run(), steps, is_cut: false };
        assert_eq!(trunk.open_question().map(|question| question.id.as_str()), Some("inp_2"));
        assert_eq!(told, ["tc_1 apr_1", "inp_2", "tc_2 inp_1", "apr_2"]);
    }
}
