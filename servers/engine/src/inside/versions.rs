//! Versions that stay open: a search pays for opening once.

use std::path::PathBuf;
use std::sync::Arc;

use engine_protocol::{EngineFault, IndexFile, IndexListing};
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};

use super::behind::BehindReader;
use super::files;
use super::verified::{UnreadFiles, VerifiedFiles};
use super::version::OpenVersion;
use crate::contents::Contents;

/// Versions that stay open, the last used ones.
const OPEN_MAX: usize = 32;

type VersionKey = [u8; 32];
/// Locked while it is being opened, so that nobody opens it twice at the same time.
type VersionSlot = Arc<Mutex<Option<Arc<OpenVersion>>>>;
/// The last used one last.
type VersionSlots = Arc<Mutex<Vec<(VersionKey, VersionSlot)>>>;

pub(super) struct OpenVersions {
    contents: Arc<Contents>,
    folder: PathBuf,
    slots: VersionSlots,
    verified: Arc<VerifiedFiles>,
    behind: BehindReader,
}

impl OpenVersions {
    pub(super) fn new(contents: Arc<Contents>, folder: PathBuf) -> Self {
        let verified = Arc::new(VerifiedFiles::load(Arc::clone(&contents), folder.clone()));
        let slots = VersionSlots::default();
        let open = Arc::clone(&slots);
        // What is open is opened anew by the next search, which has damaged files brought again.
        let close = move || open.lock().clear();
        let behind = BehindReader::start(Arc::clone(&contents), Arc::clone(&verified), close);
        Self { contents, folder, slots, verified, behind }
    }

    pub(super) fn open(&self, listing: &IndexListing) -> Result<Arc<OpenVersion>, EngineFault> {
        let slot = self.slot(listing);
        let mut slot = slot.lock();
        if let Some(open) = &*slot {
            return Ok(Arc::clone(open));
        }
        let UnreadFiles { unknown, remembered } = self.verified.unread(&listing.files);
        let open = self.open_verified(listing, &unknown)?;
        *slot = Some(Arc::clone(&open));
        self.behind.read(remembered.into_iter().map(|file| &file.content));
        Ok(open)
    }

    /// The same, but reads every file again.
    pub(super) fn open_anew(&self, listing: &IndexListing) -> Result<Arc<OpenVersion>, EngineFault> {
        let all: Vec<&IndexFile> = listing.files.iter().collect();
        self.open_verified(listing, &all)
    }

    fn open_verified(
        &self,
        listing: &IndexListing,
        unknown: &[&IndexFile],
    ) -> Result<Arc<OpenVersion>, EngineFault> {
        files::verify(&self.contents, unknown)?;
        let open = OpenVersion::open(&self.contents, &self.folder, listing)?;
        self.verified.note(unknown.iter().map(|file| &file.content));
        Ok(Arc::new(open))
    }

    /// The number of files of a version that are not known, and of those that are and were not read since the start.
    #[cfg(test)]
    pub(super) fn unread(&self, listing: &IndexListing) -> (usize, usize) {
        let UnreadFiles { unknown, remembered } = self.verified.unread(&listing.files);
        (unknown.len(), remembered.len())
    }

    fn slot(&self, listing: &IndexListing) -> VersionSlot {
        let key = key(listing);
        let mut slots = self.slots.lock();
        let known = slots.iter().position(|(known, _)| *known == key);
        let slot = known.map(|at| slots.remove(at).1).unwrap_or_default();
        if slots.len() >= OPEN_MAX {
            slots.remove(0);
        }
        slots.push((key, Arc::clone(&slot)));
        slot
    }
}

fn key(listing: &IndexListing) -> VersionKey {
    let mut digest = Sha256::new();
    digest.update(listing.format.to_le_bytes());
    for file in &listing.files {
        digest.update(file.name.as_bytes());
        digest.update([0]);
        digest.update(file.content.as_str().as_bytes());
        digest.update(file.bytes.to_le_bytes());
    }
    digest.finalize().into()
}
