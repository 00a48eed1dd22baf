//! An action: a tool, and the requests that it is.

use std::sync::Arc;

use serde_json::{Map, Value};

use crate::error::BadActionArguments;
use crate::judge::Repeating;
use crate::pages::PageRule;
use crate::rules::{ProviderRules, RateLeft};
use crate::step::RequestStep;
use crate::tool::ConnectorTool;
use crate::undo::{UndoCall, UndoRule};
use crate::words::{AnswerKind, HeaderOf};

/// An action of a connector.
pub struct ConnectorAction {
    pub(crate) tool: ConnectorTool,
    pub(crate) arguments: Vec<ActionArgument>,
    /// Over an operation of a document, whose own plan judges arguments.
    pub(crate) is_operation: bool,
    /// At least one.
    pub(crate) steps: Vec<RequestStep>,
    pub(crate) idempotency: Idempotency,
    pub(crate) result: Option<String>,
    pub(crate) pages: Option<PageRule>,
    pub(crate) undo: Option<UndoRule>,
    pub(crate) rules: Arc<ProviderRules>,
}

pub(crate) struct ActionArgument {
    pub(crate) name: String,
    pub(crate) is_required: bool,
    pub(crate) default: Option<Value>,
}

/// Why a write may be sent again, if it may.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Idempotency {
    /// The provider takes a key in this header, which is the id of the call.
    Header(String),
    /// The arguments name what comes out, so that twice is as good as once.
    Natural,
    /// Only the ledger knows: it is sent once, and a lost answer stays unknown.
    Ledger,
}

impl ConnectorAction {
    pub fn name(&self) -> &str {
        &self.tool.name
    }

    pub fn tool(&self) -> &ConnectorTool {
        &self.tool
    }

    /// The body that its last answer has.
    pub fn answer(&self) -> AnswerKind {
        self.steps.last().map_or(AnswerKind::Any, |step| step.answer)
    }

    /// The call that takes back what this one did, if there is such a thing.
    pub fn undo(&self, data: &Value) -> Option<UndoCall> {
        self.undo.as_ref()?.call(data)
    }

    /// How much the provider says is left.
    pub fn rate(&self, headers: HeaderOf<'_>) -> RateLeft {
        self.rules.rate_left(headers)
    }

    pub(crate) fn repeating(&self, step: &RequestStep) -> Repeating {
        match (step.is_read, &self.idempotency) {
            (true, _) => Repeating::Read,
            (false, Idempotency::Header(_) | Idempotency::Natural) => Repeating::SafeWrite,
            (false, Idempotency::Ledger) => Repeating::OnceOnly,
        }
    }

    /// The arguments with their defaults.
    pub(crate) fn complete(
        &self,
        arguments: &Map<String, Value>,
    ) -> Result<Map<String, Value>, BadActionArguments> {
        let mut complete = arguments.clone();
        for one in &self.arguments {
            if let (None, Some(default)) = (complete.get(&one.name), &one.default) {
                complete.insert(one.name.clone(), default.clone());
            }
            if one.is_required && complete.get(&one.name).is_none_or(Value::is_null) {
                return Err(BadActionArguments::Missing(one.name.clone()));
            }
        }
        let is_known =
            |name: &String| self.is_operation || self.arguments.iter().any(|one| one.name == *name);
        match complete.keys().find(|name| !is_known(name)) {
            Some(unknown) => Err(BadActionArguments::refused(unknown, "is none of this action")),
            None => Ok(complete),
        }
    }
}
