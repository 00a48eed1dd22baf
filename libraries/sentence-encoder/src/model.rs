//! A model folder as an [`Encoder`].

#[cfg(test)]
mod tests;

use std::fmt::Write as _;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::config::BertConfig;
use crate::folder::{CONFIG, Folder, TOKENIZER, WEIGHTS};
use crate::lanes::Lanes;
use crate::network::Network;
use crate::tokens::Tokenizer;
use crate::weights::Weights;
use crate::{EncodeError, Encoder, LoadError};

/// Word pieces that go through the layers at once: more would be no faster and need more memory.
const BATCH_TOKENS_MAX: usize = 1024;

/// A sentence encoder that is loaded.
pub struct Model {
    id: String,
    dimensions: usize,
    tokens: Tokenizer,
    network: Network,
    lanes: Lanes,
}

impl Model {
    /// Reads a folder with `config.json`, `tokenizer.json` and `model.safetensors`. Takes some tenths of a second.
    pub fn load(folder: &Path) -> Result<Self, LoadError> {
        let folder = Folder::open(folder)?;
        let config = BertConfig::read(&folder)?;
        let tokens = Tokenizer::read(&folder, &config)?;
        let bytes = folder.read(WEIGHTS)?;
        let id = id(&folder, &bytes)?;
        let network = Network::build(&config, &mut Weights::parse(&folder, &bytes)?)?;
        Ok(Self { id, dimensions: config.hidden_size, tokens, network, lanes: Lanes::open() })
    }

    fn vectors(&self, texts: &[&str]) -> Vec<Vec<f32>> {
        let tokens: Vec<_> = texts.iter().map(|text| self.tokens.of(text)).collect();
        batches(&tokens).flat_map(|batch| self.network.embed(batch)).collect()
    }
}

impl Encoder for Model {
    fn model(&self) -> &str {
        &self.id
    }

    fn dimensions(&self) -> usize {
        self.dimensions
    }

    /// A single text is taken for a query and does not wait for catalogues.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
        Ok(match texts {
            [_] => self.lanes.query(|| self.vectors(texts)),
            _ => self.lanes.catalogue(|| self.vectors(texts)),
        })
    }
}

/// Everything that influences the vectors.
fn id(folder: &Folder, weights: &[u8]) -> Result<String, LoadError> {
    let mut parts = digest(weights);
    for file in [CONFIG, TOKENIZER] {
        parts.push_str(&digest(&folder.read(file)?));
    }
    Ok(digest(parts.as_bytes()))
}

fn digest(bytes: &[u8]) -> String {
    let mut text = "sha256:".to_owned();
    for byte in Sha256::digest(bytes) {
        write!(text, "{byte:02x}").expect("a text can be written to");
    }
    text
}

/// Batches of consecutive texts, as many as the limit allows but at least one.
fn batches(texts: &[Vec<u32>]) -> impl Iterator<Item = &[Vec<u32>]> {
    let mut rest = texts;
    std::iter::from_fn(move || {
        let mut tokens = 0;
        let fits = |text: &&Vec<u32>| {
            tokens += text.len();
            tokens <= BATCH_TOKENS_MAX
        };
        let count = rest.iter().take_while(fits).count().max(1).min(rest.len());
        let (batch, after) = rest.split_at(count);
        rest = after;
        (!batch.is_empty()).then_some(batch)
    })
}
