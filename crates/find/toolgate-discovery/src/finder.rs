//! The search index over the whole catalogue, kept up with it: only tools that changed are read again.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use arc_swap::ArcSwap;
use parking_lot::Mutex;
use serde_json::Value;
use toolgate_catalog::{Entry, Snapshot};
use toolgate_core::{Digest, ServerName};
use toolgate_search::{Document, Index, Indexer};

pub(crate) struct Finder {
    state: Mutex<State>,
    current: ArcSwap<Current>,
}

#[derive(Default)]
struct State {
    indexer: Indexer,
    servers: BTreeMap<ServerName, Shelf>,
}

/// The indexed documents of one server.
#[derive(Default)]
struct Shelf {
    entries: Vec<Arc<Entry>>,
    documents: HashMap<String, (Digest, Arc<Document>)>,
}

#[derive(Default)]
struct Current {
    generation: u64,
    index: Arc<Index>,
}

impl Finder {
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
        self.current.store(Arc::new(Current { generation: snapshot.generation, index: index.clone() }));
        index
    }

    fn fresh(&self, snapshot: &Snapshot) -> Option<Arc<Index>> {
        let current = self.current.load();
        (current.generation >= snapshot.generation).then(|| current.index.clone())
    }
}

impl State {
    fn follow(&mut self, snapshot: &Snapshot) {
        let mut by_server: BTreeMap<&ServerName, Vec<&Arc<Entry>>> = BTreeMap::new();
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

impl Shelf {
    fn is_of(&self, entries: &[&Arc<Entry>]) -> bool {
        let same = |(one, other): (&Arc<Entry>, &&Arc<Entry>)| Arc::ptr_eq(one, other);
        self.entries.len() == entries.len() && self.entries.iter().zip(entries).all(same)
    }

    fn fill(&mut self, entries: &[&Arc<Entry>]) {
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
fn version(entry: &Entry) -> Digest {
    let tool = entry.tool.as_ref();
    let said = tool.map(|tool| {
        let handling = &tool.handling;
        // The arguments for agents derive from the definition and its file slots.
        (tool.version, &handling.files, &handling.capabilities, &handling.examples)
    });
    Digest::of(format!("{} {said:?}", entry.wire))
}

fn document(entry: &Entry) -> Document {
    let definition: Value = entry.exposed().decode().unwrap_or_default();
    let handling = entry.tool.as_ref().map(|tool| &tool.handling);
    let (tags, examples) = handling.map(|one| (&*one.capabilities, &*one.examples)).unwrap_or_default();
    Document::read(&entry.server, &entry.own, &definition, tags, examples).known_as([entry.wire.clone()])
}
