//! A tool as search sees it: the texts of its definition, and the operator's additions.
//!
//! `index` has the weights of the words.

mod schema;

#[cfg(test)]
mod tests;

use std::sync::Arc;

use serde_json::Value;
use toolgate_core::{CanonicalName, ServerName};

/// The texts that a tool can be found by.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolDocument {
    pub name: CanonicalName,
    pub server: ServerName,
    /// The server's own name for it.
    pub own: Arc<str>,
    /// Other names it answers to: its wire name and aliases. They count as exact names.
    pub known_as: Vec<String>,
    pub title: Option<String>,
    pub description: String,
    pub arguments: Vec<ToolArgument>,
    pub tags: Vec<String>,
    /// Queries that should lead to this tool, as the operator wrote them.
    pub examples: Vec<String>,
}

/// One argument of a tool, at any depth of its schema.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ToolArgument {
    pub name: String,
    pub description: String,
}

impl ToolDocument {
    /// Reads a definition. Members that are missing or of another type are ignored.
    pub fn read(
        server: &ServerName,
        own: &str,
        definition: &Value,
        tags: &[String],
        examples: &[String],
    ) -> Self {
        Self {
            name: CanonicalName::of(server, own),
            server: server.clone(),
            own: own.into(),
            known_as: Vec::new(),
            title: title(definition),
            description: text(definition, "description").unwrap_or_default(),
            arguments: definition.get("inputSchema").map(schema::arguments).unwrap_or_default(),
            tags: tags.to_vec(),
            examples: examples.to_vec(),
        }
    }

    /// All its names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        [self.name.as_str(), &*self.own].into_iter().chain(self.known_as.iter().map(String::as_str))
    }

    /// The same with other names it answers to.
    #[must_use]
    pub fn known_as(mut self, names: impl IntoIterator<Item = String>) -> Self {
        self.known_as.extend(names);
        self
    }
}

fn title(definition: &Value) -> Option<String> {
    text(definition, "title")
        .or_else(|| definition.get("annotations").and_then(|annotations| text(annotations, "title")))
        .filter(|title| !title.is_empty())
}

fn text(object: &Value, key: &str) -> Option<String> {
    object.get(key).and_then(Value::as_str).map(str::to_owned)
}
