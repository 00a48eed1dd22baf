//! The files that were found so far, and what is left out.

use std::path::PathBuf;

use anyhow::{Context as _, bail};
use manifest_tree::EntryPath;

/// The most files of one import.
const FILES_MAX: usize = 500_000;

/// A file to import.
pub(crate) struct ImportFile {
    pub(crate) path: EntryPath,
    pub(crate) place: FilePlace,
}

/// The place of a file.
pub(crate) enum FilePlace {
    Disk(PathBuf),
    /// The number of a file in the zip.
    Zip(usize),
}

/// Something that is not imported.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SkippedFile {
    pub(crate) path: String,
    pub(crate) why: &'static str,
}

/// The files that were found so far.
#[derive(Default)]
pub(super) struct FoundFiles {
    pub(super) files: Vec<ImportFile>,
    pub(super) left_out: Vec<SkippedFile>,
}

impl FoundFiles {
    pub(super) fn add(&mut self, name: &str, place: FilePlace) -> anyhow::Result<()> {
        let path = EntryPath::new(name).with_context(|| {
            let hint = "rename it; a manifest has relative paths of plain parts, in Unicode normal form C";
            format!("the name {name:?} cannot be kept\nhint: {hint}")
        })?;
        if self.files.len() == FILES_MAX {
            bail!("there are more than {FILES_MAX} files\nhint: import some folders of it each on its own");
        }
        self.files.push(ImportFile { path, place });
        Ok(())
    }

    pub(super) fn leave_out(&mut self, path: &str, why: &'static str) {
        self.left_out.push(SkippedFile { path: path.to_owned(), why });
    }

    /// Adds a file of a folder, if it is a plain one.
    pub(super) fn add_from_disk(&mut self, name: &str, path: PathBuf) -> anyhow::Result<()> {
        let could_not = || format!("could not look at {}", path.display());
        let kind = path.symlink_metadata().with_context(could_not)?.file_type();
        let why = match () {
            () if kind.is_file() => return self.add(name, FilePlace::Disk(path)),
            () if kind.is_symlink() => "is a symbolic link",
            () if kind.is_dir() => "is a folder",
            () => "is not a file",
        };
        self.leave_out(name, why);
        Ok(())
    }
}
