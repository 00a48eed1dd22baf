//! Folders, zips and git work trees as lists of files. Names that lead elsewhere, or that a manifest cannot have, are refused; what is
//! not a plain file is left out, and said.

mod folder;
mod found;
mod git;
mod zipped;

use std::path::Path;

use anyhow::bail;

use super::content::MeasuredContent;
use crate::cli::ImportKind;
use found::FoundFiles;
pub(super) use found::{FilePlace, ImportFile, SkippedFile};
use zipped::ZippedFiles;

/// Files on this machine.
pub(super) struct ImportSource {
    files: Vec<ImportFile>,
    zip: Option<ZippedFiles>,
}

impl ImportSource {
    /// Lists the files. An archive is none of these.
    pub(super) async fn open(path: &Path, kind: ImportKind) -> anyhow::Result<(Self, Vec<SkippedFile>)> {
        let mut found = FoundFiles::default();
        let zip = match kind {
            ImportKind::Git => {
                git::list(path, &mut found).await?;
                None
            }
            ImportKind::Zip => Some(ZippedFiles::open(path, &mut found)?),
            ImportKind::Auto | ImportKind::Archive | ImportKind::Folder => {
                folder::list(path, &mut found)?;
                None
            }
        };
        let FoundFiles { mut files, left_out } = found;
        files.sort_by(|one, other| one.path.cmp(&other.path));
        if let Some(pair) = files.windows(2).find(|pair| pair[0].path == pair[1].path) {
            bail!("{} is there twice\nhint: leave one of them out", pair[0].path);
        }
        Ok((Self { files, zip }, left_out))
    }

    /// The files, in the order of the tree.
    pub(super) fn take_files(&mut self) -> Vec<ImportFile> {
        std::mem::take(&mut self.files)
    }

    /// Reads a file to its end.
    pub(super) fn measure(&mut self, place: &FilePlace) -> anyhow::Result<MeasuredContent> {
        match (place, &mut self.zip) {
            (FilePlace::Disk(path), _) => MeasuredContent::of_file(path.clone()),
            (FilePlace::Zip(number), Some(zip)) => zip.unpack(*number),
            (FilePlace::Zip(_), None) => bail!("there is no zip"),
        }
    }
}

#[cfg(test)]
mod tests;
