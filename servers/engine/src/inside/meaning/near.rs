//! The passages nearest to a vector.

use std::sync::Arc;

use super::scan::{distances, products};
use crate::inside::corpus::{Corpus, CorpusIndex, RankedPassage};
use crate::inside::vectors::VectorBlock;
use crate::inside::vectors::codes::signs;

/// Up to so many rows, the cosine of each is computed.
const ROWS_FEW: usize = 32_768;
/// For each passage that is wanted, the number of those whose cosine is computed after the scan.
const CHOSEN: usize = 32;
/// A distance that no row has.
const FAR: u16 = u16::MAX;

/// A row that may be found.
struct NearRow<'a> {
    block: &'a VectorBlock,
    row: usize,
    slot: u32,
}

/// The passages with the largest cosines, the largest first.
pub(super) fn nearest(corpus: &Corpus, vector: &[f32], limit: usize) -> Vec<RankedPassage> {
    nearest_past(corpus, vector, limit, ROWS_FEW)
}

/// The same, with another number of rows that are few.
pub(super) fn nearest_past(corpus: &Corpus, vector: &[f32], limit: usize, few: usize) -> Vec<RankedPassage> {
    let rows: usize = blocks(corpus).map(|(_, block)| block.rows()).sum();
    let few = rows <= few.max(limit * CHOSEN) || corpus.allowed <= few as u64;
    let chosen = if few { all_rows(corpus, vector) } else { by_signs(corpus, vector, rows, limit * CHOSEN) };
    let codes: Vec<&[u8]> = chosen.iter().map(|near| near.block.codes(near.row)).collect();
    let products = products(vector, &codes);
    let ranked = chosen.iter().zip(products).map(|(near, product)| RankedPassage {
        slot: near.slot,
        score: product * near.block.inverse(near.row),
    });
    corpus.best(ranked.collect(), limit)
}

/// The cosine of one passage with a vector, if it has a vector.
pub(super) fn cosine(corpus: &Corpus, vector: &[f32], slot: u32) -> Option<f32> {
    let (block, row) = row_of(corpus, slot)?;
    let same = block.dimensions() == vector.len();
    same.then(|| products(vector, &[block.codes(row)])[0] * block.inverse(row))
}

/// Adds the vector of a passage.
pub(super) fn add_vector(corpus: &Corpus, slot: u32, sum: &mut [f32]) {
    if let Some((block, row)) = row_of(corpus, slot) {
        let inverse = block.inverse(row);
        for (sum, code) in sum.iter_mut().zip(block.codes(row)) {
            *sum += f32::from(*code as i8) * inverse;
        }
    }
}

fn row_of(corpus: &Corpus, slot: u32) -> Option<(&VectorBlock, usize)> {
    let (index, passage) = corpus.locate(slot);
    let ord = index.version.ord(passage);
    index.version.vectors.iter().find_map(|block| Some((block, block.find(ord)?)))
}

fn blocks(corpus: &Corpus) -> impl Iterator<Item = (&CorpusIndex, &VectorBlock)> {
    corpus.indexes.iter().flat_map(|index| index.version.vectors.iter().map(move |block| (index, block)))
}

fn all_rows<'a>(corpus: &'a Corpus, vector: &[f32]) -> Vec<NearRow<'a>> {
    let mut found = Vec::new();
    for (index, block) in blocks(corpus).filter(|(_, block)| block.dimensions() == vector.len()) {
        found.extend((0..block.rows()).filter_map(|row| near_row(index, block, row)));
    }
    found
}

/// The rows whose signs differ least from the query's, at least so many: all with the same distance are in or out, so that the order
/// of rows does not matter.
fn by_signs<'a>(corpus: &'a Corpus, vector: &[f32], rows: usize, wanted: usize) -> Vec<NearRow<'a>> {
    let query = signs(vector);
    let mut far = vec![FAR; rows];
    let mut counts = vec![0_usize; vector.len() + 1];
    let mut rest = &mut far[..];
    for (index, block) in blocks(corpus) {
        let (here, after) = rest.split_at_mut(block.rows());
        rest = after;
        if block.dimensions() == vector.len() {
            distances(block.signs(), &query, here);
            count(index, block, here, &mut counts);
        }
    }
    let reach = reach(&counts, wanted);
    let (mut found, mut rest) = (Vec::with_capacity(wanted), &far[..]);
    for (index, block) in blocks(corpus) {
        let (here, after) = rest.split_at(block.rows());
        rest = after;
        let near = here.iter().enumerate().filter(|(_, distance)| **distance <= reach);
        found.extend(near.filter_map(|(row, _)| near_row(index, block, row)));
    }
    found
}

/// Counts distances. Rows that may not be found get far away.
fn count(index: &CorpusIndex, block: &VectorBlock, distances: &mut [u16], counts: &mut [usize]) {
    let all = block.is_whole() && Arc::ptr_eq(&index.allowed, &index.version.alive);
    for (row, distance) in distances.iter_mut().enumerate() {
        if all || near_row(index, block, row).is_some() {
            counts[usize::from(*distance)] += 1;
        } else {
            *distance = FAR;
        }
    }
}

fn near_row<'a>(index: &CorpusIndex, block: &'a VectorBlock, row: usize) -> Option<NearRow<'a>> {
    let passage = block.passage(row).filter(|passage| index.allowed.has(*passage))?;
    Some(NearRow { block, row, slot: index.first + passage })
}

/// The distance within which there are at least so many rows.
fn reach(counts: &[usize], wanted: usize) -> u16 {
    let mut sum = 0;
    let enough = counts.iter().position(|count| {
        sum += count;
        sum >= wanted
    });
    enough.unwrap_or(counts.len()) as u16
}
