//! A tool in the lengths answers use, made once per definition.

use serde_json::Value;

use crate::{signature, tokens};

/// The separator between the names of a server and its tool on the wire.
const SEPARATOR: &str = "__";

/// A tool with its texts and their costs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolCard {
    name: String,
    prefix_bytes: usize,
    pub(super) name_tokens: usize,
    /// Tokens of the name without its prefix.
    pub(super) rest_tokens: usize,
    pub(super) signature: String,
    pub(super) signature_tokens: usize,
    pub(super) line: String,
    pub(super) line_tokens: usize,
}

impl ToolCard {
    /// The card of a definition under the name agents call it by.
    pub fn of(name: &str, definition: &Value) -> ToolCard {
        let prefix_bytes = name.find(SEPARATOR).map(|at| at + SEPARATOR.len());
        let prefix_bytes = prefix_bytes.filter(|bytes| *bytes < name.len()).unwrap_or(0);
        let (signature, line) =
            (signature::signature(name, definition), signature::one_line(name, definition));
        ToolCard {
            name_tokens: tokens::count(name),
            rest_tokens: tokens::count(&name[prefix_bytes..]),
            signature_tokens: tokens::count(&signature),
            line_tokens: tokens::count(&line),
            name: name.to_owned(),
            prefix_bytes,
            signature,
            line,
        }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name, split into the part shared with others of its server and its own part.
    pub(super) fn parts(&self) -> (&str, &str) {
        self.name.split_at(self.prefix_bytes)
    }

    pub fn signature(&self) -> &str {
        &self.signature
    }

    pub fn line(&self) -> &str {
        &self.line
    }
}
