//! The layers, from word pieces to one vector for each text.
//!
//! Texts of a batch are laid end to end, not padded to the longest one: word-wise layers work on all of them
//! at once, and only attention treats each text by itself. Vectors of words are consecutive in a plain slice.

mod attention;

use crate::LoadError;
use crate::config::BertConfig;
use crate::gelu::Gelu;
use crate::linear::Linear;
use crate::weights::Weights;
use attention::Attention;

pub(crate) struct Network {
    size: usize,
    words: Vec<f32>,
    positions: Vec<f32>,
    /// The kind of text that every text here is.
    kind: Vec<f32>,
    norm: Norm,
    layers: Vec<Layer>,
    gelu: Gelu,
}

struct Layer {
    attention: Attention,
    attention_norm: Norm,
    widen: Linear,
    narrow: Linear,
    norm: Norm,
}

struct Norm {
    scale: Vec<f32>,
    shift: Vec<f32>,
    epsilon: f32,
}

impl Network {
    pub(crate) fn build(config: &BertConfig, weights: &mut Weights<'_>) -> Result<Self, LoadError> {
        let size = config.hidden_size;
        let mut table =
            |name: &str, rows| weights.take(&format!("embeddings.{name}_embeddings.weight"), &[rows, size]);
        let words = table("word", config.vocab_size)?;
        let positions = table("position", config.max_position_embeddings)?;
        let mut kind = table("token_type", config.type_vocab_size)?;
        kind.truncate(size);
        Ok(Self {
            size,
            words,
            positions,
            kind,
            norm: Norm::take(config, weights, "embeddings.LayerNorm")?,
            layers: (0..config.num_hidden_layers)
                .map(|layer| Layer::take(config, weights, &format!("encoder.layer.{layer}")))
                .collect::<Result<_, _>>()?,
            gelu: Gelu::new(),
        })
    }

    /// The mean of each text's words, of length one. Word pieces and places are those the tables have.
    pub(crate) fn embed(&self, texts: &[Vec<u32>]) -> Vec<Vec<f32>> {
        let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
        let mut x = self.look_up(texts);
        for layer in &self.layers {
            x = layer.forward(x, &lengths, &self.gelu);
        }
        spans(&lengths, self.size).map(|span| self.mean(&x[span])).collect()
    }

    fn look_up(&self, texts: &[Vec<u32>]) -> Vec<f32> {
        let mut x = Vec::with_capacity(texts.iter().map(Vec::len).sum::<usize>() * self.size);
        for (place, word) in texts.iter().flat_map(|text| text.iter().enumerate()) {
            let word = &self.words[*word as usize * self.size..][..self.size];
            let place = &self.positions[place * self.size..][..self.size];
            x.extend(word.iter().zip(place).zip(&self.kind).map(|((word, place), kind)| word + place + kind));
        }
        self.norm.apply(&mut x);
        x
    }

    fn mean(&self, words: &[f32]) -> Vec<f32> {
        let mut sum = vec![0.0; self.size];
        for word in words.chunks_exact(self.size) {
            add(&mut sum, word);
        }
        normalise(sum)
    }
}

impl Layer {
    fn take(config: &BertConfig, weights: &mut Weights<'_>, name: &str) -> Result<Self, LoadError> {
        let (size, wide) = (config.hidden_size, config.intermediate_size);
        Ok(Self {
            attention: Attention::take(config, weights, &format!("{name}.attention"))?,
            attention_norm: Norm::take(config, weights, &format!("{name}.attention.output.LayerNorm"))?,
            widen: linear(weights, &[&format!("{name}.intermediate.dense")], wide, size)?,
            narrow: linear(weights, &[&format!("{name}.output.dense")], size, wide)?,
            norm: Norm::take(config, weights, &format!("{name}.output.LayerNorm"))?,
        })
    }

    fn forward(&self, mut x: Vec<f32>, lengths: &[usize], gelu: &Gelu) -> Vec<f32> {
        let seen = self.attention.forward(&x, lengths);
        add(&mut x, &seen);
        self.attention_norm.apply(&mut x);
        let mut wide = self.widen.forward(&x);
        gelu.apply(&mut wide);
        add(&mut x, &self.narrow.forward(&wide));
        self.norm.apply(&mut x);
        x
    }
}

impl Norm {
    fn take(config: &BertConfig, weights: &mut Weights<'_>, name: &str) -> Result<Self, LoadError> {
        let size = [config.hidden_size];
        let scale = weights.take(&format!("{name}.weight"), &size)?;
        let shift = weights.take(&format!("{name}.bias"), &size)?;
        Ok(Self { scale, shift, epsilon: config.layer_norm_eps as f32 })
    }

    fn apply(&self, x: &mut [f32]) {
        let size = self.scale.len();
        for word in x.chunks_exact_mut(size) {
            let mean = word.iter().sum::<f32>() / size as f32;
            let spread = word.iter().map(|value| (value - mean) * (value - mean)).sum::<f32>() / size as f32;
            let narrow = (spread + self.epsilon).sqrt().recip();
            for ((value, scale), shift) in word.iter_mut().zip(&self.scale).zip(&self.shift) {
                *value = (*value - mean) * narrow * scale + shift;
            }
        }
    }
}

/// One product for layers with the same input.
fn linear(
    weights: &mut Weights<'_>,
    names: &[&str],
    outputs: usize,
    inputs: usize,
) -> Result<Linear, LoadError> {
    let (mut rows, mut bias) = (Vec::new(), Vec::new());
    for name in names {
        rows.append(&mut weights.take(&format!("{name}.weight"), &[outputs, inputs])?);
        bias.append(&mut weights.take(&format!("{name}.bias"), &[outputs])?);
    }
    Ok(Linear::new(&rows, bias))
}

/// The range of each text among the vectors of all words.
fn spans(lengths: &[usize], size: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
    lengths.iter().scan(0, move |end, length| {
        let start = *end;
        *end += length * size;
        Some(start..*end)
    })
}

fn add(to: &mut [f32], values: &[f32]) {
    for (to, value) in to.iter_mut().zip(values) {
        *to += value;
    }
}

fn normalise(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    vector.iter_mut().for_each(|value| *value /= length);
    vector
}
