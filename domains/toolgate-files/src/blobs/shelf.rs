//! The storage behind the bytes: where each of them lies.

use std::path::PathBuf;
use std::sync::Arc;

use object_store::ObjectStore;
use object_store::aws::AmazonS3;
use object_store::path::Path;
use tokio_util::task::TaskTracker;
use toolgate_core::governance::Clock;
use toolgate_core::{Digest, Refusal};
use toolgate_store::Store;

use super::trouble;

/// The shared state of this module.
pub(super) struct BlobStorage {
    pub(super) objects: Arc<dyn ObjectStore>,
    pub(super) kind: StorageKind,
    pub(super) prefix: String,
    pub(super) store: Store,
    pub(super) clock: Arc<dyn Clock>,
    /// The tasks that remove broken drafts.
    pub(super) cleaning: TaskTracker,
}

pub(super) enum StorageKind {
    Folder(PathBuf),
    S3(AmazonS3),
}

impl BlobStorage {
    pub(super) fn path(&self, digest: Digest) -> Path {
        let name = digest.to_string();
        let (_, hex) = name.split_once(':').expect("a digest says how it was made");
        self.at(&[self.store.tenant(), &hex[..2], hex])
    }

    /// A unique path.
    pub(super) fn draft_path(&self) -> Path {
        self.at(&[TEMPORARY, &self.clock.fresh_id("")])
    }

    pub(super) fn drafts(&self) -> Path {
        self.at(&[TEMPORARY])
    }

    pub(super) fn at(&self, parts: &[&str]) -> Path {
        let prefix = self.prefix.split('/').filter(|part| !part.is_empty());
        Path::from_iter(prefix.chain(parts.iter().copied()))
    }

    pub(super) async fn remove(&self, path: &Path) -> Result<(), Refusal> {
        let removed = trouble::tallied(object_store::ObjectStoreExt::delete(&*self.objects, path)).await;
        match removed {
            Err(trouble) if !trouble.is_missing() => Err(trouble.refusal("delete bytes")),
            _ => Ok(()),
        }
    }
}

/// The folder for bytes that are not under their digest yet.
pub(super) const TEMPORARY: &str = "tmp";
