//! The pieces of words that the model writes.

use crate::error::SpeechError;

/// Stands for a blank at the beginning of a piece.
const BLANK: &str = "\u{2581}";
/// No vocabulary has more.
const PIECES_MAX: usize = 200_000;

/// The vocabulary: bytes of each piece.
pub(crate) struct TokenTable {
    pieces: Vec<Vec<u8>>,
}

/// A word and the share of belief in it.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct HeardWord {
    pub(crate) text: String,
    pub(crate) confidence: f32,
}

impl TokenTable {
    /// The form of the file: a length of one or two bytes before each piece; a zero alone is a piece that is not used.
    pub(crate) fn parse(bytes: &[u8]) -> Result<Self, SpeechError> {
        let damaged = || SpeechError::Model("tokenizer.bin is damaged".into());
        let mut pieces = Vec::new();
        let mut rest = bytes;
        while let Some((&first, after)) = rest.split_first() {
            let (length, after) = match first {
                0..=127 => (usize::from(first), after),
                _ => {
                    let (&second, after) = after.split_first().ok_or_else(damaged)?;
                    (usize::from(second) * 128 + usize::from(first) - 128, after)
                }
            };
            let (piece, after) = after.split_at_checked(length).ok_or_else(damaged)?;
            pieces.push(piece.to_vec());
            rest = after;
            if pieces.len() > PIECES_MAX {
                return Err(damaged());
            }
        }
        if pieces.is_empty() { Err(damaged()) } else { Ok(Self { pieces }) }
    }

    /// Words of pieces with their probabilities. Pieces of single bytes are put together first.
    pub(crate) fn words(&self, tokens: &[(i64, f32)]) -> Vec<HeardWord> {
        let mut words: Vec<(Vec<u8>, Vec<f32>)> = Vec::new();
        for (token, probability) in tokens {
            let Some(piece) = usize::try_from(*token).ok().and_then(|token| self.pieces.get(token)) else {
                continue;
            };
            let begins = piece.starts_with(BLANK.as_bytes());
            if begins || words.is_empty() {
                words.push((Vec::new(), Vec::new()));
            }
            if let Some((text, probabilities)) = words.last_mut() {
                text.extend_from_slice(piece);
                probabilities.push(*probability);
            }
        }
        let words = words.into_iter().map(|(text, probabilities)| {
            let text = String::from_utf8_lossy(&text).replace(BLANK, " ").trim().to_owned();
            let logs: f32 = probabilities.iter().map(|probability| probability.max(1e-6).ln()).sum();
            HeardWord { text, confidence: (logs / probabilities.len().max(1) as f32).exp() }
        });
        words.filter(|word| !word.text.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_become_words() {
        let table = TokenTable::parse("\u{1}x\u{6}\u{2581}wor\u{2}ld\u{4}\u{2581}a\u{0}".as_bytes()).unwrap();
        let words = table.words(&[(1, 0.5), (2, 0.5), (3, 1.0), (99, 1.0)]);
        let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(texts, ["world", "a"]);
        assert!((words[0].confidence - 0.5).abs() < 1e-5);
        assert!(TokenTable::parse(b"\x05ab").is_err() && TokenTable::parse(b"").is_err());
    }
}
