//! Bytes that are written while their digest is unknown. An abandoned draft leaves nothing in the storage,
//! whatever happens to its writer.

use std::sync::Arc;

use bytes::Bytes;
use object_store::path::Path;
use object_store::{CopyOptions, MultipartUpload, ObjectStore, ObjectStoreExt, RenameOptions};
use tokio::task::JoinSet;
use toolgate_core::{Digest, Refusal};

use super::shelf::{BlobStorage, StorageKind};
use super::trouble::{StorageTrouble, tallied};

const WRITING: &str = "write a file";
const CLEARING: &str = "clear away a file that was given up";

/// The number of parts of one upload in progress at once; they are its memory use.
const S3_PARTS_MAX: usize = 3;
const FOLDER_PARTS_MAX: usize = 2;
/// S3 storages take no parts of less than 5 MiB, and some require equal sizes.
const S3_PART_BYTES: usize = 8 << 20;
const FOLDER_PART_BYTES: usize = 1 << 20;

impl StorageKind {
    /// Longer content is written in parts of this size.
    pub(super) fn part_bytes(&self) -> usize {
        match self {
            StorageKind::Folder(_) => FOLDER_PART_BYTES,
            StorageKind::S3(_) => S3_PART_BYTES,
        }
    }

    fn parts_max(&self) -> usize {
        match self {
            StorageKind::Folder(_) => FOLDER_PARTS_MAX,
            StorageKind::S3(_) => S3_PARTS_MAX,
        }
    }
}

pub(super) struct BlobDraft {
    shelf: Arc<BlobStorage>,
    path: Path,
    /// `None` once there is nothing to remove.
    standing: Option<DraftStage>,
}

enum DraftStage {
    Parts {
        upload: Box<dyn MultipartUpload>,
        under_way: JoinSet<Result<(), StorageTrouble>>,
    },
    /// Written, and not at its final place.
    Whole,
}

impl BlobDraft {
    pub(super) async fn begin(shelf: &Arc<BlobStorage>) -> Result<Self, Refusal> {
        let path = shelf.draft_path();
        let begun = tallied(shelf.objects.put_multipart(&path)).await;
        let upload = begun.map_err(|trouble| trouble.refusal(WRITING))?;
        let standing = Some(DraftStage::Parts { upload, under_way: JoinSet::new() });
        Ok(Self { shelf: Arc::clone(shelf), path, standing })
    }

    /// Sends the next part, when there is room for it.
    pub(super) async fn write(&mut self, part: Bytes) -> Result<(), Refusal> {
        let parts_max = self.shelf.kind.parts_max();
        let Some(DraftStage::Parts { upload, under_way }) = &mut self.standing else {
            unreachable!("a draft is written before it is finished")
        };
        while under_way.len() >= parts_max {
            landed(under_way).await?;
        }
        under_way.spawn(tallied(upload.put_part(part.into())));
        Ok(())
    }

    pub(super) async fn finish(&mut self) -> Result<(), Refusal> {
        let Some(DraftStage::Parts { upload, under_way }) = &mut self.standing else {
            unreachable!("a draft is finished once")
        };
        while !under_way.is_empty() {
            landed(under_way).await?;
        }
        tallied(upload.complete()).await.map_err(|trouble| trouble.refusal(WRITING))?;
        self.standing = Some(DraftStage::Whole);
        Ok(())
    }

    /// Puts it under its digest.
    pub(super) async fn settle(mut self, digest: Digest, bytes: u64) -> Result<(), Refusal> {
        let place = self.shelf.path(digest);
        let objects = &self.shelf.objects;
        match &self.shelf.kind {
            StorageKind::Folder(_) => {
                let moved = tallied(objects.rename_opts(&self.path, &place, RenameOptions::default())).await;
                moved.map_err(|trouble| trouble.refusal(WRITING))?;
                self.standing = None;
            }
            // Existing bytes need not be copied again. The draft itself is removed in the background.
            StorageKind::S3(_) if self.shelf.has(&place, bytes).await? => {}
            StorageKind::S3(_) => {
                let copied = tallied(objects.copy_opts(&self.path, &place, CopyOptions::default())).await;
                copied.map_err(|trouble| trouble.refusal(WRITING))?;
            }
        }
        Ok(())
    }
}

impl Drop for BlobDraft {
    fn drop(&mut self) {
        let Some(standing) = self.standing.take() else { return };
        let (shelf, path) = (Arc::clone(&self.shelf), self.path.clone());
        let clearing = async move {
            let cleared = match standing {
                DraftStage::Parts { upload, under_way } => give_up(upload, under_way).await,
                DraftStage::Whole => shelf.remove(&path).await,
            };
            if cleared.is_err() {
                tracing::warn!(%path, "what was written of a file that was given up is still in the storage");
            }
        };
        // Without a runtime the process ends, and the next sweep finds it.
        if tokio::runtime::Handle::try_current().is_ok() {
            self.shelf.cleaning.spawn(clearing);
        }
    }
}

async fn landed(under_way: &mut JoinSet<Result<(), StorageTrouble>>) -> Result<(), Refusal> {
    let Some(landed) = under_way.join_next().await else { return Ok(()) };
    let landed = landed.expect("sending a part does not panic");
    landed.map_err(|trouble| trouble.refusal(WRITING))
}

async fn give_up(
    mut upload: Box<dyn MultipartUpload>,
    mut under_way: JoinSet<Result<(), StorageTrouble>>,
) -> Result<(), Refusal> {
    // A part that arrives after the end of its upload would stay.
    under_way.shutdown().await;
    tallied(upload.abort()).await.map_err(|trouble| trouble.refusal(CLEARING))
}

impl BlobStorage {
    async fn has(&self, place: &Path, bytes: u64) -> Result<bool, Refusal> {
        match tallied(self.objects.head(place)).await {
            Ok(found) => Ok(found.size == bytes),
            Err(trouble) if trouble.is_missing() => Ok(false),
            Err(trouble) => Err(trouble.refusal(WRITING)),
        }
    }
}
