//! One call, and its result.

use axum::body::Body;
use http::StatusCode;
use http::header::CONTENT_TYPE;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::address::PageAddress;
use crate::problem::{ApiProblem, PageResult};
use crate::schema_form::FieldErrors;
use crate::visit::PageVisit;

/// The answer to a call, whether it ran or not.
#[derive(Deserialize)]
pub(in crate::pages) struct EnvelopeData {
    pub(in crate::pages) status: String,
    pub(in crate::pages) data: Option<Value>,
    #[serde(default)]
    pub(super) refs: Vec<Value>,
    #[serde(default)]
    pub(super) warnings: Vec<Value>,
    pub(in crate::pages) tool_call_id: String,
    pub(super) approval_id: Option<String>,
    pub(super) error: Option<RefusalData>,
}

#[derive(Deserialize)]
pub(in crate::pages) struct RefusalData {
    #[serde(default)]
    pub(super) code: String,
    #[serde(default)]
    pub(super) message: String,
    pub(super) hint: Option<String>,
    #[serde(default)]
    details: Value,
}

/// Does not wait for people: the user sees that they are asked.
pub(super) async fn call(
    visit: &PageVisit,
    name: &str,
    agent: Option<&str>,
    arguments: &Value,
) -> PageResult<EnvelopeData> {
    let address = PageAddress::of(["tools", "call"]).maybe("agent", agent);
    let (_, envelope) = send(visit, &address, &json!({ "name": name, "arguments": arguments })).await?;
    Ok(envelope)
}

/// The same for a tool of the gateway itself, by its own path: `data` is what the tool's schema says, and a refusal has its own status.
pub(in crate::pages) async fn call_own(
    visit: &PageVisit,
    name: &str,
    arguments: &Value,
) -> PageResult<(StatusCode, EnvelopeData)> {
    send(visit, &PageAddress::of(["tools", name]), arguments).await
}

async fn send(
    visit: &PageVisit,
    address: &PageAddress,
    body: &Value,
) -> PageResult<(StatusCode, EnvelopeData)> {
    let request = http::Request::post(address.as_str()).header(CONTENT_TYPE, "application/json");
    let request = request
        .header("prefer", "respond-async")
        .body(Body::from(body.to_string()))
        .expect("addresses are well formed");
    let (status, answer) = visit.answer(request).await?;
    Ok((status, EnvelopeData::of(status, answer)?))
}

impl EnvelopeData {
    fn of(status: StatusCode, answer: Value) -> PageResult<Self> {
        if answer.get("tool_call_id").is_some() {
            return serde_json::from_value(answer)
                .map_err(|_| ApiProblem::bad_form("the answer could not be read"));
        }
        let mut problem: ApiProblem = serde_json::from_value(answer).unwrap_or_default();
        problem.status = status.as_u16();
        Err(Box::new(problem))
    }

    /// True if the tool ran and said no more than its data.
    pub(in crate::pages) fn is_done(&self) -> bool {
        self.status == "succeeded" && self.error.is_none()
    }

    /// The arguments that do not fit, and why.
    pub(super) fn wrong(&self) -> FieldErrors {
        let problems =
            self.error.as_ref().and_then(|error| error.details.get("problems")).and_then(Value::as_array);
        let told = |problem: &Value| {
            let part = |key: &str| problem.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
            let expected =
                Some(part("expected")).filter(|text| !text.is_empty()).map(|text| format!("expected {text}"));
            let parts = [Some(part("problem")), expected, Some(part("hint"))];
            let sentence: Vec<String> = parts.into_iter().flatten().filter(|text| !text.is_empty()).collect();
            (part("path"), sentence.join("; "))
        };
        problems.into_iter().flatten().map(told).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_told_by_its_place() {
        let answer = json!({"status": "invalid", "tool_call_id": "tc_1", "error": {"code": "invalid_arguments", "message": "no",
            "details": {"problems": [{"path": "/amount", "problem": "got \"ten\"", "expected": "a number"}]}}});
        let envelope = EnvelopeData::of(StatusCode::UNPROCESSABLE_ENTITY, answer)
            .unwrap_or_else(|_| panic!("it is an envelope"));
        assert_eq!(envelope.wrong()["/amount"], "got \"ten\"; expected a number");
    }

    #[test]
    fn what_was_never_a_call_is_a_problem() {
        let answer =
            json!({"status": 409, "code": "tool_quarantined", "detail": "withheld", "hint": "review it"});
        let problem = EnvelopeData::of(StatusCode::CONFLICT, answer).err().expect("it is none");
        assert_eq!((problem.status, problem.code.as_str()), (409, "tool_quarantined"));
    }
}
