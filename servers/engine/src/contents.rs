//! Contents by digest in the engine's folder: a cache, which the gateway fills and from which it takes what the engine made.
//!
//! Contents that were not used for the longest time are removed when there are too many bytes. What is pinned, or was used a
//! moment ago, stays.

mod digest;
mod shelf;
#[cfg(test)]
mod tests;

use std::fs;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use engine_protocol::{CONTENTS_FOLDER, ContentId, EngineFault};
use parking_lot::Mutex;

use crate::fault::{internal, missing_contents, too_large};
use shelf::Shelf;

pub(crate) use digest::digest_of;

/// Unfinished files; in the same file system, so that a finished one moves at once.
const UNFINISHED_FOLDER: &str = "unfinished";
/// A content that is read into memory has at most so many bytes.
const READ_BYTES_MAX: u64 = 1 << 30;

/// The looks of a file: one that looks the same was not written since.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ContentStamp {
    pub(crate) bytes: u64,
    /// The time of its last change.
    pub(crate) changed_ns: i128,
    /// In its file system.
    pub(crate) number: u64,
}

pub(crate) struct Contents {
    folder: PathBuf,
    unfinished: PathBuf,
    shelf: Mutex<Shelf>,
}

impl Contents {
    /// The contents of the engine's folder, which is made if it is not there.
    pub(crate) fn new(folder: impl Into<PathBuf>, bytes_max: u64) -> io::Result<Self> {
        let home: PathBuf = folder.into();
        let (folder, unfinished) = (home.join(CONTENTS_FOLDER), home.join(UNFINISHED_FOLDER));
        fs::create_dir_all(&folder)?;
        fs::create_dir_all(&unfinished)?;
        let mut shelf = Shelf::new(bytes_max);
        for (id, bytes) in listed(&folder)? {
            shelf.note_old(id, bytes);
        }
        Ok(Self { folder, unfinished, shelf: Mutex::new(shelf) })
    }

    /// The file of a content that is here. It counts as used.
    pub(crate) fn path(&self, id: &ContentId) -> Option<PathBuf> {
        let path = self.place(id);
        let found = fs::metadata(&path).ok().filter(fs::Metadata::is_file)?;
        self.used(id, found.len());
        Some(path)
    }

    /// The looks of the file of a content that is here. This is no use of it.
    pub(crate) fn stamp(&self, id: &ContentId) -> Option<ContentStamp> {
        let found = fs::metadata(self.place(id)).ok().filter(fs::Metadata::is_file)?;
        let changed_ns = i128::from(found.mtime()) * 1_000_000_000 + i128::from(found.mtime_nsec());
        Some(ContentStamp { bytes: found.len(), changed_ns, number: found.ino() })
    }

    /// The bytes of a content. One that is not what its name says is removed and counts as missing.
    pub(crate) fn read(&self, id: &ContentId) -> Result<Vec<u8>, EngineFault> {
        let missing = || missing_contents(vec![id.clone()]);
        let path = self.path(id).ok_or_else(missing)?;
        let bytes = fs::metadata(&path).map_or(0, |found| found.len());
        if bytes > READ_BYTES_MAX {
            let message =
                format!("a content of {bytes} bytes is too large; at most {READ_BYTES_MAX} are read");
            return Err(too_large(message, "split the document"));
        }
        let read = fs::read(&path).map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => missing(),
            _ => internal("reading a content", error),
        })?;
        if digest_of(&read) == *id {
            return Ok(read);
        }
        self.forget(id);
        Err(missing())
    }

    /// Names all that are missing at once.
    pub(crate) fn require<'a>(
        &self,
        ids: impl IntoIterator<Item = &'a ContentId>,
    ) -> Result<(), EngineFault> {
        none_missing(ids.into_iter().filter(|id| self.path(id).is_none()).cloned().collect())
    }

    /// The same, and reads each of them: a damaged one is removed and counts as missing, so that it is brought again.
    pub(crate) fn verify<'a>(&self, ids: impl IntoIterator<Item = &'a ContentId>) -> Result<(), EngineFault> {
        let is_bad = |id: &&ContentId| match self.path(id) {
            None => true,
            Some(path) if digest::of_file(&path).is_ok_and(|found| found == **id) => false,
            Some(_) => {
                self.forget(id);
                true
            }
        };
        none_missing(ids.into_iter().filter(is_bad).cloned().collect())
    }

    pub(crate) fn put_bytes(&self, bytes: &[u8]) -> Result<ContentId, EngineFault> {
        let failed = |error| internal("storing a content", error);
        let mut file = tempfile::NamedTempFile::new_in(&self.unfinished).map_err(failed)?;
        file.write_all(bytes).map_err(failed)?;
        let id = digest_of(bytes);
        file.persist(self.place(&id)).map_err(|error| failed(error.error))?;
        self.used(&id, bytes.len() as u64);
        Ok(id)
    }

    /// Moves a finished file here.
    pub(crate) fn put_file(&self, path: impl AsRef<Path>) -> Result<ContentId, EngineFault> {
        let path = path.as_ref();
        let failed = |error| internal("storing a content", error);
        let id = digest::of_file(path).map_err(failed)?;
        let bytes = fs::metadata(path).map_err(failed)?.len();
        let moved = match fs::rename(path, self.place(&id)) {
            Err(error) if error.kind() == io::ErrorKind::CrossesDevices => self.copy(path, &id),
            done => done,
        };
        moved.map_err(failed)?;
        self.used(&id, bytes);
        Ok(id)
    }

    /// Until the pins are dropped, these are not removed.
    pub(crate) fn pin(self: &Arc<Self>, ids: impl IntoIterator<Item = ContentId>) -> ContentPins {
        let ids: Vec<ContentId> = ids.into_iter().collect();
        let mut shelf = self.shelf.lock();
        ids.iter().for_each(|id| shelf.pin(id));
        ContentPins { contents: Arc::clone(self), ids }
    }

    /// A file for something unfinished, which is removed unless it is put.
    pub(crate) fn unfinished(&self) -> Result<tempfile::TempPath, EngineFault> {
        let file = tempfile::NamedTempFile::new_in(&self.unfinished);
        Ok(file.map_err(|error| internal("making a file", error))?.into_temp_path())
    }

    fn place(&self, id: &ContentId) -> PathBuf {
        self.folder.join(id.as_str())
    }

    fn copy(&self, from: &Path, id: &ContentId) -> io::Result<()> {
        let file = tempfile::NamedTempFile::new_in(&self.unfinished)?;
        fs::copy(from, file.path())?;
        file.persist(self.place(id)).map_err(|error| error.error)?;
        fs::remove_file(from)
    }

    fn used(&self, id: &ContentId, bytes: u64) {
        let leaving = self.shelf.lock().note(id, bytes);
        for id in leaving {
            self.remove(&id);
        }
    }

    fn forget(&self, id: &ContentId) {
        self.shelf.lock().forget(id);
        self.remove(id);
    }

    fn remove(&self, id: &ContentId) {
        match fs::remove_file(self.place(id)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                tracing::warn!(%error, content = id.as_str(), "a content could not be removed");
            }
            _ => {}
        }
    }
}

/// Contents that stay.
pub(crate) struct ContentPins {
    contents: Arc<Contents>,
    ids: Vec<ContentId>,
}

impl Drop for ContentPins {
    fn drop(&mut self) {
        let mut shelf = self.contents.shelf.lock();
        self.ids.iter().for_each(|id| shelf.unpin(id));
    }
}

fn none_missing(missing: Vec<ContentId>) -> Result<(), EngineFault> {
    if missing.is_empty() { Ok(()) } else { Err(missing_contents(missing)) }
}

/// The contents of a folder with their sizes, the one that was read longest ago first.
fn listed(folder: &Path) -> io::Result<Vec<(ContentId, u64)>> {
    let mut found: Vec<(SystemTime, ContentId, u64)> = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_str().map(str::to_owned);
        let Some(Ok(id)) = name.map(ContentId::try_from) else { continue };
        let data = entry.metadata()?;
        if data.is_file() {
            found.push((data.accessed().unwrap_or(SystemTime::UNIX_EPOCH), id, data.len()));
        }
    }
    found.sort();
    Ok(found.into_iter().map(|(_, id, bytes)| (id, bytes)).collect())
}
