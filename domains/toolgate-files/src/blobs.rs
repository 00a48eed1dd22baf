//! Bytes under their digest, in a local folder or in an S3-compatible storage.
//!
//! The bytes of a tenant are at `{prefix}/{tenant}/{aa}/{sha256}`. Large ones are written to `{prefix}/tmp/…`
//! while their digest is computed, and moved; so everything under a digest was complete once. They are
//! verified again when they are read. What the gateway itself keeps lies beside them by name (`beside.rs`),
//! and so do checkpoints in a bucket (`named.rs`).

mod beside;
mod draft;
mod http;
mod named;
mod put;
mod read;
mod s3;
mod shelf;
mod sweep;
mod trouble;
mod verify;

use std::sync::Arc;
use std::time::Duration;

use object_store::ObjectStore;
use object_store::local::LocalFileSystem;
use tokio_util::task::TaskTracker;
use toolgate_core::governance::Clock;
use toolgate_core::{Digest, Refusal};
use toolgate_store::Store;

use crate::refusal;
use crate::settings::{FilesSettings, StoragePlace};
use trouble::StorageTrouble;

pub use named::NamedObjects;
pub use put::StoredBlob;
pub use s3::ShownBytes;
use shelf::{BlobStorage, StorageKind, TEMPORARY};

/// Clones share everything.
#[derive(Clone)]
pub struct Blobs {
    shelf: Arc<BlobStorage>,
}

impl Blobs {
    /// It does not contact an S3 storage yet: a gateway also starts while that is down.
    pub fn new(settings: &FilesSettings, store: Store, clock: Arc<dyn Clock>) -> Result<Blobs, Refusal> {
        let (objects, kind, prefix): (Arc<dyn ObjectStore>, StorageKind, String) = match &settings.place {
            StoragePlace::Folder(folder) => {
                (Arc::new(open_folder(folder)?), StorageKind::Folder(folder.clone()), String::new())
            }
            StoragePlace::S3(place) => {
                let s3 = s3::open(place, settings)?;
                (Arc::new(s3.clone()), StorageKind::S3(s3), place.prefix.trim_matches('/').to_owned())
            }
        };
        let shelf = BlobStorage { objects, kind, prefix, store, clock, cleaning: TaskTracker::new() };
        Ok(Blobs { shelf: Arc::new(shelf) })
    }

    /// Resolves when broken drafts have been removed.
    pub async fn settle(&self) {
        self.shelf.cleaning.close();
        self.shelf.cleaning.wait().await;
        self.shelf.cleaning.reopen();
    }

    /// A temporary address of these bytes, if the storage itself issues such addresses.
    pub async fn sign(
        &self,
        digest: Digest,
        keep: Duration,
        shown: &ShownBytes<'_>,
    ) -> Result<Option<url::Url>, Refusal> {
        let StorageKind::S3(s3) = &self.shelf.kind else { return Ok(None) };
        let signed = s3::sign(s3, &self.shelf.path(digest), keep, shown).await;
        signed.map(Some).map_err(|error| StorageTrouble::of(&error).refusal("make an address for a file"))
    }

    /// Checks that the storage answers and accepts these credentials: it is asked for a missing object.
    pub async fn reachable(&self) -> Result<(), Refusal> {
        let nothing = self.shelf.at(&[TEMPORARY, "nothing"]);
        let asked =
            trouble::tallied(object_store::ObjectStoreExt::head(&*self.shelf.objects, &nothing)).await;
        match asked {
            Err(trouble) if !trouble.is_missing() => Err(trouble.refusal("look at the storage of files")),
            _ => Ok(()),
        }
    }

    /// Removes bytes. Missing bytes count as removed.
    pub(crate) async fn delete(&self, digest: Digest) -> Result<(), Refusal> {
        self.shelf.remove(&self.shelf.path(digest)).await
    }
}

fn open_folder(folder: &std::path::Path) -> Result<LocalFileSystem, Refusal> {
    let opened = make_private(folder)
        .and_then(|()| LocalFileSystem::new_with_prefix(folder).map_err(std::io::Error::other));
    let opened = opened.map_err(|error| refusal::no_folder(folder, &error))?;
    Ok(opened.with_fsync(true))
}

fn make_private(folder: &std::path::Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

#[cfg(test)]
mod tests;
