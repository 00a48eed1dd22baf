//! The common parts of stories about tasks that the gateway runs: a starter that only creates runs, a drawer with one secret, and
//! ports that remember what they were asked.

use std::sync::Arc;

use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use toolgate_core::content::ContentHolder;
use toolgate_core::event::Outcome;
use toolgate_core::id::{CallId, FileId, InputId, RunId};
use toolgate_core::model::ModelName;
use toolgate_core::port::BoxFuture;
use toolgate_core::run::{InputFile, InputRequest, RunLabel, RunStart, RunStarter, RunState, Task, TaskPlan};
use toolgate_core::{CanonicalName, Digest, Principal, PrincipalId, Refusal, codes};
use toolgate_runs::{NewRun, NewTask, RunInput, Runs};
use toolgate_tasks::{
    ActionDesk, ActionVote, ForcedAnswer, ForcedCall, ForcedCalls, TaskFiles, TaskToolParts, Tasks,
    TasksSetup, WebhookKeys,
};

use super::file_kit::operator;
use super::gate::{Gate, SECRET};

/// The name of the one secret.
pub(super) const SECRET_NAME: &str = "deliveries";

/// Creates runs, which nobody drives.
pub(super) struct Creating(Arc<Runs>);

impl RunStarter for Creating {
    fn start(&self, start: RunStart) -> BoxFuture<'_, Result<RunId, Refusal>> {
        Box::pin(async move {
            let new = NewRun {
                task: start.task,
                agent: start.agent,
                principal: start.by.clone(),
                created_by: start.by,
                parent: start.parent,
                input: start.input,
                content: RunInput::Files,
                label: RunLabel::default(),
                budget: start.budget,
            };
            Ok(self.0.create(new).await?.id)
        })
    }

    fn cancel<'a>(&'a self, run: &'a RunId, by: &'a PrincipalId) -> BoxFuture<'a, Result<(), Refusal>> {
        Box::pin(async move { self.0.cancel(run, by, "cancelled").await.map(drop) })
    }

    fn state<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Option<RunState>, Refusal>> {
        Box::pin(async move { Ok(self.0.get(run).await.ok().map(|run| run.state)) })
    }
}

struct OneSecret;

impl WebhookKeys for OneSecret {
    fn secret<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<String, Refusal>> {
        let found = match name {
            SECRET_NAME => Ok(SECRET.to_owned()),
            _ => Err(Refusal::new(&codes::NOT_FOUND, format!("there is no secret {name:?}"))),
        };
        Box::pin(async move { found })
    }
}

/// Remembers what the tools asked of the rest of the gateway.
#[derive(Default)]
pub(super) struct Remembering {
    pub(super) forced: Mutex<Vec<ForcedCall>>,
    pub(super) votes: Mutex<Vec<ActionVote>>,
}

impl ForcedCalls for Remembering {
    fn call(&self, call: ForcedCall) -> BoxFuture<'_, Result<ForcedAnswer, Refusal>> {
        let answer = ForcedAnswer {
            tool: CanonicalName::recorded(&call.name),
            status: Outcome::Succeeded,
            call: CallId::new("tc_1"),
            approval: None,
            result: Some(json!({ "content": [] })),
            error: None,
        };
        self.forced.lock().push(call);
        Box::pin(async move { Ok(answer) })
    }
}

impl ActionDesk for Remembering {
    fn decide(&self, vote: ActionVote) -> BoxFuture<'_, Result<&'static str, Refusal>> {
        self.votes.lock().push(vote);
        Box::pin(async { Ok("approved") })
    }

    fn answer<'a>(
        &'a self,
        input: &'a InputId,
        _: Value,
        _: &'a Principal,
    ) -> BoxFuture<'a, Result<InputRequest, Refusal>> {
        let unknown = Refusal::new(&codes::UNKNOWN_INPUT, format!("there is no question {input}"));
        Box::pin(async move { Err(unknown) })
    }
}

impl TaskFiles for Remembering {
    fn input<'a>(
        &'a self,
        _: &'a ContentHolder,
        path: String,
        file: FileId,
    ) -> BoxFuture<'a, Result<InputFile, Refusal>> {
        Box::pin(async move { Ok(InputFile { path, file, digest: Digest::of("a file") }) })
    }
}

/// Connects the tools and routes of a gate with tasks whose runs are only created.
pub(super) fn connect(gate: &Gate) -> Arc<Remembering> {
    let starter: Arc<dyn RunStarter> = Arc::new(Creating(gate.runs.clone()));
    let ports = Arc::new(Remembering::default());
    let tasks = Tasks::start(TasksSetup {
        store: gate.store.clone(),
        books: gate.books.clone(),
        clock: gate.clock.clone(),
        runs: gate.runs.clone(),
        starter: starter.clone(),
        keys: Arc::new(OneSecret),
        stream: "one".into(),
        shutdown: CancellationToken::clone(&gate.shutdown),
    });
    gate.tasks.connect(TaskToolParts {
        tasks,
        runs: gate.runs.clone(),
        store: gate.store.clone(),
        starter,
        forced: ports.clone(),
        actions: ports.clone(),
        files: ports.clone(),
    });
    ports
}

/// A task with a goal and a model, of `ops`.
pub(super) async fn planned(gate: &Gate) -> Task {
    let plan = TaskPlan {
        goal: "Write a report".to_owned(),
        model: ModelName::new("large").expect("a name"),
        instructions: String::new(),
        input: Vec::new(),
        outcome_schema: None,
        spend_per_day_micros: None,
    };
    let new = NewTask { name: "Report".to_owned(), plan: Some(plan), ..NewTask::default() };
    gate.runs.put_task(new, &operator().id).await.expect("a task")
}
