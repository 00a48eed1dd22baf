//! An open version of an index: its segments, the places of its passages, its vectors.

mod frequencies;
mod segment;

use std::path::Path;
use std::sync::Arc;

use engine_protocol::{EngineFault, IndexListing};
use tantivy::Index;
use tantivy::directory::MmapDirectory;
use tempfile::TempDir;

use super::bits::{FilterMemory, PassageBits};
use super::facts::{FACTS_FILE, IndexFacts, check_format};
use super::faults::{damaged, unreadable};
use super::files;
use super::record::StoredRecord;
use super::schema::{PassageFields, SCORED};
use super::tokens::tokenizers;
use super::vectors::VectorBlock;
use crate::contents::{ContentPins, Contents};
use crate::fault::internal;
use frequencies::FrequencyMemory;

pub(super) use segment::OpenSegment;

/// Passages have numbers from 0, in the order of segments; removed ones have numbers, too.
pub(super) struct OpenVersion {
    pub(super) facts: IndexFacts,
    pub(super) fields: PassageFields,
    pub(super) segments: Vec<OpenSegment>,
    /// Passages that were not removed.
    pub(super) alive: Arc<PassageBits>,
    /// The lengths of all passages, for each scored field.
    pub(super) lengths: [u64; SCORED],
    pub(super) vectors: Vec<VectorBlock>,
    pub(super) filters: FilterMemory,
    frequencies: FrequencyMemory,
    /// Sorted.
    by_ord: Vec<(u64, u32)>,
    /// Has the files under their names.
    _folder: TempDir,
    _pins: ContentPins,
}

impl OpenVersion {
    /// Opens files that were found to be whole.
    pub(super) fn open(
        contents: &Arc<Contents>,
        parent: &Path,
        listing: &IndexListing,
    ) -> Result<Self, EngineFault> {
        check_format(listing.format)?;
        let pins = contents.pin(listing.files.iter().map(|file| file.content.clone()));
        let folder = files::new_folder(parent)?;
        files::link(contents, listing, folder.path())?;
        let facts = read_facts(folder.path())?;
        let directory = MmapDirectory::open(folder.path()).map_err(unreadable)?;
        let mut index = Index::open(directory.clone()).map_err(unreadable)?;
        index.set_tokenizers(tokenizers());
        let fields = PassageFields::of(&index.schema())?;
        let segments = segment::open_all(&index, &fields)?;
        let alive = Arc::new(segment::alive(&segments));
        let lengths = segment::lengths(&segments);
        let by_ord = segment::by_ord(&segments);
        let mut vectors = Vec::new();
        for name in &facts.vectors {
            vectors.extend(VectorBlock::read_file(&directory, name, facts.dimensions, &by_ord)?);
        }
        Ok(Self {
            facts,
            fields,
            segments,
            alive,
            lengths,
            vectors,
            filters: FilterMemory::default(),
            frequencies: FrequencyMemory::default(),
            by_ord,
            _folder: folder,
            _pins: pins,
        })
    }

    /// The number of passages, removed ones included.
    pub(super) fn slots(&self) -> u32 {
        self.segments.last().map_or(0, |segment| segment.first + segment.slots())
    }

    /// For each scored field, the passages that have a term. Removed ones do not count.
    pub(super) fn frequencies(&self, term: &str) -> Result<[u64; SCORED], EngineFault> {
        self.frequencies.get(term, || {
            let mut sums = [0; SCORED];
            for segment in &self.segments {
                for (sum, field) in sums.iter_mut().zip(0..SCORED) {
                    *sum += segment.frequency(field, term)?;
                }
            }
            Ok(sums)
        })
    }

    /// The passage with a number that stays the same over versions.
    pub(super) fn find(&self, ord: u64) -> Option<u32> {
        let found = self.by_ord.binary_search_by_key(&ord, |(ord, _)| *ord).ok()?;
        Some(self.by_ord[found].1)
    }

    pub(super) fn ord(&self, passage: u32) -> u64 {
        let segment = self.segment_of(passage);
        segment.ords.get_val(passage - segment.first)
    }

    pub(super) fn record(&self, passage: u32) -> Result<StoredRecord, EngineFault> {
        let segment = self.segment_of(passage);
        segment.record(passage - segment.first, self.fields.stored)
    }

    fn segment_of(&self, passage: u32) -> &OpenSegment {
        &self.segments[self.segments.partition_point(|segment| segment.first <= passage) - 1]
    }
}

fn read_facts(folder: &Path) -> Result<IndexFacts, EngineFault> {
    match std::fs::read(folder.join(FACTS_FILE)) {
        Ok(bytes) => IndexFacts::read(&bytes),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            Err(damaged(FACTS_FILE, "it is not among the files of the index"))
        }
        Err(error) => Err(internal("reading an index", error)),
    }
}
