//! One segment of an open version.

use std::sync::Arc;

use engine_protocol::EngineFault;
use tantivy::columnar::ColumnValues;
use tantivy::fieldnorm::FieldNormReader;
use tantivy::postings::BlockSegmentPostings;
use tantivy::schema::{Field, IndexRecordOption, Value as _};
use tantivy::store::StoreReader;
use tantivy::{Index, InvertedIndexReader, Segment, SegmentReader, TantivyDocument};

use crate::inside::bits::PassageBits;
use crate::inside::faults::{damaged, unreadable};
use crate::inside::record::StoredRecord;
use crate::inside::schema::{ORD_FIELD, PassageFields, SCORED};

/// Blocks of stored passages that stay unpacked.
const STORED_BLOCKS: usize = 16;

pub(in crate::inside) struct OpenSegment {
    pub(in crate::inside) reader: SegmentReader,
    /// The number of its first passage within the version.
    pub(in crate::inside) first: u32,
    pub(in crate::inside) ords: Arc<dyn ColumnValues<u64>>,
    pub(in crate::inside) scored: [ScoredField; SCORED],
    store: StoreReader,
}

/// The words of a field in a segment.
pub(in crate::inside) struct ScoredField {
    words: Arc<InvertedIndexReader>,
    pub(in crate::inside) lengths: FieldNormReader,
}

impl ScoredField {
    fn open(reader: &SegmentReader, field: Field) -> Result<Self, EngineFault> {
        Ok(Self {
            words: reader.inverted_index(field).map_err(unreadable)?,
            lengths: reader.get_fieldnorms_reader(field).map_err(unreadable)?,
        })
    }

    /// The passages that have a term.
    pub(in crate::inside) fn postings(
        &self,
        term: &str,
        option: IndexRecordOption,
    ) -> Result<Option<BlockSegmentPostings>, EngineFault> {
        let Some(info) = self.words.terms().get(term).map_err(unreadable)? else { return Ok(None) };
        self.words.read_block_postings_from_terminfo(&info, option).map(Some).map_err(unreadable)
    }
}

impl OpenSegment {
    fn open(segment: &Segment, first: u32, fields: &PassageFields) -> Result<Self, EngineFault> {
        let reader = SegmentReader::open(segment).map_err(unreadable)?;
        let ords = reader.fast_fields().column_first_or_default(ORD_FIELD).map_err(unreadable)?;
        let [title, headings, body, path] = fields.scored;
        Ok(Self {
            first,
            ords,
            scored: [
                ScoredField::open(&reader, title)?,
                ScoredField::open(&reader, headings)?,
                ScoredField::open(&reader, body)?,
                ScoredField::open(&reader, path)?,
            ],
            store: reader.get_store_reader(STORED_BLOCKS).map_err(unreadable)?,
            reader,
        })
    }

    /// Passages, removed ones included.
    pub(in crate::inside) fn slots(&self) -> u32 {
        self.reader.max_doc()
    }

    /// The passages that have a term. Where some were removed, the list of the term is read to count the others.
    pub(super) fn frequency(&self, field: usize, term: &str) -> Result<u64, EngineFault> {
        let option = IndexRecordOption::Basic;
        let Some(mut postings) = self.scored[field].postings(term, option)? else { return Ok(0) };
        let Some(alive) = self.reader.alive_bitset() else { return Ok(u64::from(postings.doc_freq())) };
        let mut count = 0;
        while !postings.docs().is_empty() {
            count += postings.docs().iter().filter(|passage| alive.is_alive(**passage)).count() as u64;
            postings.advance();
        }
        Ok(count)
    }

    pub(super) fn record(&self, passage: u32, stored: Field) -> Result<StoredRecord, EngineFault> {
        let document: TantivyDocument = self.store.get(passage).map_err(unreadable)?;
        let value = document.get_first(stored);
        let bytes = value.as_ref().and_then(|value| value.as_bytes());
        StoredRecord::read(bytes.ok_or_else(|| damaged("of stored passages", "a passage has no text"))?)
    }
}

pub(super) fn open_all(index: &Index, fields: &PassageFields) -> Result<Vec<OpenSegment>, EngineFault> {
    let mut segments: Vec<OpenSegment> = Vec::new();
    for segment in index.searchable_segments().map_err(unreadable)? {
        let first = segments.last().map_or(0, |last| last.first + last.slots());
        segments.push(OpenSegment::open(&segment, first, fields)?);
    }
    Ok(segments)
}

pub(super) fn alive(segments: &[OpenSegment]) -> PassageBits {
    let slots = segments.last().map_or(0, |last| last.first + last.slots());
    let mut bits = PassageBits::none(slots);
    for segment in segments {
        segment.reader.doc_ids_alive().for_each(|passage| bits.set(segment.first + passage));
    }
    bits
}

/// Lengths are those that scores use: long ones are rounded. So the sum does not depend on how passages lie in segments.
pub(super) fn lengths(segments: &[OpenSegment]) -> [u64; SCORED] {
    let mut sums = [0; SCORED];
    for segment in segments {
        for (sum, field) in sums.iter_mut().zip(&segment.scored) {
            let mut counts = [0_u64; 256];
            for passage in segment.reader.doc_ids_alive() {
                counts[usize::from(field.lengths.fieldnorm_id(passage))] += 1;
            }
            let lengths = (0..=u8::MAX).map(FieldNormReader::id_to_fieldnorm);
            *sum += counts.iter().zip(lengths).map(|(count, length)| count * u64::from(length)).sum::<u64>();
        }
    }
    sums
}

/// The sort is stable because it is fast on what is sorted in parts: passages of a segment mostly are.
pub(super) fn by_ord(segments: &[OpenSegment]) -> Vec<(u64, u32)> {
    let mut found = Vec::new();
    for segment in segments {
        let alive = segment.reader.doc_ids_alive();
        found.extend(alive.map(|passage| (segment.ords.get_val(passage), segment.first + passage)));
    }
    found.sort();
    found
}
