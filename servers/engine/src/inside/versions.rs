//! Versions that stay open: a search pays for opening once.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use engine_protocol::{ContentId, EngineFault, IndexFile, IndexListing};
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};

use super::files;
use super::version::OpenVersion;
use crate::contents::Contents;

/// Versions that stay open, the last used ones.
const OPEN_MAX: usize = 32;
/// Contents that are known to be whole. Past this they are checked again.
const VERIFIED_MAX: usize = 100_000;

type VersionKey = [u8; 32];
/// Locked while it is being opened, so that nobody opens it twice at the same time.
type VersionSlot = Arc<Mutex<Option<Arc<OpenVersion>>>>;

pub(super) struct OpenVersions {
    contents: Arc<Contents>,
    folder: PathBuf,
    /// The last used one last.
    slots: Mutex<Vec<(VersionKey, VersionSlot)>>,
    verified: Mutex<HashSet<ContentId>>,
}

impl OpenVersions {
    pub(super) fn new(contents: Arc<Contents>, folder: PathBuf) -> Self {
        Self { contents, folder, slots: Mutex::default(), verified: Mutex::default() }
    }

    pub(super) fn open(&self, listing: &IndexListing) -> Result<Arc<OpenVersion>, EngineFault> {
        let slot = self.slot(listing);
        let mut slot = slot.lock();
        if let Some(open) = &*slot {
            return Ok(Arc::clone(open));
        }
        let open = self.open_verified(listing, self.unknown(listing))?;
        *slot = Some(Arc::clone(&open));
        Ok(open)
    }

    /// The same, but reads every file again.
    pub(super) fn open_anew(&self, listing: &IndexListing) -> Result<Arc<OpenVersion>, EngineFault> {
        self.open_verified(listing, listing.files.iter().collect())
    }

    /// The files that were not checked since the start.
    fn unknown<'a>(&self, listing: &'a IndexListing) -> Vec<&'a IndexFile> {
        let verified = self.verified.lock();
        listing.files.iter().filter(|file| !verified.contains(&file.content)).collect()
    }

    fn open_verified(
        &self,
        listing: &IndexListing,
        unknown: Vec<&IndexFile>,
    ) -> Result<Arc<OpenVersion>, EngineFault> {
        files::verify(&self.contents, &unknown)?;
        let open = OpenVersion::open(&self.contents, &self.folder, listing)?;
        let mut verified = self.verified.lock();
        if verified.len() >= VERIFIED_MAX {
            verified.clear();
        }
        verified.extend(unknown.into_iter().map(|file| file.content.clone()));
        Ok(Arc::new(open))
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
