//! Dense vectors of texts: made by an encoder, compared by their angle.

use sentence_encoder::{EncodeError, Encoder};

use crate::sentences::sentences;

/// About as many words as the encoder reads at once; longer texts are the mean of their parts.
const CHUNK_WORDS: usize = 160;
/// Parts of a long text that are read, spread over it.
const CHUNKS_MAX: usize = 64;

/// One unit vector for each text.
pub(crate) fn embed(encoder: &dyn Encoder, texts: &[&str]) -> Result<Vec<Vec<f32>>, EncodeError> {
    let mut vectors = encoder.embed(texts)?;
    vectors.iter_mut().for_each(|vector| normalize(vector));
    Ok(vectors)
}

/// One vector for a text of any length.
pub(crate) fn embed_document(encoder: &dyn Encoder, text: &str) -> Result<Vec<f32>, EncodeError> {
    let chunks = chunks(text);
    let parts: Vec<&str> = chunks.iter().map(String::as_str).collect();
    Ok(mean(&embed(encoder, &parts)?))
}

pub(crate) fn mean(vectors: &[Vec<f32>]) -> Vec<f32> {
    let mut sum = vec![0.0; vectors.first().map_or(0, Vec::len)];
    for vector in vectors {
        sum.iter_mut().zip(vector).for_each(|(sum, value)| *sum += value);
    }
    normalize(&mut sum);
    sum
}

/// The cosine of unit vectors.
pub(crate) fn cosine(one: &[f32], other: &[f32]) -> f64 {
    f64::from(one.iter().zip(other).map(|(one, other)| one * other).sum::<f32>())
}

fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length > 0.0 {
        vector.iter_mut().for_each(|value| *value /= length);
    }
}

/// Whole sentences, grouped up to the encoder's limit.
fn chunks(text: &str) -> Vec<String> {
    let mut chunks = vec![String::new()];
    let mut count = 0;
    for sentence in sentences(text) {
        let words = sentence.text.split_whitespace().count();
        if count > 0 && count + words > CHUNK_WORDS {
            chunks.push(String::new());
            count = 0;
        }
        let chunk = chunks.last_mut().expect("there is one from the beginning");
        chunk.push_str(sentence.text);
        chunk.push(' ');
        count += words;
    }
    let stride = chunks.len().div_ceil(CHUNKS_MAX);
    chunks.into_iter().step_by(stride).collect()
}
