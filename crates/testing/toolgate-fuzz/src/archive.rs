//! Exported manifests. Whatever is read as one has entries that make the tree it promises and blobs with the digests they are called by.

use std::io::Cursor;

use manifest_tree::{BlobDigest, EntryKind, TreeBuilder};
use oci_archive::ArchiveReader;

/// More entries than a damaged seed has.
const ENTRIES_MAX: usize = 10_000;

pub(crate) fn try_one(input: &[u8]) {
    let Ok(mut archive) = ArchiveReader::open(Cursor::new(input)) else { return };
    for manifest in archive.manifests().to_vec() {
        let Ok(lines) = archive.entries(&manifest) else { continue };
        let entries: Result<Vec<_>, _> = lines.take(ENTRIES_MAX).collect();
        let Ok(entries) = entries else { continue };
        let mut builder = TreeBuilder::default();
        for (path, entry) in &entries {
            builder.push(path, entry).expect("entries of a tree make a tree");
        }
        let root = builder.finish().expect("a tree ends");
        assert_eq!(root.digest, manifest.root, "a tree has another root than it promises");
        for (_, entry) in entries.iter().filter(|(_, entry)| entry.kind == EntryKind::Artifact) {
            check_blob(&mut archive, input, &entry.digest);
        }
    }
}

fn check_blob(archive: &mut ArchiveReader<Cursor<&[u8]>>, input: &[u8], digest: &BlobDigest) {
    let mut content = Vec::new();
    if let Ok(place) = archive.check_blob(digest, |piece| content.extend_from_slice(piece)) {
        assert_eq!(BlobDigest::of(&content), *digest, "a blob has another digest");
        let start = usize::try_from(place.offset).expect("it lies in memory");
        assert_eq!(&input[start..start + content.len()], content, "a blob lies elsewhere");
    }
}
