//! The proof that an address was issued by a gateway of this store.

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The purpose of a seal, so that one kind cannot be used as the other.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum SealPurpose {
    Download,
    Upload,
}

impl SealPurpose {
    fn as_str(self) -> &'static str {
        match self {
            SealPurpose::Download => "toolgate download 1",
            SealPurpose::Upload => "toolgate upload 1",
        }
    }
}

pub(crate) struct AddressSeal([u8; 32]);

impl AddressSeal {
    pub(crate) fn new(key: [u8; 32]) -> Self {
        Self(key)
    }

    pub(crate) fn make(&self, purpose: SealPurpose, parts: &[&str]) -> String {
        BASE64_URL_SAFE_NO_PAD.encode(self.mac(purpose, parts).finalize().into_bytes())
    }

    pub(crate) fn fits(&self, purpose: SealPurpose, parts: &[&str], seal: &str) -> bool {
        let Ok(seal) = BASE64_URL_SAFE_NO_PAD.decode(seal) else { return false };
        // Compared in constant time, which tells a forger nothing of how far they got.
        self.mac(purpose, parts).verify_slice(&seal).is_ok()
    }

    /// Each part with its length, so that no two lists of parts look the same.
    fn mac(&self, purpose: SealPurpose, parts: &[&str]) -> Hmac<Sha256> {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes a key of any length");
        for part in std::iter::once(purpose.as_str()).chain(parts.iter().copied()) {
            mac.update(&u64::try_from(part.len()).expect("a length fits into 64 bits").to_be_bytes());
            mac.update(part.as_bytes());
        }
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seal_fits_what_it_was_made_for_and_nothing_else() {
        let seal = AddressSeal::new([7; 32]);
        let made = seal.make(SealPurpose::Download, &["a", "bc"]);
        assert!(seal.fits(SealPurpose::Download, &["a", "bc"], &made));
        assert!(!seal.fits(SealPurpose::Upload, &["a", "bc"], &made));
        assert!(!seal.fits(SealPurpose::Download, &["ab", "c"], &made));
        assert!(!seal.fits(SealPurpose::Download, &["a", "bc", ""], &made));
        assert!(!seal.fits(SealPurpose::Download, &["a", "bc"], &made[1..]));
        assert!(!seal.fits(SealPurpose::Download, &["a", "bc"], ""));
        assert!(!AddressSeal::new([8; 32]).fits(SealPurpose::Download, &["a", "bc"], &made));
    }
}
