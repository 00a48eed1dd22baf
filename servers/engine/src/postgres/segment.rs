//! Postings in rows: a segment is gathered in memory, written, joined with others of its size, and read by term.

use std::collections::{BTreeMap, HashMap};

use super::database::{EngineTransaction, StepError};
use super::packing::{Posting, PostingBlock};
use crate::ranking::bm25::{FIELDS, FieldCount};

/// A segment that has so many bytes is written.
const SEGMENT_BYTES_MAX: usize = 48 << 20;
/// The memory of a term beside its postings.
const TERM_BYTES: usize = 120;
/// Rows of one statement.
const ROWS_MAX: usize = 10_000;
/// So many segments of one level become one of the next.
const JOINED_SEGMENTS: usize = 8;

/// The words of one passage: for each term the fields' counts.
#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct PassageWords {
    pub(super) lengths: [u32; FIELDS],
    pub(super) terms: BTreeMap<String, [u32; FIELDS]>,
}

impl PassageWords {
    pub(super) fn add(&mut self, field: usize, terms: Vec<String>) {
        self.lengths[field] += u32::try_from(terms.len()).unwrap_or(u32::MAX);
        for term in terms {
            self.terms.entry(term).or_default()[field] += 1;
        }
    }
}

/// Postings that a build has gathered and not written.
#[derive(Default)]
pub(super) struct SegmentBuffer {
    blocks: HashMap<String, PostingBlock>,
    bytes: usize,
}

impl SegmentBuffer {
    pub(super) fn add(&mut self, chunk: u64, words: PassageWords) {
        for (term, frequencies) in words.terms {
            let mut counts = [FieldCount::default(); FIELDS];
            for (field, frequency) in
                frequencies.into_iter().enumerate().filter(|(_, frequency)| *frequency > 0)
            {
                counts[field] = FieldCount { frequency, length: words.lengths[field] };
            }
            let added = term.len() + TERM_BYTES;
            let block = self.blocks.entry(term).or_insert_with(|| {
                self.bytes += added;
                PostingBlock::new(chunk)
            });
            let before = block.size();
            block.push(&Posting { chunk, counts });
            self.bytes += block.size() - before;
        }
    }

    pub(super) fn is_full(&self) -> bool {
        self.bytes >= SEGMENT_BYTES_MAX
    }

    fn take(&mut self) -> Vec<(String, PostingBlock)> {
        self.bytes = 0;
        let mut blocks: Vec<(String, PostingBlock)> = std::mem::take(&mut self.blocks).into_iter().collect();
        blocks.sort_unstable_by(|one, other| one.0.cmp(&other.0));
        blocks
    }
}

/// Writes what was gathered as a segment of its own.
pub(super) async fn write(
    tx: &mut EngineTransaction,
    line: i64,
    buffer: &mut SegmentBuffer,
) -> Result<(), StepError> {
    let blocks = buffer.take();
    if blocks.is_empty() {
        return Ok(());
    }
    let postings: i64 = blocks.iter().map(|(_, block)| i64::from(block.postings)).sum();
    let segment = new_segment(tx, line, 0, postings).await?;
    let mut blocks = blocks.into_iter().peekable();
    while blocks.peek().is_some() {
        let (mut terms, mut counts, mut packs) = (Vec::new(), Vec::new(), Vec::new());
        for (term, block) in blocks.by_ref().take(ROWS_MAX) {
            terms.push(term);
            counts.push(i64::from(block.postings));
            packs.push(block.packed());
        }
        let text = "INSERT INTO toolgate_engine.postings (line, term, segment, postings, packed) \
            SELECT $1, n.term, $2, n.postings, n.packed FROM unnest($3::text[], $4::bigint[], $5::bytea[]) \
            AS n (term, postings, packed)";
        sqlx::query(text)
            .bind(line)
            .bind(segment)
            .bind(terms)
            .bind(counts)
            .bind(packs)
            .execute(&mut **tx)
            .await?;
    }
    Ok(())
}

/// Numbers grow along a line, so that passages of a later segment have higher numbers.
async fn new_segment(
    tx: &mut EngineTransaction,
    line: i64,
    level: i32,
    postings: i64,
) -> Result<i64, StepError> {
    let text = "INSERT INTO toolgate_engine.segments (line, segment, level, postings) \
        SELECT $1, coalesce(max(segment), 0) + 1, $2, $3 FROM toolgate_engine.segments WHERE line = $1 RETURNING segment";
    let made: (i64,) =
        sqlx::query_as(text).bind(line).bind(level).bind(postings).fetch_one(&mut **tx).await?;
    Ok(made.0)
}

/// Joins segments, so that a term is read in few rows however many builds there were. The last segments are those of the lowest
/// levels: what is joined stands side by side, and its number is the highest again.
pub(super) async fn join(tx: &mut EngineTransaction, line: i64) -> Result<(), StepError> {
    let text = "SELECT level, array_agg(segment ORDER BY segment), sum(postings)::bigint \
        FROM toolgate_engine.segments WHERE line = $1 GROUP BY level ORDER BY level";
    loop {
        let levels: Vec<(i32, Vec<i64>, i64)> = sqlx::query_as(text).bind(line).fetch_all(&mut **tx).await?;
        let lowest = levels.into_iter().next().filter(|(_, segments, _)| segments.len() >= JOINED_SEGMENTS);
        let Some((level, segments, postings)) = lowest else { return Ok(()) };
        let joined = new_segment(tx, line, level + 1, postings).await?;
        let text = "WITH parts AS (DELETE FROM toolgate_engine.postings WHERE line = $1 AND segment = ANY($2) \
                RETURNING term, segment, postings, packed) \
            INSERT INTO toolgate_engine.postings (line, term, segment, postings, packed) \
            SELECT $1, term, $3, sum(postings)::bigint, string_agg(packed, ''::bytea ORDER BY segment) \
            FROM parts GROUP BY term";
        sqlx::query(text).bind(line).bind(&segments).bind(joined).execute(&mut **tx).await?;
        let text = "DELETE FROM toolgate_engine.segments WHERE line = $1 AND segment = ANY($2)";
        sqlx::query(text).bind(line).bind(&segments).execute(&mut **tx).await?;
    }
}

/// The size of all postings of a term.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct TermSize {
    pub(super) postings: i64,
    pub(super) bytes: i64,
}

pub(super) async fn sizes(
    tx: &mut EngineTransaction,
    line: i64,
    terms: &[String],
) -> Result<Vec<(String, TermSize)>, StepError> {
    let text = "SELECT term, sum(postings)::bigint, sum(octet_length(packed))::bigint FROM toolgate_engine.postings \
        WHERE line = $1 AND term = ANY($2) GROUP BY term";
    let rows: Vec<(String, i64, i64)> =
        sqlx::query_as(text).bind(line).bind(terms).fetch_all(&mut **tx).await?;
    Ok(rows.into_iter().map(|(term, postings, bytes)| (term, TermSize { postings, bytes })).collect())
}

/// The packs of these terms, each whole.
pub(super) async fn read(
    tx: &mut EngineTransaction,
    line: i64,
    terms: &[String],
) -> Result<BTreeMap<String, Vec<u8>>, StepError> {
    let text = "SELECT term, packed FROM toolgate_engine.postings \
        WHERE line = $1 AND term = ANY($2) ORDER BY term, segment";
    let rows: Vec<(String, Vec<u8>)> =
        sqlx::query_as(text).bind(line).bind(terms).fetch_all(&mut **tx).await?;
    let mut packs: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    for (term, packed) in rows {
        packs.entry(term).or_default().extend(packed);
    }
    Ok(packs)
}
