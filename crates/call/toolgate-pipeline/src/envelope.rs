//! The gateway's information about a call besides the result itself: `{status, refs, warnings,
//! tool_call_id}`.

use serde::Serialize;
use toolgate_core::RawJson;
use toolgate_core::codes::Code;
use toolgate_core::content::Notice;
use toolgate_core::event::Outcome;
use toolgate_core::id::{ApprovalId, CallId};

/// The key of the envelope in the `_meta` of a result.
pub const META_KEY: &str = "dev.toolgate/envelope";

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Envelope {
    pub status: Outcome,
    /// The names of results that were too large or too binary for the context.
    pub refs: Vec<RawJson>,
    pub warnings: Vec<CallWarning>,
    pub tool_call_id: CallId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<ApprovalId>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CallWarning {
    pub code: &'static Code,
    pub message: String,
}

impl CallWarning {
    pub fn new(code: &'static Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl From<Notice> for CallWarning {
    fn from(notice: Notice) -> Self {
        Self::new(notice.code, notice.message)
    }
}

impl Envelope {
    /// The member `"_meta":{…}` of a result without its own. Written by hand: every call needs one.
    pub fn meta_member(&self) -> String {
        format!("\"_meta\":{{\"{META_KEY}\":{}}}", self.json())
    }

    pub fn json(&self) -> String {
        if self.refs.is_empty() && self.warnings.is_empty() && self.approval_id.is_none() {
            return format!(
                "{{\"status\":\"{}\",\"refs\":[],\"warnings\":[],\"tool_call_id\":\"{}\"}}",
                self.status.as_str(),
                self.tool_call_id
            );
        }
        RawJson::from_serialize(self).as_str().to_owned()
    }
}
