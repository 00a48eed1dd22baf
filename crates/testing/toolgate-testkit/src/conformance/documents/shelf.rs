//! The server's stored documents under its own ids, and the number of reads.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use parking_lot::Mutex;
use sha2::{Digest, Sha256};

/// More than any test makes.
const DOCUMENTS_MAX: usize = 256;

#[derive(Default)]
pub(crate) struct Shelf {
    documents: Mutex<BTreeMap<String, Document>>,
    extractions: AtomicU64,
}

#[derive(Clone)]
pub(super) struct Document {
    pub(super) bytes: Arc<[u8]>,
    pub(super) media_type: &'static str,
}

impl Shelf {
    /// Stores a document and returns its id: the prefix and the beginning of its digest.
    pub(super) fn keep(&self, prefix: &str, bytes: Vec<u8>) -> String {
        let id = format!("{prefix}_{}", &sha256(&bytes)[..8]);
        let media_type =
            if bytes.starts_with(b"%PDF") { "application/pdf" } else { "application/octet-stream" };
        let mut documents = self.documents.lock();
        if documents.len() >= DOCUMENTS_MAX {
            documents.pop_first();
        }
        documents.insert(id.clone(), Document { bytes: bytes.into(), media_type });
        id
    }

    pub(super) fn find(&self, id: &str) -> Option<Document> {
        self.documents.lock().get(id).cloned()
    }

    pub(super) fn extracted(&self) {
        self.extractions.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) fn extractions(&self) -> u64 {
        self.extractions.load(Ordering::SeqCst)
    }
}

pub(super) fn sha256(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
}

pub(super) fn encode(bytes: &[u8]) -> String {
    BASE64_STANDARD.encode(bytes)
}

pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64_STANDARD.decode(text).ok()
}
