//! The answer to a failed request: `application/problem+json` with code, fault, retry and hint.

use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use serde_json::{Map, Value};
use toolgate_core::approval::{ApprovalRefusal, Withdrawn};
use toolgate_core::governance::{DecideError, StoreDown};
use toolgate_core::{Blame, Refusal, RefusalKind};
use toolgate_pipeline::desk::DeskError;
use toolgate_store::StoreError;
use utoipa::ToSchema;

pub(crate) const MEDIA_TYPE: &str = "application/problem+json";

/// A problem as RFC 9457 has it. Branch on `code`.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct Problem {
    #[serde(rename = "type")]
    pub kind: &'static str,
    pub title: &'static str,
    pub status: u16,
    /// The error code, for programs.
    pub code: &'static str,
    /// Whose fault it is: caller or gateway.
    #[schema(value_type = String, example = "caller")]
    pub fault: Blame,
    /// Whether the same request may succeed later.
    pub retry: bool,
    /// The error message, for people.
    pub detail: String,
    /// A hint that may help.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub hint: String,
    /// Further members of this kind of problem: `field`, `problems`, `state`.
    #[serde(flatten)]
    #[schema(value_type = Object)]
    pub more: Map<String, Value>,
}

/// Problems travel as errors in every handler.
pub(crate) type Answered<T> = Result<T, Box<Problem>>;

impl Problem {
    pub(crate) fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Box<Self> {
        let gateway = status.is_server_error();
        Box::new(Self {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or_default(),
            status: status.as_u16(),
            code,
            fault: if gateway { Blame::Gateway } else { Blame::Caller },
            retry: status == StatusCode::SERVICE_UNAVAILABLE,
            detail: detail.into(),
            hint: String::new(),
            more: Map::new(),
        })
    }

    pub(crate) fn bad_request(code: &'static str, detail: impl Into<String>) -> Box<Self> {
        Self::new(StatusCode::BAD_REQUEST, code, detail)
    }

    pub(crate) fn not_found(detail: impl Into<String>) -> Box<Self> {
        Self::new(StatusCode::NOT_FOUND, "not_found", detail)
    }

    pub(crate) fn unauthorized(code: &'static str, detail: impl Into<String>) -> Box<Self> {
        Self::new(StatusCode::UNAUTHORIZED, code, detail)
    }

    pub(crate) fn hint(mut self: Box<Self>, hint: impl Into<String>) -> Box<Self> {
        self.hint = hint.into();
        self
    }

    pub(crate) fn with(mut self: Box<Self>, key: &str, value: impl Into<Value>) -> Box<Self> {
        self.more.insert(key.to_owned(), value.into());
        self
    }

    fn refused(
        status: StatusCode,
        code: &'static str,
        detail: String,
        hint: String,
        field: Option<String>,
    ) -> Box<Self> {
        let mut problem = Self::new(status, code, detail).hint(hint);
        problem.retry = status == StatusCode::TOO_MANY_REQUESTS;
        match field {
            Some(field) => problem.with("field", field),
            None => problem,
        }
    }

    /// An invalid part of the body.
    pub(crate) fn bad_field(code: &'static str, field: &str, detail: impl Into<String>) -> Box<Self> {
        Self::new(StatusCode::UNPROCESSABLE_ENTITY, code, detail).with("field", field)
    }

    /// Splits a text whose last lines are a hint.
    fn told(status: StatusCode, code: &'static str, text: &str) -> Box<Self> {
        match text.split_once("\nhint: ") {
            Some((detail, hint)) => Self::new(status, code, detail).hint(hint),
            None => Self::new(status, code, text),
        }
    }
}

impl IntoResponse for Box<Problem> {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).expect("a problem is made of a status");
        let body = serde_json::to_vec(&self).expect("texts and numbers serialise");
        let mut response = Response::new(Bytes::from(body).into());
        *response.status_mut() = status;
        let headers = response.headers_mut();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(MEDIA_TYPE));
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"toolgate\""));
        }
        response
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        Box::new(self).into_response()
    }
}

impl From<StoreError> for Box<Problem> {
    fn from(error: StoreError) -> Self {
        // The database's message may name files and hosts; it belongs in the log.
        tracing::error!(%error, "a request to the API could not be served");
        store_down()
    }
}

impl From<StoreDown> for Box<Problem> {
    fn from(down: StoreDown) -> Self {
        tracing::error!(%down, "a request to the API could not be served");
        store_down()
    }
}

fn store_down() -> Box<Problem> {
    let detail = "the store is not available, so nothing was read or changed";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "store_down", detail).hint("try again in a moment")
}

impl From<Refusal> for Box<Problem> {
    fn from(refusal: Refusal) -> Self {
        let status = match refusal.kind {
            _ if refusal.code == "file_too_large" => StatusCode::PAYLOAD_TOO_LARGE,
            _ if refusal.code == "upload_cut_off" => StatusCode::BAD_REQUEST,
            RefusalKind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
            RefusalKind::Forbidden => StatusCode::FORBIDDEN,
            RefusalKind::NotFound => StatusCode::NOT_FOUND,
            RefusalKind::Conflict => StatusCode::CONFLICT,
            RefusalKind::Stale => StatusCode::PRECONDITION_FAILED,
            RefusalKind::Gone => StatusCode::GONE,
            RefusalKind::TooMany => StatusCode::TOO_MANY_REQUESTS,
            RefusalKind::Down => {
                tracing::error!(%refusal, "a request to the API could not be served");
                return match refusal.code {
                    "store_down" => store_down(),
                    code => Problem::new(StatusCode::SERVICE_UNAVAILABLE, code, refusal.message)
                        .hint(refusal.hint),
                };
            }
        };
        Problem::refused(status, refusal.code, refusal.message, refusal.hint, refusal.field)
    }
}

impl From<DeskError> for Box<Problem> {
    fn from(error: DeskError) -> Self {
        let text = error.to_string();
        let told = |status, code| Problem::told(status, code, &text);
        match error {
            DeskError::Decide(error) => error.into(),
            DeskError::Role(_) => told(StatusCode::FORBIDDEN, "role_insufficient"),
            DeskError::ToolChanged(_) => told(StatusCode::CONFLICT, "tool_changed"),
            DeskError::Invalid(problems) => {
                let problems = serde_json::to_value(problems).expect("texts serialise");
                told(StatusCode::UNPROCESSABLE_ENTITY, "arguments_invalid").with("problems", problems)
            }
            DeskError::Denied(denial) => {
                let denial = serde_json::to_value(denial).expect("texts serialise");
                told(StatusCode::FORBIDDEN, "denied").with("denial", denial)
            }
            DeskError::NotAnObject => told(StatusCode::UNPROCESSABLE_ENTITY, "arguments_invalid"),
            DeskError::Pin(_) => told(StatusCode::UNPROCESSABLE_ENTITY, "pin_unknown"),
            DeskError::NoPins => told(StatusCode::UNPROCESSABLE_ENTITY, "pins_missing"),
            DeskError::Secret => told(StatusCode::UNPROCESSABLE_ENTITY, "secret_in_edit"),
            DeskError::GrantTime => told(StatusCode::UNPROCESSABLE_ENTITY, "grant_too_long"),
            DeskError::ReasonMissing => told(StatusCode::UNPROCESSABLE_ENTITY, "reason_missing"),
        }
    }
}

impl From<DecideError> for Box<Problem> {
    fn from(error: DecideError) -> Self {
        match error {
            DecideError::Unknown(id) => Problem::not_found(format!("there is no approval {id}")),
            DecideError::Refused(refusal) => refusal.into(),
            DecideError::GrantNeedsQuorumOfOne => Problem::told(
                StatusCode::UNPROCESSABLE_ENTITY,
                "grant_needs_quorum_of_one",
                &error.to_string(),
            ),
            DecideError::Down(down) => down.into(),
        }
    }
}

impl From<ApprovalRefusal> for Box<Problem> {
    fn from(refusal: ApprovalRefusal) -> Self {
        use ApprovalRefusal as Why;
        let (status, code, hint) = match refusal {
            Why::Settled(_) => (StatusCode::CONFLICT, "approval_settled", "the earlier decision stands"),
            Why::Expired => (
                StatusCode::CONFLICT,
                "approval_expired",
                "the caller can repeat its call, which asks the approvers again",
            ),
            Why::Changed => (
                StatusCode::CONFLICT,
                "approval_changed",
                "the caller can repeat its call, which asks the approvers again",
            ),
            Why::Edited => (
                StatusCode::CONFLICT,
                "approval_edited",
                "look at the approval as it is now, and decide with its `effective`",
            ),
            Why::Withdrawn(Withdrawn::ToolChanged) => (
                StatusCode::CONFLICT,
                "approval_withdrawn",
                "look at how the tool has changed; a new call of it asks again",
            ),
            Why::Withdrawn(_) => (
                StatusCode::CONFLICT,
                "approval_withdrawn",
                "a call that still waits is asked about again by itself; look into the inbox",
            ),
            Why::Requester => (StatusCode::FORBIDDEN, "approval_requester", "another person must decide"),
            Why::NotAPerson => {
                (StatusCode::FORBIDDEN, "approval_not_a_person", "decide with the token of a person")
            }
            Why::NotInGroup => (
                StatusCode::FORBIDDEN,
                "approval_not_in_group",
                "the approval's `requirement.approvers` says whose agreement is needed",
            ),
            Why::NotEditable => (
                StatusCode::UNPROCESSABLE_ENTITY,
                "approval_not_editable",
                "approve or deny it as it is, or ask for changes",
            ),
        };
        let problem = Problem::new(status, code, refusal.to_string()).hint(hint);
        match refusal {
            Why::Settled(state) => problem.with("state", state.as_str()),
            _ => problem,
        }
    }
}
