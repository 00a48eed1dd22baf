//! Questions that runs ask people.

use axum::Extension;
use axum::extract::{Path, State};
use axum::response::Response;
use http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json as value};
use toolgate_core::id::{InputId, RunId};
use toolgate_core::moment::rfc3339;
use toolgate_core::run::{
    InputRequest, InputSlot, InputState, QuestionPurpose, SlotOption, SlotPicture, SlotType,
};
use toolgate_core::scope::Credential;
use toolgate_core::{Principal, RawJson, Refusal, RefusalKind, Role};
use toolgate_runs::{InputQuery, unknown_input};
use toolgate_store::RUN_PAGE_MAX;
use utoipa::{IntoParams, ToSchema};

use super::answer::json;
use super::calls::CallView;
use super::earlier_calls::AskedAt;
use super::run_access;
use crate::problem::{ApiResult, Problem};
use crate::read::{Json, Query, limit, word};
use crate::{ApiContext, RequestDoor};

const PAGE_USUAL: usize = 50;
/// Asks for questions in any state.
const ALL: &str = "all";

#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(crate) struct InputsQuery {
    /// pending (the default), answered, cancelled or all
    #[serde(default)]
    state: Option<String>,
    /// Only questions of this run
    #[serde(default)]
    run: Option<String>,
    /// `next_cursor` of the previous page
    #[serde(default)]
    cursor: Option<String>,
    /// Maximum number of entries on the page
    #[serde(default)]
    #[param(value_type = Option<u32>, minimum = 1, maximum = 200)]
    limit: Option<String>,
}

#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct InputsPage {
    inputs: Vec<InputView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
}

/// A question that a run asks a person
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = Input)]
pub(crate) struct InputView {
    #[schema(example = "inp_0198f5c2a4b07c3d8e1f")]
    id: String,
    /// pending, answered or cancelled.
    #[schema(value_type = String)]
    state: InputState,
    run: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<String>,
    /// The call that asks.
    #[serde(skip_serializing_if = "Option::is_none")]
    call: Option<String>,
    /// The principal that asks.
    principal: String,
    /// text, choice, multi_choice, number, boolean, date or file.
    #[schema(value_type = String)]
    slot_type: SlotType,
    /// The agent's name for the answer within its run.
    slot_id: String,
    /// The question, or the key of a text in the asking program.
    prompt_key: String,
    #[schema(value_type = Vec<Object>)]
    options: Vec<SlotOption>,
    /// The kind of the action that the run waits for: question, captcha, credential, budget, unknown_outcome or stuck.
    #[schema(value_type = String)]
    purpose: QuestionPurpose,
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<PictureView>,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    answer: Option<RawJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    answered_by: Option<String>,
    /// The channel of the answer: api, elicitation.
    #[serde(skip_serializing_if = "Option::is_none")]
    via: Option<String>,
    created_at: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    resolved_at: Option<String>,
}

/// A picture that belongs to a question; `GET /inputs/{id}/picture` has its bytes
#[derive(Debug, Serialize, ToSchema)]
#[schema(as = InputPicture)]
pub(crate) struct PictureView {
    /// The ref or the file of the agent.
    #[schema(example = "ref_0198f5c2a4b07c3d8e1f")]
    id: String,
    media_type: String,
    size: u64,
}

/// An answer to a question
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct AnswerBody {
    /// Of the question's type: text, one of the options or a list of them, a number, true or false, a date such as
    /// "2026-07-28", or the id of a file.
    #[schema(value_type = Object, example = "formal")]
    answer: Value,
}

/// A question, with the calls of its run before it
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct InputDetail {
    #[serde(flatten)]
    input: InputView,
    /// The latest calls before it, newest first; only for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Vec<CallView>>,
}

/// List questions, newest first
#[utoipa::path(get, path = "/inputs", tag = "inputs", params(InputsQuery),
    responses((status = 200, description = "A page", body = InputsPage)))]
pub(crate) async fn list(
    State(context): State<ApiContext>,
    Query(query): Query<InputsQuery>,
) -> ApiResult<Response> {
    let page = context.runs.inputs(query.read()?).await?;
    let inputs = page.inputs.into_iter().map(InputView::from).collect();
    Ok(json(StatusCode::OK, &InputsPage { inputs, next_cursor: page.next }))
}

/// Show a question
///
/// Agents see the questions of their own runs.
#[utoipa::path(get, path = "/inputs/{id}", tag = "inputs", params(("id" = String, Path, description = "inp_…")),
    responses((status = 200, description = "The question", body = InputDetail),
        (status = 404, description = "Not found, or not visible to the caller")))]
pub(crate) async fn show(
    State(context): State<ApiContext>,
    Extension(credential): Extension<Credential>,
    Path(id): Path<String>,
) -> ApiResult<Response> {
    let id = InputId::new(id);
    let input = context.runs.input(&id).await?;
    if credential.principal.role == Role::Agent {
        let run = run_access::find(&context, &credential, &input.run).await;
        run.map_err(|problem| unseen(problem, &id))?;
        return Ok(json(StatusCode::OK, &InputDetail { input: input.into(), before: None }));
    }
    let (run, call) = (Some(&input.run), input.call.as_ref());
    let asked = AskedAt { run, session: None, call, at_ms: input.created_at_ms };
    let before = Some(asked.before(&context).await?);
    Ok(json(StatusCode::OK, &InputDetail { input: input.into(), before }))
}

/// Answer a question
///
/// The run continues with the answer. The first answer stands.
#[utoipa::path(post, path = "/inputs/{id}/answer", tag = "inputs", request_body = AnswerBody,
    params(("id" = String, Path, description = "inp_…")),
    responses((status = 200, description = "The question in its new state", body = InputView),
        (status = 404, description = "There is no such question, or no such file"),
        (status = 409, description = "It was already answered"), (status = 410, description = "Its run no longer waits for it"),
        (status = 422, description = "The answer is not of the question's type; `expected` says what it takes")))]
pub(crate) async fn answer(
    State(context): State<ApiContext>,
    Extension(principal): Extension<Principal>,
    door: Option<Extension<RequestDoor>>,
    Path(id): Path<String>,
    Json(body): Json<AnswerBody>,
) -> ApiResult<Response> {
    let id = InputId::new(id);
    let slot = context.runs.input(&id).await?.slot;
    let door = door.map_or(RequestDoor::API, |door| door.0);
    match take(&context, &id, &slot, body.answer, &principal, door).await {
        Ok(answered) => Ok(json(StatusCode::OK, &InputView::from(answered))),
        Err(refusal) => Err(refused(refusal, &slot)),
    }
}

async fn take(
    context: &ApiContext,
    id: &InputId,
    slot: &InputSlot,
    answer: Value,
    by: &Principal,
    RequestDoor(via): RequestDoor,
) -> Result<InputRequest, Refusal> {
    // An answer that does not fit the question is refused before any file is looked up.
    if slot.check_answer(&answer).is_err() {
        return context.runs.answer(id, answer, None, &by.id, via).await;
    }
    let file = context.files.answering(by, slot, &answer).await?;
    context.runs.answer(id, answer, file, &by.id, via).await
}

/// The refusal of an unfitting answer, with the fitting ones.
fn refused(refusal: Refusal, slot: &InputSlot) -> Box<Problem> {
    let does_not_fit = refusal.kind == RefusalKind::Invalid;
    let problem = Box::<Problem>::from(refusal);
    let expected = || value!({ "slot_type": slot.slot_type, "options": slot.options });
    if does_not_fit { problem.with("expected", expected()) } else { problem }
}

/// Another principal's run is not revealed, not even that it asks.
fn unseen(problem: Box<Problem>, id: &InputId) -> Box<Problem> {
    match problem.status == StatusCode::NOT_FOUND.as_u16() {
        true => unknown_input(id).into(),
        false => problem,
    }
}

impl InputsQuery {
    fn read(self) -> ApiResult<InputQuery> {
        let words = InputState::ALL.map(InputState::as_str);
        let words: Vec<&str> = words.into_iter().chain([ALL]).collect();
        let state = match self.state.as_deref() {
            None => Some(InputState::Pending),
            Some(ALL) => None,
            state => word("state", state, &words, InputState::parse)?,
        };
        let limit = limit(self.limit.as_deref(), PAGE_USUAL, RUN_PAGE_MAX)?;
        Ok(InputQuery { state, run: self.run.map(RunId::new), cursor: self.cursor, limit })
    }
}

impl From<InputRequest> for InputView {
    fn from(input: InputRequest) -> Self {
        Self {
            id: input.id.to_string(),
            state: input.state,
            run: input.run.to_string(),
            session: input.session.map(|session| session.to_string()),
            call: input.call.map(|call| call.to_string()),
            principal: input.principal.to_string(),
            slot_type: input.slot.slot_type,
            slot_id: input.slot.slot_id,
            prompt_key: input.slot.prompt_key,
            options: input.slot.options,
            purpose: input.slot.purpose,
            picture: input.slot.picture.map(PictureView::from),
            answer: input.answer,
            answered_by: input.answered_by.map(|by| by.to_string()),
            via: input.via,
            created_at: rfc3339(input.created_at_ms),
            resolved_at: input.resolved_at_ms.map(rfc3339),
        }
    }
}

impl From<SlotPicture> for PictureView {
    fn from(picture: SlotPicture) -> Self {
        Self { id: picture.id, media_type: picture.media_type, size: picture.bytes }
    }
}
