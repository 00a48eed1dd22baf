//! Places for one upload each: an address that takes one file, once.

use std::fmt::Display;

use bytes::Bytes;
use futures_util::Stream;
use tokio_util::task::TaskTracker;
use toolgate_core::content::ContentHolder;
use toolgate_core::file::{File, FileName};
use toolgate_core::id::UploadId;
use toolgate_core::{Digest, Refusal};
use toolgate_store::{Actor, NewUpload, Store, Upload, UploadClaim};

use super::state::{Files, later};
use crate::refusal::{self, UnknownContent, unknown};
use crate::sealing::SealPurpose;

/// The address for an upload.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OfferedUpload {
    pub id: UploadId,
    /// Takes the bytes by `PUT` or `POST`.
    pub url: String,
    pub expires_at_ms: i64,
    pub bytes_max: u64,
}

impl Files {
    /// Makes a place for one file, which will be the holder's.
    pub async fn offer_upload(
        &self,
        holder: &ContentHolder,
        name: FileName,
    ) -> Result<OfferedUpload, Refusal> {
        let id = UploadId::new(self.clock.fresh_id(UploadId::PREFIX));
        let key = self.seal.make(SealPurpose::Upload, &[id.as_str()]);
        let mut url = self.public_url(&["uploads", id.as_str()])?;
        url.query_pairs_mut().append_pair("key", &key);
        let expires_at_ms = later(self.clock.now_ms(), self.settings.upload_url_keep);
        let upload = NewUpload {
            id: id.clone(),
            secret_digest: Digest::of(&key),
            name,
            owner: holder.principal.id.clone(),
            session: holder.session.clone(),
            run: holder.run.clone(),
            expires_at_ms,
        };
        self.store.offer_upload(&upload).await.map_err(refusal::down)?;
        Ok(OfferedUpload { id, url: url.into(), expires_at_ms, bytes_max: self.settings.upload_bytes_max })
    }

    /// Takes the file of a place. If it breaks off, the place can be used again until it expires.
    pub async fn take_upload<S, E>(&self, id: &UploadId, key: &str, stream: S) -> Result<File, Refusal>
    where
        S: Stream<Item = Result<Bytes, E>> + Send,
        E: Display,
    {
        let upload = self.claim(id, key).await?;
        let claimed = ClaimedUpload::new(&self.store, &self.releases, id);
        let put = self.blobs.put_stream(stream, self.settings.upload_bytes_max).await?;
        let Upload { name, owner, session, run, .. } = upload;
        let doer = Actor { principal: owner.clone(), session: Some(session), run, call: None };
        let file = self.keep_file(put, name, owner, &doer).await?;
        claimed.keep();
        if let Err(error) = self.store.finish_upload(id, &file.id).await {
            // The place stays claimed, so it cannot be used either.
            tracing::warn!(%error, %id, "an upload is there, and its place is not closed");
        }
        Ok(file)
    }

    async fn claim(&self, id: &UploadId, key: &str) -> Result<Upload, Refusal> {
        let unknown = || unknown(UnknownContent::Upload, id.as_str());
        let upload = self.store.upload(id).await.map_err(refusal::down)?.ok_or_else(unknown)?;
        // Before the claim: a wrong key must not use the place up.
        if Digest::of(key) != upload.secret_digest {
            return Err(unknown());
        }
        match self.store.claim_upload(id, self.clock.now_ms()).await.map_err(refusal::down)? {
            UploadClaim::Ready(upload) => Ok(upload),
            UploadClaim::Used => Err(refusal::upload_used(id)),
            UploadClaim::Expired => Err(refusal::upload_expired(id)),
            UploadClaim::Unknown => Err(unknown()),
        }
    }
}

/// A place that is released unless its file was stored, even if the uploader leaves.
struct ClaimedUpload<'a> {
    store: &'a Store,
    releases: &'a TaskTracker,
    id: Option<UploadId>,
}

impl<'a> ClaimedUpload<'a> {
    fn new(store: &'a Store, releases: &'a TaskTracker, id: &UploadId) -> Self {
        Self { store, releases, id: Some(id.clone()) }
    }

    fn keep(mut self) {
        self.id = None;
    }
}

impl Drop for ClaimedUpload<'_> {
    fn drop(&mut self) {
        let Some(id) = self.id.take() else { return };
        let store = self.store.clone();
        let releasing = async move {
            if let Err(error) = store.release_upload(&id).await {
                tracing::warn!(%error, %id, "the place of an upload that broke off cannot be used again");
            }
        };
        if tokio::runtime::Handle::try_current().is_ok() {
            self.releases.spawn(releasing);
        }
    }
}
