//! Files of versions: contents under the names that `tantivy` knows, in folders of their own.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use engine_protocol::{EngineFault, IndexFile, IndexListing};
use parking_lot::Mutex;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use super::faults::damaged;
use crate::contents::Contents;
use crate::fault::internal;

/// The names of our folders begin with this.
const FOLDER_PREFIX: &str = "inside-";
const PIECE_BYTES: usize = 256 << 10;
/// Threads that read files to check their digests.
const READERS: usize = 2;

/// Removes what a killed engine left.
pub(super) fn remove_leftovers(folder: &Path) {
    let Ok(entries) = fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        if entry.file_name().to_string_lossy().starts_with(FOLDER_PREFIX)
            && let Err(error) = fs::remove_dir_all(entry.path())
        {
            tracing::warn!(%error, "a folder of an earlier engine could not be removed");
        }
    }
}

/// A folder that is removed with its value.
pub(super) fn new_folder(parent: &Path) -> Result<TempDir, EngineFault> {
    fs::create_dir_all(parent)
        .and_then(|()| tempfile::Builder::new().prefix(FOLDER_PREFIX).tempdir_in(parent))
        .map_err(|error| internal("making a folder", error))
}

/// Puts the files of a version into a folder under their names. A file that is written under such a name later is another one:
/// contents never change.
pub(super) fn link(contents: &Contents, listing: &IndexListing, folder: &Path) -> Result<(), EngineFault> {
    contents.require(listing.files.iter().map(|file| &file.content))?;
    for file in &listing.files {
        let to = folder.join(plain_name(file)?);
        let from = path_of(contents, file)?;
        if fs::hard_link(&from, &to).is_err() {
            fs::copy(&from, &to).map_err(|error| internal("copying an index file", error))?;
        }
    }
    Ok(())
}

/// Checks lengths and digests of files, and names the first that is not what the listing says.
pub(super) fn verify(contents: &Contents, files: &[&IndexFile]) -> Result<(), EngineFault> {
    contents.require(files.iter().map(|file| &file.content))?;
    let next = AtomicUsize::new(0);
    let wrong = Mutex::new(None);
    std::thread::scope(|scope| {
        for _ in 0..READERS.min(files.len()) {
            scope.spawn(|| {
                while let Some(file) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                    if let Err(fault) = verify_file(contents, file) {
                        wrong.lock().get_or_insert(fault);
                    }
                }
            });
        }
    });
    wrong.into_inner().map_or(Ok(()), Err)
}

fn verify_file(contents: &Contents, file: &IndexFile) -> Result<(), EngineFault> {
    let path = path_of(contents, file)?;
    let (bytes, digest) = digest(&path).map_err(|error| damaged(&file.name, error))?;
    if bytes != file.bytes {
        return Err(damaged(&file.name, format!("it has {bytes} bytes, not {}", file.bytes)));
    }
    match digest == file.content.as_str() {
        true => Ok(()),
        false => Err(damaged(&file.name, "its bytes are not those that were written")),
    }
}

fn path_of(contents: &Contents, file: &IndexFile) -> Result<PathBuf, EngineFault> {
    let path = contents.path(&file.content);
    path.ok_or_else(|| crate::fault::missing_contents(vec![file.content.clone()]))
}

/// Names come from a manifest, and lead nowhere else than into the folder.
fn plain_name(file: &IndexFile) -> Result<&str, EngineFault> {
    let name = file.name.as_str();
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.' || byte == b'-' || byte == b'_';
    match !name.is_empty() && !name.starts_with('.') && name.bytes().all(is_plain) {
        true => Ok(name),
        false => Err(damaged(&format!("{name:?}"), "no index has a file of this name")),
    }
}

fn digest(path: &Path) -> io::Result<(u64, String)> {
    let mut file = File::open(path)?;
    let (mut digest, mut piece, mut bytes) = (Sha256::new(), vec![0; PIECE_BYTES], 0);
    loop {
        match file.read(&mut piece)? {
            0 => break,
            read => {
                digest.update(&piece[..read]);
                bytes += read as u64;
            }
        }
    }
    let text = digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect();
    Ok((bytes, text))
}
