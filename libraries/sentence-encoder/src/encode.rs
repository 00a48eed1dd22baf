//! The interface of an encoder.

use std::error::Error;

/// Makes a vector of a text, so that texts that mean alike have vectors that point alike.
pub trait Encoder: Send + Sync {
    /// Names the model and its weights: vectors of another one cannot be compared with its own.
    fn model(&self) -> &str;

    /// Numbers in each vector.
    fn dimensions(&self) -> usize;

    /// One vector for each text, in order. Takes milliseconds or more; not for threads that must not block.
    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError>;
}

#[derive(Debug, thiserror::Error)]
#[error("the encoder failed in {attempted}: {source}")]
pub struct EncodeError {
    attempted: &'static str,
    #[source]
    source: Box<dyn Error + Send + Sync>,
}

impl EncodeError {
    pub fn new(attempted: &'static str, source: impl Into<Box<dyn Error + Send + Sync>>) -> Self {
        Self { attempted, source: source.into() }
    }

    /// The number or the length of the vectors is wrong.
    pub fn shape(texts: usize, dimensions: usize) -> Self {
        Self::new("embedding", format!("it did not make {texts} vectors of {dimensions} numbers"))
    }
}
