//! The sentences of passages, each within one item, scored against the query.

use std::ops::Range;

use capability_language::{Lexicon, Positions, sentences};
use engine_protocol::{EngineFault, ItemSpan, Passage, PassageSentence};
use sentence_encoder::Encoder;

use crate::chunks::{Chunk, ChunkPlace};
use crate::lexical::word_shares;
use crate::model::{cosine, unit_vectors};
use crate::port::{QueryParts, StoredChunk};
use crate::unrelated::nearness;

/// Sentences of one answer that are encoded; further ones have no cosine.
const ENCODED_MAX: usize = 512;
/// Items of tables: their rows are their sentences.
const TABLES: &str = "#/tables/";

pub(super) struct SentenceScorer<'a> {
    pub(super) query: &'a QueryParts,
    pub(super) model: Option<&'a dyn Encoder>,
    /// The cosine that the query has with sentences about something else.
    pub(super) unrelated: Option<f32>,
    pub(super) lexicon: &'a Lexicon,
}

impl SentenceScorer<'_> {
    /// Rareness of words is that among the sentences of this answer.
    pub(super) fn passages(&self, stored: Vec<StoredChunk>) -> Result<Vec<Passage>, EngineFault> {
        let mut passages: Vec<Passage> = stored.into_iter().map(passage).collect();
        let texts: Vec<String> =
            passages.iter().flat_map(|passage| &passage.sentences).map(|one| one.text.clone()).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let mut words = word_shares(&self.query.text, &texts, self.lexicon).into_iter();
        let mut cosines = self.cosines(&texts)?.into_iter();
        for sentence in passages.iter_mut().flat_map(|passage| &mut passage.sentences) {
            sentence.words = words.next().unwrap_or_default();
            sentence.cosine = cosines.next();
            sentence.meaning = sentence.cosine.zip(self.unrelated).map(|(one, other)| nearness(one, other));
        }
        Ok(passages)
    }

    fn cosines(&self, texts: &[&str]) -> Result<Vec<f32>, EngineFault> {
        let (Some(model), Some(query)) = (self.model, &self.query.vector) else { return Ok(Vec::new()) };
        let vectors = unit_vectors(model, &texts[..texts.len().min(ENCODED_MAX)])?;
        Ok(vectors.iter().map(|vector| cosine(vector, query)).collect())
    }
}

fn passage(stored: StoredChunk) -> Passage {
    let sentences = sentences_of(&stored.chunk);
    Passage { hit: stored.hit, text: stored.chunk.text, sentences }
}

/// The sentences of a passage, in order, without scores.
fn sentences_of(chunk: &Chunk) -> Vec<PassageSentence> {
    chunk.places.iter().flat_map(|place| sentences_at(chunk, place)).collect()
}

fn sentences_at(chunk: &Chunk, place: &ChunkPlace) -> Vec<PassageSentence> {
    let length = (place.span.end - place.span.start) as usize;
    let text = characters(&chunk.text, place.at..place.at + length);
    let ranges: Vec<Range<usize>> = match place.span.item.starts_with(TABLES) {
        true => rows(text),
        false => sentences(text).iter().map(|sentence| sentence.start..sentence.end()).collect(),
    };
    let positions = Positions::new(text);
    let sentence = |bytes: Range<usize>| {
        let span = positions.span(bytes.clone());
        let start = place.span.start + span.start as u64;
        let end = place.span.start + span.end as u64;
        PassageSentence {
            place: ItemSpan { item: place.span.item.clone(), start, end },
            text: text[bytes].to_owned(),
            cosine: None,
            meaning: None,
            words: 0.0,
        }
    };
    ranges.into_iter().map(sentence).collect()
}

fn rows(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut start = 0;
    for row in text.split('\n') {
        if row.chars().any(char::is_alphanumeric) {
            found.push(start..start + row.len());
        }
        start += row.len() + 1;
    }
    found
}

/// A part of a text by its code points; nothing where the text is shorter.
fn characters(text: &str, span: Range<usize>) -> &str {
    let mut bytes = text.char_indices().map(|(byte, _)| byte).chain([text.len()]);
    let start = bytes.nth(span.start).unwrap_or(text.len());
    let rest = span.end.saturating_sub(span.start);
    let end = match rest {
        0 => start,
        _ => bytes.nth(rest - 1).unwrap_or(text.len()),
    };
    &text[start..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(item: &str, start: u64, end: u64, at: usize) -> ChunkPlace {
        ChunkPlace { span: ItemSpan { item: item.to_owned(), start, end }, at }
    }

    #[test]
    fn sentences_have_places_in_their_own_item_and_rows_stay_whole() {
        let chunk = Chunk {
            text: "Äh, so. It is.\na | b. C\nd | e".to_owned(),
            title: String::new(),
            headings: Vec::new(),
            places: vec![place("#/texts/0", 5, 19, 0), place("#/tables/0", 0, 14, 15)],
            page: None,
        };
        let found: Vec<(String, String, u64, u64)> = sentences_of(&chunk)
            .into_iter()
            .map(|one| (one.text, one.place.item, one.place.start, one.place.end))
            .collect();
        let expected = [
            ("Äh, so.", "#/texts/0", 5, 12),
            ("It is.", "#/texts/0", 13, 19),
            ("a | b. C", "#/tables/0", 0, 8),
            ("d | e", "#/tables/0", 9, 14),
        ];
        let expected =
            expected.map(|(text, item, start, end)| (text.to_owned(), item.to_owned(), start, end));
        assert_eq!(found, expected);
    }
}
