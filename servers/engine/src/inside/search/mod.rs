//! One search: opened indexes, two rankings, one order, and the hits that are read from it.

mod explain;
mod fusion;
mod order;
mod rankings;
mod snippet;

use std::sync::Arc;

use engine_protocol::{EngineErrorCode, EngineFault, EngineKind, HitId, PassageHit, Search};

use super::corpus::Corpus;
use super::facts::profile_name;
use super::faults::outdated;
use super::filter::allowed;
use super::meaning::MeaningQuery;
use super::record::StoredRecord;
use super::version::OpenVersion;
use super::versions::OpenVersions;
use super::words::WordQuery;
use crate::fault::{bad_request, missing_contents};
use crate::port::{FoundHits, QueryParts, StoredChunk};
use order::{FusedPassage, PassageOrder};
use rankings::{HITS_MAX, Rankings, learns};
use snippet::{SnippetBudget, SnippetMaker};

pub(super) struct OpenedSearch<'a> {
    search: &'a Search,
    corpus: Corpus,
    words: WordQuery,
    /// None if the profile, the caller or the indexes know words alone.
    meaning: Option<MeaningQuery>,
    order: PassageOrder,
    warnings: Vec<String>,
}

impl<'a> OpenedSearch<'a> {
    pub(super) fn open(
        versions: &OpenVersions,
        search: &'a Search,
        query: &QueryParts,
    ) -> Result<Self, EngineFault> {
        if query.text.trim().is_empty() {
            return Err(bad_request("the query is empty", "ask with at least one word"));
        }
        let opened = open_all(versions, search)?;
        let mut warnings = Vec::new();
        check_built_alike(search, &opened, &mut warnings)?;
        let by_meaning = check_vectors(search, query, &opened, &mut warnings)?;
        let mut indexes = Vec::new();
        for (index, version) in search.indexes.iter().zip(opened) {
            let allowed = allowed(&version, &search.filter)?;
            indexes.push((index.label.clone(), version, allowed));
        }
        let corpus = Corpus::new(indexes);
        let words = WordQuery::new(&corpus, &search.profile, &query.text)?;
        let rule = search.profile.meaning.as_ref().filter(|_| by_meaning);
        let meaning = rule.zip(query.vector.as_ref()).map(|(rule, vector)| MeaningQuery::new(rule, vector));
        let mut rankings = Rankings { search, corpus: &corpus, words, meaning };
        let order = rankings.order()?;
        let order = if learns(&search.profile) { rankings.learn(&order)? } else { order };
        let Rankings { words, meaning, .. } = rankings;
        Ok(Self { search, words, meaning, order, corpus, warnings })
    }

    pub(super) fn hits(self) -> Result<FoundHits, EngineFault> {
        let limit = (self.search.top_k as usize).min(HITS_MAX);
        let maker = SnippetMaker::new(self.search.profile.words.stemming, &self.words.terms);
        let mut budget = SnippetBudget::new(&self.search.profile.snippet);
        let mut hits = Vec::with_capacity(limit);
        for fused in self.order.passages(&self.corpus, self.search.profile.per_document).take(limit) {
            let (fused, record) = fused?;
            let snippet = maker.snippet(&record.chunk.text, &mut budget);
            hits.push(PassageHit { snippet, ..self.hit(&fused, record) });
        }
        Ok(FoundHits { hits, by_meaning: self.meaning.is_some(), warnings: self.warnings })
    }

    fn hit(&self, fused: &FusedPassage, record: StoredRecord) -> PassageHit {
        let (index, passage) = self.corpus.locate(fused.slot);
        PassageHit {
            id: HitId { label: index.label.clone(), chunk: index.version.ord(passage) },
            places: record.places(),
            path: record.path,
            artifact: record.artifact,
            docir: record.docir,
            page: record.chunk.page,
            headings: record.chunk.headings,
            score: fused.score,
            parts: fused.parts,
            snippet: Default::default(),
        }
    }
}

/// The texts of hits, in their order.
pub(super) fn passages(
    versions: &OpenVersions,
    hits: &[PassageHit],
    search: &Search,
) -> Result<Vec<StoredChunk>, EngineFault> {
    let opened = open_all(versions, search)?;
    let mut passages = Vec::with_capacity(hits.len());
    for hit in hits {
        let index = search.indexes.iter().position(|index| index.label == hit.id.label);
        let version = index.map(|index| &opened[index]);
        let found = version.and_then(|version| Some((version, version.find(hit.id.chunk)?)));
        let (version, passage) = found.ok_or_else(|| no_such_passage(&hit.id))?;
        passages.push(StoredChunk { hit: hit.clone(), chunk: version.record(passage)?.chunk });
    }
    Ok(passages)
}

fn no_such_passage(hit: &HitId) -> EngineFault {
    let message = format!("the index {} has no passage {}", hit.label, hit.chunk);
    bad_request(message, "take a hit of a search over the same version of the index")
}

/// Names all missing contents of all indexes at once.
fn open_all(versions: &OpenVersions, search: &Search) -> Result<Vec<Arc<OpenVersion>>, EngineFault> {
    check_indexes(search)?;
    let (mut opened, mut missing) = (Vec::new(), Vec::new());
    for index in &search.indexes {
        match versions.open(&index.listing) {
            Ok(version) => opened.push(version),
            Err(fault) if fault.code == EngineErrorCode::MissingContents => missing.extend(fault.missing),
            Err(fault) => return Err(fault),
        }
    }
    missing.sort_unstable();
    missing.dedup();
    if missing.is_empty() { Ok(opened) } else { Err(missing_contents(missing)) }
}

fn check_indexes(search: &Search) -> Result<(), EngineFault> {
    let mut labels: Vec<&str> = search.indexes.iter().map(|index| index.label.as_str()).collect();
    labels.sort_unstable();
    if labels.is_empty() || labels.windows(2).any(|pair| pair[0] == pair[1]) {
        return Err(bad_request("a search names at least one index, and each once", "name other indexes"));
    }
    match search.indexes.iter().find(|index| index.listing.engine != EngineKind::Inside) {
        Some(index) => {
            let message = format!("the index {} is not in files of this engine", index.label);
            Err(bad_request(message, "search indexes of one engine at a time"))
        }
        None => Ok(()),
    }
}

/// Words that were cut differently never meet; another version of the profile is worth a warning.
fn check_built_alike(
    search: &Search,
    opened: &[Arc<OpenVersion>],
    warnings: &mut Vec<String>,
) -> Result<(), EngineFault> {
    let profile = profile_name(&search.profile);
    for (index, version) in search.indexes.iter().zip(opened) {
        if version.facts.stemming != search.profile.words.stemming {
            let built = &version.facts.profile;
            return Err(outdated(format!(
                "the index {} has other words: it was built with {built}",
                index.label
            )));
        }
        if version.facts.profile != profile {
            warnings.push(format!(
                "The index {} was built with the profile {}, not {profile}.",
                index.label, version.facts.profile
            ));
        }
    }
    Ok(())
}

/// True if meaning takes part.
fn check_vectors(
    search: &Search,
    query: &QueryParts,
    opened: &[Arc<OpenVersion>],
    warnings: &mut Vec<String>,
) -> Result<bool, EngineFault> {
    let Some(vector) = query.vector.as_ref().filter(|_| search.profile.meaning.is_some()) else {
        return Ok(false);
    };
    let mut any = false;
    for (index, version) in search.indexes.iter().zip(opened) {
        match version.facts.dimensions.filter(|_| !version.vectors.is_empty()) {
            Some(dimensions) if dimensions as usize != vector.len() => {
                let label = &index.label;
                return Err(outdated(format!(
                    "the index {label} has vectors of {dimensions} numbers, the model now of {}",
                    vector.len()
                )));
            }
            Some(_) => any = true,
            None if version.alive.count() > 0 => {
                warnings.push(format!("The index {} has no vectors: words alone find it.", index.label));
            }
            None => {}
        }
    }
    Ok(any)
}
