//! The common parts of stories about runs: runs, work in them, questions, and a caller for batches.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use http::Method;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use toolgate_core::event::Outcome;
use toolgate_core::id::{CallId, InputId, RunId};
use toolgate_core::port::BoxFuture;
use toolgate_core::run::{
    CallKind, InputRequest, InputSlot, QuestionPurpose, RunCall, RunCallEnd, Runs as _, SlotOption, SlotType,
};
use toolgate_core::scope::{Credential, Seat};
use toolgate_core::{Blame, CanonicalName, RawJson, Refusal};
use toolgate_pipeline::{CallAnswer, CallAnswerBody, Envelope};
use toolgate_runs::{NewQuestion, Runs};

use super::file_kit::agent;
use super::gate::{Gate, Read, introduce, request};
use crate::{HoldMode, NotCalled, ToolCallRequest, ToolCaller};

/// A run of `agent-7`, started with this body.
pub(super) async fn start(gate: &Gate, body: &str) -> Started {
    started(gate.post(&agent(), "/runs", body).await)
}

pub(super) fn started(answer: Read) -> Started {
    assert_eq!(answer.status, 201, "{answer:?}");
    let id = answer.json()["run"]["id"].as_str().expect("an id").to_owned();
    Started { id, answer }
}

pub(super) struct Started {
    pub(super) id: String,
    pub(super) answer: Read,
}

impl Started {
    pub(super) fn run(&self) -> RunId {
        RunId::new(self.id.as_str())
    }

    pub(super) fn path(&self, more: &str) -> String {
        format!("/runs/{}{more}", self.id)
    }

    /// The credential of its session's token, as the edge makes it.
    pub(super) async fn holder(&self, gate: &Gate) -> Credential {
        let token = self.answer.json()["token"].as_str().expect("a token").to_owned();
        gate.store.verify(&token).await.expect("the store is there").expect("the token is good")
    }
}

pub(super) async fn ask_as(
    gate: &Gate,
    credential: &Credential,
    method: Method,
    path: &str,
    body: &str,
) -> Read {
    let mut request = request(method, path, None, body);
    introduce(&mut request, credential.clone());
    gate.send(request).await
}

pub(super) fn told(answer: &Read) -> (u16, String) {
    (answer.status.as_u16(), answer.problem())
}

/// Calls of data tools that are completed in a run.
pub(super) async fn work(gate: &Gate, run: &RunId, calls: usize) {
    for number in 0..calls {
        let call = CallId::new(format!("tc_{run}_{number}"));
        let tool = CanonicalName::recorded("bank:balance");
        let entering = RunCall { call: call.clone(), tool, kind: CallKind::Data, bytes: 10 };
        gate.runs.admit(run, entering).await.expect("it is let in");
        gate.runs.finish(run, &call, RunCallEnd { completed: true, bytes: 5 }).await;
    }
}

pub(super) fn slot(slot_type: SlotType, slot_id: &str) -> InputSlot {
    let has_options = matches!(slot_type, SlotType::Choice | SlotType::MultiChoice);
    let options = ["formal", "plain"].map(|value| SlotOption { value: value.to_owned(), label: None });
    InputSlot {
        slot_type,
        slot_id: slot_id.to_owned(),
        prompt_key: "Which tone?".to_owned(),
        options: if has_options { options.to_vec() } else { Vec::new() },
        purpose: QuestionPurpose::Question,
        picture: None,
    }
}

/// A question that a run waits for, once it has worked.
pub(super) async fn asked(gate: &Gate, run: &RunId, slot: InputSlot) -> InputId {
    work(gate, run, 2).await;
    let asking = NewQuestion { run: run.clone(), session: None, call: None, principal: agent().id, slot };
    gate.runs.ask(asking).await.expect("it is asked").id
}

/// Makes calls in runs as the gateway does, and keeps a diary of them. `wait:…` waits until it is released;
/// `say:…` ends with the named outcome; the gateway's own tools ask and complete.
pub(super) struct Workshop {
    runs: Arc<Runs>,
    diary: Mutex<Vec<String>>,
    cancelled: Mutex<Vec<RunId>>,
    under_way: AtomicUsize,
    most: AtomicUsize,
    /// One permit for each call that may continue.
    pub(super) doors: Semaphore,
    calls: AtomicUsize,
}

impl Workshop {
    pub(super) fn new(runs: &Arc<Runs>) -> Arc<Self> {
        Arc::new(Self {
            runs: runs.clone(),
            diary: Mutex::default(),
            cancelled: Mutex::default(),
            under_way: AtomicUsize::new(0),
            most: AtomicUsize::new(0),
            doors: Semaphore::new(0),
            calls: AtomicUsize::new(0),
        })
    }

    /// The names of calls in the order in which they were sent.
    pub(super) fn diary(&self) -> Vec<String> {
        self.diary.lock().clone()
    }

    /// The runs whose calls were cancelled, in their order.
    pub(super) fn cancelled(&self) -> Vec<String> {
        self.cancelled.lock().iter().map(ToString::to_string).collect()
    }

    pub(super) fn under_way(&self) -> usize {
        self.under_way.load(Ordering::SeqCst)
    }

    /// The maximum number of concurrent calls.
    pub(super) fn most(&self) -> usize {
        self.most.load(Ordering::SeqCst)
    }

    async fn made(&self, seat: &Seat, request: &ToolCallRequest) -> Result<CallAnswer, NotCalled> {
        let call = CallId::new(format!("tc_{}", self.calls.fetch_add(1, Ordering::SeqCst)));
        let run = seat.run.clone().expect("batches are made in runs");
        let kind = match request.name.as_str() {
            "request_user_input" | "toolgate.runs.ask" => CallKind::Ask,
            "complete_workflow" | "toolgate.runs.complete" => CallKind::Control,
            _ => CallKind::Data,
        };
        let tool = CanonicalName::recorded(&request.name);
        let entering = RunCall { call: call.clone(), tool, kind, bytes: 0 };
        if let Err(refusal) = self.runs.admit(&run, entering).await {
            return Ok(refused(call, &refusal));
        }
        self.diary.lock().push(request.name.clone());
        let answer = self.worked(&run, &call, seat, request).await;
        let completed = answer.as_ref().is_ok_and(|answer| answer.envelope.status == Outcome::Succeeded);
        self.runs.finish(&run, &call, RunCallEnd { completed, bytes: 0 }).await;
        answer
    }

    async fn worked(
        &self,
        run: &RunId,
        call: &CallId,
        seat: &Seat,
        request: &ToolCallRequest,
    ) -> Result<CallAnswer, NotCalled> {
        let arguments: Value =
            request.arguments.as_ref().and_then(|raw| raw.decode().ok()).unwrap_or_default();
        let (word, _) = request.name.split_once(':').unwrap_or((&request.name, ""));
        match word {
            "wait" => {
                self.doors.acquire().await.expect("nobody closes it").forget();
                Ok(succeeded(call, json!({ "arguments": arguments, "hold": "over" })))
            }
            "work" => Ok(succeeded(call, json!({ "arguments": arguments, "session": seat.session }))),
            "say" => {
                let word = request.name.strip_prefix("say:").unwrap_or_default();
                Ok(answer(call, Outcome::parse(word).ok_or(NotCalled::UnknownTool)?, json!({})))
            }
            "request_user_input" | "toolgate.runs.ask" => Ok(self.asked(run, call, seat).await),
            "complete_workflow" | "toolgate.runs.complete" => {
                let by = &seat.principal.id;
                match self.runs.complete(run, Some(call), "done", &[], by).await {
                    Ok(ended) => Ok(succeeded(call, json!({ "state": ended.state }))),
                    Err(refusal) => Ok(refused(call.clone(), &refusal)),
                }
            }
            _ => Err(NotCalled::UnknownTool),
        }
    }

    /// Does not wait for people.
    async fn asked(&self, run: &RunId, call: &CallId, seat: &Seat) -> CallAnswer {
        let asking = NewQuestion {
            run: run.clone(),
            session: Some(seat.session.clone()),
            call: Some(call.clone()),
            principal: seat.principal.id.clone(),
            slot: slot(SlotType::Text, "why"),
        };
        match self.runs.ask(asking).await {
            Ok(InputRequest { answer: Some(said), .. }) => succeeded(call, json!({ "answer": said })),
            Ok(asked) => answer(call, Outcome::PendingInput, json!({ "input_id": asked.id })),
            Err(refusal) => refused(call.clone(), &refusal),
        }
    }
}

impl ToolCaller for Arc<Workshop> {
    fn call(
        &self,
        seat: Arc<Seat>,
        request: ToolCallRequest,
        _: HoldMode,
    ) -> BoxFuture<'static, Result<CallAnswer, NotCalled>> {
        let workshop = Arc::clone(self);
        Box::pin(async move {
            let under_way = workshop.under_way.fetch_add(1, Ordering::SeqCst) + 1;
            workshop.most.fetch_max(under_way, Ordering::SeqCst);
            let made = workshop.made(&seat, &request).await;
            workshop.under_way.fetch_sub(1, Ordering::SeqCst);
            made
        })
    }

    fn cancel_run(&self, run: &RunId) {
        self.cancelled.lock().push(run.clone());
    }

    fn settled(&self) -> BoxFuture<'static, ()> {
        Box::pin(async {})
    }
}

fn answer(call: &CallId, status: Outcome, data: Value) -> CallAnswer {
    let envelope = Envelope {
        status,
        refs: Vec::new(),
        warnings: Vec::new(),
        tool_call_id: call.clone(),
        approval_id: None,
    };
    CallAnswer {
        tool: CanonicalName::recorded("docs:work"),
        envelope,
        body: CallAnswerBody::Result(RawJson::from(data)),
    }
}

fn succeeded(call: &CallId, data: Value) -> CallAnswer {
    answer(call, Outcome::Succeeded, data)
}

/// As the pipeline reports a call that a run refuses.
fn refused(call: CallId, refusal: &Refusal) -> CallAnswer {
    let said = toolgate_pipeline::CallRefusal {
        code: refusal.code,
        fault: Blame::Caller,
        retry: false,
        message: refusal.message.clone(),
        hint: refusal.hint.clone(),
        counsel: None,
        details: Value::Null,
    };
    let refused = answer(&call, Outcome::Refused, Value::Null);
    CallAnswer { body: CallAnswerBody::Refusal(said), ..refused }
}
