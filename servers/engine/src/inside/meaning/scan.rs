//! The inner loops, for the processor's vector instructions.

use pulp::{Arch, Simd, WithSimd};

/// Numbers that are summed side by side. Always as many, so that every processor gives the same sum.
const LANES: usize = 16;

/// For each row, the number of signs that differ from the query's.
pub(super) fn distances(signs: &[u8], query: &[u64], distances: &mut [u16]) {
    Arch::new().dispatch(Distances { signs, query, distances });
}

/// For each row of codes, its product with the query.
pub(super) fn products(query: &[f32], rows: &[&[u8]]) -> Vec<f32> {
    Arch::new().dispatch(Products { query, rows })
}

struct Distances<'a> {
    signs: &'a [u8],
    query: &'a [u64],
    distances: &'a mut [u16],
}

impl WithSimd for Distances<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        match self.query.len() {
            6 => self.fixed::<6>(),
            12 => self.fixed::<12>(),
            16 => self.fixed::<16>(),
            _ => self.any(),
        }
    }
}

impl Distances<'_> {
    /// The compiler unrolls a known number of words.
    #[inline(always)]
    fn fixed<const WORDS: usize>(self) {
        let Some(query) = self.query.first_chunk::<WORDS>() else { return };
        let words = self.signs.as_chunks::<8>().0;
        for (row, distance) in words.as_chunks::<WORDS>().0.iter().zip(self.distances) {
            let mut sum = 0;
            for (word, query) in row.iter().zip(query) {
                sum += (u64::from_le_bytes(*word) ^ query).count_ones();
            }
            *distance = sum as u16;
        }
    }

    #[inline(always)]
    fn any(self) {
        let words = self.signs.as_chunks::<8>().0;
        for (row, distance) in words.chunks_exact(self.query.len().max(1)).zip(self.distances) {
            let words = row.iter().zip(self.query);
            *distance = words
                .map(|(word, query)| (u64::from_le_bytes(*word) ^ query).count_ones())
                .sum::<u32>() as u16;
        }
    }
}

struct Products<'a> {
    query: &'a [f32],
    rows: &'a [&'a [u8]],
}

impl WithSimd for Products<'_> {
    type Output = Vec<f32>;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> Vec<f32> {
        self.rows.iter().map(|codes| product(self.query, codes)).collect()
    }
}

#[inline(always)]
fn product(query: &[f32], codes: &[u8]) -> f32 {
    let mut lanes = [0.0_f32; LANES];
    let ((queries, query_rest), (codes, codes_rest)) =
        (query.as_chunks::<LANES>(), codes.as_chunks::<LANES>());
    for (query, codes) in queries.iter().zip(codes) {
        for lane in 0..LANES {
            lanes[lane] += query[lane] * f32::from(codes[lane] as i8);
        }
    }
    for (lane, (query, code)) in lanes.iter_mut().zip(query_rest.iter().zip(codes_rest)) {
        *lane += query * f32::from(*code as i8);
    }
    lanes.into_iter().sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inside::vectors::codes::{eighths, signs};

    #[test]
    fn the_loops_count_and_multiply_right() {
        for length in [3, 64, 100, 384, 768, 1024] {
            let query: Vec<f32> = (0..length).map(|at| (at as f32 * 0.7).sin()).collect();
            let vector: Vec<f32> = (0..length).map(|at| (at as f32 * 1.3).cos()).collect();
            let (codes, _) = eighths(&vector);
            let bytes: Vec<u8> = codes.iter().map(|code| *code as u8).collect();
            let plain: f32 = query.iter().zip(&codes).map(|(query, code)| query * f32::from(*code)).sum();
            assert!((products(&query, &[&bytes])[0] - plain).abs() < 0.01, "{length}");

            let row: Vec<u8> = signs(&vector).into_iter().flat_map(u64::to_le_bytes).collect();
            let differ = query.iter().zip(&vector).filter(|(one, other)| (**one >= 0.0) != (**other >= 0.0));
            let mut found = [0];
            distances(&row, &signs(&query), &mut found);
            assert_eq!(usize::from(found[0]), differ.count(), "{length}");
        }
    }
}
