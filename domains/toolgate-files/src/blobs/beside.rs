//! Bytes under names: what the gateway itself keeps beside the files.

use bytes::Bytes;
use futures_util::TryStreamExt as _;
use object_store::path::Path;
use object_store::{
    Error, GetOptions, ObjectStore as _, ObjectStoreExt as _, PutMode, PutOptions, UpdateVersion,
};
use toolgate_core::Refusal;
use toolgate_core::named_bytes::{NamedBytes, NamedObject};
use toolgate_core::port::BoxFuture;

use super::Blobs;
use super::shelf::StorageKind;
use super::trouble::{StorageTrouble, tallied};

const READING: &str = "read what is kept beside the files";
const WRITING: &str = "write what is kept beside the files";

impl NamedBytes for Blobs {
    fn read<'a>(&'a self, name: &'a str) -> BoxFuture<'a, Result<Option<NamedObject>, Refusal>> {
        Box::pin(self.named(name))
    }

    fn write<'a>(&'a self, name: &'a str, bytes: Bytes) -> BoxFuture<'a, Result<(), Refusal>> {
        Box::pin(async move {
            let written = tallied(self.shelf.objects.put(&self.place(name), bytes.into())).await;
            written.map(drop).map_err(|trouble| trouble.refusal(WRITING))
        })
    }

    fn replace<'a>(
        &'a self,
        name: &'a str,
        before: Option<&'a NamedObject>,
        bytes: Bytes,
    ) -> BoxFuture<'a, Result<bool, Refusal>> {
        Box::pin(self.replaced(name, before, bytes))
    }

    fn list<'a>(&'a self, folder: &'a str) -> BoxFuture<'a, Result<Vec<String>, Refusal>> {
        Box::pin(async move {
            let folder = self.place(folder);
            let listing = self.shelf.objects.list(Some(&folder)).try_collect::<Vec<_>>();
            let found = tallied(listing).await.map_err(|trouble: StorageTrouble| trouble.refusal(READING))?;
            let base = self.shelf.at(&[]);
            let name = |place: &Path| {
                let parts = place.prefix_match(&base)?;
                Some(parts.map(|part| part.as_ref().to_owned()).collect::<Vec<_>>().join("/"))
            };
            Ok(found.iter().filter_map(|object| name(&object.location)).collect())
        })
    }
}

impl Blobs {
    fn place(&self, name: &str) -> Path {
        self.shelf.at(&name.split('/').collect::<Vec<_>>())
    }

    async fn named(&self, name: &str) -> Result<Option<NamedObject>, Refusal> {
        let found = tallied(self.shelf.objects.get_opts(&self.place(name), GetOptions::default())).await;
        let found = match found {
            Err(trouble) if trouble.is_missing() => return Ok(None),
            found => found.map_err(|trouble| trouble.refusal(READING))?,
        };
        let version = found.meta.e_tag.clone();
        let bytes = tallied(found.bytes()).await.map_err(|trouble| trouble.refusal(READING))?;
        Ok(Some(NamedObject { bytes, version }))
    }

    async fn replaced(
        &self,
        name: &str,
        before: Option<&NamedObject>,
        bytes: Bytes,
    ) -> Result<bool, Refusal> {
        let mode = match (&self.shelf.kind, before) {
            (_, None) => PutMode::Create,
            (StorageKind::S3(_), Some(NamedObject { version: Some(version), .. })) => {
                PutMode::Update(UpdateVersion { e_tag: Some(version.clone()), version: None })
            }
            // A folder has no versions. Its writers take turns, so looking once more is enough.
            (_, Some(before)) => match self.named(name).await? {
                Some(now) if now.bytes == before.bytes => PutMode::Overwrite,
                _ => return Ok(false),
            },
        };
        let place = self.place(name);
        let put = async {
            let options = PutOptions { mode, ..PutOptions::default() };
            match self.shelf.objects.put_opts(&place, bytes.into(), options).await {
                Err(Error::Precondition { .. } | Error::AlreadyExists { .. }) => Ok(false),
                put => put.map(|_| true),
            }
        };
        tallied(put).await.map_err(|trouble| trouble.refusal(WRITING))
    }
}

#[cfg(test)]
mod tests;
