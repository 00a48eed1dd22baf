//! Two generations of vectors: the newer one grows, the older one is dropped when the newer one is full. A vector that is still
//! used moves to the newer one in time.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::generation::{Generation, VectorKey};

pub(super) struct VectorShelf {
    newer: Generation,
    older: Generation,
    /// Of one generation.
    bytes_max: u64,
    dimensions: usize,
    newer_path: PathBuf,
    older_path: PathBuf,
}

impl VectorShelf {
    /// The vectors of this model. Those of other models are removed: nothing asks for them any more.
    pub(super) fn open(folder: &Path, model: &str, dimensions: usize, bytes_max: u64) -> io::Result<Self> {
        let name = model.strip_prefix("sha256:").unwrap_or(model);
        fs::create_dir_all(folder)?;
        remove_others(folder, name)?;
        let (newer_path, older_path) =
            (folder.join(format!("{name}-newer")), folder.join(format!("{name}-older")));
        Ok(Self {
            newer: Generation::open(&newer_path, dimensions)?,
            older: Generation::open(&older_path, dimensions)?,
            bytes_max: bytes_max / 2,
            dimensions,
            newer_path,
            older_path,
        })
    }

    pub(super) fn get(&mut self, key: &VectorKey) -> io::Result<Option<Vec<f32>>> {
        if let Some(vector) = self.newer.get(key)? {
            return Ok(Some(vector));
        }
        let Some(vector) = self.older.get(key)? else { return Ok(None) };
        self.put(&[(*key, &vector)])?;
        Ok(Some(vector))
    }

    pub(super) fn put(&mut self, keyed: &[(VectorKey, &[f32])]) -> io::Result<()> {
        if self.newer.bytes() >= self.bytes_max {
            self.newer.rename(&self.older_path)?;
            let fresh = Generation::open(&self.newer_path, self.dimensions)?;
            self.older = std::mem::replace(&mut self.newer, fresh);
        }
        self.newer.put(keyed)
    }
}

fn remove_others(folder: &Path, name: &str) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let is_other = !entry.file_name().to_string_lossy().starts_with(name);
        if is_other && entry.metadata()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
