//! The answer to a failed request: `application/problem+json` with code, fault, retry and hint.

use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use http::header::{CONTENT_TYPE, WWW_AUTHENTICATE};
use http::{HeaderValue, StatusCode};
use serde::Serialize;
use serde_json::{Map, Value};
use toolgate_archive::ArchiveError;
use toolgate_core::approval::{ApprovalRefusal, WithdrawalReason};
use toolgate_core::codes::{self, Code};
use toolgate_core::governance::{DecideError, StoreDown};
use toolgate_core::{Blame, Refusal, RefusalKind};
use toolgate_pipeline::desk::ApprovalDeskError;
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
    #[schema(value_type = String)]
    pub code: &'static Code,
    /// The party at fault: caller or gateway.
    #[schema(value_type = String, example = "caller")]
    pub fault: Blame,
    /// True if the same request may succeed later.
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
pub(crate) type ApiResult<T> = Result<T, Box<Problem>>;

impl Problem {
    /// A problem with the usual status of its code.
    pub(crate) fn new(code: &'static Code, detail: impl Into<String>) -> Box<Self> {
        Self::with_status(usual_status(code).unwrap_or(StatusCode::UNPROCESSABLE_ENTITY), code, detail)
    }

    pub(crate) fn with_status(
        status: StatusCode,
        code: &'static Code,
        detail: impl Into<String>,
    ) -> Box<Self> {
        let gateway = status.is_server_error();
        Box::new(Self {
            kind: "about:blank",
            title: status.canonical_reason().unwrap_or_default(),
            status: status.as_u16(),
            code,
            fault: if gateway { Blame::Gateway } else { Blame::Caller },
            retry: matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::TOO_MANY_REQUESTS),
            detail: detail.into(),
            hint: code.standard_hint().to_owned(),
            more: Map::new(),
        })
    }

    pub(crate) fn not_found(detail: impl Into<String>) -> Box<Self> {
        Self::new(&codes::NOT_FOUND, detail)
    }

    pub(crate) fn hint(mut self: Box<Self>, hint: impl Into<String>) -> Box<Self> {
        self.hint = hint.into();
        self
    }

    pub(crate) fn with(mut self: Box<Self>, key: &str, value: impl Into<Value>) -> Box<Self> {
        self.more.insert(key.to_owned(), value.into());
        self
    }

    /// An invalid part of the body.
    pub(crate) fn bad_field(code: &'static Code, field: &str, detail: impl Into<String>) -> Box<Self> {
        Self::with_status(StatusCode::UNPROCESSABLE_ENTITY, code, detail).with("field", field)
    }

    /// Splits a text whose last lines are a hint.
    fn told(code: &'static Code, text: &str) -> Box<Self> {
        match text.split_once("\nhint: ") {
            Some((detail, hint)) => Self::new(code, detail).hint(hint),
            None => Self::new(code, text),
        }
    }
}

fn usual_status(code: &Code) -> Option<StatusCode> {
    code.status().and_then(|status| StatusCode::from_u16(status).ok())
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
        if let StoreError::BodyChanged { .. } = error {
            tracing::error!(%error, "a request to the API could not be served");
            return Problem::new(&codes::LEDGER_BODY_CHANGED, error.to_string());
        }
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
    Problem::new(&codes::STORE_DOWN, detail)
}

impl From<Refusal> for Box<Problem> {
    fn from(refusal: Refusal) -> Self {
        if refusal.kind == RefusalKind::Down {
            tracing::error!(%refusal, "a request to the API could not be served");
            if refusal.code == &codes::STORE_DOWN {
                return store_down();
            }
        }
        let problem =
            Problem::with_status(status_of(&refusal), refusal.code, refusal.message).hint(refusal.hint);
        match refusal.field {
            Some(field) => problem.with("field", field),
            None => problem,
        }
    }
}

fn status_of(refusal: &Refusal) -> StatusCode {
    let is_usual = refusal.kind == refusal.code.kind();
    usual_status(refusal.code).filter(|_| is_usual).unwrap_or(match refusal.kind {
        RefusalKind::Invalid => StatusCode::UNPROCESSABLE_ENTITY,
        RefusalKind::Forbidden => StatusCode::FORBIDDEN,
        RefusalKind::NotFound => StatusCode::NOT_FOUND,
        RefusalKind::Conflict => StatusCode::CONFLICT,
        RefusalKind::Stale => StatusCode::PRECONDITION_FAILED,
        RefusalKind::Gone => StatusCode::GONE,
        RefusalKind::TooMany => StatusCode::TOO_MANY_REQUESTS,
        RefusalKind::Down => StatusCode::SERVICE_UNAVAILABLE,
    })
}

impl From<ArchiveError> for Box<Problem> {
    fn from(error: ArchiveError) -> Self {
        match error {
            ArchiveError::Storage(refusal) => refusal.into(),
            ArchiveError::Store(error) => error.into(),
            error => Problem::new(&codes::STORAGE_DOWN, error.to_string()).hint(error.hint()),
        }
    }
}

impl From<ApprovalDeskError> for Box<Problem> {
    fn from(error: ApprovalDeskError) -> Self {
        let text = error.to_string();
        let told = |code| Problem::told(code, &text);
        match error {
            ApprovalDeskError::Decide(error) => error.into(),
            ApprovalDeskError::Role(_) => told(&codes::WRONG_ROLE),
            ApprovalDeskError::ToolChanged(_) => told(&codes::TOOL_CHANGED),
            ApprovalDeskError::Invalid(problems) => {
                let problems = serde_json::to_value(problems).expect("texts serialise");
                told(&codes::INVALID_ARGUMENTS).with("problems", problems)
            }
            ApprovalDeskError::Denied(denial) => {
                let denial = serde_json::to_value(denial).expect("texts serialise");
                told(&codes::DENIED).with("denial", denial)
            }
            ApprovalDeskError::NotAnObject => told(&codes::INVALID_ARGUMENTS),
            ApprovalDeskError::Pin(_) => told(&codes::PIN_UNKNOWN),
            ApprovalDeskError::NoPins => told(&codes::PINS_MISSING),
            ApprovalDeskError::Secret => told(&codes::SECRET_IN_EDIT),
            ApprovalDeskError::GrantTime => told(&codes::GRANT_TOO_LONG),
            ApprovalDeskError::ReasonMissing => told(&codes::REASON_MISSING),
        }
    }
}

impl From<DecideError> for Box<Problem> {
    fn from(error: DecideError) -> Self {
        match error {
            DecideError::Unknown(id) => Problem::not_found(format!("there is no approval {id}")),
            DecideError::Refused(refusal) => refusal.into(),
            DecideError::GrantNeedsQuorumOfOne => {
                Problem::told(&codes::GRANT_NEEDS_QUORUM_OF_ONE, &error.to_string())
            }
            DecideError::Down(down) => down.into(),
        }
    }
}

impl From<ApprovalRefusal> for Box<Problem> {
    fn from(refusal: ApprovalRefusal) -> Self {
        use ApprovalRefusal as Why;
        let problem = Problem::new(refusal.code(), refusal.to_string());
        match refusal {
            Why::Settled(state) => problem.with("state", state.as_str()),
            Why::Withdrawn(WithdrawalReason::ToolChanged) => {
                problem.hint("look at how the tool has changed; a new call of it asks again")
            }
            _ => problem,
        }
    }
}
