//! The search index over the whole catalogue, kept up with it: only tools that changed are read again.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use serde_json::Value;
use toolgate_catalog::{CatalogEntry, Snapshot};
use toolgate_core::{Digest, ServerName};
use toolgate_search::{Index, Indexer, ToolDocument};

pub(crate) struct ToolFinder {
    state: Mutex<FinderState>,
    current: ArcSwap<CurrentIndex>,
}

#[derive(Default)]
struct FinderState {
    indexer: Indexer,
    servers: BTreeMap<ServerName, ServerDocuments>,
}

/// The indexed documents of one server.
#[derive(Default)]
struct ServerDocuments {
    entries: Vec<Arc<CatalogEntry>>,
    documents: HashMap<String, (Digest, Arc<ToolDocument>)>,
}

#[derive(Default)]
struct CurrentIndex {
    generation: u64,
    index: Arc<Index>,
}

impl ToolFinder {
    pub(crate) fn new() -> Self {
        Self { state: Mutex::default(), current: ArcSwap::default() }
    }

    /// The index of this catalogue, or of a later one.
    pub(crate) fn index(&self, snapshot: &Snapshot) -> Arc<Index> {
        if let Some(index) = self.fresh(snapshot) {
            return index;
        }
        let mut state = self.state.lock();
        if let Some(index) = self.fresh(snapshot) {
            return index;
        }
        state.follow(snapshot);
        let index = state.indexer.index();
        self.current.store(Arc::new(CurrentIndex { generation: snapshot.generation, index: index.clone() }));
        index
    }

    fn fresh(&self, snapshot: &Snapshot) -> Option<Arc<Index>> {
        let current = self.current.load();
        (current.generation >= snapshot.generation).then(|| current.index.clone())
    }
}

impl FinderState {
    fn follow(&mut self, snapshot: &Snapshot) {
        let mut by_server: BTreeMap<&ServerName, Vec<&Arc<CatalogEntry>>> = BTreeMap::new();
        for entry in snapshot.tools.entries() {
            by_server.entry(&entry.server).or_default().push(entry);
        }
        let gone: Vec<ServerName> =
            self.servers.keys().filter(|server| !by_server.contains_key(server)).cloned().collect();
        for server in gone {
            self.servers.remove(&server);
            self.indexer.remove(&server);
        }
        for (server, entries) in by_server {
            let shelf = self.servers.entry(server.clone()).or_default();
            if shelf.is_of(&entries) {
                continue;
            }
            shelf.fill(&entries);
            let documents = entries.iter().filter_map(|entry| shelf.documents.get(&entry.own).cloned());
            self.indexer.update(server, documents.collect());
        }
    }
}

impl ServerDocuments {
    fn is_of(&self, entries: &[&Arc<CatalogEntry>]) -> bool {
        let same = |(one, other): (&Arc<CatalogEntry>, &&Arc<CatalogEntry>)| Arc::ptr_eq(one, other);
        self.entries.len() == entries.len() && self.entries.iter().zip(entries).all(same)
    }

    fn fill(&mut self, entries: &[&Arc<CatalogEntry>]) {
        let mut documents = HashMap::with_capacity(entries.len());
        for entry in entries {
            let version = version(entry);
            let known = self.documents.remove(&entry.own).filter(|(known, _)| *known == version);
            let document = known.unwrap_or_else(|| (version, Arc::new(document(entry))));
            documents.insert(entry.own.clone(), document);
        }
        self.documents = documents;
        self.entries = entries.iter().map(|entry| Arc::clone(entry)).collect();
    }
}

/// Identifies everything that a document is made of.
fn version(entry: &CatalogEntry) -> Digest {
    let tool = entry.tool.as_ref();
    let said = tool.map(|tool| {
        let handling = &tool.handling;
        // The arguments for agents derive from the definition and its file slots.
        (tool.version, &handling.files, &handling.capabilities, &handling.examples)
    });
    Digest::of(format!("{} {said:?}", entry.wire))
}

fn document(entry: &CatalogEntry) -> ToolDocument {
    let definition: Value = entry.exposed().decode().unwrap_or_default();
    let handling = entry.tool.as_ref().map(|tool| &tool.handling);
    let (tags, examples) = handling.map(|one| (&*one.capabilities, &*one.examples)).unwrap_or_default();
    let read = ToolDocument::read(&entry.server, &entry.own, &definition, tags, examples);
    ToolDocument { name: entry.canonical.clone(), ..read.known_as([entry.wire.clone()]) }
}
