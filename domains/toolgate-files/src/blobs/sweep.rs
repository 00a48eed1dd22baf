//! The leftovers of a gateway that stopped while it wrote.

use std::path::Path as FolderPath;
use std::time::{Duration, SystemTime};

use futures_util::TryStreamExt;
use toolgate_core::Refusal;

use super::Blobs;
use super::shelf::{StorageKind, TEMPORARY};
use super::trouble::{StorageTrouble, tallied};

/// No write takes this long.
const DRAFT_AGE_MAX: Duration = Duration::from_secs(24 * 60 * 60);
/// Removed at one go; the rest waits for the next.
const SWEPT_MAX: usize = 1_000;

impl Blobs {
    /// Removes abandoned drafts, and returns their number.
    pub(crate) async fn sweep(&self) -> Result<usize, Refusal> {
        match &self.shelf.kind {
            StorageKind::Folder(folder) => {
                let folder = folder.clone();
                let swept = tokio::task::spawn_blocking(move || sweep_folder(&folder, DRAFT_AGE_MAX)).await;
                Ok(swept.expect("looking through a folder does not panic"))
            }
            StorageKind::S3(_) => self.sweep_bucket().await,
        }
    }

    async fn sweep_bucket(&self) -> Result<usize, Refusal> {
        let listing = self.shelf.objects.list(Some(&self.shelf.drafts())).try_collect::<Vec<_>>();
        let drafts = tallied(listing)
            .await
            .map_err(|trouble: StorageTrouble| trouble.refusal("look for old drafts"))?;
        let is_old = |modified: SystemTime| modified.elapsed().is_ok_and(|age| age > DRAFT_AGE_MAX);
        let old = drafts.into_iter().filter(|draft| is_old(draft.last_modified.into())).take(SWEPT_MAX);
        let mut swept = 0;
        for draft in old {
            self.shelf.remove(&draft.location).await?;
            swept += 1;
        }
        Ok(swept)
    }
}

/// Drafts are in their own folder. Content that is written at once is beside its place for a moment, as
/// `{digest}#1`.
fn sweep_folder(folder: &FolderPath, age_max: Duration) -> usize {
    let mut swept = 0;
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        let Ok(entries) = std::fs::read_dir(&inner) else { continue };
        let is_drafts = inner == folder.join(TEMPORARY);
        for entry in entries.flatten() {
            let is_draft = is_drafts || entry.file_name().to_string_lossy().contains('#');
            match entry.file_type() {
                Ok(kind) if kind.is_dir() => folders.push(entry.path()),
                Ok(_) if is_draft && is_older(&entry, age_max) && swept < SWEPT_MAX => {
                    swept += usize::from(std::fs::remove_file(entry.path()).is_ok());
                }
                _ => {}
            }
        }
    }
    swept
}

fn is_older(entry: &std::fs::DirEntry, age_max: Duration) -> bool {
    let modified = entry.metadata().and_then(|found| found.modified());
    modified.is_ok_and(|modified| modified.elapsed().is_ok_and(|age| age >= age_max))
}
