//! Searching: the indexes of a scope in one version of a profile, as if nothing else existed.

mod citing;
mod damage;
mod found;
mod prepared;

use engine_protocol::{Explain, HitId, Passage, PassageHit, Passages};
use toolgate_core::Refusal;
use toolgate_domain::ToolContext;

use self::prepared::PreparedSearch;
use crate::indexes::Indexes;
use crate::limits::SNIPPET_CHARS_MAX;
use crate::refusal::{bad_hit, is_about_index};
use crate::source::{HitName, IndexSource};

pub(crate) use found::ExplainedHit;
pub use found::{FoundHit, FoundHits, FoundPassage, FoundPassages, IndexQuery, QueriedIndex};

impl Indexes {
    /// References with a snippet each, never whole texts.
    pub async fn search(&self, context: &ToolContext, query: &IndexQuery) -> Result<FoundHits, Refusal> {
        let mut prepared = self.prepare(context, query).await?;
        let answer = match self.engine.search(prepared.search.clone()).await {
            Err(refusal) if is_about_index(&refusal) => {
                prepared = Box::pin(self.without_damaged(prepared, refusal)).await?;
                self.engine.search(prepared.search.clone()).await?
            }
            answer => answer?,
        };
        let PreparedSearch { indexes, mut warnings, known, .. } = prepared;
        warnings.extend(answer.warnings);
        let hits = self.cite_all(found(&indexes, &known.profile.name, answer.hits), &mut warnings).await;
        let profile = known.full_name();
        Ok(FoundHits { hits, indexes, profile, by_meaning: answer.by_meaning, warnings })
    }

    /// The texts of the best passages, for other domains, which keep to a budget of their own.
    pub async fn passages(
        &self,
        context: &ToolContext,
        query: &IndexQuery,
    ) -> Result<FoundPassages, Refusal> {
        let mut prepared = self.prepare(context, query).await?;
        let passages = match self.engine.passages(Passages { search: prepared.search.clone() }).await {
            Err(refusal) if is_about_index(&refusal) => {
                prepared = Box::pin(self.without_damaged(prepared, refusal)).await?;
                self.engine.passages(Passages { search: prepared.search.clone() }).await?
            }
            passages => passages?,
        };
        let PreparedSearch { indexes, warnings, known, .. } = prepared;
        let of = |passage: Passage| {
            let source = source_of(&indexes, &known.profile.name, &passage.hit.id)?;
            Some(FoundPassage { source, passage })
        };
        let passages = passages.into_iter().filter_map(of).collect();
        Ok(FoundPassages { passages, profile: known.full_name(), indexes, warnings })
    }

    /// The score of a hit in parts. The hit has to lie within the scope.
    pub(crate) async fn explain(
        &self,
        context: &ToolContext,
        query: &IndexQuery,
        hit: &str,
    ) -> Result<ExplainedHit, Refusal> {
        let name = HitName::read(hit)?;
        let prepared = self.prepare(context, query).await?;
        let profile = &prepared.known.profile.name;
        let index = prepared.indexes.iter().find(|one| one.source == name.source && *profile == name.profile);
        // Not in the scope, or not to be seen: the two must not differ.
        let index = index.ok_or_else(|| bad_hit(hit))?.clone();
        let hit = HitId { label: name.source.label(profile), chunk: name.chunk };
        let explanation = self.engine.explain(Explain { search: prepared.search, hit }).await?;
        Ok(ExplainedHit {
            explanation,
            index,
            profile: prepared.known.full_name(),
            profile_digest: prepared.known.digest.to_string(),
        })
    }
}

/// Hits with their sources. The engine returns labels that it was given, and nothing else is passed on.
fn found(indexes: &[QueriedIndex], profile: &str, hits: Vec<PassageHit>) -> Vec<FoundHit> {
    let of = |mut hit: PassageHit| {
        clip(&mut hit);
        let source = source_of(indexes, profile, &hit.id)?;
        Some(FoundHit { source, hit, citation: None })
    };
    hits.into_iter().filter_map(of).collect()
}

fn source_of(indexes: &[QueriedIndex], profile: &str, hit: &HitId) -> Option<IndexSource> {
    let index = indexes.iter().find(|index| index.source.label(profile) == hit.label)?;
    Some(index.source.clone())
}

/// A snippet that is too long loses its end, and the marks in it.
fn clip(hit: &mut PassageHit) {
    let Some((at, _)) = hit.snippet.text.char_indices().nth(SNIPPET_CHARS_MAX) else { return };
    hit.snippet.text.truncate(at);
    hit.snippet.marks.retain(|(_, end)| *end <= SNIPPET_CHARS_MAX as u64);
}

#[cfg(test)]
mod tests {
    use engine_protocol::{ContentId, ScoreParts, Snippet};
    use toolgate_core::Digest;
    use toolgate_core::substrate::ManifestDigest;

    use super::*;

    fn index(name: &str) -> QueriedIndex {
        QueriedIndex {
            source: IndexSource::pointer("project/a", name).expect("a pointer"),
            manifest: ManifestDigest::new(Digest::of("index")),
            source_manifest: ManifestDigest::new(Digest::of("corpus")),
            is_behind: false,
        }
    }

    fn hit(label: &str, text: &str) -> PassageHit {
        let content = ContentId::try_from("0".repeat(64)).expect("a digest");
        PassageHit {
            id: HitId { label: label.to_owned(), chunk: 1 },
            path: "a.md".to_owned(),
            artifact: content.clone(),
            docir: content,
            places: Vec::new(),
            page: None,
            headings: Vec::new(),
            score: 1.0,
            parts: ScoreParts::default(),
            snippet: Snippet { text: text.to_owned(), marks: vec![(0, 1), (1_999, 2_001)] },
        }
    }

    #[test]
    fn a_hit_of_an_index_that_was_not_asked_is_not_passed_on() {
        let indexes = [index("draft"), index("final")];
        let hits = vec![
            hit("project/a:final@docs.default", "x"),
            hit("project/b:secret@docs.default", "x"),
            hit("project/a:final@docs.citation_strict", "x"),
        ];
        let found = found(&indexes, "docs.default", hits);
        let names: Vec<&str> = found.iter().map(|hit| hit.source.name()).collect();
        assert_eq!(names, ["final"]);
    }

    #[test]
    fn no_snippet_is_a_whole_text() {
        let long = "ä".repeat(SNIPPET_CHARS_MAX * 3);
        let mut found = hit("project/a:final@docs.default", &long);
        clip(&mut found);
        assert_eq!(found.snippet.text.chars().count(), SNIPPET_CHARS_MAX);
        assert_eq!(found.snippet.marks, [(0, 1)]);
    }
}
