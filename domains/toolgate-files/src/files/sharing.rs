//! Artifacts of the whole tenant, which belong to no run; and texts of the gateway's own that are too long for an answer.

use std::fmt::Display;

use bytes::Bytes;
use futures_util::Stream;
use toolgate_core::content::ContentHolder;
use toolgate_core::file::{Artifact, FileName, Ref};
use toolgate_core::id::RefId;
use toolgate_core::{CanonicalName, Digest, Refusal, stop_point};
use toolgate_store::{Actor, StoreArtifactError};

use super::state::{Files, later};
use super::{ArtifactSource, FoundContent, StoredKind};
use crate::refusal::{self, UnknownContent, unknown};

/// An artifact that everyone in the tenant may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SharedArtifact {
    pub artifact: Artifact,
    /// True if the tenant had these bytes as an artifact already; then it has the name and type of that time.
    pub is_duplicate: bool,
}

/// The description of a text that becomes a ref.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LongText<'a> {
    pub tool: &'a str,
    pub media_type: &'a str,
    pub preview: String,
    pub bytes_max: u64,
}

impl Files {
    /// Stores an artifact for the whole tenant.
    pub async fn share_artifact(
        &self,
        by: &Actor,
        name: FileName,
        source: ArtifactSource,
    ) -> Result<SharedArtifact, Refusal> {
        let (digest, bytes, media_type) = self.take_in(source, &name).await?;
        stop_point::reach("blob written");
        if let Some(artifact) = self.find_shared(&digest).await? {
            return Ok(SharedArtifact { artifact, is_duplicate: true });
        }
        let created_at_ms = self.clock.now_ms();
        let owner = by.principal.clone();
        let artifact = Artifact { digest, name, media_type, bytes, run: None, owner, created_at_ms };
        match self.books.store_artifact(&artifact, by).await {
            Ok(_) => Ok(SharedArtifact { artifact, is_duplicate: false }),
            Err(StoreArtifactError::Conflict(existing)) => Err(refusal::artifact_conflict(&existing)),
            Err(StoreArtifactError::Store(error)) => Err(refusal::down(error)),
        }
    }

    /// The artifact of the tenant with these bytes, as it was first stored.
    pub async fn shared_artifact(&self, digest: &Digest) -> Result<Artifact, Refusal> {
        let found = self.find_shared(digest).await?;
        found.ok_or_else(|| unknown(UnknownContent::Artifact, &digest.to_string()))
    }

    async fn find_shared(&self, digest: &Digest) -> Result<Option<Artifact>, Refusal> {
        let rows = self.store.artifact_rows(digest).await.map_err(refusal::down)?;
        Ok(rows.into_iter().find(|one| one.run.is_none()))
    }

    /// Keeps a text as a ref of the caller's session.
    pub async fn keep_text<S, E>(
        &self,
        holder: &ContentHolder,
        text: LongText<'_>,
        stream: S,
    ) -> Result<Ref, Refusal>
    where
        S: Stream<Item = Result<Bytes, E>> + Send,
        E: Display,
    {
        let put = self.blobs.put_stream(stream, text.bytes_max).await?;
        let now_ms = self.clock.now_ms();
        let one = Ref {
            id: RefId::new(self.clock.fresh_id(RefId::PREFIX)),
            media_type: text.media_type.to_owned(),
            bytes: put.bytes,
            digest: Some(put.digest),
            preview: text.preview,
            principal: holder.principal.id.clone(),
            session: holder.session.clone(),
            run: holder.run.clone(),
            call: holder.call.clone(),
            tool: Some(CanonicalName::recorded(text.tool)),
            origin: None,
            created_at_ms: now_ms,
            expires_at_ms: later(now_ms, self.settings.ref_keep),
        };
        self.store.put_ref(&one).await.map_err(refusal::down)?;
        Ok(one)
    }
}

impl FoundContent {
    /// The content of a ref whose bytes are here.
    pub fn of_ref(one: &Ref, name: Option<FileName>) -> Option<Self> {
        let (digest, media_type) = (one.digest?, one.media_type.clone());
        Some(Self { what: StoredKind::Ref, digest, bytes: one.bytes, media_type, name })
    }
}
