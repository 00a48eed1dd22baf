//! Text to the numbers of its word pieces, as BERT's own tokenizer makes them.
//!
//! Written by hand: the general library for tokenizers brings 25 packages, and of all its features a sentence
//! encoder uses one vocabulary. An apparent special token in a text (`[SEP]`) is text here.

mod clean;

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::Value;

use crate::LoadError;
use crate::config::BertConfig;
use crate::folder::{Folder, TOKENIZER};
use clean::Normalizer;

/// Word pieces of one text; the rest of a longer text is ignored. The model was trained on no more.
pub(crate) const TOKENS_MAX: usize = 256;
/// Longer text is not split, since it would not be read: no word piece is longer than this on average.
const CHARS_MAX: usize = 16 * TOKENS_MAX;

pub(crate) struct Tokenizer {
    normalizer: Normalizer,
    pieces: WordPiece,
    unknown: u32,
    start: Vec<u32>,
    end: Vec<u32>,
    length_max: usize,
}

/// `tokenizer.json`, as far as it matters for the result.
#[derive(Deserialize)]
struct TokenizerFile {
    normalizer: Normalizer,
    post_processor: Value,
    #[serde(default)]
    added_tokens: Vec<AddedToken>,
    model: WordPiece,
}

#[derive(Deserialize)]
struct AddedToken {
    id: u32,
}

#[derive(Deserialize)]
struct WordPiece {
    unk_token: String,
    continuing_subword_prefix: String,
    max_input_chars_per_word: usize,
    vocab: HashMap<String, u32>,
}

impl Tokenizer {
    pub(crate) fn read(folder: &Folder, config: &BertConfig) -> Result<Self, LoadError> {
        let bytes = folder.read(TOKENIZER)?;
        Self::parse(&bytes, config)
            .map_err(|reason| LoadError::Tokenizer { path: folder.path(TOKENIZER), reason })
    }

    fn parse(bytes: &[u8], config: &BertConfig) -> Result<Self, String> {
        check_kinds(bytes)?;
        let file: TokenizerFile = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let numbers =
            file.model.vocab.values().copied().chain(file.added_tokens.iter().map(|added| added.id));
        let largest = numbers.max().unwrap_or_default();
        if largest as usize >= config.vocab_size {
            let wanted = config.vocab_size;
            return Err(format!(
                "it has a word piece of the number {largest}, the model only {wanted} of them"
            ));
        }
        let unknown = file.model.vocab.get(&file.model.unk_token).copied();
        let (start, end) = frame(&file.post_processor).ok_or("it does not say what stands around a text")?;
        if start.iter().chain(&end).any(|number| *number as usize >= config.vocab_size) {
            return Err("what stands around a text is no word piece of the model".to_owned());
        }
        Ok(Self {
            normalizer: file.normalizer,
            unknown: unknown.ok_or("it has no word piece for what it does not know")?,
            length_max: TOKENS_MAX.min(config.max_position_embeddings),
            pieces: file.model,
            start,
            end,
        })
    }

    /// Never empty: an empty text still has its beginning and its end.
    pub(crate) fn of(&self, text: &str) -> Vec<u32> {
        let end = text.char_indices().nth(CHARS_MAX).map_or(text.len(), |(end, _)| end);
        let inside_max = self.length_max.saturating_sub(self.start.len() + self.end.len());
        let mut tokens = self.start.clone();
        let mut pieces = Vec::new();
        for word in words(&self.normalizer.apply(&text[..end])) {
            if !self.pieces.take_apart(word, &mut pieces) {
                pieces.push(self.unknown);
            }
            if tokens.len() + pieces.len() >= self.start.len() + inside_max {
                break;
            }
            tokens.append(&mut pieces);
        }
        tokens.append(&mut pieces);
        tokens.truncate(self.start.len() + inside_max);
        tokens.extend(&self.end);
        tokens
    }
}

/// Names the part that has an unsupported type; a missing-field error would not explain it.
fn check_kinds(bytes: &[u8]) -> Result<(), String> {
    let file: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
    for (part, wanted) in
        [("model", "WordPiece"), ("normalizer", "BertNormalizer"), ("pre_tokenizer", "BertPreTokenizer")]
    {
        let found = file[part]["type"].as_str().unwrap_or("nothing");
        if found != wanted {
            return Err(format!("its {part} is {found}; only {wanted} works here"));
        }
    }
    Ok(())
}

/// The numbers before and after a text.
fn frame(processor: &Value) -> Option<(Vec<u32>, Vec<u32>)> {
    match processor["type"].as_str()? {
        "BertProcessing" => Some((vec![number(&processor["cls"][1])?], vec![number(&processor["sep"][1])?])),
        "TemplateProcessing" => {
            let (mut start, mut end, mut in_front) = (Vec::new(), Vec::new(), true);
            for part in processor["single"].as_array()? {
                let Some(id) = part["SpecialToken"]["id"].as_str() else {
                    in_front = false;
                    continue;
                };
                let ids = processor["special_tokens"][id]["ids"].as_array()?;
                let side = if in_front { &mut start } else { &mut end };
                side.extend(ids.iter().map(number).collect::<Option<Vec<_>>>()?);
            }
            Some((start, end))
        }
        _ => None,
    }
}

fn number(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|number| u32::try_from(number).ok())
}

/// The parts between white space; each punctuation mark is its own word.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(char::is_whitespace).flat_map(|run| {
        let mut rest = run;
        std::iter::from_fn(move || {
            let first = rest.chars().next()?;
            let length = match clean::is_punctuation(first) {
                true => first.len_utf8(),
                false => rest.find(clean::is_punctuation).unwrap_or(rest.len()),
            };
            let (word, after) = rest.split_at(length);
            rest = after;
            Some(word)
        })
    })
}

impl WordPiece {
    /// The longest piece in the vocabulary, then the longest of the rest. False if some part is in no piece.
    fn take_apart(&self, word: &str, pieces: &mut Vec<u32>) -> bool {
        let before = pieces.len();
        if word.chars().count() > self.max_input_chars_per_word {
            return false;
        }
        let mut rest = word;
        let mut piece = String::new();
        while !rest.is_empty() {
            let prefix = if rest.len() == word.len() { "" } else { &self.continuing_subword_prefix };
            let longest = ends(rest).find_map(|end| {
                piece.clear();
                piece.push_str(prefix);
                piece.push_str(&rest[..end]);
                self.vocab.get(&piece).map(|number| (*number, end))
            });
            let Some((number, end)) = longest else {
                pieces.truncate(before);
                return false;
            };
            pieces.push(number);
            rest = &rest[end..];
        }
        true
    }
}

/// The possible ends of a prefix of a text, the longest first.
fn ends(text: &str) -> impl Iterator<Item = usize> {
    text.char_indices().rev().map(|(start, char)| start + char.len_utf8())
}

#[cfg(test)]
mod tests;
