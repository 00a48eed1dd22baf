//! Writes an archive: first the entries of every manifest, then each blob once, then the documents.

use std::collections::HashSet;
use std::io::{Seek, SeekFrom, Write};

use manifest_tree::BlobDigest;
use serde::Serialize;
use sha2::{Digest as _, Sha256};

use crate::description;
use crate::error::ArchiveError;
use crate::layout::{
    ARTIFACT_TYPE, ArchiveConfig, ArchivedManifest, BlobDescriptor, CONFIG_TYPE, DESCRIPTION_NAME,
    DESCRIPTION_TYPE, DOCUMENT_BYTES_MAX, ENTRIES_TYPE, IMAGE_TYPE, INDEX_NAME, INDEX_TYPE, ImageDocument,
    ImageIndex, LAYERS_MAX, LAYOUT_NAME, LAYOUT_VERSION, LayoutMark, MANIFESTS_MAX, PACK_TYPE, blob_name,
};
use crate::pack::OpenMember;
use crate::tar::{BLOCK_BYTES, END, header, padding};

/// Writes an archive. Memory grows by the digest of each blob, and by a descriptor for each of the first few thousand.
pub struct ArchiveWriter<W> {
    sink: W,
    at: u64,
    blobs: HashSet<BlobDigest>,
    layers: Vec<BlobDescriptor>,
    packs: Vec<BlobDescriptor>,
    pack: Option<OpenMember>,
    list: Option<OpenMember>,
    blob: Option<OpenBlob>,
}

/// A blob on its way into the archive.
struct OpenBlob {
    digest: BlobDigest,
    bytes: u64,
    passed: u64,
    hash: Sha256,
    /// Its layer; none of a member of a pack.
    layer: Option<BlobDescriptor>,
}

/// The entries of a manifest, once they are in the archive.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntriesLayer {
    pub digest: BlobDigest,
    /// The place of the lines in the file.
    pub offset: u64,
    pub bytes: u64,
}

impl<W: Write + Seek> ArchiveWriter<W> {
    /// Begins an archive at the start of `sink`.
    pub fn new(sink: W) -> Result<Self, ArchiveError> {
        let mut writer = Self {
            sink,
            at: 0,
            blobs: HashSet::new(),
            layers: Vec::new(),
            packs: Vec::new(),
            pack: None,
            list: None,
            blob: None,
        };
        let mark = LayoutMark { image_layout_version: LAYOUT_VERSION.to_owned() };
        let mark = document(LAYOUT_NAME, &mark)?;
        writer.member(LAYOUT_NAME, &mark)?;
        Ok(writer)
    }

    /// Begins the list of a manifest's entries. `entry_line` makes its lines, in the order of the tree.
    pub fn begin_entries(&mut self) -> Result<(), ArchiveError> {
        self.list = Some(self.leave_header()?);
        Ok(())
    }

    /// Adds lines to the list.
    pub fn write_entries(&mut self, lines: &[u8]) -> Result<(), ArchiveError> {
        if let Some(list) = &mut self.list {
            list.take(lines);
        }
        self.raw(lines)
    }

    pub fn end_entries(&mut self) -> Result<EntriesLayer, ArchiveError> {
        let list = self.list.take().ok_or(ArchiveError::OtherContent { why: "no list was begun" })?;
        if self.layers.len() == MANIFESTS_MAX {
            return Err(ArchiveError::TooMany { what: "manifests", max: MANIFESTS_MAX });
        }
        let (offset, bytes) = (list.header_at + BLOCK_BYTES as u64, list.bytes);
        let digest = self.fill_header(list)?;
        self.blobs.insert(digest);
        self.layers.push(BlobDescriptor::new(ENTRIES_TYPE, digest, bytes));
        Ok(EntriesLayer { digest, offset, bytes })
    }

    /// True if the archive has these bytes already.
    pub fn has(&self, digest: &BlobDigest) -> bool {
        self.blobs.contains(digest)
    }

    /// Begins a blob of `bytes` bytes. `title` is a path under which a manifest has it.
    pub fn begin_blob(&mut self, digest: BlobDigest, bytes: u64, title: &str) -> Result<(), ArchiveError> {
        let head = header(&blob_name(&digest), bytes);
        let is_layer = self.layers.len() < LAYERS_MAX;
        if !is_layer && self.pack.is_none() {
            self.pack = Some(self.leave_header()?);
        }
        self.packed(&head)?;
        let layer = is_layer.then(|| BlobDescriptor::new(ARTIFACT_TYPE, digest, bytes).titled(title));
        self.blob = Some(OpenBlob { digest, bytes, passed: 0, hash: Sha256::new(), layer });
        Ok(())
    }

    pub fn write_blob(&mut self, piece: &[u8]) -> Result<(), ArchiveError> {
        if let Some(blob) = &mut self.blob {
            blob.hash.update(piece);
            blob.passed += piece.len() as u64;
            if blob.passed > blob.bytes {
                return Err(blob.other_size());
            }
        }
        self.packed(piece)
    }

    /// Ends the blob, whose bytes are compared with its size and digest.
    pub fn end_blob(&mut self) -> Result<(), ArchiveError> {
        let blob = self.blob.take().ok_or(ArchiveError::OtherContent { why: "no blob was begun" })?;
        if blob.passed != blob.bytes {
            return Err(blob.other_size());
        }
        if BlobDigest::new(blob.hash.finalize().into()) != blob.digest {
            return Err(ArchiveError::OtherBytes { digest: blob.digest });
        }
        self.packed(padding(blob.bytes))?;
        self.blobs.insert(blob.digest);
        self.layers.extend(blob.layer);
        if self.pack.as_ref().is_some_and(OpenMember::is_full) {
            self.end_pack()?;
        }
        Ok(())
    }

    /// Ends the archive, and returns the digest of its image manifest. The last of `manifests` is the one that was asked for.
    pub fn finish(mut self, manifests: Vec<ArchivedManifest>) -> Result<(W, BlobDigest), ArchiveError> {
        self.end_pack()?;
        let main = manifests.last().ok_or(ArchiveError::OtherContent { why: "there is no manifest" })?;
        let description = description::describe(main, &self.layers);
        let description = document(DESCRIPTION_NAME, &description)?;
        self.member(DESCRIPTION_NAME, &description)?;
        let description = self.document_blob(DESCRIPTION_TYPE, &description)?.titled(DESCRIPTION_NAME);
        let config = document("the configuration", &ArchiveConfig::new(manifests))?;
        let config = self.document_blob(CONFIG_TYPE, &config)?;
        let mut layers = std::mem::take(&mut self.layers);
        layers.append(&mut self.packs);
        layers.push(description);
        let image = ImageDocument { schema_version: 2, media_type: IMAGE_TYPE.to_owned(), config, layers };
        let image = document("the image manifest", &image)?;
        let image = self.document_blob(IMAGE_TYPE, &image)?;
        let digest = image.digest;
        let index =
            ImageIndex { schema_version: 2, media_type: INDEX_TYPE.to_owned(), manifests: vec![image] };
        let index = document(INDEX_NAME, &index)?;
        self.member(INDEX_NAME, &index)?;
        self.raw(&END)?;
        self.sink.flush()?;
        Ok((self.sink, digest))
    }

    /// Leaves room for the header of a member whose digest is not known yet.
    fn leave_header(&mut self) -> Result<OpenMember, ArchiveError> {
        let member = OpenMember::at(self.at);
        self.raw(&END[..BLOCK_BYTES])?;
        Ok(member)
    }

    fn fill_header(&mut self, member: OpenMember) -> Result<BlobDigest, ArchiveError> {
        let (header_at, bytes) = (member.header_at, member.bytes);
        let digest = member.digest();
        self.raw(padding(bytes))?;
        self.sink.seek(SeekFrom::Start(header_at))?;
        self.sink.write_all(&header(&blob_name(&digest), bytes))?;
        self.sink.seek(SeekFrom::Start(self.at))?;
        Ok(digest)
    }

    fn end_pack(&mut self) -> Result<(), ArchiveError> {
        if self.pack.is_none() {
            return Ok(());
        }
        self.packed(&END)?;
        let Some(pack) = self.pack.take() else { return Ok(()) };
        let bytes = pack.bytes;
        let digest = self.fill_header(pack)?;
        self.packs.push(BlobDescriptor::new(PACK_TYPE, digest, bytes));
        Ok(())
    }

    fn document_blob(&mut self, media_type: &str, bytes: &[u8]) -> Result<BlobDescriptor, ArchiveError> {
        let digest = BlobDigest::of(bytes);
        if self.blobs.insert(digest) {
            self.member(&blob_name(&digest), bytes)?;
        }
        Ok(BlobDescriptor::new(media_type, digest, bytes.len() as u64))
    }

    fn member(&mut self, name: &str, bytes: &[u8]) -> Result<(), ArchiveError> {
        self.raw(&header(name, bytes.len() as u64))?;
        self.raw(bytes)?;
        self.raw(padding(bytes.len() as u64))
    }

    /// Writes bytes that belong to the open pack, if there is one.
    fn packed(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        if let Some(pack) = &mut self.pack {
            pack.take(bytes);
        }
        self.raw(bytes)
    }

    fn raw(&mut self, bytes: &[u8]) -> Result<(), ArchiveError> {
        self.sink.write_all(bytes)?;
        self.at += bytes.len() as u64;
        Ok(())
    }
}

impl OpenBlob {
    fn other_size(&self) -> ArchiveError {
        ArchiveError::OtherSize { digest: self.digest, wanted: self.bytes, found: self.passed }
    }
}

fn document<T: Serialize>(name: &'static str, value: &T) -> Result<Vec<u8>, ArchiveError> {
    let written = serde_json::to_vec(value).map_err(|source| ArchiveError::Document { name, source })?;
    match written.len() as u64 > DOCUMENT_BYTES_MAX {
        true => Err(ArchiveError::TooLong { name: name.to_owned(), max: DOCUMENT_BYTES_MAX }),
        false => Ok(written),
    }
}
