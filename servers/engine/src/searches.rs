//! Searches: the query made ready, the engine chosen, and the texts of the best passages with a score for each sentence.

mod sentences;

use std::sync::{Arc, OnceLock};
use std::time::Instant;

use capability_language::Lexicon;
use engine_protocol::{
    ContentId, EngineFault, Explain, Explanation, IndexListing, IndexRef, Passage, Profile, Search,
    SearchAnswer, Stemming,
};
use sentence_encoder::Encoder;

use crate::contents::{ContentPins, Contents};
use crate::engines::Engines;
use crate::fault::bad_request;
use crate::model::{ModelSlot, unit_vectors};
use crate::port::{Engine, FoundHits, QueryParts};
use crate::unrelated::UnrelatedSentences;
use sentences::SentenceScorer;

/// The part of a query that is read.
pub(crate) const QUERY_BYTES_MAX: usize = 4 << 10;
const TOP_K_MAX: u32 = 1_000;
/// Indexes of one search.
const INDEXES_MAX: usize = 256;

pub(crate) struct Searches {
    contents: Arc<Contents>,
    engines: Arc<Engines>,
    model: Arc<ModelSlot>,
    /// Encoded when the first passages are scored.
    unrelated: OnceLock<Result<UnrelatedSentences, EngineFault>>,
}

/// A search that can be run.
struct ReadySearch {
    engine: Arc<dyn Engine>,
    query: QueryParts,
    warnings: Vec<String>,
    _pins: ContentPins,
}

impl Searches {
    pub(crate) fn new(contents: Arc<Contents>, engines: Arc<Engines>, model: Arc<ModelSlot>) -> Self {
        Self { contents, engines, model, unrelated: OnceLock::new() }
    }

    pub(crate) fn search(&self, search: &Search) -> Result<SearchAnswer, EngineFault> {
        let started = Instant::now();
        let ready = self.ready(search)?;
        let FoundHits { hits, by_meaning, mut warnings } = ready.engine.search(search, &ready.query)?;
        warnings.extend(ready.warnings);
        Ok(SearchAnswer { hits, by_meaning, warnings, took_us: started.elapsed().as_micros() as u64 })
    }

    pub(crate) fn explain(&self, explain: &Explain) -> Result<Explanation, EngineFault> {
        let ready = self.ready(&explain.search)?;
        ready.engine.explain(explain, &ready.query)
    }

    pub(crate) fn passages(&self, search: &Search) -> Result<Vec<Passage>, EngineFault> {
        let ready = self.ready(search)?;
        let found = ready.engine.search(search, &ready.query)?;
        let stored = ready.engine.passages(&found.hits, search)?;
        let model = self.model_of(&search.profile)?;
        let lexicon = lexicon(&search.profile);
        let unrelated = match (&model, &ready.query.vector) {
            (Some(model), Some(query)) => Some(self.unrelated_cosine(&**model, query)?),
            _ => None,
        };
        let scorer =
            SentenceScorer { query: &ready.query, model: model.as_deref(), unrelated, lexicon: &lexicon };
        scorer.passages(stored)
    }

    /// The cosine that a query has with sentences about something else.
    fn unrelated_cosine(&self, model: &dyn Encoder, query: &[f32]) -> Result<f32, EngineFault> {
        match self.unrelated.get_or_init(|| UnrelatedSentences::of(model)) {
            Ok(sentences) => Ok(sentences.cosine(query)),
            Err(fault) => Err(fault.clone()),
        }
    }

    /// Reads every file of a version, and then lets its engine open it.
    pub(crate) fn check(&self, listing: &IndexListing) -> Result<(), EngineFault> {
        let _pins = self.contents.pin(listing.files.iter().map(|file| file.content.clone()));
        self.contents.verify(listing.files.iter().map(|file| &file.content))?;
        self.engines.of(listing.engine)?.check(listing)
    }

    fn ready(&self, search: &Search) -> Result<ReadySearch, EngineFault> {
        check_limits(search)?;
        let engine = self.engines.of_all(search.indexes.iter().map(|index| &index.listing))?;
        let files = search.indexes.iter().flat_map(|index| &index.listing.files);
        let files: Vec<ContentId> = files.map(|file| file.content.clone()).collect();
        self.contents.require(&files)?;
        let (text, clipped) = clip(&search.query)?;
        let (vector, wordy) = self.vector(text, search)?;
        let query = QueryParts { text: text.to_owned(), vector };
        let warnings = clipped.into_iter().chain(wordy).collect();
        Ok(ReadySearch { engine, query, warnings, _pins: self.contents.pin(files) })
    }

    /// The query's vector, or a sentence if the vectors of an index cannot be compared with one.
    fn vector(&self, text: &str, search: &Search) -> Result<(Option<Vec<f32>>, Option<String>), EngineFault> {
        let model = self.model_of(&search.profile)?;
        let digest = model.as_deref().map(|model| model.model());
        let is_other =
            |index: &IndexRef| index.listing.model.as_deref().is_some_and(|one| Some(one) != digest);
        if let Some(index) = search.indexes.iter().find(|index| is_other(index)) {
            let said = format!(
                "the vectors of {} are of another model than the engine has: words alone were searched",
                index.label
            );
            let asks = search.profile.meaning.is_some();
            return Ok((None, asks.then_some(said)));
        }
        let Some(model) = model else { return Ok((None, None)) };
        Ok((unit_vectors(&*model, &[text])?.pop(), None))
    }

    /// The model, if the profile asks for meaning and there is one.
    fn model_of(&self, profile: &Profile) -> Result<Option<Arc<dyn Encoder>>, EngineFault> {
        if profile.meaning.is_some() { self.model.get() } else { Ok(None) }
    }
}

fn check_limits(search: &Search) -> Result<(), EngineFault> {
    if search.top_k == 0 || search.top_k > TOP_K_MAX {
        let message = format!("{} hits cannot be asked for", search.top_k);
        return Err(bad_request(message, &format!("ask for 1 to {TOP_K_MAX}")));
    }
    if search.indexes.len() > INDEXES_MAX {
        let message = format!("{} indexes are too many for one search", search.indexes.len());
        return Err(bad_request(message, &format!("search at most {INDEXES_MAX} at a time")));
    }
    Ok(())
}

/// The beginning of a long query, up to the end of a word.
fn clip(query: &str) -> Result<(&str, Option<String>), EngineFault> {
    let query = query.trim();
    if query.is_empty() {
        return Err(bad_request("the query is empty", "ask for something in words"));
    }
    if query.len() <= QUERY_BYTES_MAX {
        return Ok((query, None));
    }
    let beginning = &query[..query.floor_char_boundary(QUERY_BYTES_MAX)];
    let end = beginning.rfind(char::is_whitespace).unwrap_or(beginning.len());
    let text = &beginning[..end];
    let said = format!("the query has {} bytes; its first {} are searched", query.len(), text.len());
    Ok((text, Some(said)))
}

fn lexicon(profile: &Profile) -> Lexicon {
    match profile.words.stemming {
        Stemming::English => Lexicon::of(Some("en")),
        Stemming::None => Lexicon::of(None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_query_is_clipped_between_words_and_an_empty_one_refused() {
        let long = "word ".repeat(20_000);
        let (text, said) = clip(&long).unwrap();
        assert!(text.len() <= QUERY_BYTES_MAX && text.ends_with("word"));
        assert!(said.is_some_and(|said| said.contains("are searched")));
        assert!(clip(&"日".repeat(40_000)).is_ok_and(|(text, _)| text.chars().all(|one| one == '日')));
        assert_eq!(clip(" plain \n").unwrap(), ("plain", None));
        assert!(clip(" \n").is_err());
    }
}
