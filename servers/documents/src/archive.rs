//! ZIP archives with limits that are enforced while reading: an archive's own statement of its sizes is not
//! trusted.

use std::collections::HashMap;
use std::io::{Cursor, Read};

use zip::ZipArchive;
use zip::result::ZipError;

use crate::error::DocumentError;
use crate::limits::DocumentLimits;

/// The size that an entry may unpack to regardless of its packed size.
const RATIO_FREE_BYTES: u64 = 16 << 20;
/// The maximum ratio beyond that. Sheets full of zeros reach a hundred.
const RATIO_MAX: u64 = 400;
const PIECE_BYTES: usize = 64 << 10;

/// An open archive.
pub(crate) struct Archive<'b> {
    zip: ZipArchive<Cursor<&'b [u8]>>,
    /// By name in lower case with forward slashes: some programs write either.
    indexes: HashMap<String, usize>,
    format: &'static str,
    /// The number of bytes that may still be unpacked.
    bytes_left: u64,
    bytes_max: u64,
}

impl<'b> Archive<'b> {
    pub(crate) fn open(
        bytes: &'b [u8],
        format: &'static str,
        limits: &DocumentLimits,
    ) -> Result<Self, DocumentError> {
        let zip = ZipArchive::new(Cursor::new(bytes)).map_err(|error| broken(format, &error))?;
        if zip.len() > limits.entries_max {
            let limit = limits.entries_max as u64;
            return Err(DocumentError::TooLarge { format, what: "a number of packed files", limit });
        }
        let names = (0..zip.len()).filter_map(|index| Some((zip.name_for_index(index)?.ok()?, index)));
        let indexes = names.map(|(name, index)| (canonical(&name), index)).collect();
        let bytes_max = limits.unpacked_bytes_max;
        Ok(Self { zip, indexes, format, bytes_left: bytes_max, bytes_max })
    }

    pub(crate) fn has(&self, name: &str) -> bool {
        self.indexes.contains_key(&canonical(name))
    }

    /// Names as this archive finds them: lower case, forward slashes, sorted.
    pub(crate) fn names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = self.indexes.keys().map(String::as_str).collect();
        names.sort_unstable();
        names
    }

    /// `None` if there is no such entry.
    pub(crate) fn find(&mut self, name: &str) -> Result<Option<Vec<u8>>, DocumentError> {
        let Some(&index) = self.indexes.get(&canonical(name)) else { return Ok(None) };
        let mut bytes = Vec::new();
        self.unpack(index, |piece| bytes.extend_from_slice(piece))?;
        Ok(Some(bytes))
    }

    pub(crate) fn get(&mut self, name: &str) -> Result<Vec<u8>, DocumentError> {
        let format = self.format;
        self.find(name)?.ok_or_else(|| DocumentError::Damaged { format, why: format!("{name} is missing") })
    }

    /// Unpacks everything except pictures without storing it, so that the next reader of the archive meets no
    /// bomb.
    pub(crate) fn check(&mut self) -> Result<(), DocumentError> {
        let indexes = self.indexes.iter().filter(|(name, _)| !name.contains("/media/"));
        let mut indexes: Vec<usize> = indexes.map(|(_, &index)| index).collect();
        indexes.sort_unstable();
        indexes.into_iter().try_for_each(|index| self.unpack(index, |_| ()))
    }

    fn unpack(&mut self, index: usize, mut take: impl FnMut(&[u8])) -> Result<(), DocumentError> {
        let format = self.format;
        let mut entry = self.zip.by_index(index).map_err(|error| broken(format, &error))?;
        let packed = entry.compressed_size();
        let mut piece = vec![0; PIECE_BYTES];
        let mut unpacked: u64 = 0;
        loop {
            let read = match entry.read(&mut piece) {
                Ok(0) => return Ok(()),
                Ok(read) => read,
                Err(error) => return Err(DocumentError::Damaged { format, why: error.to_string() }),
            };
            unpacked += read as u64;
            if read as u64 > self.bytes_left {
                return Err(DocumentError::TooLarge {
                    format,
                    what: "an unpacked size in bytes",
                    limit: self.bytes_max,
                });
            }
            if unpacked > RATIO_FREE_BYTES && unpacked / packed.max(1) > RATIO_MAX {
                let what = "a compression ratio";
                return Err(DocumentError::TooLarge { format, what, limit: RATIO_MAX });
            }
            self.bytes_left -= read as u64;
            take(&piece[..read]);
        }
    }
}

fn canonical(name: &str) -> String {
    name.trim_start_matches('/').replace('\\', "/").to_lowercase()
}

fn broken(format: &'static str, error: &ZipError) -> DocumentError {
    match error {
        ZipError::UnsupportedArchive(why) if *why == ZipError::PASSWORD_REQUIRED => {
            DocumentError::Locked { format }
        }
        ZipError::InvalidPassword => DocumentError::Locked { format },
        error => DocumentError::Damaged { format, why: error.to_string() },
    }
}

#[cfg(test)]
mod tests;
