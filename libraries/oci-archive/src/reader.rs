//! Reads an archive that a stranger may have made. Nothing is unpacked: blobs are read where they lie.

use std::io::{BufReader, Read, Seek, SeekFrom};

use manifest_tree::BlobDigest;
use serde::de::DeserializeOwned;
use sha2::{Digest as _, Sha256};

use crate::entries::EntryLines;
use crate::error::ArchiveError;
use crate::layout::{
    ArchiveConfig, ArchivedManifest, BlobDescriptor, DOCUMENT_BYTES_MAX, IMAGE_TYPE, INDEX_NAME,
    ImageDocument, ImageIndex, LAYOUT_NAME, LAYOUT_VERSION, LayoutMark, MANIFESTS_MAX, PACK_TYPE, blob_name,
};
use crate::scan::{BlobPlace, TarContents, cut_short};
use crate::verified::ArchivedEntries;

const PIECE_BYTES: usize = 256 << 10;

/// An archive that was opened. Its documents were read; its blobs were not.
pub struct ArchiveReader<R> {
    source: R,
    contents: TarContents,
    manifests: Vec<ArchivedManifest>,
}

impl<R: Read + Seek> ArchiveReader<R> {
    /// Opens an archive: finds all members, and reads the documents.
    pub fn open(mut source: R) -> Result<Self, ArchiveError> {
        let bytes = source.seek(SeekFrom::End(0))?;
        let mut contents = TarContents::default();
        contents.scan(&mut source, BlobPlace { offset: 0, bytes })?;
        let mut reader = Self { source, contents, manifests: Vec::new() };
        let image = reader.image()?;
        for layer in image.layers.iter().filter(|layer| layer.media_type == PACK_TYPE) {
            let pack = reader.descriptor_place(layer)?;
            reader.contents.scan(&mut reader.source, pack)?;
        }
        let place = reader.descriptor_place(&image.config)?;
        let config: ArchiveConfig = reader.document("the configuration", place, Some(image.config.digest))?;
        if config.manifests.is_empty() {
            return Err(ArchiveError::OtherContent { why: "the configuration names none" });
        }
        if config.manifests.len() > MANIFESTS_MAX {
            return Err(ArchiveError::TooMany { what: "manifests", max: MANIFESTS_MAX });
        }
        reader.manifests = config.manifests;
        Ok(reader)
    }

    /// The manifests: those that others name first, the one that was exported last.
    pub fn manifests(&self) -> &[ArchivedManifest] {
        &self.manifests
    }

    /// The entries of a manifest. After the last one, the root of their tree is compared with the one that was promised.
    pub fn entries(
        &mut self,
        manifest: &ArchivedManifest,
    ) -> Result<ArchivedEntries<BufReader<std::io::Take<&mut R>>>, ArchiveError> {
        let place = self.place(&manifest.list)?;
        self.source.seek(SeekFrom::Start(place.offset))?;
        let lines = BufReader::new((&mut self.source).take(place.bytes));
        Ok(ArchivedEntries::new(EntryLines::new(lines), manifest))
    }

    /// The place of a blob. Its bytes have not been looked at: see [`check_blob`](Self::check_blob).
    pub fn place(&self, digest: &BlobDigest) -> Result<BlobPlace, ArchiveError> {
        let place = self.contents.blobs.get(digest).copied();
        place.ok_or_else(|| ArchiveError::Missing { name: blob_name(digest) })
    }

    /// Compares the bytes of a blob with its digest. Each piece goes to `piece`.
    pub fn check_blob(
        &mut self,
        digest: &BlobDigest,
        mut piece: impl FnMut(&[u8]),
    ) -> Result<BlobPlace, ArchiveError> {
        let place = self.place(digest)?;
        self.source.seek(SeekFrom::Start(place.offset))?;
        let (mut hash, mut left, mut space) = (Sha256::new(), place.bytes, vec![0; PIECE_BYTES]);
        while left > 0 {
            let length = space.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            self.source.read_exact(&mut space[..length]).map_err(cut_short)?;
            hash.update(&space[..length]);
            piece(&space[..length]);
            left -= length as u64;
        }
        match BlobDigest::new(hash.finalize().into()) == *digest {
            true => Ok(place),
            false => Err(ArchiveError::OtherBytes { digest: *digest }),
        }
    }

    /// The one image of the layout.
    fn image(&mut self) -> Result<ImageDocument, ArchiveError> {
        let missing = |name: &str| ArchiveError::Missing { name: name.to_owned() };
        let layout = self.contents.layout.ok_or_else(|| missing(LAYOUT_NAME))?;
        let mark: LayoutMark = self.document(LAYOUT_NAME, layout, None)?;
        if mark.image_layout_version != LAYOUT_VERSION {
            return Err(ArchiveError::OtherContent { why: "the layout has another version" });
        }
        let index = self.contents.index.ok_or_else(|| missing(INDEX_NAME))?;
        let index: ImageIndex = self.document(INDEX_NAME, index, None)?;
        let [image] = &index.manifests[..] else {
            return Err(ArchiveError::OtherContent { why: "the index does not name exactly one image" });
        };
        if image.media_type != IMAGE_TYPE {
            return Err(ArchiveError::OtherContent { why: "the index names something that is not an image" });
        }
        let place = self.descriptor_place(image)?;
        self.document("the image manifest", place, Some(image.digest))
    }

    fn descriptor_place(&self, blob: &BlobDescriptor) -> Result<BlobPlace, ArchiveError> {
        let place = self.place(&blob.digest)?;
        match place.bytes == blob.size {
            true => Ok(place),
            false => {
                Err(ArchiveError::OtherSize { digest: blob.digest, wanted: blob.size, found: place.bytes })
            }
        }
    }

    fn document<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
        place: BlobPlace,
        digest: Option<BlobDigest>,
    ) -> Result<T, ArchiveError> {
        if place.bytes > DOCUMENT_BYTES_MAX {
            return Err(ArchiveError::TooLong { name: name.to_owned(), max: DOCUMENT_BYTES_MAX });
        }
        let mut bytes = vec![0; place.bytes as usize];
        self.source.seek(SeekFrom::Start(place.offset))?;
        self.source.read_exact(&mut bytes).map_err(cut_short)?;
        if let Some(digest) = digest
            && BlobDigest::of(&bytes) != digest
        {
            return Err(ArchiveError::OtherBytes { digest });
        }
        serde_json::from_slice(&bytes).map_err(|source| ArchiveError::Document { name, source })
    }
}
