//! The product of word vectors with a layer's weights: nearly all of the time goes here.
//!
//! Weights are reordered once, when the model is loaded, into the order of reading. For a query of ten words
//! the general product of a tensor library took 13 ms on one core, this one 8.

mod product;

use pulp::Arch;

use product::{Product, panel_width};

/// `y = x · weightsᵀ + bias`.
pub(crate) struct Linear {
    arch: Arch,
    inputs: usize,
    outputs: usize,
    /// Panels of `width` outputs; in a panel, for each input, the weights of its outputs side by side.
    panels: Vec<f32>,
    width: usize,
    /// As long as all panels together.
    bias: Vec<f32>,
}

impl Linear {
    /// Weights of an output follow each other, as models have them.
    pub(crate) fn new(weights: &[f32], mut bias: Vec<f32>) -> Self {
        let outputs = bias.len();
        let inputs = weights.len() / outputs;
        let arch = Arch::new();
        let width = panel_width(arch);
        bias.resize(outputs.next_multiple_of(width), 0.0);
        Self { arch, inputs, outputs, panels: panels(weights, inputs, width), width, bias }
    }

    /// Takes the vectors of some words, one after the other, and returns as many.
    pub(crate) fn forward(&self, x: &[f32]) -> Vec<f32> {
        let mut y = vec![0.0; x.len() / self.inputs * self.outputs];
        self.arch.dispatch(Product {
            x,
            panels: &self.panels,
            bias: &self.bias,
            inputs: self.inputs,
            outputs: self.outputs,
            width: self.width,
            y: &mut y,
        });
        y
    }
}

/// The last panel is filled up with zeros.
fn panels(weights: &[f32], inputs: usize, width: usize) -> Vec<f32> {
    let outputs = weights.len() / inputs;
    let mut panels = Vec::with_capacity(outputs.next_multiple_of(width) * inputs);
    for rows in weights.chunks(width * inputs) {
        for input in 0..inputs {
            panels.extend(rows.iter().skip(input).step_by(inputs));
            panels.extend(std::iter::repeat_n(0.0, width - rows.len() / inputs));
        }
    }
    panels
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Always the same numbers between -1 and 1.
    fn numbers(count: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1 << 23) as f32 - 1.0
        };
        (0..count).map(|_| next()).collect()
    }

    fn check(words: usize, inputs: usize, outputs: usize) {
        let (weights, bias, x) =
            (numbers(outputs * inputs, 1), numbers(outputs, 2), numbers(words * inputs, 3));
        let found = Linear::new(&weights, bias.clone()).forward(&x);
        assert_eq!(found.len(), words * outputs);
        for (word, found) in x.chunks(inputs).zip(found.chunks(outputs)) {
            for ((row, bias), found) in weights.chunks(inputs).zip(&bias).zip(found) {
                let wanted = bias + row.iter().zip(word).map(|(weight, value)| weight * value).sum::<f32>();
                let far = (wanted - found).abs();
                assert!(far < 1e-4, "{words} words, {inputs} inputs, {outputs} outputs: {far} apart");
            }
        }
    }

    #[test]
    fn the_product_is_the_same_as_the_plain_one_for_every_number_of_words() {
        for words in 1..20 {
            check(words, 24, 64);
        }
    }

    #[test]
    fn outputs_that_do_not_fill_a_panel_are_right() {
        for outputs in [1, 7, 31, 33, 312] {
            check(5, 16, outputs);
        }
    }
}
