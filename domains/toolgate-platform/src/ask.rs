//! `request_user_input`: puts a question to a person. The run waits for the answer; the call does so for a while.

use std::time::Duration;

use serde::Deserialize;
use serde_json::{Value, json};
use toolgate_core::codes;
use toolgate_core::event::Outcome;
use toolgate_core::platform::{PlatformAnswer, PlatformCall};
use toolgate_core::port::AskKind;
use toolgate_core::run::{InputRequest, InputSlot, InputState, SlotOption, SlotType};
use toolgate_core::{Refusal, RefusalKind};
use toolgate_runs::NewQuestion;

use crate::answering::{arguments, done, invalid, run_of};
use crate::{PlatformTools, elicit};

/// The interval at which a client hears that its call still waits.
const PROGRESS_EVERY: Duration = Duration::from_secs(5);
/// The number of times the person at the client is asked again after an invalid answer.
const TRIES_MAX: usize = 3;

#[derive(Deserialize)]
struct UserInputArguments {
    slot_type: String,
    slot_id: String,
    prompt_key: String,
    #[serde(default)]
    options: Vec<OptionForm>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum OptionForm {
    Value(String),
    Labelled(SlotOption),
}

impl UserInputArguments {
    fn slot(self) -> Result<InputSlot, Refusal> {
        let unknown = || invalid(format!("{:?} is no slot type", self.slot_type), "see the tool's schema");
        let slot_type = SlotType::parse(&self.slot_type).ok_or_else(unknown)?;
        let options = self.options.into_iter().map(|form| match form {
            OptionForm::Value(value) => SlotOption { value, label: None },
            OptionForm::Labelled(option) => option,
        });
        let slot = InputSlot {
            slot_type,
            slot_id: self.slot_id,
            prompt_key: self.prompt_key,
            options: options.collect(),
        };
        slot.checked().map_err(|bad| invalid(bad.to_string(), "ask something that can be answered"))
    }
}

pub(crate) async fn run(tools: &PlatformTools, call: &PlatformCall<'_>) -> Result<PlatformAnswer, Refusal> {
    let slot = arguments::<UserInputArguments>(call.arguments)?.slot()?;
    let holder = call.holder;
    let asking = NewQuestion {
        run: run_of(holder)?.clone(),
        session: Some(holder.session.clone()),
        call: holder.call.clone(),
        principal: holder.principal.id.clone(),
        slot,
    };
    let asked = tools.runs.ask(asking).await?;
    let told = match asked.state {
        InputState::Pending if call.caller.can_answer(AskKind::Elicitation) => {
            at_client(tools, call, asked).await?
        }
        InputState::Pending => hold(tools, call, asked).await,
        _ => asked,
    };
    match told.state {
        InputState::Pending => Ok(pending(&told)),
        InputState::Answered => Ok(answered(&told)),
        InputState::Cancelled => Err(Refusal::new(
            &codes::INPUT_CANCELLED,
            format!("question {} was cancelled, and will not be answered", told.id),
        )
        .hint("go on without the answer, or ask under another slot_id")),
    }
}

/// Asks the person at the client. Another person may answer first.
async fn at_client(
    tools: &PlatformTools,
    call: &PlatformCall<'_>,
    asked: InputRequest,
) -> Result<InputRequest, Refusal> {
    let mut problem = None;
    for _ in 0..TRIES_MAX {
        let question = elicit::question(&asked.slot, problem.as_deref());
        let said = tokio::select! {
            said = call.caller.ask(AskKind::Elicitation, question) => said,
            resolved = tools.runs.resolved(&asked.id) => return Ok(resolved),
        };
        // Closed without an answer, or no answer at all: the question stays in the inbox.
        let Some(answer) = said.ok().and_then(|said| elicit::answer(&asked.slot, &said)) else {
            return Ok(asked);
        };
        match answer_as(tools, call, &asked, answer).await {
            Ok(told) => return Ok(told),
            Err(refusal) if refusal.kind == RefusalKind::Invalid => problem = Some(refusal.message),
            // Answered elsewhere at the same moment: that answer stands.
            Err(refusal) if refusal.code == &codes::INPUT_ANSWERED => {
                return tools.runs.input(&asked.id).await;
            }
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(asked)
}

async fn answer_as(
    tools: &PlatformTools,
    call: &PlatformCall<'_>,
    asked: &InputRequest,
    answer: Value,
) -> Result<InputRequest, Refusal> {
    let by = &call.holder.principal;
    let file = tools.files.answering(by, &asked.slot, &answer).await?;
    tools.runs.answer(&asked.id, answer, file, &by.id, "elicitation").await
}

/// Waits for an answer through the inbox.
async fn hold(tools: &PlatformTools, call: &PlatformCall<'_>, asked: InputRequest) -> InputRequest {
    let mut resolved = tools.runs.resolved(&asked.id);
    let mut waited = Duration::ZERO;
    while waited < tools.input_hold {
        let step = PROGRESS_EVERY.min(tools.input_hold - waited);
        match tokio::time::timeout(step, &mut resolved).await {
            Ok(told) => return told,
            Err(_) => {
                waited += step;
                let message = format!("waiting for an answer to {}", asked.id);
                call.caller.progress(json!({ "progress": waited.as_secs_f64(), "message": message }).into());
            }
        }
    }
    asked
}

fn pending(asked: &InputRequest) -> PlatformAnswer {
    let text = format!(
        "The question waits for a person ({}); the run is paused. Repeat exactly this call later to get the answer.",
        asked.id
    );
    let data = json!({ "input_id": asked.id, "slot_id": asked.slot.slot_id, "state": asked.state });
    PlatformAnswer { text, data, notices: Vec::new(), outcome: Some(Outcome::PendingInput) }
}

fn answered(told: &InputRequest) -> PlatformAnswer {
    let answer: Value = told.answer.as_ref().and_then(|raw| raw.decode().ok()).unwrap_or_default();
    let text = match &answer {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let data = json!({
        "input_id": told.id, "slot_id": told.slot.slot_id, "state": told.state,
        "answer": answer, "answered_by": told.answered_by,
    });
    done(text, data)
}
