//! Attention: the relations between the words of a text.

use pulp::Arch;

use super::{linear, spans};
use crate::LoadError;
use crate::config::BertConfig;
use crate::linear::Linear;
use crate::weights::Weights;

pub(super) struct Attention {
    arch: Arch,
    size: usize,
    heads: usize,
    /// Queries, keys and values in one product.
    ask: Linear,
    answer: Linear,
}

impl Attention {
    pub(super) fn take(
        config: &BertConfig,
        weights: &mut Weights<'_>,
        name: &str,
    ) -> Result<Self, LoadError> {
        let size = config.hidden_size;
        let parts = ["query", "key", "value"].map(|part| format!("{name}.self.{part}"));
        let parts = parts.each_ref().map(String::as_str);
        Ok(Self {
            arch: Arch::new(),
            size,
            heads: config.num_attention_heads,
            ask: linear(weights, &parts, size, size)?,
            answer: linear(weights, &[&format!("{name}.output.dense")], size, size)?,
        })
    }

    pub(super) fn forward(&self, x: &[f32], lengths: &[usize]) -> Vec<f32> {
        let asked = self.ask.forward(x);
        let mut seen = vec![0.0; x.len()];
        for (from, to) in spans(lengths, 3 * self.size).zip(spans(lengths, self.size)) {
            let width = self.size / self.heads;
            for head in (0..self.size).step_by(width) {
                let head = AttentionHead { asked: &asked[from.clone()], size: self.size, start: head, width };
                self.arch.dispatch(|| head.look(&mut seen[to.clone()]));
            }
        }
        self.answer.forward(&seen)
    }
}

/// One head in one text: each word attends to all of them.
struct AttentionHead<'a> {
    /// The query, the key and the value of each word, for all heads.
    asked: &'a [f32],
    size: usize,
    /// The start of this head's part in each of the three, and its width.
    start: usize,
    width: usize,
}

impl AttentionHead<'_> {
    /// Inner loops run along a row and add to it, which compilers turn into vector instructions.
    #[inline(always)]
    fn look(&self, seen: &mut [f32]) {
        let length = self.asked.len() / (3 * self.size);
        let keys = self.keys(length);
        let scale = (self.width as f32).sqrt().recip();
        let mut looks = vec![0.0; length];
        for word in 0..length {
            looks.fill(0.0);
            for (query, keys) in self.part(0, word).iter().zip(keys.chunks_exact(length)) {
                add_times(&mut looks, query * scale, keys);
            }
            softmax(&mut looks);
            let seen = &mut seen[word * self.size + self.start..][..self.width];
            for (other, look) in looks.iter().enumerate() {
                add_times(seen, *look, self.part(2, other));
            }
        }
    }

    /// The keys of all words turned: a row for each number of them.
    #[inline(always)]
    fn keys(&self, length: usize) -> Vec<f32> {
        let mut keys = vec![0.0; self.width * length];
        for word in 0..length {
            for (row, key) in self.part(1, word).iter().enumerate() {
                keys[row * length + word] = *key;
            }
        }
        keys
    }

    /// A word's query, key or value in this head.
    #[inline(always)]
    fn part(&self, which: usize, word: usize) -> &[f32] {
        &self.asked[(3 * word + which) * self.size + self.start..][..self.width]
    }
}

#[inline(always)]
fn add_times(to: &mut [f32], factor: f32, values: &[f32]) {
    for (to, value) in to.iter_mut().zip(values) {
        *to += factor * value;
    }
}

#[inline(always)]
fn softmax(values: &mut [f32]) {
    let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for value in values.iter_mut() {
        *value = (*value - largest).exp();
        sum += *value;
    }
    values.iter_mut().for_each(|value| *value /= sum);
}
