//! A passage as it is stored: its text and places, and the document that it is of.

use engine_protocol::{ContentId, EngineFault, IngestDocument, ItemSpan};
use serde::{Deserialize, Serialize};

use super::faults::damaged;
use crate::chunks::Chunk;

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct StoredRecord {
    pub(super) path: String,
    pub(super) artifact: ContentId,
    pub(super) docir: ContentId,
    pub(super) chunk: Chunk,
}

impl StoredRecord {
    pub(super) fn new(document: &IngestDocument, chunk: Chunk) -> Self {
        Self {
            path: document.path.clone(),
            artifact: document.artifact.clone(),
            docir: document.docir.clone(),
            chunk,
        }
    }

    pub(super) fn write(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("a passage is plain values")
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Self, EngineFault> {
        serde_json::from_slice(bytes).map_err(|error| damaged("of stored passages", error))
    }

    pub(super) fn places(&self) -> Vec<ItemSpan> {
        self.chunk.places.iter().map(|place| place.span.clone()).collect()
    }
}
