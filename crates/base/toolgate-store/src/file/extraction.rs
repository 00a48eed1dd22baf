//! Texts that extractors made of bytes: once for each content and each version of an extractor.

use toolgate_core::Digest;
use toolgate_core::event::Durability;

use super::blob;
use super::shared::read_digest;
use crate::db::without_nul;
use crate::error::doing;
use crate::{Store, StoreError};

const READ: &str = "SELECT text_digest FROM extractions WHERE tenant = $1 AND digest = $2 AND extractor = $3";
const PUT: &str = "INSERT INTO extractions (tenant, digest, extractor, text_digest) VALUES ($1, $2, $3, $4)
    ON CONFLICT (tenant, digest, extractor) DO UPDATE SET text_digest = excluded.text_digest";

impl Store {
    /// The text that an extractor made of bytes. `blob_bytes` returns its length.
    pub async fn extraction(&self, digest: &Digest, extractor: &str) -> Result<Option<Digest>, StoreError> {
        const DOING: &str = "look for an extracted text";
        let read = self.db.sql(READ).bind(self.tenant).bind(&digest.as_bytes()[..]);
        let row: Option<(Vec<u8>,)> =
            read.bind(without_nul(extractor)).fetch_optional().await.map_err(doing(DOING))?;
        row.map(|(text,)| read_digest(&text, DOING)).transpose()
    }

    /// Stores it for as long as the source bytes exist: if they are gone, this is gone too.
    pub async fn put_extraction(
        &self,
        digest: &Digest,
        extractor: &str,
        text_digest: &Digest,
    ) -> Result<(), StoreError> {
        const DOING: &str = "remember an extracted text";
        let mut tx = self.db.begin(Durability::Written).await.map_err(doing(DOING))?;
        if !blob::try_hold(&mut tx, self.tenant, digest).await.map_err(doing(DOING))? {
            return Ok(());
        }
        blob::hold(&mut tx, self.tenant, text_digest, DOING).await?;
        let put = tx.sql(PUT).bind(self.tenant).bind(&digest.as_bytes()[..]);
        let put = put.bind(without_nul(extractor)).bind(&text_digest.as_bytes()[..]);
        put.execute().await.map_err(doing(DOING))?;
        tx.commit().await.map_err(doing(DOING))
    }
}
