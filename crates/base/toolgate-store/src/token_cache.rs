//! Verdicts on tokens, cached for less than a second: the door asks on every request and must not wait.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::{Mutex, MutexGuard};
use sha2::{Digest as _, Sha256};
use toolgate_core::scope::Credential;

use crate::clock::now_ms;

pub(crate) type TokenDigest = [u8; 32];

/// The lifetime of a cached verdict: the time for which a token revoked by another process still works.
const TRUSTED: Duration = Duration::from_secs(1);
/// From this age on one caller is sent to ask again, while the others still have the old answer: requests that
/// arrive together never queue up at the database.
const RENEWED: Duration = Duration::from_millis(500);
/// The time for which a failed database is not asked again if the last answer will do.
const OUTAGE: Duration = Duration::from_secs(1);
const GOOD_MAX: usize = 4_096;
const BAD_MAX: usize = 1_024;

/// Good and bad verdicts are bounded apart, so that guessing cannot push out the tokens that work.
#[derive(Default)]
pub struct TokenCache {
    verdicts: Mutex<CachedVerdicts>,
}

#[derive(Default)]
struct CachedVerdicts {
    good: HashMap<TokenDigest, CachedVerdict<KnownToken>>,
    bad: HashMap<TokenDigest, CachedVerdict<()>>,
    /// The time of the last failure of the database.
    outage: Option<Instant>,
}

/// The cached data of a valid token.
pub(crate) struct KnownToken {
    pub(crate) credential: Credential,
    /// Its expiry applies even without the database.
    pub(crate) expires_at_ms: Option<i64>,
}

impl KnownToken {
    fn unless_expired(&self) -> Option<Credential> {
        let expired = self.expires_at_ms.is_some_and(|expires_at_ms| expires_at_ms <= now_ms());
        (!expired).then(|| self.credential.clone())
    }
}

struct CachedVerdict<T> {
    value: T,
    asked: Instant,
    /// A renewal is in progress.
    renewing: bool,
}

pub(crate) fn digest(secret: &str) -> TokenDigest {
    Sha256::digest(secret.as_bytes()).into()
}

impl TokenCache {
    pub(crate) fn check(&self, digest: &TokenDigest) -> Option<Option<Credential>> {
        self.check_at(digest, Instant::now())
    }

    fn check_at(&self, digest: &TokenDigest, now: Instant) -> Option<Option<Credential>> {
        let mut verdicts = self.lock();
        if let Some(verdict) = verdicts.good.get_mut(digest) {
            return verdict.usable(now).then(|| verdict.value.unless_expired());
        }
        let verdict = verdicts.bad.get_mut(digest)?;
        verdict.usable(now).then_some(None)
    }

    /// Caches the answer to a query that was made at `asked`.
    pub(crate) fn keep(&self, digest: TokenDigest, verdict: Option<KnownToken>, asked: Instant) {
        let mut verdicts = self.lock();
        verdicts.outage = None;
        match verdict {
            Some(known) => {
                verdicts.bad.remove(&digest);
                insert(&mut verdicts.good, GOOD_MAX, digest, known, asked);
            }
            None => {
                verdicts.good.remove(&digest);
                insert(&mut verdicts.bad, BAD_MAX, digest, (), asked);
            }
        }
    }

    /// The last positive verdict, however long ago, up to `max_age`.
    pub(crate) fn last_known(&self, digest: &TokenDigest, max_age: Duration) -> Option<Credential> {
        self.lock().last_known(digest, max_age, Instant::now())
    }

    /// The same, if the database failed a moment ago: asking it now would wait for nothing.
    pub(crate) fn last_known_in_an_outage(
        &self,
        digest: &TokenDigest,
        max_age: Duration,
    ) -> Option<Credential> {
        let (verdicts, now) = (self.lock(), Instant::now());
        let failed = verdicts.outage?;
        (now.saturating_duration_since(failed) < OUTAGE)
            .then(|| verdicts.last_known(digest, max_age, now))
            .flatten()
    }

    /// The database did not answer.
    pub(crate) fn outage(&self) {
        self.lock().outage = Some(Instant::now());
    }

    pub(crate) fn clear(&self) {
        *self.lock() = CachedVerdicts::default();
    }

    fn lock(&self) -> MutexGuard<'_, CachedVerdicts> {
        self.verdicts.lock()
    }
}

impl CachedVerdicts {
    fn last_known(&self, digest: &TokenDigest, max_age: Duration, now: Instant) -> Option<Credential> {
        let verdict = self.good.get(digest)?;
        (now.saturating_duration_since(verdict.asked) < max_age).then(|| verdict.value.unless_expired())?
    }
}

impl<T> CachedVerdict<T> {
    fn usable(&mut self, now: Instant) -> bool {
        let age = now.saturating_duration_since(self.asked);
        if age >= TRUSTED {
            return false;
        }
        if age >= RENEWED && !self.renewing {
            self.renewing = true;
            return false;
        }
        true
    }
}

fn insert<T>(
    map: &mut HashMap<TokenDigest, CachedVerdict<T>>,
    max: usize,
    digest: TokenDigest,
    value: T,
    asked: Instant,
) {
    if map.len() >= max && !map.contains_key(&digest) {
        map.retain(|_, verdict| asked.saturating_duration_since(verdict.asked) < TRUSTED);
        if map.len() >= max {
            map.clear();
        }
    }
    map.insert(digest, CachedVerdict { value, asked, renewing: false });
}

#[cfg(test)]
mod tests {
    use toolgate_core::{Principal, PrincipalId, Role};

    use super::*;

    fn credential() -> Credential {
        Credential::of(Principal::new(PrincipalId::new("tok_1"), Role::Agent))
    }

    fn known() -> KnownToken {
        KnownToken { credential: credential(), expires_at_ms: None }
    }

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    #[test]
    fn a_verdict_is_forgotten_after_a_second() {
        let (cache, start) = (TokenCache::default(), Instant::now());
        cache.keep([1; 32], Some(known()), start);
        cache.keep([2; 32], None, start);
        assert_eq!(cache.check_at(&[1; 32], start + ms(499)), Some(Some(credential())));
        assert_eq!(cache.check_at(&[2; 32], start + ms(499)), Some(None));
        assert_eq!(cache.check_at(&[3; 32], start), None);
        for digest in [[1; 32], [2; 32]] {
            assert_eq!(cache.check_at(&digest, start + ms(1000)), None);
        }
    }

    #[test]
    fn one_caller_renews_while_the_others_go_on() {
        let (cache, start) = (TokenCache::default(), Instant::now());
        cache.keep([1; 32], Some(known()), start);
        assert_eq!(cache.check_at(&[1; 32], start + ms(600)), None);
        assert_eq!(cache.check_at(&[1; 32], start + ms(600)), Some(Some(credential())));
        assert_eq!(cache.check_at(&[1; 32], start + ms(999)), Some(Some(credential())));
        cache.keep([1; 32], None, start + ms(600));
        assert_eq!(cache.check_at(&[1; 32], start + ms(999)), Some(None));
    }

    #[test]
    fn a_token_that_expires_ends_also_while_nobody_can_be_asked() {
        let (cache, start) = (TokenCache::default(), Instant::now());
        cache.keep([1; 32], Some(KnownToken { expires_at_ms: Some(now_ms() - 1), ..known() }), start);
        assert_eq!(cache.check_at(&[1; 32], start), Some(None));
        assert_eq!(cache.last_known(&[1; 32], ms(60_000)), None);
        cache.keep([2; 32], Some(KnownToken { expires_at_ms: Some(now_ms() + 60_000), ..known() }), start);
        assert_eq!(cache.check_at(&[2; 32], start), Some(Some(credential())));
    }

    #[test]
    fn guesses_stay_bounded_and_do_not_push_out_good_tokens() {
        let (cache, start) = (TokenCache::default(), Instant::now());
        cache.keep([255; 32], Some(known()), start);
        for guess in 0..5_000_u32 {
            cache.keep(digest(&guess.to_string()), None, start);
        }
        assert!(cache.lock().bad.len() <= BAD_MAX);
        assert_eq!(cache.check_at(&[255; 32], start), Some(Some(credential())));
    }
}
