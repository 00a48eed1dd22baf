//! Tools in memory. Their records outlive a gateway, as those of the one path do.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use parking_lot::Mutex;
use serde_json::{Value, json};
use toolgate_core::id::RunId;
use toolgate_core::model::OfferedTool;
use toolgate_core::port::BoxFuture;
use toolgate_core::run::{
    ActionKind, CallSafety, CallTarget, InputSlot, PlannedCall, PlayedCall, PlayedOutcome, QuestionPurpose,
    RequiredAction, Run, SlotType, ToolOffer, TurnPlayer,
};
use toolgate_core::{RawJson, Refusal, ServerName, codes};
use toolgate_runs::{AskedCompletion, NewQuestion, Runs};

/// The calls of all runs, and their effects. Shared by the gateways of a story.
#[derive(Default)]
pub(crate) struct ToolRecords {
    calls: Mutex<BTreeMap<(RunId, String), CallRecord>>,
    effects: Mutex<BTreeMap<String, usize>>,
    pub(crate) cancelled: Mutex<Vec<RunId>>,
    /// The runs that gave up their sessions.
    pub(crate) left: Mutex<Vec<RunId>>,
    /// The servers that are away.
    pub(crate) away: Mutex<Vec<ServerName>>,
}

#[derive(Clone)]
enum CallRecord {
    /// A call of this gateway is in progress.
    Begun(String),
    Ended(PlayedOutcome),
}

impl ToolRecords {
    pub(crate) fn effects(&self, tool: &str) -> usize {
        self.effects.lock().get(tool).copied().unwrap_or(0)
    }
}

pub(crate) struct StoryPlayer {
    pub(crate) records: Arc<ToolRecords>,
    pub(crate) runs: OnceLock<Arc<Runs>>,
    /// The name of its gateway.
    pub(crate) stream: String,
}

impl StoryPlayer {
    async fn make(&self, run: &Run, call: PlannedCall) -> PlayedCall {
        let key = (run.id.clone(), call.id.clone());
        let before = self.records.calls.lock().get(&key).cloned();
        let outcome = match before {
            Some(CallRecord::Ended(outcome)) => outcome,
            Some(CallRecord::Begun(by)) if by != self.stream => PlayedOutcome::Unknown,
            _ => self.run(run, &key, &call).await,
        };
        PlayedCall { id: call.id, outcome }
    }

    async fn run(&self, run: &Run, key: &(RunId, String), call: &PlannedCall) -> PlayedOutcome {
        self.records.calls.lock().insert(key.clone(), CallRecord::Begun(self.stream.clone()));
        let outcome = self.outcome(run, call).await;
        let mut calls = self.records.calls.lock();
        match &outcome {
            PlayedOutcome::Ended { .. } => calls.insert(key.clone(), CallRecord::Ended(outcome.clone())),
            _ => calls.remove(key),
        };
        outcome
    }

    async fn outcome(&self, run: &Run, call: &PlannedCall) -> PlayedOutcome {
        let ended = |text: &str| PlayedOutcome::Ended { text: text.to_owned(), is_error: false };
        let target = CallTarget::of(&call.name, &call.arguments);
        let call = &PlannedCall { id: call.id.clone(), name: target.name, arguments: target.arguments };
        *self.records.effects.lock().entry(call.name.clone()).or_default() += 1;
        match call.name.as_str() {
            // Each answer is another one.
            "read" => ended(&format!("data {} {}", call.id, "x".repeat(400))),
            "same" => ended("the same"),
            "write" => ended("written"),
            "hang" | "peek" if !call.id.ends_with(".again") => std::future::pending().await,
            "hang" | "peek" => ended("at last"),
            "fail" => PlayedOutcome::Ended { text: "no such page".to_owned(), is_error: true },
            "ask" => self.ask(run).await,
            "pause" => {
                self.runs().pause(&run.id, &run.principal).await.expect("paused");
                ended("paused")
            }
            "complete_workflow" | "run__complete" => self.complete(run, call).await,
            other => PlayedOutcome::Ended { text: format!("there is no tool {other}"), is_error: true },
        }
    }

    fn runs(&self) -> &Runs {
        self.runs.get().expect("set before the first call")
    }

    async fn ask(&self, run: &Run) -> PlayedOutcome {
        let question = NewQuestion {
            run: run.id.clone(),
            session: None,
            call: None,
            principal: run.principal.clone(),
            slot: InputSlot {
                slot_type: SlotType::Text,
                slot_id: "colour".to_owned(),
                prompt_key: "Which colour?".to_owned(),
                options: Vec::new(),
                purpose: QuestionPurpose::Question,
                picture: None,
            },
        };
        let Ok(asked) = self.runs().ask_at_once(question).await else { return PlayedOutcome::NotNow };
        match &asked.answer {
            Some(answer) => PlayedOutcome::Ended { text: answer.as_str().to_owned(), is_error: false },
            None => PlayedOutcome::Waits(RequiredAction {
                kind: ActionKind::Question,
                id: asked.id.to_string(),
                since_ms: asked.created_at_ms,
                how: "answer it".to_owned(),
            }),
        }
    }

    async fn complete(&self, run: &Run, call: &PlannedCall) -> PlayedOutcome {
        let arguments: Value = call.arguments.decode().expect("an object");
        let summary = arguments["summary"].as_str().unwrap_or("done");
        let (runs, by) = (self.runs(), &run.principal);
        let completed = match arguments.get("result").cloned() {
            None => runs.complete(&run.id, None, summary, &[], by).await,
            result => {
                let summary = Some(summary.to_owned());
                let asked = AskedCompletion { summary, result, ..AskedCompletion::default() };
                runs.complete_as_asked(&run.id, asked, by).await
            }
        };
        match completed {
            Ok(_) => PlayedOutcome::Ended { text: "completed".to_owned(), is_error: false },
            Err(refusal) if refusal.code == &codes::INVALID_ARGUMENTS => {
                PlayedOutcome::Ended { text: refusal.message, is_error: true }
            }
            Err(_) => PlayedOutcome::NotNow,
        }
    }
}

impl TurnPlayer for StoryPlayer {
    fn offer<'a>(&'a self, _run: &'a Run) -> BoxFuture<'a, Result<ToolOffer, Refusal>> {
        let tool = |name: &str| OfferedTool {
            name: name.to_owned(),
            description: String::new(),
            schema: RawJson::from(json!({ "type": "object" })),
        };
        // Out of order: the loop sorts them.
        let tools = ["write", "read", "complete_workflow"].map(tool).to_vec();
        Box::pin(std::future::ready(Ok(ToolOffer { tools, away: self.records.away.lock().clone() })))
    }

    fn play<'a>(
        &'a self,
        run: &'a Run,
        calls: Vec<PlannedCall>,
    ) -> BoxFuture<'a, Result<Vec<PlayedCall>, Refusal>> {
        Box::pin(async move {
            let mut played = Vec::new();
            for call in calls {
                played.push(self.make(run, call).await);
            }
            Ok(played)
        })
    }

    fn recorded<'a>(
        &'a self,
        run: &'a RunId,
        call: &'a str,
    ) -> BoxFuture<'a, Result<Option<PlayedOutcome>, Refusal>> {
        let record = self.records.calls.lock().get(&(run.clone(), call.to_owned())).cloned();
        let is_lost = |by: &str| by != self.stream || self.records.cancelled.lock().contains(run);
        let outcome = record.map(|record| match record {
            CallRecord::Ended(outcome) => outcome,
            CallRecord::Begun(by) if is_lost(&by) => PlayedOutcome::Unknown,
            CallRecord::Begun(_) => PlayedOutcome::NotNow,
        });
        Box::pin(std::future::ready(Ok(outcome)))
    }

    fn safety<'a>(&'a self, _run: &'a Run, call: &'a PlannedCall) -> BoxFuture<'a, CallSafety> {
        let safety = match CallTarget::of(&call.name, &call.arguments).name.as_str() {
            "peek" | "complete_workflow" => CallSafety::Repeatable,
            _ => CallSafety::Once,
        };
        Box::pin(std::future::ready(safety))
    }

    fn cancel<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, ()> {
        self.records.cancelled.lock().push(run.clone());
        Box::pin(std::future::ready(()))
    }

    fn leave<'a>(&'a self, run: &'a Run) -> BoxFuture<'a, ()> {
        self.records.left.lock().push(run.id.clone());
        Box::pin(std::future::ready(()))
    }
}
