//! Catalogues as lines of `{server, name, description, input_schema}`.

use std::collections::BTreeMap;
use std::error::Error;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::{Digest, ServerName};
use toolgate_search::{Document, Index, Indexer};

pub(crate) struct Catalogue {
    pub(crate) index: Arc<Index>,
}

pub(crate) type Tools = BTreeMap<ServerName, Vec<(Digest, Arc<Document>)>>;

impl Catalogue {
    pub(crate) fn read(paths: &[PathBuf]) -> Result<Self, Box<dyn Error>> {
        let mut all = Tools::new();
        for path in paths {
            tools(path, &mut all)?;
        }
        Ok(Self { index: indexer(&all).index() })
    }
}

pub(crate) fn indexer(tools: &Tools) -> Indexer {
    let mut indexer = Indexer::new();
    for (server, documents) in tools {
        indexer.update(server, documents.clone());
    }
    indexer
}

/// Adds the tools of a file.
pub(crate) fn tools(path: &Path, tools: &mut Tools) -> Result<(), Box<dyn Error>> {
    for line in std::fs::read_to_string(path)?.lines() {
        let mut line: Value = serde_json::from_str(line)?;
        let server = server(line["server"].as_str().ok_or("a tool without a server")?)?;
        let own = line["name"].as_str().ok_or("a tool without a name")?.to_owned();
        let definition = json!({
            "description": line["description"].take(),
            "annotations": line["annotations"].take(),
            "inputSchema": line["input_schema"].take(),
        });
        let document = Document::read(&server, &own, &definition, &[], &[]);
        let version = Digest::of(definition.to_string());
        tools.entry(server).or_default().push((version, Arc::new(document)));
    }
    Ok(())
}

/// Names that no operator could write are made such.
pub(crate) fn server(name: &str) -> Result<ServerName, Box<dyn Error>> {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let name: String =
        name.chars().map(|c| if fits(c) { c } else { '-' }).take(ServerName::CHARS_MAX).collect();
    Ok(ServerName::new(&name)?)
}
