//! `task.action.resolve`: the approval or the answer that a paused run waits for, with the caller's own rights.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolgate_core::id::{ApprovalId, InputId, RunId};
use toolgate_core::platform::{ObjectRef, OldName};
use toolgate_core::run::CallKind;
use toolgate_core::{Refusal, Role, codes};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_runs::visible_run;

use super::flat_names::FLAT_NAMES_END_MS;
use super::ports::{ActionVote, VoteWord};
use super::run_status::loop_of;
use super::state::{TaskToolParts, TaskTools};

pub(super) const RESOLVE: ToolDefinition = ToolDefinition::writes(
    "task.action.resolve",
    "Resolve what a run waits for",
    "Resolves the action of a paused run with your own rights: decision votes on its approval, answer answers its \
     question. Agents do not resolve actions of their own.",
)
.old_names(&[OldName { name: "resolve_action", until_ms: FLAT_NAMES_END_MS }])
.kind(CallKind::Control);

#[derive(Deserialize, JsonSchema)]
pub(super) struct ResolveActionArguments {
    /// The id of the action: apr_… or inp_…
    action_id: Option<String>,
    /// Instead of action_id: the run that waits
    run_id: Option<String>,
    /// For an approval
    #[schemars(extend("enum" = ["approve", "deny", "request_changes"]))]
    decision: Option<String>,
    /// Why; needed to request changes
    reason: Option<String>,
    /// For a question: text, one of its options, a number, true or false, a date or the id of a file
    answer: Option<Value>,
}

#[derive(Serialize, JsonSchema)]
pub(super) struct ResolveActionOutput {
    action_id: String,
    /// The state of the approval or of the question
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    run_id: Option<String>,
}

pub(super) async fn resolve(
    tools: Arc<TaskTools>,
    context: ToolContext,
    arguments: ResolveActionArguments,
) -> Result<ToolReply<ResolveActionOutput>, Refusal> {
    let parts = tools.parts()?;
    check_person(&context)?;
    let ResolveActionArguments { action_id, run_id, decision, reason, answer } = arguments;
    let id = action(parts, &context, action_id, run_id).await?;
    match (decision, answer) {
        (Some(word), None) if id.starts_with(ApprovalId::PREFIX) => {
            vote(parts, &context, &id, &word, reason).await
        }
        (None, Some(answer)) if id.starts_with(InputId::PREFIX) => reply(parts, &context, &id, answer).await,
        _ => Err(unfitting(&id)),
    }
}

/// A session of a run, or one that was opened for something, speaks for an agent and not for a person.
fn check_person(context: &ToolContext) -> Result<(), Refusal> {
    let holder = &context.holder;
    let answers = matches!(holder.principal.role, Role::Admin | Role::Operator | Role::Approver);
    if answers && holder.run.is_none() && holder.opened_by.is_none() {
        return Ok(());
    }
    let message = "what a run waits for is for people: an agent does not resolve it";
    Err(Refusal::new(&codes::NOT_ALLOWED, message)
        .hint("use the inbox of the console, or a token of role admin, operator or approver"))
}

/// The action that is named, or that of a run.
async fn action(
    parts: &TaskToolParts,
    context: &ToolContext,
    action: Option<String>,
    run: Option<String>,
) -> Result<String, Refusal> {
    let run = match (action, run) {
        (Some(action), _) => return Ok(action),
        (None, Some(run)) => visible_run(&parts.runs, context, Some(run)).await?,
        (None, None) => {
            let message = "neither `action_id` nor `run_id` is given";
            return Err(Refusal::new(&codes::INVALID_ARGUMENTS, message)
                .hint("task.run.status shows what a run waits for")
                .field("action_id"));
        }
    };
    let waiting = loop_of(parts, &run.id).await?.and_then(|driven| driven.action);
    waiting.map(|action| action.id).ok_or_else(|| waits_for_nothing(&run.id))
}

fn waits_for_nothing(run: &RunId) -> Refusal {
    let message = format!("run {run} waits for nobody");
    Refusal::new(&codes::RUN_STATE, message).hint("task.run.status shows where it stands")
}

async fn vote(
    parts: &TaskToolParts,
    context: &ToolContext,
    id: &str,
    word: &str,
    reason: Option<String>,
) -> Result<ToolReply<ResolveActionOutput>, Refusal> {
    let word = match word {
        "approve" => VoteWord::Approve,
        "deny" => VoteWord::Deny,
        _ => VoteWord::RequestChanges,
    };
    let voter = context.principal().clone();
    let vote = ActionVote { approval: ApprovalId::new(id), word, reason, voter };
    let state = parts.actions.decide(vote).await?;
    Ok(ToolReply::new(ResolveActionOutput { action_id: id.to_owned(), state, run_id: None }))
}

async fn reply(
    parts: &TaskToolParts,
    context: &ToolContext,
    id: &str,
    answer: Value,
) -> Result<ToolReply<ResolveActionOutput>, Refusal> {
    let answered = parts.actions.answer(&InputId::new(id), answer, context.principal()).await?;
    let data = ResolveActionOutput {
        action_id: id.to_owned(),
        state: answered.state.as_str(),
        run_id: Some(answered.run.to_string()),
    };
    let refs = [ObjectRef::Input { id: answered.id }, ObjectRef::Run { id: answered.run }];
    Ok(ToolReply::new(data).refs(refs))
}

fn unfitting(id: &str) -> Refusal {
    let (expected, field) = match id {
        id if id.starts_with(ApprovalId::PREFIX) => ("`decision`", "decision"),
        id if id.starts_with(InputId::PREFIX) => ("`answer`", "answer"),
        _ => ("the id of an approval or of a question", "action_id"),
    };
    let message = format!("{id:?} is resolved by {expected}, and by nothing else");
    Refusal::new(&codes::INVALID_ARGUMENTS, message)
        .hint("an approval (apr_…) takes `decision`, a question (inp_…) takes `answer`")
        .field(field)
}
