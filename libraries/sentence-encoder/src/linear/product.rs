//! The inner loops, for the processor's vector instructions.
//!
//! A tile is a few words times one panel: its sums stay in registers while the inputs go by, so that each
//! weight is loaded once for all the words of the tile, and each word once for the whole panel.

use pulp::{Arch, Simd, WithSimd};

/// Registers side by side in a panel.
const VECTORS: usize = 2;
/// The number of words of a tile: with this many, sums, weights and a word fit into sixteen registers.
const WORDS_MAX: usize = 6;
/// The number of outputs of the widest panel.
const WIDTH_MAX: usize = 64;

pub(super) struct Product<'a> {
    pub(super) x: &'a [f32],
    pub(super) panels: &'a [f32],
    pub(super) bias: &'a [f32],
    pub(super) inputs: usize,
    pub(super) outputs: usize,
    pub(super) width: usize,
    pub(super) y: &'a mut [f32],
}

/// The number of outputs of a panel on this processor.
pub(super) fn panel_width(arch: Arch) -> usize {
    struct Width;
    impl WithSimd for Width {
        type Output = usize;

        #[inline(always)]
        fn with_simd<S: Simd>(self, _: S) -> usize {
            VECTORS * S::F32_LANES
        }
    }
    arch.dispatch(Width)
}

impl WithSimd for Product<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(mut self, simd: S) {
        let words = self.x.len() / self.inputs;
        for panel in 0..self.bias.len() / self.width {
            for first in (0..words).step_by(WORDS_MAX) {
                match words - first {
                    1 => self.tile::<S, 1>(simd, panel, first),
                    2 => self.tile::<S, 2>(simd, panel, first),
                    3 => self.tile::<S, 3>(simd, panel, first),
                    4 => self.tile::<S, 4>(simd, panel, first),
                    5 => self.tile::<S, 5>(simd, panel, first),
                    _ => self.tile::<S, WORDS_MAX>(simd, panel, first),
                }
            }
        }
    }
}

impl Product<'_> {
    #[inline(always)]
    fn tile<S: Simd, const WORDS: usize>(&mut self, simd: S, panel: usize, first: usize) {
        let words: [&[f32]; WORDS] =
            std::array::from_fn(|word| &self.x[(first + word) * self.inputs..][..self.inputs]);
        let weights = S::as_simd_f32s(&self.panels[panel * self.width * self.inputs..]).0;
        let bias = S::as_simd_f32s(&self.bias[panel * self.width..]).0;
        let mut sums = [[bias[0], bias[1]]; WORDS];
        for (input, weights) in weights.chunks_exact(VECTORS).take(self.inputs).enumerate() {
            for (sums, word) in sums.iter_mut().zip(words) {
                let value = simd.splat_f32s(word[input]);
                sums[0] = simd.mul_add_f32s(value, weights[0], sums[0]);
                sums[1] = simd.mul_add_f32s(value, weights[1], sums[1]);
            }
        }
        for (word, sums) in sums.into_iter().enumerate() {
            self.put::<S>(panel, first + word, sums);
        }
    }

    /// The padding of the last panel is not an output.
    #[inline(always)]
    fn put<S: Simd>(&mut self, panel: usize, word: usize, sums: [S::f32s; VECTORS]) {
        let mut values = [0.0; WIDTH_MAX];
        S::as_mut_simd_f32s(&mut values).0[..VECTORS].copy_from_slice(&sums);
        let start = panel * self.width;
        let end = self.outputs.min(start + self.width);
        self.y[word * self.outputs..][start..end].copy_from_slice(&values[..end - start]);
    }
}
