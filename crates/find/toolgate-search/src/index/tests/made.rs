//! Tools for tests.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use toolgate_core::{Digest, ServerName};

use super::super::*;
use crate::document::ToolDocument;

#[derive(Clone, Debug)]
pub(super) struct Made {
    pub(super) server: String,
    pub(super) own: String,
    description: String,
    argument: Option<String>,
    known_as: Vec<String>,
    tags: Vec<String>,
    examples: Vec<String>,
}

impl Made {
    pub(super) fn new(server: &str, own: &str) -> Self {
        let (server, own) = (server.to_owned(), own.to_owned());
        let (known_as, tags, examples) = (Vec::new(), Vec::new(), Vec::new());
        Self { server, own, description: String::new(), argument: None, known_as, tags, examples }
    }

    pub(super) fn says(mut self, description: &str) -> Self {
        self.description = description.into();
        self
    }

    pub(super) fn takes(mut self, argument: &str) -> Self {
        self.argument = Some(argument.into());
        self
    }

    pub(super) fn known_as(mut self, name: &str) -> Self {
        self.known_as.push(name.into());
        self
    }

    pub(super) fn tagged(mut self, tag: &str) -> Self {
        self.tags.push(tag.into());
        self
    }

    pub(super) fn example(mut self, example: &str) -> Self {
        self.examples.push(example.into());
        self
    }

    pub(super) fn document(&self) -> (Digest, Arc<ToolDocument>) {
        let properties: BTreeMap<_, _> = self.argument.iter().map(|name| (name, json!({}))).collect();
        let definition = json!({"description": self.description, "inputSchema": {"properties": properties}});
        let document =
            ToolDocument::read(&server(&self.server), &self.own, &definition, &self.tags, &self.examples);
        let version = Digest::of(definition.to_string());
        (version, Arc::new(document.known_as(self.known_as.iter().cloned())))
    }
}

pub(super) fn server(name: &str) -> ServerName {
    ServerName::new(name).unwrap()
}

pub(super) fn by_server(tools: &[Made]) -> BTreeMap<ServerName, Vec<(Digest, Arc<ToolDocument>)>> {
    let mut all: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for tool in tools {
        all.entry(server(&tool.server)).or_default().push(tool.document());
    }
    all
}

pub(super) fn index(tools: &[Made]) -> Arc<Index> {
    let mut indexer = Indexer::new();
    for (server, documents) in by_server(tools) {
        indexer.update(&server, documents);
    }
    indexer.index()
}
