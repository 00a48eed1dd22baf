//! What comes out of the pipeline: a server's own words, or the gateway's.

use serde::Serialize;
use serde_json::{Value, json};
use toolgate_core::approval::Approval;
use toolgate_core::{Blame, CanonicalName, Fault, RawJson, RefusalKind, RpcError, Tool};

use crate::call::Round;
use crate::envelope::{Envelope, META_KEY};

/// The end of a call, as its caller hears of it.
#[derive(Debug)]
pub struct Answer {
    /// What was called in the end, whatever name it was called by.
    pub tool: CanonicalName,
    pub envelope: Envelope,
    pub body: AnswerBody,
}

#[derive(Debug)]
pub enum AnswerBody {
    /// The server's result, byte for byte.
    Result(RawJson),
    /// The server's JSON-RPC error.
    Error(RpcError),
    /// The server asks its client something; the call goes on as `round`.
    InputRequired { result: RawJson, round: Round },
    /// The server took it on as a task of its own.
    Task(RawJson),
    /// The gateway did not let it through, or not yet.
    Refusal(Refusal),
    /// People are asked, and the client can hold a handle.
    Handle(Box<Approval>),
}

/// Why there is no result of a server: whose fault, whether to try again, and what would help.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Refusal {
    pub code: &'static str,
    pub fault: Blame,
    pub retry: bool,
    pub message: String,
    pub hint: String,
    /// What only this kind of refusal has.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub details: Value,
    /// Whether a model should take it for a failure of its call.
    #[serde(skip)]
    pub is_error: bool,
}

impl Refusal {
    pub(crate) fn new(
        code: &'static str,
        fault: Blame,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) -> Self {
        Self {
            code,
            fault,
            retry: false,
            message: message.into(),
            hint: hint.into(),
            details: Value::Null,
            is_error: true,
        }
    }

    pub(crate) fn retry(mut self) -> Self {
        self.retry = true;
        self
    }

    pub(crate) fn details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    /// What was said about a file, a ref or a run.
    pub(crate) fn of_content(refusal: &toolgate_core::Refusal) -> Self {
        let (blame, retry) = match refusal.kind {
            RefusalKind::Down => (Blame::Gateway, true),
            RefusalKind::TooMany => (Blame::Caller, true),
            _ => (Blame::Caller, false),
        };
        let mut said = Self::new(refusal.code, blame, refusal.message.clone(), refusal.hint.clone());
        said.retry = retry;
        match &refusal.field {
            Some(field) => said.details(json!({ "argument": field })),
            None => said,
        }
    }

    pub(crate) fn of_fault(fault: &Fault) -> Self {
        let mut refusal = Self::new(fault.kind.code(), fault.blame(), fault.told(), fault.hint());
        refusal.retry = fault.kind.safe_to_retry();
        refusal.details(json!({ "server": fault.server.as_str() }))
    }

    /// The refusal as the result of a tool: the model can react to a result, not to a protocol error.
    pub fn tool_result(&self, tool: &Tool, envelope: &Envelope) -> RawJson {
        let text = format!("{}\nhint: {}", self.message, self.hint);
        let said = json!({ "status": envelope.status, "error": self, "tool_call_id": envelope.tool_call_id,
            "approval_id": envelope.approval_id });
        let mut result = json!({
            "content": [{ "type": "text", "text": text }],
            "_meta": { (META_KEY): envelope, (FAULT_KEY): self.fault_data() },
        });
        // Clients hold structured content, and its absence, against the tool's own schema unless it is an error.
        if tool.output_schema.is_some() || self.is_error {
            result["isError"] = true.into();
        }
        if tool.output_schema.is_none() {
            result["structuredContent"] = said;
        }
        result.into()
    }

    fn fault_data(&self) -> Value {
        let mut data =
            json!({ "code": self.code, "fault": self.fault, "retry": self.retry, "hint": self.hint });
        if let (Some(data), Some(details)) = (data.as_object_mut(), self.details.as_object()) {
            data.extend(details.clone());
        }
        data
    }
}

const FAULT_KEY: &str = "dev.toolgate/fault";
