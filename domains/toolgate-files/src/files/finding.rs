//! From an id to the bytes that it names.

use std::str::FromStr;

use toolgate_core::file::{FileName, Ref};
use toolgate_core::id::{FileId, RefId};
use toolgate_core::{Digest, Refusal};

use super::kind::StoredKind;
use super::state::Files;
use crate::access::ContentAccess;
use crate::refusal::{self, UnknownContent, unknown};

/// Bytes that the caller may use.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FoundContent {
    pub what: StoredKind,
    pub digest: Digest,
    pub bytes: u64,
    pub media_type: String,
    pub name: Option<FileName>,
}

const DIGEST_PREFIX: &str = "sha256:";

impl Files {
    /// The content of an id: `file_…`, `ref_…` or `sha256:…`. Checks the caller's permission.
    pub async fn resolve(&self, access: &ContentAccess<'_>, id: &str) -> Result<FoundContent, Refusal> {
        if id.starts_with(RefId::PREFIX) {
            return self.resolve_ref(access, &RefId::new(id)).await;
        }
        if id.starts_with(DIGEST_PREFIX) {
            let digest = Digest::from_str(id).map_err(|_| unknown(UnknownContent::Artifact, id))?;
            return self.resolve_artifact(access, &digest).await;
        }
        let file = self.get(access, &FileId::new(id)).await?;
        Ok(FoundContent {
            what: StoredKind::File,
            digest: file.digest,
            bytes: file.bytes,
            media_type: file.media_type,
            name: Some(file.name),
        })
    }

    /// A ref itself, with or without fetched bytes.
    pub async fn reference(&self, access: &ContentAccess<'_>, id: &RefId) -> Result<Ref, Refusal> {
        let found = self.store.get_ref(id).await.map_err(refusal::down)?;
        let is_there = |one: &Ref| one.expires_at_ms > self.clock.now_ms() && access.may_use_ref(one);
        found.filter(is_there).ok_or_else(|| unknown(UnknownContent::Ref, id.as_str()))
    }

    async fn resolve_ref(&self, access: &ContentAccess<'_>, id: &RefId) -> Result<FoundContent, Refusal> {
        let one = self.reference(access, id).await?;
        let digest = one.digest.ok_or_else(|| refusal::not_fetched(&one))?;
        Ok(FoundContent {
            what: StoredKind::Ref,
            digest,
            bytes: one.bytes,
            media_type: one.media_type,
            name: None,
        })
    }

    async fn resolve_artifact(
        &self,
        access: &ContentAccess<'_>,
        digest: &Digest,
    ) -> Result<FoundContent, Refusal> {
        let rows = self.store.artifact_rows(digest).await.map_err(refusal::down)?;
        let Some(artifact) = rows.iter().find(|one| access.may_use_artifact(one)) else {
            let is_known = rows.iter().any(|one| access.may_see_artifact(one));
            return Err(if is_known {
                refusal::not_content(digest)
            } else {
                unknown(UnknownContent::Artifact, &digest.to_string())
            });
        };
        Ok(FoundContent::artifact(artifact))
    }
}
