//! The REST API's problem, as commands report it.

use std::fmt;

use serde_json::Value;

/// An answer that is no success.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct LocalProblem {
    pub(crate) status: u16,
    /// The code, for programs.
    pub(crate) code: String,
    detail: String,
    hint: String,
    /// The part of the request that it is about.
    field: Option<String>,
}

impl LocalProblem {
    pub(crate) fn read(status: u16, body: &Value) -> Self {
        // A call that was refused answers with its envelope.
        if let Some(message) = body["error"].get("message") {
            let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
            let (code, hint) = (text(&body["error"]["code"]), text(&body["error"]["hint"]));
            return Self { status, code, detail: text(message), hint, field: None };
        }
        let text = |key: &str| body[key].as_str().unwrap_or_default().to_owned();
        let detail = match body["detail"].as_str() {
            Some(detail) => detail.to_owned(),
            None => format!("the gateway answered with status {status}"),
        };
        let field = body["field"].as_str().map(str::to_owned);
        Self { status, code: text("code"), detail, hint: text("hint"), field }
    }
}

impl fmt::Display for LocalProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A detail that names its position itself is not repeated.
        if let Some(field) = self.field.as_deref().filter(|field| !self.detail.contains(field)) {
            write!(f, "`{field}`: ")?;
        }
        f.write_str(&self.detail)?;
        match self.hint.as_str() {
            "" => Ok(()),
            hint => write!(f, "\nhint: {hint}"),
        }
    }
}

impl std::error::Error for LocalProblem {}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_problem_is_told_with_its_place_and_its_hint() {
        let told = |body: Value| LocalProblem::read(422, &body).to_string();
        assert_eq!(told(json!({ "detail": "no", "hint": "do", "field": "a.b" })), "`a.b`: no\nhint: do");
        assert_eq!(told(json!({ "detail": "`task` is long", "field": "task" })), "`task` is long");
        assert_eq!(told(json!({ "error": { "message": "no run", "hint": "look" } })), "no run\nhint: look");
        assert_eq!(told(Value::Null), "the gateway answered with status 422");
    }
}
