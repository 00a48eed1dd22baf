//! Tools of files, as search sees them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::bail;
use serde::Deserialize;
use serde_json::{Value, json};
use toolgate_core::{CanonicalName, Digest, ServerName};
use toolgate_search::{Index, Indexer, ToolDocument};

use super::lines::{self, AtLine};
use crate::command::shown::several;

const EXPECTED: &str = r#"{"server": "files", "name": "read", "description": "…", "input_schema": {…}}; the last two may be missing"#;
/// The number of listed duplicate tools.
const TOLD_MAX: usize = 5;
/// The number of servers suggested for an unknown one.
const SERVERS_TOLD_MAX: usize = 10;

#[derive(Deserialize)]
struct CatalogueLine {
    server: String,
    name: String,
    title: Option<Value>,
    description: Option<String>,
    #[serde(alias = "inputSchema")]
    input_schema: Option<Value>,
    annotations: Option<Value>,
    #[serde(default)]
    tags: Vec<String>,
    /// Queries that should find it.
    #[serde(default)]
    examples: Vec<String>,
}

pub(super) struct OfflineCatalogue {
    pub(super) index: Arc<Index>,
    /// The names of tools in the file.
    given: BTreeMap<CanonicalName, String>,
    /// By their names in the file.
    servers: BTreeMap<String, ServerName>,
    twice: Vec<String>,
}

impl OfflineCatalogue {
    /// Of a duplicate tool, the last one counts.
    pub(super) fn read(paths: &[PathBuf]) -> anyhow::Result<Self> {
        let mut reading = CatalogueReading::default();
        for path in paths {
            for line in lines::read(path, "a tool", EXPECTED)? {
                reading.take(path, line);
            }
        }
        if reading.tools.is_empty() {
            let paths: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
            bail!("there are no tools in {}\nhint: on each line {EXPECTED}", paths.join(", "));
        }
        Ok(reading.finish())
    }

    pub(super) fn given(&self, name: &CanonicalName) -> &str {
        &self.given[name]
    }

    /// Warnings about the files.
    pub(super) fn warnings(&self) -> Vec<String> {
        let mut told: Vec<String> = self.twice.iter().take(TOLD_MAX).cloned().collect();
        match self.twice.len().saturating_sub(TOLD_MAX) {
            0 => {}
            more => told.push(format!("and so for {}", several(more as u64, "other tool"))),
        }
        told
    }

    /// Servers by their names in the files; `None` if none is named.
    pub(super) fn servers(&self, names: &[String]) -> anyhow::Result<Option<Vec<ServerName>>> {
        if names.is_empty() {
            return Ok(None);
        }
        let find = |name: &String| match self.servers.get(name) {
            Some(server) => Ok(server.clone()),
            None => {
                let there: Vec<&str> =
                    self.servers.keys().take(SERVERS_TOLD_MAX).map(String::as_str).collect();
                let more = if self.servers.len() > SERVERS_TOLD_MAX { ", …" } else { "" };
                bail!("no tool is of the server {name:?}\nhint: there are {}{more}", there.join(", "))
            }
        };
        names.iter().map(find).collect::<Result<Vec<_>, _>>().map(Some)
    }
}

#[derive(Default)]
struct CatalogueReading {
    servers: BTreeMap<String, ServerName>,
    /// By server and name, with their positions.
    tools: BTreeMap<(String, String), (String, CatalogueLine)>,
    twice: Vec<String>,
}

impl CatalogueReading {
    fn take(&mut self, path: &Path, AtLine { line, value }: AtLine<CatalogueLine>) {
        let place = format!("{}:{line}", path.display());
        let key = (value.server.clone(), value.name.clone());
        if !self.servers.contains_key(&value.server) {
            let name = fitting(&value.server, self.servers.values());
            self.servers.insert(value.server.clone(), name);
        }
        let tool = format!("{}:{}", value.server, value.name);
        if let Some((before, _)) = self.tools.insert(key, (place.clone(), value)) {
            self.twice.push(format!("{place}: {tool} stands in {before} already; the later one counts"));
        }
    }

    fn finish(self) -> OfflineCatalogue {
        let mut shelves: BTreeMap<&ServerName, Vec<(Digest, Arc<ToolDocument>)>> = BTreeMap::new();
        let mut given = BTreeMap::new();
        for ((server, own), (_, line)) in self.tools {
            let name = &self.servers[&server];
            let (version, document) = document(name, line);
            given.insert(document.name.clone(), format!("{server}:{own}"));
            shelves.entry(name).or_default().push((version, Arc::new(document)));
        }
        let mut indexer = Indexer::new();
        shelves.into_iter().for_each(|(server, documents)| indexer.update(server, documents));
        OfflineCatalogue { index: indexer.index(), given, servers: self.servers, twice: self.twice }
    }
}

/// The document that the gateway makes of a server's listing.
fn document(server: &ServerName, line: CatalogueLine) -> (Digest, ToolDocument) {
    let CatalogueLine { name, title, description, input_schema, annotations, tags, examples, .. } = line;
    let definition = json!({
        "title": title,
        "description": description,
        "inputSchema": input_schema,
        "annotations": annotations,
    });
    let document = ToolDocument::read(server, &name, &definition, &tags, &examples);
    let wire = toolgate_catalog::wire_name(server, &name);
    (Digest::of(definition.to_string()), document.known_as([wire]))
}

/// A name that a server of a gateway could have, and that no other one of the files has.
fn fitting<'a>(given: &str, taken: impl Iterator<Item = &'a ServerName> + Clone) -> ServerName {
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.');
    let clean: String = given.chars().map(|c| if fits(c) { c } else { '-' }).collect();
    let cut = |end: &str| -> String {
        let stem = if clean.is_empty() { "server" } else { &clean };
        stem.chars().take(ServerName::CHARS_MAX - end.chars().count()).chain(end.chars()).collect()
    };
    let names = (1..).map(|number| if number == 1 { cut("") } else { cut(&format!("-{number}")) });
    let mut names = names.map(|name| ServerName::new(&name).expect("all else was replaced"));
    names.find(|name| !taken.clone().any(|other| other == name)).expect("numbers do not end")
}
