//! The result of a tool's function.

use serde::Serialize;
use serde_json::Value;
use toolgate_core::content::Notice;
use toolgate_core::event::Outcome;
use toolgate_core::platform::{ObjectRef, PlatformAnswer};

/// What a tool answers: data for programs, a text for the model, and the objects that it is about.
#[derive(Clone, PartialEq, Debug)]
pub struct ToolReply<T> {
    data: T,
    text: Option<String>,
    refs: Vec<ObjectRef>,
    notices: Vec<Notice>,
    outcome: Option<Outcome>,
}

impl<T: Serialize> ToolReply<T> {
    /// An answer whose text is its data as JSON.
    pub fn new(data: T) -> Self {
        Self { data, text: None, refs: Vec::new(), notices: Vec::new(), outcome: None }
    }

    /// Another text for the model than the data.
    #[must_use]
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.text = Some(text.into());
        self
    }

    #[must_use]
    pub fn refs(mut self, refs: impl IntoIterator<Item = ObjectRef>) -> Self {
        self.refs.extend(refs);
        self
    }

    #[must_use]
    pub fn notice(mut self, notice: Notice) -> Self {
        self.notices.push(notice);
        self
    }

    /// The outcome, if it is not simply success.
    #[must_use]
    pub fn outcome(mut self, outcome: Outcome) -> Self {
        self.outcome = Some(outcome);
        self
    }

    pub(crate) fn answer(self) -> PlatformAnswer {
        let Self { data, text, refs, notices, outcome } = self;
        let data: Value =
            serde_json::to_value(data).expect("our own types serialise: string keys, no failing impls");
        let text = text.unwrap_or_else(|| data.to_string());
        PlatformAnswer { text, data, refs, notices, outcome }
    }
}
