//! Text to the numbers of its word pieces.

use tokenizers::{Tokenizer, TruncationParams};

use crate::LoadError;
use crate::config::Config;
use crate::folder::{Folder, TOKENIZER};

/// Word pieces of one text; the rest of a longer one is not read. The model was trained on no more.
pub(crate) const TOKENS_MAX: usize = 256;
/// Nothing is taken apart that would not be read: no word piece is longer than this on the average.
const CHARS_MAX: usize = 16 * TOKENS_MAX;

pub(crate) struct Tokens {
    tokenizer: Tokenizer,
}

impl Tokens {
    pub(crate) fn read(folder: &Folder, config: &Config) -> Result<Self, LoadError> {
        let bytes = folder.read(TOKENIZER)?;
        Self::parse(&bytes, config)
            .map_err(|reason| LoadError::Tokenizer { path: folder.path(TOKENIZER), reason })
    }

    fn parse(bytes: &[u8], config: &Config) -> Result<Self, String> {
        let mut tokenizer = Tokenizer::from_bytes(bytes).map_err(|error| error.to_string())?;
        let largest = tokenizer.get_vocab(true).into_values().max().unwrap_or_default();
        if largest as usize >= config.vocab_size {
            let wanted = config.vocab_size;
            return Err(format!(
                "it has a word piece of the number {largest}, the model only {wanted} of them"
            ));
        }
        // Padding to a fixed length would make every query as slow as the longest text.
        tokenizer.with_padding(None);
        let max_length = TOKENS_MAX.min(config.max_position_embeddings);
        let truncation = TruncationParams { max_length, ..Default::default() };
        tokenizer.with_truncation(Some(truncation)).map_err(|error| error.to_string())?;
        Ok(Self { tokenizer })
    }

    /// Never empty: an empty text still has its beginning and its end.
    pub(crate) fn of(&self, text: &str) -> Result<Vec<u32>, tokenizers::Error> {
        let end = text.char_indices().nth(CHARS_MAX).map_or(text.len(), |(end, _)| end);
        Ok(self.tokenizer.encode_fast(&text[..end], true)?.get_ids().to_vec())
    }
}
