//! Follows the catalogue: changed tools are analysed, the others are reused.

use std::collections::BTreeMap;
use std::sync::Arc;

use toolgate_core::{CanonicalName, Digest, ServerName};

use super::analysis::{Analysis, FIELDS, StemVocabulary};
use super::names::NameIndex;
use super::table::{Index, Posting};
use crate::ToolDocument;

/// Holds the analysed tools of every server.
#[derive(Default)]
pub struct Indexer {
    servers: BTreeMap<ServerName, AnalysedTools>,
    vocabulary: StemVocabulary,
    analysed: u64,
}

type AnalysedTools = BTreeMap<CanonicalName, (Digest, Analysis)>;

impl Indexer {
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces the tools of a server. An unchanged tool keeps its analysis.
    pub fn update(&mut self, server: &ServerName, documents: Vec<(Digest, Arc<ToolDocument>)>) {
        let mut before = self.servers.remove(server).unwrap_or_default();
        let mut shelf = AnalysedTools::new();
        for (version, document) in documents {
            let kept = before.remove(&document.name);
            let kept =
                kept.filter(|(kept, analysis)| *kept == version && is_same(&analysis.document, &document));
            let (_, analysis) = kept.unwrap_or_else(|| (version, self.analyse(&document)));
            shelf.insert(document.name.clone(), (version, analysis));
        }
        if !shelf.is_empty() {
            self.servers.insert(server.clone(), shelf);
        }
        self.sweep();
    }

    pub fn remove(&mut self, server: &ServerName) {
        self.servers.remove(server);
    }

    /// The number of documents analysed so far: only new and changed ones are.
    pub fn analysed(&self) -> u64 {
        self.analysed
    }

    /// The index of all tools as they are now.
    pub fn index(&self) -> Arc<Index> {
        let mut tools: Vec<&Analysis> =
            self.servers.values().flat_map(BTreeMap::values).map(|(_, analysis)| analysis).collect();
        // A canonical name has one server, but a caller could say otherwise; the last one said is kept out.
        tools.sort_by(|a, b| a.document.name.cmp(&b.document.name));
        tools.dedup_by(|a, b| a.document.name == b.document.name);
        Arc::new(assemble(&tools, self.vocabulary.stems()))
    }

    fn analyse(&mut self, document: &Arc<ToolDocument>) -> Analysis {
        self.analysed += 1;
        Analysis::of(document, &mut self.vocabulary)
    }

    fn sweep(&mut self) {
        if self.vocabulary.wants_sweep() {
            let tools = self.servers.values_mut().flat_map(BTreeMap::values_mut);
            let terms = tools.flat_map(|(_, analysis)| &mut analysis.terms);
            self.vocabulary.sweep(terms.map(|(number, _)| number));
        }
    }
}

/// The version covers the definition; the operator's additions are compared.
fn is_same(kept: &ToolDocument, document: &ToolDocument) -> bool {
    kept.known_as == document.known_as && kept.tags == document.tags && kept.examples == document.examples
}

fn assemble(tools: &[&Analysis], stems: &[Arc<str>]) -> Index {
    let documents: Vec<_> = tools.iter().map(|tool| Arc::clone(&tool.document)).collect();
    let mut servers: Vec<_> = documents.iter().map(|document| document.server.clone()).collect();
    servers.sort();
    servers.dedup();
    let place = |document: &Arc<ToolDocument>| {
        servers.binary_search(&document.server).expect("every server was collected") as u32
    };
    let server_of = documents.iter().map(place).collect();
    let lengths = tools.iter().map(|tool| tool.lengths).collect();
    let (terms, starts, postings) = invert(tools, stems);
    Index { documents, lengths, servers, server_of, names: NameIndex::of(tools), terms, starts, postings }
}

/// From the words of each tool to the tools of each word.
fn invert(tools: &[&Analysis], stems: &[Arc<str>]) -> (Vec<Arc<str>>, Vec<usize>, Vec<Posting>) {
    let mut frequencies = vec![0; stems.len()];
    for (number, _) in tools.iter().flat_map(|tool| &tool.terms) {
        frequencies[*number as usize] += 1;
    }
    let mut used: Vec<usize> = (0..stems.len()).filter(|number| frequencies[*number] > 0).collect();
    used.sort_unstable_by(|one, other| stems[*one].cmp(&stems[*other]));
    let mut starts = vec![0];
    let mut next = vec![0; stems.len()];
    for number in &used {
        next[*number] = starts[starts.len() - 1];
        starts.push(next[*number] + frequencies[*number]);
    }
    let mut postings = vec![Posting { slot: 0, counts: [0; FIELDS] }; starts[used.len()]];
    for (slot, tool) in (0..).zip(tools) {
        for (number, counts) in &tool.terms {
            let at = &mut next[*number as usize];
            postings[*at] = Posting { slot, counts: *counts };
            *at += 1;
        }
    }
    (used.iter().map(|number| Arc::clone(&stems[*number])).collect(), starts, postings)
}
