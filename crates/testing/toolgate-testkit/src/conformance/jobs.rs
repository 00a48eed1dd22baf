//! Tools that continue as tasks (extension `io.modelcontextprotocol/tasks`) if the client knows tasks.
//! Otherwise they run within the call, except the two that can only be tasks.

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CreateTaskResult, GetTaskResult,
};
use rmcp::task_manager::{TaskContext, TaskExit, TaskFuture, TaskManager, TaskOptions};
use serde_json::json;

use super::ask::{Question, Reply};
use super::calls::{Call, CallResult, failure, given, name_question, text};

const SECONDS_MAX: f64 = 600.0;
const POLL_INTERVAL_MS: u64 = 100;

pub(super) fn state(tasks: &TaskManager, task_id: &str) -> Result<GetTaskResult, ErrorData> {
    tasks.get_task(task_id).map(GetTaskResult::new)
}

pub(super) async fn slow_compute(call: &Call<'_>) -> CallResult {
    let seconds = call.number("seconds").clamp(0.0, SECONDS_MAX);
    let wait = Duration::from_secs_f64(seconds);
    let done = format!("Computed {} in {seconds} seconds", call.string("label"));
    if !knows_tasks(call) {
        tokio::time::sleep(wait).await;
        return text(&done);
    }
    Ok(start(call, |task| {
        Box::pin(async move {
            tokio::select! {
                () = task.cancelled() => Err(TaskExit::Cancelled),
                () = tokio::time::sleep(wait) => Ok(said(&done)),
            }
        })
    }))
}

/// The tool runs and fails, which is a completed task with an error in its result.
pub(super) fn failing_job(call: &Call<'_>) -> CallResult {
    require_tasks(call)?;
    let failed = CallToolResult::error(vec![ContentBlock::text("The job failed, as it always does")]);
    Ok(start(call, |_| Box::pin(async move { Ok(failed) })))
}

/// The server breaks while the tool runs, which is a failed task.
pub(super) fn protocol_error_job(call: &Call<'_>) -> CallResult {
    let broken = ErrorData::internal_error("the job broke, as it always does", None);
    if !knows_tasks(call) {
        return Err(broken);
    }
    Ok(start(call, |_| Box::pin(async move { Err(TaskExit::Error(broken)) })))
}

pub(super) async fn confirm_delete(call: &Call<'_>) -> CallResult {
    let filename = call.string("filename").to_owned();
    let question = confirm_question(&filename);
    if !knows_tasks(call) {
        return match call.asker().ask(&[question]).await? {
            Reply::Pending(pending) => Ok(pending.into()),
            Reply::Answers(_) => text(&format!("Deleted {filename}")),
        };
    }
    Ok(start(call, |task| {
        Box::pin(async move {
            let answer = task.request_input(question.key, question.request).await?;
            let confirmed = answer["content"]["confirm"].as_bool().unwrap_or(false);
            Ok(said(&if confirmed { format!("Deleted {filename}") } else { format!("Kept {filename}") }))
        })
    }))
}

pub(super) async fn multi_input(call: &Call<'_>) -> CallResult {
    let (name, confirm) = (name_question("name", "What is your name?"), confirm_question("everything"));
    if !knows_tasks(call) {
        return match call.asker().ask(&[name, confirm]).await? {
            Reply::Pending(pending) => Ok(pending.into()),
            Reply::Answers(answers) => text(&format!("Both answered by {}", given(&answers["name"], "name"))),
        };
    }
    Ok(start(call, |task| {
        Box::pin(async move {
            let (name, confirm) = tokio::join!(
                task.request_input(name.key, name.request),
                task.request_input(confirm.key, confirm.request)
            );
            confirm?;
            Ok(said(&format!("Both answered by {}", given(&name?, "name"))))
        })
    }))
}

/// First a question within the call, then the rest as a task that knows the answer.
pub(super) async fn name_then_task(call: &Call<'_>) -> CallResult {
    require_tasks(call)?;
    let name = match call.asker().ask(&[name_question("user_name", "What is your name?")]).await? {
        Reply::Pending(pending) => return Ok(pending.into()),
        Reply::Answers(answers) => given(&answers["user_name"], "name"),
    };
    if name.is_empty() {
        return failure("a name is needed");
    }
    Ok(start(call, |_| Box::pin(async move { Ok(said(&format!("Finished for {name}"))) })))
}

fn start(call: &Call<'_>, work: impl FnOnce(TaskContext) -> TaskFuture) -> CallToolResponse {
    let options = TaskOptions::new().with_poll_interval_ms(POLL_INTERVAL_MS);
    CreateTaskResult::new(call.server.shared.tasks.spawn(options, work)).into()
}

fn knows_tasks(call: &Call<'_>) -> bool {
    call.client().supports_tasks()
}

fn require_tasks(call: &Call<'_>) -> Result<(), ErrorData> {
    if knows_tasks(call) {
        return Ok(());
    }
    Err(ErrorData::missing_required_client_capability(ClientCapabilities::builder().enable_tasks().build()))
}

fn confirm_question(what: &str) -> Question {
    let properties = json!({ "confirm": { "type": "boolean", "description": "Really?" } });
    Question::elicit("confirm", &format!("Delete {what}?"), properties, &["confirm"])
}

fn said(text: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}
