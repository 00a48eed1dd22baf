//! The reasons why a model folder cannot be used, with advice.

use std::io;
use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    #[error("there is no model folder {folder}", folder = .folder.display())]
    NoFolder { folder: PathBuf },
    #[error("the model folder {folder} has no {file}", folder = .folder.display())]
    NoFile { folder: PathBuf, file: &'static str },
    #[error("{path} cannot be read", path = .path.display())]
    Read {
        path: PathBuf,
        #[source]
        source: io::Error,
    },
    #[error("{path} has {bytes} bytes; at most {bytes_max} are read", path = .path.display())]
    TooLarge { path: PathBuf, bytes: u64, bytes_max: u64 },
    #[error("{path} is not the configuration of a model: {source}", path = .path.display())]
    Config {
        path: PathBuf,
        #[source]
        source: serde_json::Error,
    },
    #[error("{path} describes a model that cannot be run here: {what}", path = .path.display())]
    Unsupported { path: PathBuf, what: String },
    #[error("{path} is not a tokenizer: {reason}", path = .path.display())]
    Tokenizer { path: PathBuf, reason: String },
    #[error("{path} does not hold tensors: {reason}", path = .path.display())]
    Weights { path: PathBuf, reason: String },
    #[error("the weights lack the tensor {name}")]
    NoTensor { name: String },
    #[error("the tensor {name} has the shape {found:?} where config.json wants {wanted:?}")]
    Shape { name: String, found: Vec<usize>, wanted: Vec<usize> },
    #[error("the tensor {name} cannot be read: its numbers are {kind}, or end too soon")]
    Tensor { name: String, kind: String },
}

impl LoadError {
    /// The advice for a person.
    pub fn hint(&self) -> &'static str {
        match self {
            Self::NoFolder { .. } => {
                "script/model DIR fetches one that works; without a model, search goes by words"
            }
            Self::NoFile { .. } => {
                "a model folder has config.json, tokenizer.json and model.safetensors; script/model DIR fetches them"
            }
            Self::Read { .. } => "check that the file may be read by the user Toolgate runs as",
            Self::Config { .. } | Self::Unsupported { .. } | Self::TooLarge { .. } => {
                "BERT-like sentence encoders with mean pooling work, such as all-MiniLM-L6-v2: script/model DIR"
            }
            Self::Tokenizer { .. }
            | Self::Weights { .. }
            | Self::NoTensor { .. }
            | Self::Tensor { .. }
            | Self::Shape { .. } => {
                "the files of a folder belong together: remove it and fetch it again with script/model DIR"
            }
        }
    }
}
