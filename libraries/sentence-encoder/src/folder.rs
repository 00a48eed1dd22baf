//! The files of a model folder, read and checked for size.

use std::fs;
use std::path::{Path, PathBuf};

use crate::LoadError;

pub(crate) const CONFIG: &str = "config.json";
pub(crate) const TOKENIZER: &str = "tokenizer.json";
pub(crate) const WEIGHTS: &str = "model.safetensors";
/// The file of a sentence encoder's folder with the pooling of word vectors; may be missing.
pub(crate) const POOLING: &str = "1_Pooling/config.json";

/// Larger models would run, but not within the time of a search.
const FILE_BYTES_MAX: u64 = 2 << 30;

pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(crate) fn open(path: &Path) -> Result<Self, LoadError> {
        if !path.is_dir() {
            return Err(LoadError::NoFolder { folder: path.to_owned() });
        }
        let folder = Self { path: path.to_owned() };
        for file in [CONFIG, TOKENIZER, WEIGHTS] {
            if !folder.path(file).is_file() {
                return Err(LoadError::NoFile { folder: folder.path, file });
            }
        }
        Ok(folder)
    }

    pub(crate) fn path(&self, file: &str) -> PathBuf {
        self.path.join(file)
    }

    pub(crate) fn read(&self, file: &str) -> Result<Vec<u8>, LoadError> {
        let path = self.path(file);
        let failed = |source| LoadError::Read { path: path.clone(), source };
        let bytes = fs::metadata(&path).map_err(failed)?.len();
        if bytes > FILE_BYTES_MAX {
            return Err(LoadError::TooLarge { path, bytes, bytes_max: FILE_BYTES_MAX });
        }
        fs::read(&path).map_err(failed)
    }

    /// A file that may be missing.
    pub(crate) fn read_if_there(&self, file: &str) -> Result<Option<Vec<u8>>, LoadError> {
        if self.path(file).is_file() { self.read(file).map(Some) } else { Ok(None) }
    }
}
