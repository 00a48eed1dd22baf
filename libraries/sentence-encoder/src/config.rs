//! The content of `config.json`, and the check that the model can be run.

use serde::Deserialize;

use crate::LoadError;
use crate::folder::{CONFIG, Folder, POOLING};

/// The sizes of a BERT model, by the names its authors gave them.
#[derive(Clone, Debug, Deserialize)]
pub(crate) struct BertConfig {
    #[serde(default)]
    model_type: String,
    #[serde(default)]
    hidden_act: String,
    #[serde(default)]
    position_embedding_type: Option<String>,
    #[serde(default)]
    pub(crate) hidden_size: usize,
    #[serde(default)]
    pub(crate) intermediate_size: usize,
    #[serde(default)]
    pub(crate) num_attention_heads: usize,
    #[serde(default)]
    pub(crate) num_hidden_layers: usize,
    #[serde(default)]
    pub(crate) max_position_embeddings: usize,
    #[serde(default)]
    pub(crate) type_vocab_size: usize,
    #[serde(default)]
    pub(crate) vocab_size: usize,
    #[serde(default = "layer_norm_eps")]
    pub(crate) layer_norm_eps: f64,
}

fn layer_norm_eps() -> f64 {
    1e-12
}

#[derive(Deserialize)]
struct PoolingConfig {
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
}

impl BertConfig {
    pub(crate) fn read(folder: &Folder) -> Result<Self, LoadError> {
        let config: Self = parse(folder, CONFIG, &folder.read(CONFIG)?)?;
        let refused = |file, what| LoadError::Unsupported { path: folder.path(file), what };
        if let Some(what) = config.fault() {
            return Err(refused(CONFIG, what));
        }
        if let Some(bytes) = folder.read_if_there(POOLING)?
            && !parse::<PoolingConfig>(folder, POOLING, &bytes)?.pooling_mode_mean_tokens
        {
            return Err(refused(POOLING, "it does not take the mean of its words".to_owned()));
        }
        Ok(config)
    }

    fn fault(&self) -> Option<String> {
        if self.model_type != "bert" {
            return Some(format!("it is a `{}` model, not a `bert` model", self.model_type));
        }
        if self.hidden_act != "gelu" {
            return Some(format!("its activation is `{}`, not `gelu`", self.hidden_act));
        }
        if self.position_embedding_type.as_deref().is_some_and(|kind| kind != "absolute") {
            return Some("its positions are not absolute".to_owned());
        }
        if let Some((name, _)) = self.sizes().into_iter().find(|(_, size)| *size == 0) {
            return Some(format!("it does not say its {name}"));
        }
        if !self.hidden_size.is_multiple_of(self.num_attention_heads) {
            return Some("its hidden_size is not a multiple of its num_attention_heads".to_owned());
        }
        None
    }

    fn sizes(&self) -> [(&'static str, usize); 7] {
        [
            ("hidden_size", self.hidden_size),
            ("intermediate_size", self.intermediate_size),
            ("num_attention_heads", self.num_attention_heads),
            ("num_hidden_layers", self.num_hidden_layers),
            ("max_position_embeddings", self.max_position_embeddings),
            ("type_vocab_size", self.type_vocab_size),
            ("vocab_size", self.vocab_size),
        ]
    }
}

fn parse<T: for<'a> Deserialize<'a>>(folder: &Folder, file: &str, bytes: &[u8]) -> Result<T, LoadError> {
    serde_json::from_slice(bytes).map_err(|source| LoadError::Config { path: folder.path(file), source })
}
