//! The postings of one term in one segment, over all fields that count.

use engine_protocol::EngineFault;
use tantivy::TERMINATED;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::BlockSegmentPostings;
use tantivy::schema::IndexRecordOption;

use super::bm25::Bm25;
use crate::inside::schema::SCORED;
use crate::inside::version::OpenSegment;

/// A place in the list of a term in one field.
pub(super) struct FieldCursor<'a> {
    pub(super) field: usize,
    block: BlockSegmentPostings,
    at: usize,
    lengths: &'a FieldNormReader,
    worths: &'a [f32; 256],
}

/// In the order of fields.
pub(super) fn cursors<'a>(
    segment: &'a OpenSegment,
    bm25: &'a Bm25,
    term: &str,
) -> Result<Vec<FieldCursor<'a>>, EngineFault> {
    let mut cursors = Vec::with_capacity(SCORED);
    for (field, words) in segment.scored.iter().enumerate().filter(|(field, _)| bm25.counts(*field)) {
        if let Some(block) = words.postings(term, IndexRecordOption::WithFreqs)? {
            let (lengths, worths) = (&words.lengths, bm25.worths(field));
            cursors.push(FieldCursor { field, block, at: 0, lengths, worths });
        }
    }
    Ok(cursors)
}

impl FieldCursor<'_> {
    /// The passages in the whole list.
    pub(super) fn len(&self) -> u32 {
        self.block.doc_freq()
    }

    /// The passage here, or [`TERMINATED`] past the last one.
    #[inline]
    pub(super) fn passage(&self) -> u32 {
        if self.at < self.block.block_len() { self.block.doc(self.at) } else { TERMINATED }
    }

    #[inline]
    pub(super) fn frequency(&self) -> u32 {
        self.block.freq(self.at)
    }

    /// The worth of the term in the passage here.
    #[inline]
    pub(super) fn worth(&self) -> f32 {
        self.worth_of(self.passage(), self.frequency())
    }

    #[inline]
    pub(super) fn advance(&mut self) {
        self.at += 1;
        if self.at >= self.block.block_len() {
            self.next_block();
        }
    }

    /// Moves to the first passage that is not before this one. Goes forward only.
    #[inline]
    pub(super) fn seek(&mut self, passage: u32) {
        if self.passage() < passage {
            self.at = self.block.seek(passage);
        }
    }

    /// The passages from here to the end of the block, which is empty past the last one, with their worths.
    pub(super) fn rest_of_block(&self) -> &[u32] {
        &self.block.docs()[self.at.min(self.block.block_len())..]
    }

    /// Calls for each of the next passages with its worth, and moves past them. They are within the block.
    #[inline]
    pub(super) fn take(&mut self, count: usize, mut each: impl FnMut(u32, f32)) {
        let end = self.at + count;
        let passages = &self.block.docs()[self.at..end];
        let frequencies = &self.block.freqs()[self.at..end];
        for (passage, frequency) in passages.iter().zip(frequencies) {
            each(*passage, self.worth_of(*passage, *frequency));
        }
        self.at = end;
        if self.at >= self.block.block_len() {
            self.next_block();
        }
    }

    #[inline]
    fn worth_of(&self, passage: u32, frequency: u32) -> f32 {
        frequency as f32 * self.worths[usize::from(self.lengths.fieldnorm_id(passage))]
    }

    fn next_block(&mut self) {
        if self.block.block_len() > 0 {
            self.block.advance();
            self.at = 0;
        }
    }
}
