//! The cost of a tool in its three lengths.

use std::iter::Sum;
use std::ops::{Add, AddAssign};

use serde_json::{Map, Value};

use crate::{signature, tokens};

/// The members of a definition that clients hand to their model.
const LISTED: [&str; 2] = ["description", "inputSchema"];

/// Tokens of one tool, or of many together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TokenCost {
    /// Listed in full: name, description and input schema as compact JSON.
    pub tokens_full: usize,
    pub tokens_signature: usize,
    pub tokens_line: usize,
}

impl TokenCost {
    /// The cost of a definition under the name agents call it by.
    pub fn of(name: &str, definition: &Value) -> TokenCost {
        TokenCost {
            tokens_full: tokens::count(&listed_text(name, definition)),
            tokens_signature: tokens::count(&signature::signature(name, definition)),
            tokens_line: tokens::count(&signature::one_line(name, definition)),
        }
    }
}

impl Add for TokenCost {
    type Output = TokenCost;

    fn add(mut self, other: TokenCost) -> TokenCost {
        self += other;
        self
    }
}

impl AddAssign for TokenCost {
    fn add_assign(&mut self, other: TokenCost) {
        self.tokens_full += other.tokens_full;
        self.tokens_signature += other.tokens_signature;
        self.tokens_line += other.tokens_line;
    }
}

impl Sum for TokenCost {
    fn sum<I: Iterator<Item = TokenCost>>(costs: I) -> TokenCost {
        costs.fold(TokenCost::default(), Add::add)
    }
}

/// A definition as a model sees it: without the members that only clients read (annotations, icons, output
/// schema).
pub fn listed(name: &str, definition: &Value) -> Value {
    let mut kept = Map::new();
    kept.insert("name".to_owned(), Value::from(name));
    for key in LISTED {
        if let Some(value) = definition.get(key) {
            kept.insert(key.to_owned(), value.clone());
        }
    }
    Value::Object(kept)
}

fn listed_text(name: &str, definition: &Value) -> String {
    listed(name, definition).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_tool_costs_what_its_model_reads() {
        let bare =
            json!({"name": "own", "description": "Creates an issue.", "inputSchema": {"type": "object"}});
        let mut rich = bare.clone();
        rich["outputSchema"] = json!({"type": "object", "properties": {"id": {"type": "string"}}});
        rich["annotations"] = json!({"readOnlyHint": true});
        assert_eq!(
            TokenCost::of("github__create_issue", &bare),
            TokenCost::of("github__create_issue", &rich)
        );
        let text = r#"{"name":"github__create_issue","description":"Creates an issue.","inputSchema":{"type":"object"}}"#;
        assert_eq!(TokenCost::of("github__create_issue", &rich).tokens_full, tokens::count(text));
    }

    #[test]
    fn costs_add_up_by_server() {
        let one = TokenCost { tokens_full: 100, tokens_signature: 30, tokens_line: 10 };
        let both: TokenCost = [one, one].into_iter().sum();
        assert_eq!(both, TokenCost { tokens_full: 200, tokens_signature: 60, tokens_line: 20 });
    }

    #[test]
    fn something_that_is_no_definition_costs_its_name() {
        let cost = TokenCost::of("x", &json!("not an object"));
        assert_eq!(cost.tokens_full, tokens::count(r#"{"name":"x"}"#));
        assert_eq!(cost.tokens_line, 1);
    }
}
