//! The pulse of the gateway: the calls of the last hour, minute by minute, and other data of an overview that
//! is too expensive to compute for each request.
//!
//! The hour is read from the ledger once, and from then on only the new events. So a request costs the same
//! on a ledger of any length, and every gateway on the same store reports the same.

mod hour;
mod latency;

use parking_lot::Mutex;
use toolgate_store::{LedgerFault, LedgerVerification, Store, StoreError};

pub(crate) use hour::{MINUTES, OutcomeSums, TrafficEdge, TrafficHour};

/// The maximum age of the hour.
const HOUR_FRESH_US: i64 = 1_000_000;
/// The maximum age of the tokens: counting them takes processor time.
const TOKENS_FRESH_US: i64 = 10_000_000;

#[derive(Default)]
pub(crate) struct GatewayPulse {
    hour: tokio::sync::Mutex<CachedValue<TrafficHour>>,
    tokens: tokio::sync::Mutex<CachedValue<ListTokens>>,
    verification: Mutex<Option<LastVerification>>,
}

#[derive(Default)]
struct CachedValue<T> {
    value: T,
    /// The time of the last update.
    at_us: Option<i64>,
}

impl<T> CachedValue<T> {
    fn is_fresh(&self, now_us: i64, fresh_us: i64) -> bool {
        self.at_us.is_some_and(|at_us| now_us - at_us < fresh_us)
    }
}

/// The cost of the lists of the sessions in use, and the cost if each of them showed every tool.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ListTokens {
    /// The tokens of one list of every tool.
    pub(crate) catalogue: usize,
    pub(crate) sessions: usize,
    pub(crate) listed: usize,
}

/// The result of the last verification of the ledger through this gateway.
#[derive(Clone, Debug)]
pub(crate) struct LastVerification {
    pub(crate) at_ms: i64,
    pub(crate) events: u64,
    pub(crate) fault: Option<LedgerFault>,
}

/// The current time, for people and for measuring.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CurrentTime {
    pub(crate) ms: i64,
    pub(crate) monotonic_us: i64,
}

impl GatewayPulse {
    /// Brings the hour up to date if that is a while ago, and tells of it.
    pub(crate) async fn read_hour<T>(
        &self,
        store: &Store,
        now: CurrentTime,
        tell: impl FnOnce(&TrafficHour) -> T,
    ) -> Result<T, StoreError> {
        let mut kept = self.hour.lock().await;
        if !kept.is_fresh(now.monotonic_us, HOUR_FRESH_US) {
            kept.value.catch_up(store, now.ms).await?;
            kept.at_us = Some(now.monotonic_us);
        }
        Ok(tell(&kept.value))
    }

    /// The tokens of a recent count, or of `count`.
    pub(crate) async fn read_tokens<E>(
        &self,
        now: CurrentTime,
        count: impl Future<Output = Result<ListTokens, E>>,
    ) -> Result<ListTokens, E> {
        let mut kept = self.tokens.lock().await;
        if !kept.is_fresh(now.monotonic_us, TOKENS_FRESH_US) {
            *kept = CachedValue { value: count.await?, at_us: Some(now.monotonic_us) };
        }
        Ok(kept.value)
    }

    pub(crate) fn take_verification(&self, verified: &LedgerVerification, at_ms: i64) {
        let found = LastVerification { at_ms, events: verified.events, fault: verified.fault.clone() };
        *self.verification.lock() = Some(found);
    }

    pub(crate) fn verification(&self) -> Option<LastVerification> {
        self.verification.lock().clone()
    }
}
