//! The layers, from word pieces to one vector for each text.
//!
//! Texts of a batch are laid end to end, not padded to the longest one: what works word by word works on all of them at
//! once, and only attention looks at each text by itself.

use candle_core::{D, Device, Result, Tensor};
use candle_nn::ops::{layer_norm, softmax_last_dim};

use crate::LoadError;
use crate::config::Config;
use crate::gelu::Gelu;
use crate::linear::Linear;
use crate::weights::Weights;

pub(crate) struct Network {
    words: Tensor,
    positions: Tensor,
    /// The kind of text that every text here is.
    kind: Tensor,
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

struct Attention {
    heads: usize,
    /// Queries, keys and values in one product.
    ask: Linear,
    answer: Linear,
}

struct Norm {
    scale: Tensor,
    shift: Tensor,
    epsilon: f32,
}

impl Network {
    pub(crate) fn build(config: &Config, weights: &mut Weights) -> std::result::Result<Self, LoadError> {
        let size = config.hidden_size;
        let mut table =
            |name: &str, rows| weights.take(&format!("embeddings.{name}_embeddings.weight"), &[rows, size]);
        let words = table("word", config.vocab_size)?;
        let positions = table("position", config.max_position_embeddings)?;
        let kinds = table("token_type", config.type_vocab_size)?;
        Ok(Self {
            words,
            positions,
            kind: kinds.get(0).map_err(|_| LoadError::NoTensor { name: "token_type".to_owned() })?,
            norm: Norm::take(config, weights, "embeddings.LayerNorm")?,
            layers: (0..config.num_hidden_layers)
                .map(|layer| Layer::take(config, weights, &format!("encoder.layer.{layer}")))
                .collect::<std::result::Result<_, _>>()?,
            gelu: Gelu::new(),
        })
    }

    /// The mean of each text's words, of length one.
    pub(crate) fn embed(&self, texts: &[Vec<u32>]) -> Result<Vec<Vec<f32>>> {
        let lengths: Vec<usize> = texts.iter().map(Vec::len).collect();
        let mut x = self.look_up(texts)?;
        for layer in &self.layers {
            x = layer.forward(&x, &lengths, &self.gelu)?;
        }
        let means = spans(&lengths).map(|(start, length)| x.narrow(0, start, length)?.mean(0)?.to_vec1());
        means.map(|mean| mean.map(normalise)).collect()
    }

    fn look_up(&self, texts: &[Vec<u32>]) -> Result<Tensor> {
        let row = |numbers: Vec<u32>| Tensor::new(numbers, &Device::Cpu);
        let words = self.words.index_select(&row(texts.concat())?, 0)?;
        let places = texts.iter().flat_map(|text| 0..text.len() as u32).collect();
        let positions = self.positions.index_select(&row(places)?, 0)?;
        self.norm.forward(&(words + positions)?.broadcast_add(&self.kind)?)
    }
}

impl Layer {
    fn take(config: &Config, weights: &mut Weights, name: &str) -> std::result::Result<Self, LoadError> {
        let (size, wide) = (config.hidden_size, config.intermediate_size);
        Ok(Self {
            attention: Attention::take(config, weights, &format!("{name}.attention"))?,
            attention_norm: Norm::take(config, weights, &format!("{name}.attention.output.LayerNorm"))?,
            widen: linear(weights, &[&format!("{name}.intermediate.dense")], wide, size)?,
            narrow: linear(weights, &[&format!("{name}.output.dense")], size, wide)?,
            norm: Norm::take(config, weights, &format!("{name}.output.LayerNorm"))?,
        })
    }

    fn forward(&self, x: &Tensor, lengths: &[usize], gelu: &Gelu) -> Result<Tensor> {
        let x = self.attention_norm.forward(&(self.attention.forward(x, lengths)? + x)?)?;
        let wide = self.widen.forward(&x)?.apply_op1_no_bwd(gelu)?;
        self.norm.forward(&(self.narrow.forward(&wide)? + x)?)
    }
}

impl Attention {
    fn take(config: &Config, weights: &mut Weights, name: &str) -> std::result::Result<Self, LoadError> {
        let size = config.hidden_size;
        let parts = ["query", "key", "value"].map(|part| format!("{name}.self.{part}"));
        let parts = parts.each_ref().map(String::as_str);
        Ok(Self {
            heads: config.num_attention_heads,
            ask: linear(weights, &parts, size, size)?,
            answer: linear(weights, &[&format!("{name}.output.dense")], size, size)?,
        })
    }

    fn forward(&self, x: &Tensor, lengths: &[usize]) -> Result<Tensor> {
        let asked = self.ask.forward(x)?;
        let texts = spans(lengths).map(|(start, length)| self.attend(&asked.narrow(0, start, length)?));
        let texts = texts.collect::<Result<Vec<_>>>()?;
        self.answer.forward(&Tensor::cat(&texts, 0)?)
    }

    /// One text: each of its words looks at all of them.
    fn attend(&self, asked: &Tensor) -> Result<Tensor> {
        let (length, size) = (asked.dim(0)?, asked.dim(1)? / 3);
        let heads =
            asked.reshape((length, 3, self.heads, size / self.heads))?.permute((1, 2, 0, 3))?.contiguous()?;
        let scale = ((size / self.heads) as f64).sqrt().recip();
        let looks = (heads.get(0)?.matmul(&heads.get(1)?.t()?)? * scale)?;
        let seen = softmax_last_dim(&looks)?.matmul(&heads.get(2)?)?;
        seen.transpose(0, 1)?.contiguous()?.flatten_from(D::Minus2)
    }
}

impl Norm {
    fn take(config: &Config, weights: &mut Weights, name: &str) -> std::result::Result<Self, LoadError> {
        let size = [config.hidden_size];
        let scale = weights.take(&format!("{name}.weight"), &size)?;
        let shift = weights.take(&format!("{name}.bias"), &size)?;
        Ok(Self { scale, shift, epsilon: config.layer_norm_eps as f32 })
    }

    fn forward(&self, x: &Tensor) -> Result<Tensor> {
        layer_norm(x, &self.scale, &self.shift, self.epsilon)
    }
}

/// One product for layers that take the same input.
fn linear(
    weights: &mut Weights,
    names: &[&str],
    outputs: usize,
    inputs: usize,
) -> std::result::Result<Linear, LoadError> {
    let mut parts = (Vec::new(), Vec::new());
    for name in names {
        parts.0.push(weights.take(&format!("{name}.weight"), &[outputs, inputs])?);
        parts.1.push(weights.take(&format!("{name}.bias"), &[outputs])?);
    }
    let joined =
        Tensor::cat(&parts.0, 0).and_then(|weights| Linear::new(&weights, &Tensor::cat(&parts.1, 0)?));
    joined.map_err(|_| LoadError::NoTensor { name: names.join(", ") })
}

/// Where each text begins, and how long it is.
fn spans(lengths: &[usize]) -> impl Iterator<Item = (usize, usize)> {
    lengths.iter().scan(0, |end, length| {
        let start = *end;
        *end += length;
        Some((start, *length))
    })
}

fn normalise(mut vector: Vec<f32>) -> Vec<f32> {
    let length = vector.iter().map(|value| value * value).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
    vector.iter_mut().for_each(|value| *value /= length);
    vector
}
