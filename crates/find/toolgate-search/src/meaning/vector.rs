//! A direction in whole numbers: half the memory of floats, exact sums, and the same order on every machine.

use wide::{i16x16, i32x8};

/// A number of a vector of length one, as a whole number. Products of two such vectors stay below its square, so that
/// sums of them fit into 32 bits.
const ONE: f32 = 32_767.0;
const LANES: usize = 16;

/// Filled up with zeros to a whole number of lanes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Vector(Box<[i16]>);

impl Vector {
    pub(super) fn of(values: &[f32]) -> Self {
        // A failing model produces NaN; such vectors point nowhere rather than anywhere.
        let finite = |value: f32| if value.is_finite() { value } else { 0.0 };
        let length =
            values.iter().map(|value| finite(*value).powi(2)).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        let whole = values.iter().map(|value| (finite(*value) / length * ONE) as i16);
        Self::of_whole(whole.collect())
    }

    pub(super) fn of_whole(mut values: Vec<i16>) -> Self {
        values.resize(values.len().next_multiple_of(LANES), 0);
        Self(values.into())
    }

    pub(super) fn values(&self) -> &[i16] {
        &self.0
    }

    /// From -1 to 1: the larger, the nearer.
    pub(super) fn cosine(&self, other: &Self) -> f32 {
        self.product(other) as f32 / (ONE * ONE)
    }

    fn product(&self, other: &Self) -> i32 {
        let mut sums = i32x8::ZERO;
        for (a, b) in self.0.chunks_exact(LANES).zip(other.0.chunks_exact(LANES)) {
            sums += lanes(a).dot(lanes(b));
        }
        sums.to_array().into_iter().sum()
    }
}

fn lanes(values: &[i16]) -> i16x16 {
    i16x16::new(values.try_into().expect("chunks are as long as they were asked to be"))
}
