//! The metadata of the identity provider: asked for when a login needs it, and kept. Anybody may begin a login, so beginning many
//! asks the provider no more often.

use std::sync::Arc;

use serde_json::Value;
use tokio::sync::Mutex;
use toolgate_core::governance::Clock;

use crate::outbound::OutboundClient;

pub(super) const METADATA: &str = "/.well-known/openid-configuration";
/// The time for which addresses are kept.
pub(super) const KEPT_US: i64 = 5 * 60 * 1_000_000;
/// The time for which a failure is kept. A provider that is back is used soon.
pub(super) const FAILURE_KEPT_US: i64 = 3 * 1_000_000;

/// Where people log in, and where their codes become tokens.
#[derive(Clone)]
pub(super) struct ProviderAddresses {
    pub(super) authorization: String,
    pub(super) token: String,
}

pub(super) struct ProviderMetadata {
    issuer: String,
    outbound: OutboundClient,
    clock: Arc<dyn Clock>,
    /// Locked while the provider is asked: other logins wait for the same answer.
    kept: Mutex<Option<KeptMetadata>>,
}

/// What the provider said last, or why nothing is known.
struct KeptMetadata {
    found: Result<ProviderAddresses, String>,
    until_us: i64,
}

impl ProviderMetadata {
    pub(super) fn new(issuer: &str, outbound: &OutboundClient, clock: Arc<dyn Clock>) -> Self {
        Self { issuer: issuer.to_owned(), outbound: outbound.clone(), clock, kept: Mutex::default() }
    }

    pub(super) async fn addresses(&self) -> Result<ProviderAddresses, String> {
        let mut kept = self.kept.lock().await;
        let now_us = self.clock.monotonic_us();
        if let Some(fresh) = kept.as_ref().filter(|kept| now_us < kept.until_us) {
            return fresh.found.clone();
        }
        let found = self.fetch().await;
        let time_us = if found.is_ok() { KEPT_US } else { FAILURE_KEPT_US };
        let until_us = self.clock.monotonic_us().saturating_add(time_us);
        *kept = Some(KeptMetadata { found: found.clone(), until_us });
        found
    }

    /// The next login asks the provider. A failure stays for its time.
    pub(super) async fn forget(&self) {
        let mut kept = self.kept.lock().await;
        if kept.as_ref().is_some_and(|kept| kept.found.is_ok()) {
            *kept = None;
        }
    }

    async fn fetch(&self) -> Result<ProviderAddresses, String> {
        let url = format!("{}{METADATA}", self.issuer.trim_end_matches('/'));
        let answer = self.outbound.get(&url).await;
        let answer =
            answer.map_err(|error| format!("the identity provider {url} cannot be reached: {error}"))?;
        if !answer.status().is_success() {
            return Err(format!("the identity provider {url} answered HTTP {}", answer.status().as_u16()));
        }
        let metadata: Value = serde_json::from_slice(answer.body()).unwrap_or_default();
        let text = |name: &str| metadata[name].as_str().map(str::to_owned);
        if text("issuer").as_deref() != Some(&self.issuer) {
            return Err(format!("{url} is the metadata of another issuer than the configured one"));
        }
        match (text("authorization_endpoint"), text("token_endpoint")) {
            (Some(authorization), Some(token)) => Ok(ProviderAddresses { authorization, token }),
            _ => Err(format!("{url} names no endpoints to log in at")),
        }
    }
}
