//! The versions of index profiles that count.

use toolgate_core::{Digest, PrincipalId, stop_point};

use super::events;
use crate::books::Books;
use crate::db::without_nul;
use crate::error::doing;
use crate::file::Actor;
use crate::registry::{read_count, stored_count, unreadable};
use crate::row::row;
use crate::{Store, StoreError};

const READ: &str =
    "SELECT name, version, digest, set_by, at_ms FROM index_profiles WHERE tenant = $1 AND name = $2";
const BEGIN: &str = "INSERT INTO index_profiles (tenant, name, version, digest, set_by, at_ms)
    VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT DO NOTHING";
const CHANGE: &str = "UPDATE index_profiles SET version = $4, digest = $5, set_by = $6, at_ms = $7
    WHERE tenant = $1 AND name = $2 AND version = $3";

/// The version of a profile that counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ActiveProfile {
    pub name: String,
    pub version: u64,
    /// Of the profile itself.
    pub digest: Digest,
    pub by: PrincipalId,
    pub at_ms: i64,
}

/// A version that becomes the one that counts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProfilePromotion<'a> {
    pub name: &'a str,
    pub version: u64,
    pub digest: Digest,
    /// The version that had a row when both were compared; it must still be. `None` if there was no row.
    pub active: Option<u64>,
    pub at_ms: i64,
}

#[derive(Debug, thiserror::Error)]
pub enum ProfileChangeError {
    /// Another version counts than was seen, or none.
    #[error("another version of the profile is active now")]
    Stale { active: Option<u64> },
    #[error(transparent)]
    Store(#[from] StoreError),
}

row! {
    struct ProfileRow {
        name: String,
        version: i64,
        digest: Vec<u8>,
        set_by: String,
        at_ms: i64,
    }
}

impl ProfileRow {
    fn read(self, doing: &'static str) -> Result<ActiveProfile, StoreError> {
        let digest = self.digest.as_slice().try_into().map(Digest::from_bytes);
        Ok(ActiveProfile {
            name: self.name,
            version: read_count(self.version),
            digest: digest.map_err(|_| unreadable(doing, "digest of a profile"))?,
            by: PrincipalId::new(&self.set_by),
            at_ms: self.at_ms,
        })
    }
}

impl Store {
    /// The version of a profile that was promoted last. `None` if none was.
    pub async fn active_profile(&self, name: &str) -> Result<Option<ActiveProfile>, StoreError> {
        const DOING: &str = "read the active version of a profile";
        let read = self.db.sql(READ).bind(self.tenant).bind(without_nul(name));
        let row: Option<ProfileRow> = read.fetch_optional().await.map_err(doing(DOING))?;
        row.map(|row| row.read(DOING)).transpose()
    }
}

impl Books {
    /// Makes a version the one that counts.
    pub async fn promote_profile(
        &self,
        promotion: &ProfilePromotion<'_>,
        by: &Actor,
    ) -> Result<ActiveProfile, ProfileChangeError> {
        const DOING: &str = "promote a profile";
        let tenant = self.store().tenant;
        let (name, set_by) = (without_nul(promotion.name), without_nul(by.principal.as_str()));
        let mut tx = self.begin().await.map_err(doing(DOING))?;
        let change = match promotion.active {
            None => tx.sql(BEGIN).bind(tenant).bind(name.as_str()),
            Some(active) => tx.sql(CHANGE).bind(tenant).bind(name.as_str()).bind(stored_count(active)),
        };
        let change = change.bind(stored_count(promotion.version)).bind(&promotion.digest.as_bytes()[..]);
        let change = change.bind(set_by).bind(promotion.at_ms);
        if change.execute().await.map_err(doing(DOING))? == 0 {
            let read = tx.sql(READ).bind(tenant).bind(name.as_str());
            let row: Option<ProfileRow> = read.fetch_optional().await.map_err(doing(DOING))?;
            return Err(ProfileChangeError::Stale { active: row.map(|row| read_count(row.version)) });
        }
        let active = ActiveProfile {
            name,
            version: promotion.version,
            digest: promotion.digest,
            by: by.principal.clone(),
            at_ms: promotion.at_ms,
        };
        stop_point::reach("profile written");
        let event = events::promoted(&active, promotion.active, by);
        self.record(tx, vec![event]).await.map_err(doing(DOING))?;
        Ok(active)
    }
}
