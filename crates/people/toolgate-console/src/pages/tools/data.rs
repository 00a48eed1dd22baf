//! The API's data about a tool that the user may call.

use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use crate::address::PageAddress;
use crate::pages::catalogue::FileSlot;
use crate::problem::{ApiProblem, PageResult};
use crate::visit::PageVisit;

/// A tool as agents read it.
#[derive(Deserialize)]
pub(super) struct ToolData {
    pub(super) name: String,
    pub(super) wire_name: String,
    #[serde(default)]
    pub(super) aliases: Vec<String>,
    pub(super) version: Option<String>,
    pub(super) effects: Option<Vec<String>>,
    pub(super) idempotent: Option<bool>,
    pub(super) audit: Option<String>,
    #[serde(default)]
    pub(super) asked: Vec<ApprovalOddsData>,
    /// The reason why arguments, or a part of them, are not checked.
    pub(super) unchecked: Option<String>,
    /// The operator's setting for checking `format`, if any.
    pub(super) formats: Option<bool>,
    #[serde(default)]
    pub(super) capabilities: Vec<String>,
    #[serde(default)]
    pub(super) mounts: Vec<String>,
    #[serde(default)]
    pub(super) examples: Vec<String>,
    pub(super) file_strategy: Option<String>,
    #[serde(default)]
    pub(super) files: Vec<FileSlot>,
    pub(super) timeout_seconds: Option<f64>,
    pub(super) concurrency_max: Option<u64>,
    pub(super) rate: Option<String>,
    pub(super) cache_seconds: Option<f64>,
    pub(super) cache_scope: Option<String>,
    pub(super) definition: Value,
    pub(super) tokens: Option<ToolTokensData>,
}

/// The likelihood of an approval, for callers of one role.
#[derive(Deserialize)]
pub(super) struct ApprovalOddsData {
    pub(super) role: String,
    pub(super) asked: String,
}

#[derive(Deserialize)]
pub(super) struct ToolTokensData {
    pub(super) full: u64,
    pub(super) signature: u64,
    pub(super) line: u64,
}

impl ToolData {
    /// `None` if this role calls no tools, or the tool is withheld.
    pub(super) async fn find(visit: &PageVisit, name: &str) -> PageResult<Option<Self>> {
        match visit.find(PageAddress::of(["tools", name])).await {
            Err(problem) if is_withheld(&problem) => Ok(None),
            other => other,
        }
    }

    pub(super) async fn get(visit: &PageVisit, name: &str, agent: Option<&str>) -> PageResult<Self> {
        visit.get(PageAddress::of(["tools", name]).maybe("agent", agent)).await
    }

    pub(super) fn input_schema(&self) -> &Value {
        &self.definition["inputSchema"]
    }

    /// True if a call can change anything. Undeclared effects count as all.
    pub(super) fn changes_things(&self) -> bool {
        let effects = self.effects.as_deref();
        effects.is_none_or(|effects| effects.iter().any(|effect| effect != "read"))
    }

    pub(super) fn is_destructive(&self) -> bool {
        self.effects.as_deref().is_none_or(|effects| effects.iter().any(|effect| effect == "destructive"))
    }
}

fn is_withheld(problem: &ApiProblem) -> bool {
    problem.is(StatusCode::CONFLICT) || problem.is(StatusCode::GONE)
}
