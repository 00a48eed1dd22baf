//! The output of the pipeline: a server's own answer, or the gateway's.

use serde::Serialize;
use serde_json::{Value, json};
use toolgate_core::approval::Approval;
use toolgate_core::codes::{Code, Retry};
use toolgate_core::{Blame, CanonicalName, Fault, RawJson, RefusalKind, RpcError, Tool};

use crate::envelope::{Envelope, META_KEY};
use crate::request::InputRound;

/// The end of a call, as its caller sees it.
#[derive(Debug)]
pub struct CallAnswer {
    /// The tool that was called in the end, under its canonical name.
    pub tool: CanonicalName,
    pub envelope: Envelope,
    pub body: CallAnswerBody,
}

#[derive(Debug)]
pub enum CallAnswerBody {
    /// The server's result, byte for byte.
    Result(RawJson),
    /// The server's JSON-RPC error.
    Error(RpcError),
    /// The server asks its client a question; the call continues as `round`.
    InputRequired { result: RawJson, round: InputRound },
    /// The server continues it as its own task.
    Task(RawJson),
    /// The gateway did not let it through, or not yet.
    Refusal(CallRefusal),
    /// People are asked, and the client can keep a handle.
    Handle(Box<Approval>),
}

/// The reason why there is no result of a server: whose fault it is, whether to retry, and what would help.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CallRefusal {
    pub code: &'static Code,
    pub fault: Blame,
    pub retry: bool,
    /// The description of the failure.
    pub message: String,
    /// The advice, including whether to repeat the call.
    pub hint: String,
    /// Further information for the reader.
    #[serde(flatten)]
    pub counsel: Option<Box<RefusalAdvice>>,
    /// The members that only this kind of refusal has.
    #[serde(skip_serializing_if = "Value::is_null")]
    pub details: Value,
}

/// The information in a refusal beyond the failure and the advice.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RefusalAdvice {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// The people who decide.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decides: Option<String>,
    /// The deadline, and what happens then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tell_user: Option<String>,
    /// The address of the approval for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

impl CallRefusal {
    /// A refusal with the fault, the retry and the usual hint of its code.
    pub(crate) fn new(code: &'static Code, message: impl Into<String>) -> Self {
        Self {
            code,
            fault: code.fault,
            retry: code.retry == Retry::Yes,
            message: message.into(),
            hint: code.standard_hint().to_owned(),
            counsel: None,
            details: Value::Null,
        }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = hint.into();
        self
    }

    pub(crate) fn fault(mut self, fault: Blame) -> Self {
        self.fault = fault;
        self
    }

    pub(crate) fn because(mut self, why: impl Into<String>) -> Self {
        self.counsel().why = Some(why.into());
        self
    }

    pub(crate) fn decided_by(mut self, who: impl Into<String>, until: impl Into<String>) -> Self {
        let counsel = self.counsel();
        counsel.decides = Some(who.into());
        counsel.until = Some(until.into());
        self
    }

    pub(crate) fn tell(mut self, user: impl Into<String>) -> Self {
        self.counsel().tell_user = Some(user.into());
        self
    }

    pub(crate) fn link(mut self, link: Option<String>) -> Self {
        self.counsel().link = link;
        self
    }

    fn counsel(&mut self) -> &mut RefusalAdvice {
        self.counsel.get_or_insert_default()
    }

    pub(crate) fn details(mut self, details: Value) -> Self {
        self.details = details;
        self
    }

    /// A refusal about a file, a ref or a run.
    pub(crate) fn of_content(refusal: &toolgate_core::Refusal) -> Self {
        let (fault, retry) = match refusal.kind {
            RefusalKind::Down => (Blame::Gateway, true),
            RefusalKind::TooMany => (Blame::Caller, true),
            _ => (Blame::Caller, false),
        };
        let said = Self::new(refusal.code, refusal.message.clone()).hint(refusal.hint.clone());
        let mut said = said.fault(fault);
        said.retry = retry;
        match (&refusal.details, &refusal.field) {
            (Some(details), _) => said.details((**details).clone()),
            (None, Some(field)) => said.details(json!({ "argument": field })),
            (None, None) => said,
        }
    }

    pub(crate) fn of_fault(fault: &Fault) -> Self {
        let refusal = Self::new(fault.kind.code(), fault.told())
            .hint(fault.hint())
            .tell(format!("the tool could not be used: {}", fault.told()));
        refusal.details(json!({ "server": fault.server.as_str() }))
    }

    /// The text for a model, one line for each fact.
    pub fn text(&self) -> String {
        let nothing = RefusalAdvice::default();
        let counsel = self.counsel.as_deref().unwrap_or(&nothing);
        let lines = [
            ("why", counsel.why.as_deref()),
            ("decides", counsel.decides.as_deref()),
            ("until", counsel.until.as_deref()),
            ("hint", Some(self.hint.as_str())),
            ("tell the user", counsel.tell_user.as_deref()),
            ("link for people", counsel.link.as_deref()),
        ];
        let said = lines.into_iter().filter_map(|(name, said)| Some(format!("\n{name}: {}", said?)));
        std::iter::once(self.message.clone()).chain(said).collect()
    }

    /// The refusal as the result of a tool: a model can react to a result, not to a protocol error. It is
    /// always marked as an error, since the tool did not do its job.
    pub fn tool_result(&self, tool: &Tool, envelope: &Envelope) -> RawJson {
        let text = self.text();
        let said = json!({ "status": envelope.status, "error": self, "tool_call_id": envelope.tool_call_id,
            "approval_id": envelope.approval_id });
        let mut result = json!({
            "content": [{ "type": "text", "text": text }],
            "isError": true,
            "_meta": { (META_KEY): envelope, (FAULT_KEY): self.fault_data() },
        });
        // Clients check structured content against the tool's own schema, some even for errors. `_meta` has
        // the same information for every tool.
        if tool.output_schema.is_none() {
            result["structuredContent"] = said;
        }
        result.into()
    }

    fn fault_data(&self) -> Value {
        let mut data = json!(self);
        if let Some(data) = data.as_object_mut() {
            data.remove("details");
        }
        if let (Some(data), Some(details)) = (data.as_object_mut(), self.details.as_object()) {
            data.extend(details.clone());
        }
        data
    }
}

const FAULT_KEY: &str = "dev.toolgate/fault";
