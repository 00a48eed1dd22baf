//! Entries that are only good if their tree has the root that was promised.

use std::io::BufRead;

use manifest_tree::{EntryPath, TreeBuilder, TreeEntry};

use crate::entries::EntryLines;
use crate::error::ArchiveError;
use crate::layout::ArchivedManifest;

/// The entries of a manifest, in order. The last item is an error unless their tree, their number and their size are those that were
/// promised: use nothing of them before the end.
pub struct ArchivedEntries<R> {
    lines: EntryLines<R>,
    builder: TreeBuilder,
    manifest: ArchivedManifest,
    is_over: bool,
}

impl<R: BufRead> ArchivedEntries<R> {
    pub(crate) fn new(lines: EntryLines<R>, manifest: &ArchivedManifest) -> Self {
        Self { lines, builder: TreeBuilder::default(), manifest: manifest.clone(), is_over: false }
    }

    fn read(&mut self) -> Result<Option<(EntryPath, TreeEntry)>, ArchiveError> {
        let Some(read) = self.lines.next() else { return self.check().map(|()| None) };
        let (path, entry) = read?;
        self.builder.push(&path, &entry)?;
        // Only the root is of interest.
        drop(self.builder.take_nodes());
        Ok(Some((path, entry)))
    }

    fn check(&mut self) -> Result<(), ArchiveError> {
        let (root, said) = (self.builder.finish()?, &self.manifest);
        if root.digest != said.root {
            return Err(ArchiveError::OtherRoot { claimed: said.root, built: root.digest });
        }
        match (root.count, root.bytes) == (said.entries, said.bytes) {
            true => Ok(()),
            false => Err(ArchiveError::OtherContent { why: "the number or size of the entries is another" }),
        }
    }
}

impl<R: BufRead> Iterator for ArchivedEntries<R> {
    type Item = Result<(EntryPath, TreeEntry), ArchiveError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.is_over {
            return None;
        }
        let read = self.read();
        self.is_over = !matches!(read, Ok(Some(_)));
        read.transpose()
    }
}
