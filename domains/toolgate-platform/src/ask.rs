//! `request_user_input`: puts a question to a person. The run waits for the answer; the call does so for a while.

use std::sync::Arc;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolgate_core::codes;
use toolgate_core::event::Outcome;
use toolgate_core::platform::{ObjectRef, ToolPresence};
use toolgate_core::port::AskKind;
use toolgate_core::run::{
    CallKind, InputRequest, InputSlot, InputState, QuestionPurpose, SlotOption, SlotPicture, SlotType,
};
use toolgate_core::{Refusal, RefusalKind};
use toolgate_domain::{ToolContext, ToolDefinition, ToolReply};
use toolgate_runs::NewQuestion;

use crate::refusal::invalid;
use crate::{PlatformTools, elicit};

pub(crate) const REQUEST_USER_INPUT: ToolDefinition = ToolDefinition::reads(
    "toolgate.runs.ask",
    "Ask a person",
    "Asks a person and waits. Use the tools on what was given first: at least two must have completed.",
)
.wire("request_user_input")
.presence(ToolPresence::WithRun)
.kind(CallKind::Ask);

/// The interval at which a client hears that its call still waits.
const PROGRESS_EVERY: Duration = Duration::from_secs(5);
/// The number of times the person at the client is asked again after an invalid answer.
const TRIES_MAX: usize = 3;

#[derive(Deserialize, JsonSchema)]
pub(crate) struct UserInputArguments {
    #[schemars(extend("enum" = ["text", "choice", "multi_choice", "number", "boolean", "date", "file"]))]
    slot_type: String,
    /// Names the answer; the same id is the same question
    slot_id: String,
    /// The question
    prompt_key: String,
    /// For choice and multi_choice
    #[serde(default)]
    options: Vec<OptionForm>,
    /// captcha: a page wants a person
    purpose: Option<AskedPurpose>,
    /// A picture to look at
    picture_ref_id: Option<String>,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum AskedPurpose {
    Question,
    Captcha,
}

#[derive(Deserialize, Serialize, JsonSchema)]
#[serde(untagged)]
enum OptionForm {
    Value(String),
    Labelled { value: String, label: Option<String> },
}

#[derive(Serialize, JsonSchema)]
pub(crate) struct UserInputOutput {
    input_id: String,
    slot_id: String,
    /// Left out for a question like any other.
    #[serde(skip_serializing_if = "Option::is_none")]
    purpose: Option<&'static str>,
    state: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    answer: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answered_by: Option<String>,
}

impl UserInputArguments {
    fn slot(self, picture: Option<SlotPicture>) -> Result<InputSlot, Refusal> {
        let unknown = || invalid(format!("{:?} is no slot type", self.slot_type), "see the tool's schema");
        let slot_type = SlotType::parse(&self.slot_type).ok_or_else(unknown)?;
        let options = self.options.into_iter().map(|form| match form {
            OptionForm::Value(value) => SlotOption { value, label: None },
            OptionForm::Labelled { value, label } => SlotOption { value, label },
        });
        let slot = InputSlot {
            slot_type,
            slot_id: self.slot_id,
            prompt_key: self.prompt_key,
            options: options.collect(),
            purpose: self.purpose.map_or(QuestionPurpose::Question, AskedPurpose::read),
            picture,
        };
        slot.checked().map_err(|bad| invalid(bad.to_string(), "ask something that can be answered"))
    }
}

impl AskedPurpose {
    fn read(self) -> QuestionPurpose {
        match self {
            AskedPurpose::Question => QuestionPurpose::Question,
            AskedPurpose::Captcha => QuestionPurpose::Captcha,
        }
    }
}

pub(crate) async fn request_user_input(
    tools: Arc<PlatformTools>,
    context: ToolContext,
    arguments: UserInputArguments,
) -> Result<ToolReply<UserInputOutput>, Refusal> {
    let picture = match &arguments.picture_ref_id {
        Some(id) => Some(picture(&tools, &context, id).await?),
        None => None,
    };
    let slot = arguments.slot(picture)?;
    let holder = &context.holder;
    let asking = NewQuestion {
        run: context.run()?.clone(),
        session: Some(holder.session.clone()),
        call: holder.call.clone(),
        principal: holder.principal.id.clone(),
        slot,
    };
    let asked = tools.runs.ask(asking).await?;
    let told = match asked.state {
        InputState::Pending if context.caller.can_answer(AskKind::Elicitation) => {
            at_client(&tools, &context, asked).await?
        }
        InputState::Pending if context.caller.waits_for_people() => hold(&tools, &context, asked).await,
        InputState::Pending => asked,
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

/// A picture that the agent may use itself. The person who answers sees these very bytes.
async fn picture(tools: &PlatformTools, context: &ToolContext, id: &str) -> Result<SlotPicture, Refusal> {
    let found = tools.files.find(&context.holder, id).await?;
    Ok(SlotPicture {
        id: id.to_owned(),
        digest: found.digest,
        bytes: found.bytes,
        media_type: found.media_type,
    })
}

/// Asks the person at the client. Another person may answer first.
async fn at_client(
    tools: &PlatformTools,
    context: &ToolContext,
    asked: InputRequest,
) -> Result<InputRequest, Refusal> {
    let mut problem = None;
    for _ in 0..TRIES_MAX {
        let question = elicit::question(&asked.slot, problem.as_deref());
        let said = tokio::select! {
            said = context.caller.ask_as(asked.id.as_str(), AskKind::Elicitation, question) => said,
            resolved = tools.runs.resolved(&asked.id) => return Ok(resolved),
        };
        // Closed without an answer, or no answer at all: the question stays in the inbox.
        let Some(answer) = said.ok().and_then(|said| elicit::answer(&asked.slot, &said)) else {
            return Ok(asked);
        };
        match answer_as(tools, context, &asked, answer).await {
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
    context: &ToolContext,
    asked: &InputRequest,
    answer: Value,
) -> Result<InputRequest, Refusal> {
    let by = context.principal();
    let file = tools.files.answering(by, &asked.slot, &answer).await?;
    tools.runs.answer(&asked.id, answer, file, &by.id, "elicitation").await
}

/// Waits for an answer through the inbox.
async fn hold(tools: &PlatformTools, context: &ToolContext, asked: InputRequest) -> InputRequest {
    let mut resolved = tools.runs.resolved(&asked.id);
    let mut waited = Duration::ZERO;
    while waited < tools.input_hold {
        let step = PROGRESS_EVERY.min(tools.input_hold - waited);
        match tokio::time::timeout(step, &mut resolved).await {
            Ok(told) => return told,
            Err(_) => {
                waited += step;
                let message = format!("waiting for an answer to {}", asked.id);
                context
                    .caller
                    .progress(json!({ "progress": waited.as_secs_f64(), "message": message }).into());
            }
        }
    }
    asked
}

fn pending(asked: &InputRequest) -> ToolReply<UserInputOutput> {
    let text = format!(
        "The question waits for a person ({}); the run is paused. Repeat exactly this call later to get the answer.",
        asked.id
    );
    reply(asked, None).text(text).outcome(Outcome::PendingInput)
}

fn answered(told: &InputRequest) -> ToolReply<UserInputOutput> {
    let answer: Value = told.answer.as_ref().and_then(|raw| raw.decode().ok()).unwrap_or_default();
    let text = match &answer {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    reply(told, Some(answer)).text(text)
}

fn reply(told: &InputRequest, answer: Option<Value>) -> ToolReply<UserInputOutput> {
    let data = UserInputOutput {
        input_id: told.id.to_string(),
        slot_id: told.slot.slot_id.clone(),
        purpose: Some(told.slot.purpose).filter(|one| !one.is_plain()).map(QuestionPurpose::as_str),
        state: told.state.as_str(),
        answer,
        answered_by: told.answered_by.as_ref().map(ToString::to_string),
    };
    ToolReply::new(data).refs([ObjectRef::Input { id: told.id.clone() }])
}
