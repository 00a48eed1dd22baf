//! One turn: the order of its calls, the earlier ones, and the stored results.

use std::sync::Arc;

use futures_util::future::join_all;
use serde_json::{Value, json};
use tokio::sync::Semaphore;
use toolgate_core::codes;
use toolgate_core::event::Outcome;
use toolgate_core::id::{CallId, RunId};
use toolgate_core::port::{InputAnswers, InputRounds};
use toolgate_core::run::{CallTarget, InputRequest, InputSlot, InputState, Run};
use toolgate_core::scope::{Credential, Seat, SessionRoute};
use toolgate_core::{CanonicalName, Digest, RawJson, Refusal, RefusalKind};
use toolgate_pipeline::{CallWarning, canonical};
use toolgate_runs::{CallClaim, NewQuestion};

use super::rounds::ServerRound;
use crate::problem::{ApiResult, Problem};
use crate::progress::TurnListener;
use crate::routes::driven_seats::unseated;
use crate::routes::tools::{EnvelopeView, envelope, not_called};
use crate::{ApiContext, HoldMode, ToolCallRequest};

/// The status of a request that never became a call.
const NOT_CALLED: &str = "not_called";

/// A call as sent.
pub(crate) struct TurnCall {
    id: String,
    name: String,
    /// An error if the text of the arguments is not JSON.
    arguments: Result<RawJson, serde_json::Error>,
}

impl TurnCall {
    pub(crate) fn new(id: String, name: String, arguments: Option<RawJson>) -> Self {
        Self { id, name, arguments: object_of(arguments) }
    }

    fn timing(&self) -> CallTiming {
        let none = RawJson::EMPTY;
        let arguments = self.arguments.as_ref().unwrap_or(&none);
        CallTiming::of(&CallTarget::of(&self.name, arguments))
    }

    /// The same for all that ask the same.
    fn digest(&self, arguments: &RawJson) -> Digest {
        // Equal values have equal texts; an unparsable text stands for itself.
        let text = match canonical::parse(arguments.as_str()) {
            Ok(value) => canonical::canonical(&value),
            Err(_) => arguments.as_str().to_owned(),
        };
        Digest::of(canonical::canonical(&json!([self.name, text])))
    }
}

/// Some models send their arguments as a text to be parsed, which may be empty.
fn object_of(arguments: Option<RawJson>) -> Result<RawJson, serde_json::Error> {
    let Some(arguments) = arguments else { return Ok(RawJson::EMPTY) };
    match arguments.decode::<Value>() {
        Ok(Value::String(text)) if text.trim().is_empty() => Ok(RawJson::EMPTY),
        Ok(Value::String(text)) => RawJson::parse(text.into()),
        Ok(Value::Null) => Ok(RawJson::EMPTY),
        _ => Ok(arguments),
    }
}

/// The time of a call within the turn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum CallTiming {
    /// With all others.
    Together,
    /// After those, each on its own.
    Asking,
    Last,
}

impl CallTiming {
    /// Of the tool that the call is about in the end.
    fn of(target: &CallTarget) -> Self {
        match () {
            () if target.asks() => CallTiming::Asking,
            () if target.may_end_its_run() => CallTiming::Last,
            () => CallTiming::Together,
        }
    }
}

/// All that the calls of one turn have in common.
pub(crate) struct CallTurn {
    context: ApiContext,
    run: Run,
    /// The seat of the calls; or the reason why no new ones can be made, although earlier ones may be
    /// answered.
    seat: ApiResult<Arc<Seat>>,
    hold: HoldMode,
    trace: Option<String>,
    driver: TurnDriver,
}

/// The one who makes the turns of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum TurnDriver {
    /// A client, which asks again for what it does not know.
    Client,
    /// The gateways. A call that one of them left behind when it died is lost.
    Gateways,
}

impl CallTurn {
    pub(crate) async fn of(
        context: &ApiContext,
        credential: &Credential,
        run: Run,
        hold: HoldMode,
        trace: Option<String>,
    ) -> ApiResult<Self> {
        let seat = seat(context, credential, &run).await?;
        Ok(Self { context: context.clone(), run, seat, hold, trace, driver: TurnDriver::Client })
    }

    /// A turn of a run that the gateways drive. It waits for no people.
    pub(crate) fn driven(context: &ApiContext, run: Run, seat: ApiResult<Arc<Seat>>) -> Self {
        let (context, hold, driver) = (context.clone(), HoldMode::NotAtAll, TurnDriver::Gateways);
        Self { context, run, seat, hold, trace: None, driver }
    }

    pub(crate) fn run(&self) -> &RunId {
        &self.run.id
    }

    /// Makes the calls and returns their results, in the order of the calls.
    pub(crate) async fn play(self, calls: Vec<TurnCall>, parallel_max: usize) -> Vec<RawJson> {
        let places: Vec<CallTiming> = calls.iter().map(TurnCall::timing).collect();
        let at = |place: CallTiming| {
            let calls = calls.iter().enumerate().zip(&places);
            calls.filter(move |(_, one)| **one == place).map(|(call, _)| call)
        };
        let permits = Semaphore::new(parallel_max);
        let together =
            at(CallTiming::Together).map(async |(number, call)| (number, self.answer(call, &permits).await));
        let mut results = join_all(together).await;
        for (number, call) in at(CallTiming::Asking).chain(at(CallTiming::Last)) {
            results.push((number, self.answer(call, &permits).await));
        }
        results.sort_by_key(|(number, _)| *number);
        results.into_iter().map(|(_, result)| result).collect()
    }

    /// Makes a call, unless it was made before.
    async fn answer(&self, call: &TurnCall, permits: &Semaphore) -> RawJson {
        let arguments = match &call.arguments {
            Ok(arguments) => arguments,
            Err(error) => return fresh(&call.id, &told(&no_json(error))),
        };
        let permit = permits.acquire().await.expect("it is never closed");
        let request = call.digest(arguments);
        match self.context.runs.claim(&self.run.id, &call.id, request).await {
            Ok(CallClaim::Run) => fresh(&call.id, &self.make(call, arguments, InputRounds::Open, None).await),
            Ok(CallClaim::Again(kept)) => fresh(&call.id, &self.go_on(call, arguments, &kept).await),
            Ok(CallClaim::Recorded(result)) => replayed(&call.id, &result),
            Ok(CallClaim::Running) => {
                // It runs elsewhere and takes no place here.
                drop(permit);
                replayed(&call.id, &self.elsewhere(call).await)
            }
            Ok(CallClaim::Mismatch) => fresh(&call.id, &told(&reused(&call.id))),
            Err(refusal) => fresh(&call.id, &told(&Box::from(refusal))),
        }
    }

    /// The result of a call that was taken on elsewhere.
    async fn elsewhere(&self, call: &TurnCall) -> RawJson {
        let (runs, run) = (&self.context.runs, &self.run.id);
        match self.driver {
            TurnDriver::Client => runs.recorded(run, &call.id).await,
            TurnDriver::Gateways => runs.recorded_or_lost(run, &call.id).await,
        }
    }

    /// Goes on with a call that was put off: with the answers of people, if its server asked and they are there.
    async fn go_on(&self, call: &TurnCall, arguments: &RawJson, kept: &RawJson) -> RawJson {
        let Some(round) = ServerRound::kept(kept) else {
            return self.make(call, arguments, InputRounds::Open, None).await;
        };
        match self.answers(&round, call).await {
            Ok(answers) => self.make(call, arguments, InputRounds::Answered(answers), Some(&round)).await,
            Err(waits) => self.put_off(call, waits).await,
        }
    }

    /// The answers of people to the questions of a server; or the result of the call until they are all there.
    async fn answers(&self, round: &ServerRound, call: &TurnCall) -> Result<InputAnswers, RawJson> {
        let mut asked = Vec::new();
        for slot in round.slots(&call.id) {
            match self.ask(round, slot).await {
                Ok(open) if open.state == InputState::Pending => return Err(round.waiting(&open.id)),
                Ok(resolved) => asked.push(resolved),
                Err(refusal) => return Err(round.refused(&refusal)),
            }
        }
        Ok(round.answers(&asked))
    }

    async fn ask(&self, round: &ServerRound, slot: InputSlot) -> Result<InputRequest, Refusal> {
        let question = NewQuestion {
            run: self.run.id.clone(),
            session: self.run.session.clone(),
            call: round.call().map(CallId::new),
            principal: self.run.principal.clone(),
            slot,
        };
        self.context.runs.ask_at_once(question).await
    }

    async fn put_off(&self, call: &TurnCall, result: RawJson) -> RawJson {
        self.context.runs.put_off(&self.run.id, &call.id, result.clone()).await;
        result
    }

    /// Makes a claimed call, and stores its result. `before` is the round of questions that it goes on from.
    async fn make(
        &self,
        call: &TurnCall,
        arguments: &RawJson,
        rounds: InputRounds,
        before: Option<&ServerRound>,
    ) -> RawJson {
        let runs = &self.context.runs;
        match self.send(call, arguments, rounds).await {
            Ok((tool, view)) => {
                let result = RawJson::from_serialize(&view);
                let ended = has_ended(&view);
                let kept = self.kept(&tool, arguments, view);
                if let Some(round) = self.asked(&result, &kept, before) {
                    let waits = self.answers(&round, call).await.err();
                    return self.put_off(call, waits.unwrap_or_else(|| round.later())).await;
                }
                match (ended, before) {
                    (true, _) => runs.record(&self.run.id, &call.id, kept).await,
                    (false, None) => runs.put_off(&self.run.id, &call.id, kept).await,
                    // The answers of people are not lost with it.
                    (false, Some(round)) => return self.put_off(call, round.put_aside(&kept)).await,
                }
                result
            }
            Err(problem) => {
                let problem = told(&problem);
                self.put_off(call, before.map_or(problem.clone(), |round| round.put_aside(&problem))).await
            }
        }
    }

    /// The questions of a server to an agent of the gateways' own. A client is told of them, and answers itself.
    fn asked(&self, result: &RawJson, kept: &RawJson, before: Option<&ServerRound>) -> Option<ServerRound> {
        match self.driver {
            TurnDriver::Client => None,
            TurnDriver::Gateways => {
                ServerRound::asked(result, kept, before.map_or(0, ServerRound::number) + 1)
            }
        }
    }

    /// The stored result for a repeated call: without secrets, as everywhere.
    fn kept(&self, tool: &CanonicalName, arguments: &RawJson, mut view: EnvelopeView) -> RawJson {
        let whole = RawJson::from_serialize(&view);
        let kept = |said: RawJson| self.context.desk.kept(tool, arguments, &said);
        view.data = view.data.map(kept);
        view.refs = view.refs.into_iter().map(kept).collect();
        view.error = view.error.map(|error| kept(error.into()).decode().unwrap_or_default());
        if RawJson::from_serialize(&view) == whole {
            return whole;
        }
        let message = "secrets were left out of what is kept of this call; only its first answer had them";
        view.warnings.push(CallWarning::new(&codes::REDACTED, message));
        RawJson::from_serialize(&view)
    }

    async fn send(
        &self,
        call: &TurnCall,
        arguments: &RawJson,
        rounds: InputRounds,
    ) -> ApiResult<(CanonicalName, EnvelopeView)> {
        let seat = self.seat.clone()?;
        let rounds = if self.driver == TurnDriver::Gateways { rounds } else { InputRounds::Closed };
        let listener = TurnListener::new(&self.context.0.progress, &self.run.id, &call.id);
        let request = ToolCallRequest {
            name: call.name.clone(),
            arguments: Some(arguments.clone()),
            run_id: Some(self.run.id.to_string()),
            task_id: self.run.task.as_ref().map(ToString::to_string),
            trace: self.trace.clone(),
            rounds,
            listener: Some(Arc::new(listener)),
        };
        let called = self.context.caller.call(seat.clone(), request, self.hold).await;
        let answer = called.map_err(|why| not_called(&self.context, &seat, &call.name, &why))?;
        Ok((answer.tool.clone(), envelope(answer).1))
    }
}

/// The seat of the principal that works in a run, and of no one else. The inner problem concerns the session,
/// not the caller.
async fn seat(context: &ApiContext, credential: &Credential, run: &Run) -> ApiResult<ApiResult<Arc<Seat>>> {
    let route = match (&credential.session, &run.session) {
        (Some(_), _) => SessionRoute::Default,
        (None, Some(session)) => SessionRoute::Session(session.clone()),
        (None, None) => return Ok(Err(unseated(run))),
    };
    match context.sessions.seat(credential, &route).await {
        Ok(seat) => Ok(Ok(seat)),
        Err(refusal) if refusal.kind == RefusalKind::Gone => Ok(Err(refusal.into())),
        Err(refusal) if refusal.kind == RefusalKind::NotFound => {
            let detail = format!("it is {} who works in run {}", run.principal, run.id);
            Err(Problem::new(&codes::NOT_ALLOWED, detail)
                .hint("use the token of the run's session, which was told when the run was created"))
        }
        Err(refusal) => Err(refusal.into()),
    }
}

/// True if the result is the end of a call. If people are still asked, or nothing was sent, sending it again
/// continues it.
fn has_ended(view: &EnvelopeView) -> bool {
    let goes_on = matches!(view.status, Outcome::PendingApproval | Outcome::PendingInput | Outcome::Refused);
    let may_try_again = view.error.as_ref().is_some_and(|error| error["retry"] == true);
    !goes_on && !may_try_again
}

fn no_json(error: &serde_json::Error) -> Box<Problem> {
    let detail = format!("the text of the arguments is not one JSON value: {error}");
    Problem::new(&codes::INVALID_ARGUMENTS, detail).hint("send an object, or the JSON text of one")
}

fn reused(id: &str) -> Box<Problem> {
    let detail = format!("another call was made in this run under the id {id:?}");
    Problem::new(&codes::CALL_ID_REUSED, detail)
}

/// A problem in the form of an envelope.
fn told(problem: &Problem) -> RawJson {
    let mut error = json!({ "code": problem.code, "fault": problem.fault, "retry": problem.retry,
        "message": problem.detail, "hint": problem.hint });
    if !problem.more.is_empty() {
        error["details"] = problem.more.clone().into();
    }
    json!({ "status": NOT_CALLED, "data": null, "refs": [], "warnings": [], "error": error }).into()
}

fn fresh(id: &str, result: &RawJson) -> RawJson {
    entry(id, "", result)
}

fn replayed(id: &str, result: &RawJson) -> RawJson {
    entry(id, "\"replayed\":true,", result)
}

/// The result of a call, byte for byte, under the id it was sent with.
fn entry(id: &str, mark: &str, result: &RawJson) -> RawJson {
    let members = result.as_str().strip_prefix('{').expect("an envelope is an object with members");
    RawJson::from_composed(format!("{{\"id\":{},{mark}{members}", Value::from(id)))
}

#[cfg(test)]
mod tests;
