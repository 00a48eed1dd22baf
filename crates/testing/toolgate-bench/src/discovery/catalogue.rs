//! Catalogues as files with lines of `{server, name, description, input_schema}`.
//!
//! Lives here: reading, indexing. Does not live here: the presentation of a tool in answers (`answers`).

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use serde::Serialize;
use serde_json::{Value, json};
use toolgate_catalog::wire_name;
use toolgate_core::{Digest, ServerName};
use toolgate_search::{Indexer, Subset, ToolDocument};

/// A file of the data folder as read.
#[derive(Clone, Serialize)]
pub(super) struct Source {
    pub(super) file: String,
    pub(super) digest: Digest,
    pub(super) lines: usize,
}

/// The tools of a file.
pub(super) struct Catalogue {
    pub(super) source: Source,
    pub(super) tools: Vec<Tool>,
}

#[derive(Clone)]
pub(super) struct Tool {
    pub(super) server: ServerName,
    pub(super) document: Arc<ToolDocument>,
    /// The name agents call it by.
    pub(super) wire: String,
    pub(super) definition: Value,
    version: Digest,
}

/// The input of an indexer.
pub(super) type Documents = BTreeMap<ServerName, Vec<(Digest, Arc<ToolDocument>)>>;

impl Catalogue {
    pub(super) fn read(data: &Path, file: &str) -> anyhow::Result<Self> {
        let (source, lines) = read_lines(data, file)?;
        let tools = lines.into_iter().map(Tool::read).collect::<anyhow::Result<_>>();
        Ok(Self { source, tools: tools.with_context(|| format!("read the tools of {file}"))? })
    }

    pub(super) fn servers(&self) -> BTreeMap<&str, usize> {
        let mut servers = BTreeMap::new();
        for tool in &self.tools {
            *servers.entry(tool.server.as_str()).or_default() += 1;
        }
        servers
    }
}

impl Tool {
    fn read(mut line: Value) -> anyhow::Result<Self> {
        let server = server(line["server"].as_str().context("a tool without a server")?)?;
        let own = line["name"].as_str().context("a tool without a name")?.to_owned();
        let definition = json!({
            "name": own,
            "description": line["description"].take(),
            "annotations": line["annotations"].take(),
            "inputSchema": line["input_schema"].take(),
        });
        let document = Arc::new(ToolDocument::read(&server, &own, &definition, &[], &[]));
        let version = Digest::of(definition.to_string());
        Ok(Self { wire: wire_name(&server, &own), server, document, definition, version })
    }
}

/// The lines of a JSONL file, and the file's identity.
pub(super) fn read_lines(data: &Path, file: &str) -> anyhow::Result<(Source, Vec<Value>)> {
    let path = data.join(file);
    let text = std::fs::read_to_string(&path).with_context(|| format!("read {}", path.display()))?;
    let lines = text.lines().map(serde_json::from_str).collect::<Result<Vec<Value>, _>>();
    let lines = lines.with_context(|| format!("{} is not JSON in lines", path.display()))?;
    Ok((Source { file: file.to_owned(), digest: Digest::of(&text), lines: lines.len() }, lines))
}

/// Names that no operator could write are made such.
pub(super) fn server(name: &str) -> anyhow::Result<ServerName> {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name: String =
        name.chars().map(|c| if fits(c) { c } else { '-' }).take(ServerName::CHARS_MAX).collect();
    Ok(ServerName::new(&name)?)
}

/// The first `count` tools of several catalogues, server by server; each name once.
pub(super) fn first_of(catalogues: &[&Catalogue], count: usize) -> Documents {
    let mut sorted: Vec<&Tool> = catalogues.iter().flat_map(|catalogue| &catalogue.tools).collect();
    sorted.sort_by(|a, b| a.server.cmp(&b.server));
    let mut names = BTreeSet::new();
    let mut documents = Documents::new();
    for tool in sorted.into_iter().filter(|tool| names.insert(&tool.document.name)).take(count) {
        let document = (tool.version, Arc::clone(&tool.document));
        documents.entry(tool.server.clone()).or_default().push(document);
    }
    documents
}

pub(super) fn indexer(documents: &Documents) -> Indexer {
    let mut indexer = Indexer::new();
    for (server, documents) in documents {
        indexer.update(server, documents.clone());
    }
    indexer
}

/// All tools of several catalogues, as a client without restrictions sees them.
pub(super) fn all_of(catalogues: &[&Catalogue]) -> Subset {
    indexer(&first_of(catalogues, usize::MAX)).index().all()
}
