//! The permanent output of runs.

use base64::Engine;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use bytes::Bytes;
use toolgate_core::content::ContentHolder;
use toolgate_core::file::{Artifact, FileName};
use toolgate_core::id::RunId;
use toolgate_core::{Digest, Refusal};
use toolgate_store::{Actor, ArtifactOutcome, StoreArtifactError};

use super::state::Files;
use super::{FoundContent, StoredKind};
use crate::access::ContentAccess;
use crate::refusal::{self, UnknownContent, unknown};

/// With or without padding, as both are common.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// The source of an artifact.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ArtifactSource {
    Text(String),
    Base64(String),
    Bytes {
        bytes: Bytes,
        media_type: String,
    },
    /// Existing bytes: they are used once more, not copied.
    Found(FoundContent),
}

impl FoundContent {
    pub(super) fn artifact(artifact: &Artifact) -> Self {
        Self {
            what: StoredKind::Artifact,
            digest: artifact.digest,
            bytes: artifact.bytes,
            media_type: artifact.media_type.clone(),
            name: Some(artifact.name.clone()),
        }
    }
}

impl Files {
    /// Stores an artifact of the holder's run. Storing the same again changes nothing.
    pub async fn store_artifact(
        &self,
        holder: &ContentHolder,
        name: FileName,
        source: ArtifactSource,
    ) -> Result<Artifact, Refusal> {
        let (digest, bytes, media_type) = self.take_in(source, &name).await?;
        let artifact = Artifact {
            digest,
            name,
            media_type,
            bytes,
            run: holder.run.clone(),
            owner: holder.principal.id.clone(),
            created_at_ms: self.clock.now_ms(),
        };
        match self.books.store_artifact(&artifact, &Actor::of(holder)).await {
            Ok(ArtifactOutcome::New) => Ok(artifact),
            Ok(ArtifactOutcome::Same) => self.first_stored(artifact).await,
            Err(StoreArtifactError::Conflict(existing)) => Err(refusal::artifact_conflict(&existing)),
            Err(StoreArtifactError::Store(error)) => Err(refusal::down(error)),
        }
    }

    /// The artifacts of a run, as far as the caller may see them.
    pub async fn artifacts(&self, access: &ContentAccess<'_>, run: &RunId) -> Result<Vec<Artifact>, Refusal> {
        let mut artifacts = self.store.run_artifacts(run).await.map_err(refusal::down)?;
        artifacts.retain(|one| access.may_see_artifact(one));
        Ok(artifacts)
    }

    /// All names under which the caller may see these bytes, the oldest first.
    pub async fn artifact(
        &self,
        access: &ContentAccess<'_>,
        digest: &Digest,
    ) -> Result<Vec<Artifact>, Refusal> {
        let mut rows = self.store.artifact_rows(digest).await.map_err(refusal::down)?;
        rows.retain(|one| access.may_see_artifact(one));
        if rows.is_empty() { Err(unknown(UnknownContent::Artifact, &digest.to_string())) } else { Ok(rows) }
    }

    /// Stores the bytes of a future artifact.
    pub(super) async fn take_in(
        &self,
        source: ArtifactSource,
        name: &FileName,
    ) -> Result<(Digest, u64, String), Refusal> {
        match source {
            ArtifactSource::Text(text) => self.put_artifact(text.into(), name).await,
            ArtifactSource::Base64(text) => self.put_artifact(decode(&text)?, name).await,
            ArtifactSource::Bytes { bytes, media_type } => {
                let (digest, bytes, _) = self.put_artifact(bytes, name).await?;
                Ok((digest, bytes, media_type))
            }
            ArtifactSource::Found(found) => {
                self.keep_found(&found).await?;
                Ok((found.digest, found.bytes, found.media_type))
            }
        }
    }

    async fn put_artifact(&self, bytes: Bytes, name: &FileName) -> Result<(Digest, u64, String), Refusal> {
        let length = u64::try_from(bytes.len()).expect("a length fits into 64 bits");
        if length > self.settings.upload_bytes_max {
            return Err(refusal::too_large(self.settings.upload_bytes_max));
        }
        let put = self.blobs.put_bytes(bytes).await?;
        let media_type = self.media_type(&put, Some(name)).await;
        Ok((put.digest, put.bytes, media_type))
    }

    /// Protects bytes with a new use from the collector.
    async fn keep_found(&self, found: &FoundContent) -> Result<(), Refusal> {
        let is_kept = self.blobs.keep(found.digest, found.bytes).await?;
        if is_kept { Ok(()) } else { Err(refusal::being_deleted()) }
    }

    /// The artifact as first stored.
    async fn first_stored(&self, artifact: Artifact) -> Result<Artifact, Refusal> {
        let rows = self.store.artifact_rows(&artifact.digest).await.map_err(refusal::down)?;
        let is_same = |one: &Artifact| {
            one.name == artifact.name
                && one.run == artifact.run
                && (one.run.is_some() || one.owner == artifact.owner)
        };
        Ok(rows.into_iter().find(is_same).unwrap_or(artifact))
    }
}

fn decode(text: &str) -> Result<Bytes, Refusal> {
    // Encoders break their lines, and so do those who copy.
    let mut compact = text.as_bytes().to_vec();
    compact.retain(|byte| !byte.is_ascii_whitespace());
    BASE64.decode(compact).map(Bytes::from).map_err(|error| refusal::bad_base64(&error))
}
