//! The setting `registry`: how changes to tools are taken. What it does not say is as the operator's file has it.

use serde_json::Value;
use toolgate_core::Refusal;

use super::fields::JsonFields;
use crate::source::{Drift, NewTools, OnFinding, ReviewRules};

/// The words for tools that were not seen before.
pub(super) const NEW_TOOLS_WORDS: &str = "`visible`, `review` or `review_all`";

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct ReviewSetting {
    drift: Option<Drift>,
    new_tools: Option<NewTools>,
    findings: Option<OnFinding>,
}

impl ReviewSetting {
    pub(crate) fn over(self, file: ReviewRules) -> ReviewRules {
        ReviewRules {
            drift: self.drift.unwrap_or(file.drift),
            new_tools: self.new_tools.unwrap_or(file.new_tools),
            findings: self.findings.unwrap_or(file.findings),
        }
    }
}

pub(super) fn read(value: &Value) -> Result<ReviewSetting, Refusal> {
    let fields = JsonFields::of(value, "value")?;
    fields.only(&["drift", "new_tools", "findings"])?;
    Ok(ReviewSetting {
        drift: fields.word("drift", "`quarantine` or `accept`")?,
        new_tools: fields.word("new_tools", NEW_TOOLS_WORDS)?,
        findings: fields.word("findings", "`flag` or `quarantine`")?,
    })
}
