//! The answer of a search: as many tools as a number of tokens allows, the best of them in most detail.
//!
//! Three lengths, by rank: the first few as signatures, the next few with one line each, and of all others
//! that fit the names, grouped by server. On the measured catalogues the names find more of the right tools
//! than the same tokens spent on lines, and any of them can be described or called at once. An empty answer
//! gives hints.

mod card;
mod compose;
#[cfg(test)]
mod tests;

use serde_json::{Value, json};

use crate::names::names_within;
use crate::tokens;

pub use card::ToolCard;

/// The number of tools with signatures in an answer, or with definitions if these are requested.
pub const DETAILED_MAX: usize = 5;
/// The number of tools with one line each before there are only names.
pub const LINES_MAX: usize = 5;
/// The number of lines in an answer without signatures before there are only names.
pub const LINES_ALONE_MAX: usize = 12;

/// The amount of detail about the best tools.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DetailLevel {
    /// Names with one line each.
    Name,
    /// Typed signatures: enough to call most tools.
    #[default]
    Signature,
    /// Whole definitions, as far as they fit.
    Schema,
}

impl DetailLevel {
    pub const ALL: [DetailLevel; 3] = [DetailLevel::Signature, DetailLevel::Name, DetailLevel::Schema];

    pub fn as_str(self) -> &'static str {
        match self {
            DetailLevel::Name => "name",
            DetailLevel::Signature => "signature",
            DetailLevel::Schema => "schema",
        }
    }

    pub fn named(name: &str) -> Option<DetailLevel> {
        Self::ALL.into_iter().find(|detail| detail.as_str() == name)
    }
}

/// The token budget of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerBudget(usize);

impl AnswerBudget {
    pub const TOKENS_DEFAULT: usize = 500;
    /// Room for one line and the words about the rest.
    pub const TOKENS_MIN: usize = 100;
    pub const TOKENS_MAX: usize = 10_000;

    /// The requested budget, clamped to the limits.
    pub fn of(tokens: usize) -> AnswerBudget {
        AnswerBudget(tokens.clamp(Self::TOKENS_MIN, Self::TOKENS_MAX))
    }

    pub fn tokens(self) -> usize {
        self.0
    }
}

impl Default for AnswerBudget {
    fn default() -> Self {
        AnswerBudget(Self::TOKENS_DEFAULT)
    }
}

/// One found tool.
#[derive(Clone, Copy, Debug)]
pub struct SearchItem<'a> {
    pub card: &'a ToolCard,
    /// Its whole definition under the name agents call it by; only [`DetailLevel::Schema`] shows it.
    pub definition: Option<&'a Value>,
}

/// A tool as an answer shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownTool {
    pub name: String,
    pub form: ShownForm,
}

#[derive(Clone, Debug, PartialEq)]
pub enum ShownForm {
    Definition(Value),
    Signature(String),
    Line(String),
    Name,
}

/// The answer of a search, as text for people and models and as data for programs: the same tools in both.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolSearchAnswer {
    pub text: String,
    pub tokens: usize,
    /// By rank.
    pub shown: Vec<ShownTool>,
    /// The number of other matches.
    pub more: usize,
}

impl ToolSearchAnswer {
    /// The found tools, best first; `matches` is their total number, including those beyond `items`.
    pub fn of(
        items: &[SearchItem<'_>],
        matches: usize,
        detail: DetailLevel,
        budget: AnswerBudget,
    ) -> ToolSearchAnswer {
        compose::compose(items, matches.max(items.len()), detail, budget)
    }

    /// Nothing matches: suggestions among the servers that the caller may see.
    pub fn nothing(servers: &[&str], budget: AnswerBudget) -> ToolSearchAnswer {
        let advice = "No tool matches. Try other words for what it does or works on";
        let text = match servers {
            [] => format!("{advice}. There are no tools in this session."),
            servers => {
                let advice = format!("{advice}, or search without `servers`. There are: ");
                let left = budget.tokens().saturating_sub(tokens::count(&advice) + 1);
                format!("{advice}{}.", names_within(servers, left))
            }
        };
        ToolSearchAnswer { tokens: tokens::count(&text), text, shown: Vec::new(), more: 0 }
    }

    /// `{"tools": [{"name", "signature" | "line" | "definition"}], "more"}`
    pub fn structured(&self) -> Value {
        let tools: Vec<Value> = self.shown.iter().map(ShownTool::structured).collect();
        json!({ "tools": tools, "more": self.more })
    }
}

impl ShownTool {
    fn structured(&self) -> Value {
        let name = &self.name;
        match &self.form {
            ShownForm::Definition(definition) => json!({ "name": name, "definition": definition }),
            ShownForm::Signature(signature) => json!({ "name": name, "signature": signature }),
            ShownForm::Line(line) => json!({ "name": name, "line": line }),
            ShownForm::Name => json!({ "name": name }),
        }
    }
}
