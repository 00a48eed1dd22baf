//! The API's data about a tool that the user may call.

use http::StatusCode;
use serde::Deserialize;
use serde_json::Value;

use crate::address::Address;
use crate::pages::catalogue::FileSlot;
use crate::problem::{Answered, Problem};
use crate::visit::Visit;

/// A tool as agents read it.
#[derive(Deserialize)]
pub(super) struct Tool {
    pub(super) name: String,
    pub(super) wire_name: String,
    #[serde(default)]
    pub(super) aliases: Vec<String>,
    pub(super) version: Option<String>,
    pub(super) effects: Option<Vec<String>>,
    pub(super) idempotent: Option<bool>,
    pub(super) audit: Option<String>,
    #[serde(default)]
    pub(super) asked: Vec<Asked>,
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
    pub(super) tokens: Option<Tokens>,
}

/// The likelihood of an approval, for callers of one role.
#[derive(Deserialize)]
pub(super) struct Asked {
    pub(super) role: String,
    pub(super) asked: String,
}

#[derive(Deserialize)]
pub(super) struct Tokens {
    pub(super) full: u64,
    pub(super) signature: u64,
    pub(super) line: u64,
}

impl Tool {
    /// `None` if this role calls no tools, or the tool is withheld.
    pub(super) async fn find(visit: &Visit, name: &str) -> Answered<Option<Self>> {
        match visit.find(Address::of(["tools", name])).await {
            Err(problem) if is_withheld(&problem) => Ok(None),
            other => other,
        }
    }

    pub(super) async fn get(visit: &Visit, name: &str, agent: Option<&str>) -> Answered<Self> {
        visit.get(Address::of(["tools", name]).maybe("agent", agent)).await
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

fn is_withheld(problem: &Problem) -> bool {
    problem.is(StatusCode::CONFLICT) || problem.is(StatusCode::GONE)
}
