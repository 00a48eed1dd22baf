//! Values that leave the gateway and come back: sealed ones, which anyone can read and no one can forge, and ids that cannot be guessed.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;
use toolgate_core::Digest;

#[derive(Clone)]
pub(crate) struct Sealer {
    key: [u8; 32],
}

const MAC_BYTES: usize = 16;

impl Sealer {
    pub(crate) fn new(key: [u8; 32]) -> Self {
        Self { key }
    }

    /// `purpose` keeps a value sealed for one use from being taken for another.
    pub(crate) fn seal(&self, purpose: &str, payload: &str) -> String {
        let mut bytes = self.mac(purpose, payload).to_vec();
        bytes.extend_from_slice(payload.as_bytes());
        BASE64_URL_SAFE_NO_PAD.encode(bytes)
    }

    pub(crate) fn open(&self, purpose: &str, sealed: &str) -> Option<String> {
        let bytes = BASE64_URL_SAFE_NO_PAD.decode(sealed).ok()?;
        let (mac, payload) = bytes.split_at_checked(MAC_BYTES)?;
        let payload = std::str::from_utf8(payload).ok()?;
        let expected = self.mac(purpose, payload);
        // Compared without stopping at the first difference, which would tell a forger how far they got.
        let difference = mac.iter().zip(expected).fold(0, |sum, (a, b)| sum | (a ^ b));
        (difference == 0).then(|| payload.to_owned())
    }

    /// A digest that no one but the gateway can read, or the digest again. `beside` is what it is sealed with, and
    /// differs from one to the next.
    pub(crate) fn masked(&self, purpose: &str, beside: &str, digest: Digest) -> Digest {
        let mut bytes = *digest.as_bytes();
        let mask = self.whole_mac(purpose, beside).finalize().into_bytes();
        bytes.iter_mut().zip(mask).for_each(|(byte, mask)| *byte ^= mask);
        Digest::from_bytes(bytes)
    }

    fn mac(&self, purpose: &str, payload: &str) -> [u8; MAC_BYTES] {
        let mut short = [0; MAC_BYTES];
        let whole = self.whole_mac(purpose, payload).finalize().into_bytes();
        short.copy_from_slice(&whole[..MAC_BYTES]);
        short
    }

    fn whole_mac(&self, purpose: &str, payload: &str) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.key).expect("HMAC takes a key of any length");
        mac.update(purpose.as_bytes());
        mac.update(&[0]);
        mac.update(payload.as_bytes());
        mac
    }
}

/// An id that cannot be guessed.
pub(crate) fn random_id() -> String {
    let mut bytes = [0u8; 24];
    getrandom::fill(&mut bytes).expect("the system has randomness");
    BASE64_URL_SAFE_NO_PAD.encode(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_sealed_for_this_use_opens() {
        let sealer = Sealer::new([7; 32]);
        let sealed = sealer.seal("task", "payload");
        assert_eq!(sealer.open("task", &sealed).as_deref(), Some("payload"));
        assert_eq!(sealer.open("state", &sealed), None);
        assert_eq!(Sealer::new([8; 32]).open("task", &sealed), None);
        assert_eq!(sealer.open("task", &format!("{sealed}-TAMPERED")), None);
        assert_eq!(sealer.open("task", ""), None);
    }
}
