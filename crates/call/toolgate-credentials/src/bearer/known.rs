//! Valid tokens, until they expire: the door asks on every request and must not wait.

use std::collections::HashMap;

use parking_lot::{Mutex, MutexGuard};
use toolgate_core::Principal;

use super::claims::has_expired;
use super::refusal::BearerRefused;

const KNOWN_MAX: usize = 4_096;

type TokenHash = [u8; 32];

#[derive(Default)]
pub(super) struct VerifiedTokens {
    good: Mutex<HashMap<TokenHash, CachedToken>>,
}

struct CachedToken {
    principal: Principal,
    expires: f64,
    /// The version of the issuer's keys that verified it: a withdrawn key invalidates its tokens.
    keys: u64,
}

impl VerifiedTokens {
    pub(super) fn verdict(
        &self,
        digest: &TokenHash,
        keys: u64,
        now: f64,
    ) -> Option<Result<Principal, BearerRefused>> {
        let good = self.lock();
        let known = good.get(digest).filter(|known| known.keys == keys)?;
        if has_expired(known.expires, now) {
            return Some(Err(BearerRefused::invalid("the token has expired")));
        }
        Some(Ok(known.principal.clone()))
    }

    pub(super) fn keep(&self, digest: TokenHash, keys: u64, principal: Principal, expires: f64, now: f64) {
        let mut good = self.lock();
        if good.len() >= KNOWN_MAX {
            good.retain(|_, known| known.keys == keys && !has_expired(known.expires, now));
        }
        if good.len() >= KNOWN_MAX {
            good.clear();
        }
        good.insert(digest, CachedToken { principal, expires, keys });
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<TokenHash, CachedToken>> {
        self.good.lock()
    }
}

#[cfg(test)]
mod tests {
    use toolgate_core::{PrincipalId, Role};

    use super::*;

    fn ann() -> Principal {
        Principal::new(PrincipalId::new("ann"), Role::Agent)
    }

    #[test]
    fn a_known_token_is_good_until_it_expires_or_the_keys_change() {
        let known = VerifiedTokens::default();
        known.keep([1; 32], 7, ann(), 1_000.0, 0.0);
        assert_eq!(known.verdict(&[1; 32], 7, 1_059.0), Some(Ok(ann())));
        assert!(matches!(known.verdict(&[1; 32], 7, 1_060.0), Some(Err(_))));
        assert_eq!(known.verdict(&[1; 32], 8, 500.0), None);
        assert_eq!(known.verdict(&[2; 32], 7, 500.0), None);
    }

    #[test]
    fn what_is_known_is_bounded() {
        let known = VerifiedTokens::default();
        for token in 0..10_000_u32 {
            let mut digest = [0; 32];
            digest[..4].copy_from_slice(&token.to_be_bytes());
            known.keep(digest, 1, ann(), 1_000.0, 0.0);
        }
        assert!(known.lock().len() <= KNOWN_MAX);
    }
}
