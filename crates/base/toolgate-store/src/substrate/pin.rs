//! Pins: manifests that a principal keeps although nothing else leads to them.

use std::sync::Arc;

use serde_json::json;
use toolgate_core::PrincipalId;
use toolgate_core::event::{Event, EventKind, EventSubject};
use toolgate_core::substrate::ManifestDigest;

use super::hold::hold_manifest;
use super::node::read_digest;
use crate::books::Books;
use crate::db::{Transaction, without_nul};
use crate::error::doing;
use crate::file::Actor;
use crate::registry::read_count;
use crate::row::row;
use crate::{Store, StoreError};

/// The most manifests that a principal pins.
pub const PINS_MAX: u64 = 1_000;
/// The most pins of one page.
pub const PINS_PAGE_MAX: u16 = 1_000;

const COUNT: &str = "SELECT COUNT(*) FROM pins WHERE tenant = $1 AND principal = $2";
const INSERT: &str =
    "INSERT INTO pins (tenant, manifest, principal, reason, at_ms) VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (tenant, manifest, principal) DO NOTHING";
const LIST: &str = "SELECT manifest, principal, reason, at_ms FROM pins
    WHERE tenant = $1 AND (manifest, principal) > ($2, $3)
    ORDER BY manifest, principal LIMIT $4";
const LIST_OF: &str = "SELECT manifest, principal, reason, at_ms FROM pins
    WHERE tenant = $1 AND (manifest, principal) > ($2, $3) AND principal = $4
    ORDER BY manifest, principal LIMIT $5";
const DELETE: &str = "DELETE FROM pins WHERE tenant = $1 AND manifest = $2 AND principal = $3";

const PINNING: &str = "pin a manifest";
const UNPINNING: &str = "unpin a manifest";

const LISTING: &str = "list pins";

/// A manifest that someone keeps.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ManifestPin {
    pub manifest: ManifestDigest,
    pub principal: PrincipalId,
    pub reason: String,
    pub at_ms: i64,
}

/// A filter for pins.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PinFilter {
    /// `None` means everyone's.
    pub principal: Option<PrincipalId>,
    /// The last pin of the page before.
    pub after: Option<(ManifestDigest, PrincipalId)>,
}

row! {
    struct PinRow {
        manifest: Vec<u8>,
        principal: String,
        reason: String,
        at_ms: i64,
    }
}

impl PinRow {
    fn read(self) -> Result<ManifestPin, StoreError> {
        Ok(ManifestPin {
            manifest: ManifestDigest::new(read_digest(&self.manifest, LISTING)?),
            principal: PrincipalId::new(&self.principal),
            reason: self.reason,
            at_ms: self.at_ms,
        })
    }
}

impl Store {
    /// A page of pins, in the order of their manifests.
    pub async fn pins(&self, filter: &PinFilter, limit: u16) -> Result<Vec<ManifestPin>, StoreError> {
        let (manifest, principal) = match &filter.after {
            Some((manifest, principal)) => (manifest.as_bytes().to_vec(), without_nul(principal.as_str())),
            None => (Vec::new(), String::new()),
        };
        let text = if filter.principal.is_some() { LIST_OF } else { LIST };
        let mut list = self.db.sql(text).bind(self.tenant).bind(manifest).bind(principal);
        if let Some(principal) = &filter.principal {
            list.push(without_nul(principal.as_str()));
        }
        list.push(i64::from(limit.min(PINS_PAGE_MAX)));
        let rows: Vec<PinRow> = list.fetch_all().await.map_err(doing(LISTING))?;
        rows.into_iter().map(PinRow::read).collect()
    }
}

#[derive(Debug, thiserror::Error)]
pub enum PinError {
    #[error("there is no manifest {0}")]
    UnknownManifest(ManifestDigest),
    #[error("{max} manifests are pinned already", max = PINS_MAX)]
    TooMany,
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Books {
    /// Pins a manifest for this principal. `false` if it was pinned.
    pub async fn pin_manifest(
        &self,
        manifest: &ManifestDigest,
        reason: &str,
        at_ms: i64,
        by: &Actor,
    ) -> Result<bool, PinError> {
        let tenant = self.store().tenant;
        let (digest, principal) = (&manifest.as_bytes()[..], without_nul(by.principal.as_str()));
        let mut tx = self.begin().await.map_err(doing(PINNING))?;
        if !hold_manifest(&mut tx, tenant, digest, at_ms).await.map_err(doing(PINNING))? {
            return Err(PinError::UnknownManifest(*manifest));
        }
        let pins = count(&mut tx, tenant, &principal).await.map_err(doing(PINNING))?;
        let insert = tx.sql(INSERT).bind(tenant).bind(digest).bind(principal.as_str());
        let inserted =
            insert.bind(without_nul(reason)).bind(at_ms).execute().await.map_err(doing(PINNING))?;
        if inserted > 0 && pins >= PINS_MAX {
            return Err(PinError::TooMany);
        }
        // The reason may be anything; the row has it, the ledger has not.
        let detail = json!({ "manifest": manifest });
        let events = match inserted {
            0 => Vec::new(),
            _ => vec![about_pin(EventKind::ManifestPinned, detail, at_ms, by)],
        };
        self.record(tx, events).await.map_err(doing(PINNING))?;
        Ok(inserted > 0)
    }

    /// Removes the pin of a principal. `false` if there was none.
    pub async fn unpin_manifest(
        &self,
        manifest: &ManifestDigest,
        of: &PrincipalId,
        at_ms: i64,
        by: &Actor,
    ) -> Result<bool, StoreError> {
        let tenant = self.store().tenant;
        let mut tx = self.begin().await.map_err(doing(UNPINNING))?;
        let delete = tx.sql(DELETE).bind(tenant).bind(&manifest.as_bytes()[..]);
        let deleted = delete.bind(without_nul(of.as_str())).execute().await;
        let is_gone = deleted.map_err(doing(UNPINNING))? > 0;
        let detail = match *of == by.principal {
            true => json!({ "manifest": manifest }),
            false => json!({ "manifest": manifest, "of": of }),
        };
        let events = match is_gone {
            true => vec![about_pin(EventKind::ManifestUnpinned, detail, at_ms, by)],
            false => Vec::new(),
        };
        self.record(tx, events).await.map_err(doing(UNPINNING))?;
        Ok(is_gone)
    }
}

async fn count(tx: &mut Transaction, tenant: &'static str, principal: &str) -> Result<u64, sqlx::Error> {
    let (count,): (i64,) = tx.sql(COUNT).bind(tenant).bind(principal).fetch_one().await?;
    Ok(read_count(count))
}

fn about_pin(kind: EventKind, detail: serde_json::Value, at_ms: i64, by: &Actor) -> Event {
    let about = EventSubject {
        session: by.session.clone(),
        run: by.run.clone(),
        call: by.call.clone(),
        ..EventSubject::default()
    };
    let mut event = Event::new(kind, at_ms, by.principal.clone(), Arc::new(about));
    event.detail = Some(detail.into());
    event
}
