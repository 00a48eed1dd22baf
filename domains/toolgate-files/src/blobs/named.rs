//! Objects under names of their own, in the bucket of the files and beside them.

use bytes::Bytes;
use object_store::ObjectStoreExt;
use object_store::aws::AmazonS3;
use object_store::path::Path;
use toolgate_core::Refusal;

use super::{s3, trouble};
use crate::settings::{FilesSettings, StoragePlace};

/// A place for objects in the bucket. Clones share their connections.
#[derive(Clone)]
pub struct NamedObjects {
    bucket: AmazonS3,
    prefix: String,
}

impl NamedObjects {
    /// `None` if the files are not in a bucket. The storage is not contacted yet.
    pub fn open(settings: &FilesSettings, prefix: &str) -> Result<Option<Self>, Refusal> {
        let StoragePlace::S3(place) = &settings.place else { return Ok(None) };
        Ok(Some(Self { bucket: s3::open(place, settings)?, prefix: prefix.to_owned() }))
    }

    /// Writes an object; one with this name is replaced.
    pub async fn put(&self, name: &str, bytes: Bytes) -> Result<(), Refusal> {
        let parts = self.prefix.split('/').filter(|part| !part.is_empty());
        let path = Path::from_iter(parts.chain([name]));
        let put = trouble::tallied(self.bucket.put(&path, bytes.into())).await;
        put.map(drop).map_err(|trouble| trouble.refusal("write an object"))
    }
}
