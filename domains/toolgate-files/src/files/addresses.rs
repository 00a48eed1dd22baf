//! Temporary addresses that open bytes by themselves.
//!
//! `{public_url}/signed/{files|refs|artifacts}/{sha256:…}?name=…&type=…&expires=…&signature=…`. The signature
//! covers everything except the host, so the bytes, their name and their expiry are those that were issued.

use std::str::FromStr;
use std::time::Duration;

use toolgate_core::file::FileName;
use toolgate_core::{Digest, Refusal};
use url::Url;
use url::form_urlencoded;

use super::state::{Files, later};
use super::{ByteRange, DownloadContent, FoundContent, StoredKind};
use crate::blobs::ShownBytes;
use crate::refusal::{self, UnknownContent, unknown};
use crate::sealing::SealPurpose;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignedAddress {
    pub url: String,
    pub expires_at_ms: i64,
}

impl Files {
    /// An address at the storage itself if it issues them, otherwise one at this gateway.
    pub async fn address(&self, found: &FoundContent, keep: Duration) -> Result<SignedAddress, Refusal> {
        let shown =
            ShownBytes { name: found.name.as_ref().map(FileName::as_str), media_type: &found.media_type };
        let expires_at_ms = later(self.clock.now_ms(), keep);
        match self.blobs.sign(found.digest, keep, &shown).await? {
            Some(url) => Ok(SignedAddress { url: url.into(), expires_at_ms }),
            None => self.gateway_address(found, keep),
        }
    }

    /// An address at this gateway.
    pub fn gateway_address(&self, found: &FoundContent, keep: Duration) -> Result<SignedAddress, Refusal> {
        // Whole seconds, as the address states them.
        let expires = later(self.clock.now_ms(), keep) / 1_000;
        let terms = AddressTerms {
            what: found.what,
            digest: found.digest,
            name: found.name.as_ref().map_or("", FileName::as_str),
            media_type: &found.media_type,
            expires,
        };
        let mut url = self.public_url(&["signed", found.what.as_str(), &found.digest.to_string()])?;
        let signature = terms.with_parts(|parts| self.seal.make(SealPurpose::Download, parts));
        let mut query = url.query_pairs_mut();
        if let Some(name) = &found.name {
            query.append_pair("name", name.as_str());
        }
        query.append_pair("type", &found.media_type).append_pair("expires", &expires.to_string());
        query.append_pair("signature", &signature);
        drop(query);
        Ok(SignedAddress { url: url.into(), expires_at_ms: expires.saturating_mul(1_000) })
    }

    /// The content behind an address of this gateway: its two last steps and its query, as they came.
    pub async fn open_signed(
        &self,
        what: &str,
        digest: &str,
        query: &str,
        range: Option<ByteRange>,
    ) -> Result<DownloadContent, Refusal> {
        let found = self.find_signed(what, digest, query).await?;
        self.open_content(found, range).await
    }

    /// The same, not opened yet.
    pub async fn find_signed(&self, what: &str, digest: &str, query: &str) -> Result<FoundContent, Refusal> {
        let (found, expires) = self.check_signed(what, digest, query).ok_or_else(refusal::bad_address)?;
        if expires.saturating_mul(1_000) <= self.clock.now_ms() {
            return Err(refusal::address_expired());
        }
        let bytes = self.store.blob_bytes(&found.digest).await.map_err(refusal::down)?;
        let bytes = bytes.ok_or_else(|| unknown(UnknownContent::of(found.what), digest))?;
        Ok(FoundContent { bytes, ..found })
    }

    /// The content and the expiry of an address, if it was issued here.
    fn check_signed(&self, what: &str, digest: &str, query: &str) -> Option<(FoundContent, i64)> {
        let (what, digest) = (StoredKind::parse(what)?, Digest::from_str(digest).ok()?);
        let said = |key: &str| form_urlencoded::parse(query.as_bytes()).find(|(found, _)| found == key);
        let (_, media_type) = said("type")?;
        let (_, signature) = said("signature")?;
        let expires = said("expires")?.1.parse().ok()?;
        let name = said("name").map(|(_, name)| name).unwrap_or_default();
        let terms = AddressTerms { what, digest, name: &name, media_type: &media_type, expires };
        if !terms.with_parts(|parts| self.seal.fits(SealPurpose::Download, parts, &signature)) {
            return None;
        }
        let (name, media_type) = (FileName::new(&name).ok(), media_type.into_owned());
        Some((FoundContent { what, digest, bytes: 0, media_type, name }, expires))
    }

    /// An address at this gateway with these steps.
    pub(super) fn public_url(&self, steps: &[&str]) -> Result<Url, Refusal> {
        let base = self.settings.public_url.as_deref().and_then(|url| Url::parse(url).ok());
        let mut url = base.filter(Url::has_host).ok_or_else(refusal::no_public_url)?;
        url.path_segments_mut().expect("an address with a host has a path").pop_if_empty().extend(steps);
        Ok(url)
    }
}

/// The signed terms.
struct AddressTerms<'a> {
    what: StoredKind,
    digest: Digest,
    /// Empty if there is none.
    name: &'a str,
    media_type: &'a str,
    /// Seconds since 1970.
    expires: i64,
}

impl AddressTerms<'_> {
    fn with_parts<T>(&self, use_parts: impl FnOnce(&[&str]) -> T) -> T {
        let (digest, expires) = (self.digest.to_string(), self.expires.to_string());
        use_parts(&[self.what.as_str(), &digest, self.name, self.media_type, &expires])
    }
}
