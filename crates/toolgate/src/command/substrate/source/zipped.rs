//! The files of a zip. Each is unpacked on its own, into a file without a name; a zip that grows out of all proportion is refused.

use std::fs::File;
use std::io::{BufReader, Read as _, Write as _};
use std::path::Path;

use anyhow::{Context as _, bail};
use zip::ZipArchive;

use super::found::{FilePlace, FoundFiles};
use crate::command::substrate::content::{LocalContent, MeasuredContent, measure};

/// A zip may unpack to this many times its size, and to this many bytes in any case.
const GROWTH_MAX: u64 = 200;
const UNPACKED_BYTES_FREE: u64 = 1 << 30;

pub(super) struct ZippedFiles {
    archive: ZipArchive<BufReader<File>>,
    /// The bytes that may still be unpacked.
    bytes_left: u64,
}

impl ZippedFiles {
    pub(super) fn open(path: &Path, found: &mut FoundFiles) -> anyhow::Result<Self> {
        let could_not = || format!("could not read the zip {}", path.display());
        let file = File::open(path).with_context(could_not)?;
        let bytes = file.metadata().with_context(could_not)?.len();
        let mut archive = ZipArchive::new(BufReader::new(file)).with_context(could_not)?;
        for number in 0..archive.len() {
            let file = archive.by_index(number).with_context(could_not)?;
            let name = file.name().with_context(could_not)?.into_owned();
            match () {
                () if file.is_dir() => {}
                () if file.is_symlink() => found.leave_out(&name, "is a symbolic link"),
                () if !is_plain(file.unix_mode()) => found.leave_out(&name, "is not a file"),
                () => found.add(&name, FilePlace::Zip(number))?,
            }
        }
        let bytes_left = bytes.saturating_mul(GROWTH_MAX).max(UNPACKED_BYTES_FREE);
        Ok(Self { archive, bytes_left })
    }

    /// Takes back what may be unpacked.
    #[cfg(test)]
    pub(super) fn allow_only(&mut self, bytes: u64) {
        self.bytes_left = bytes;
    }

    /// Unpacks a file. What the zip says of its size is not believed.
    pub(super) fn unpack(&mut self, number: usize) -> anyhow::Result<MeasuredContent> {
        let file = self.archive.by_index(number).context("could not read a file of the zip")?;
        let name = file.name().context("could not read a name of the zip")?.into_owned();
        let mut unpacked = tempfile::tempfile().context("could not make a file for the time being")?;
        let mut limited = file.take(self.bytes_left.saturating_add(1));
        let measured = measure(&mut limited, |piece| Ok(unpacked.write_all(piece)?));
        let (digest, bytes) = measured.with_context(|| format!("could not unpack {name}"))?;
        let Some(left) = self.bytes_left.checked_sub(bytes) else {
            bail!(
                "the zip unpacks to more than {GROWTH_MAX} times its size\nhint: unpack it yourself if you trust it, and import the folder"
            );
        };
        self.bytes_left = left;
        Ok(MeasuredContent { content: LocalContent::Temporary(unpacked), digest, bytes })
    }
}

/// True if the mode is that of a plain file, or says nothing about the kind.
fn is_plain(mode: Option<u32>) -> bool {
    const KIND: u32 = 0o170_000;
    const PLAIN: u32 = 0o100_000;
    mode.is_none_or(|mode| mode & KIND == 0 || mode & KIND == PLAIN)
}
