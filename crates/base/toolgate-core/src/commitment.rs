//! Commitments: what the ledger says of a body instead of its digest.
//!
//! A commitment is SHA-256 over a fixed text, a random salt and the SHA-256 of the body. Whoever has body and
//! salt can check it; without the salt not even a body of four digits can be guessed from it. The salt lies
//! with the body and is deleted with it, and then the commitment says nothing any more.

use std::fmt;
use std::str::FromStr;

use sha2::{Digest as _, Sha256};

use crate::Digest;

/// Separates commitments from all other hashes.
const CONTEXT: &[u8] = b"toolgate ledger body 2\0";
const DIGITS: &[u8; 16] = b"0123456789abcdef";

/// The random bytes that hide a body. Never in a line of the ledger.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Salt([u8; Salt::BYTES]);

#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("a salt is 32 hexadecimal digits")]
pub struct BadSalt;

impl Salt {
    pub const BYTES: usize = 16;

    /// The bytes must come from a source that cannot be predicted.
    pub const fn from_bytes(bytes: [u8; Salt::BYTES]) -> Self {
        Self(bytes)
    }

    pub fn as_bytes(&self) -> &[u8; Salt::BYTES] {
        &self.0
    }
}

impl fmt::Display for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Logs show no salts.
impl fmt::Debug for Salt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Salt(…)")
    }
}

impl FromStr for Salt {
    type Err = BadSalt;

    fn from_str(text: &str) -> Result<Self, BadSalt> {
        let digits = text.as_bytes();
        let mut bytes = [0; Salt::BYTES];
        if digits.len() != 2 * Salt::BYTES {
            return Err(BadSalt);
        }
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = value(pair[0])? << 4 | value(pair[1])?;
        }
        Ok(Self(bytes))
    }
}

fn value(digit: u8) -> Result<u8, BadSalt> {
    let place = DIGITS.iter().position(|one| *one == digit).ok_or(BadSalt)?;
    u8::try_from(place).map_err(|_| BadSalt)
}

impl serde::Serialize for Salt {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> serde::Deserialize<'de> for Salt {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = std::borrow::Cow::<'de, str>::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

/// `input` and `output` of a recorded event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Commitment(Digest);

impl Commitment {
    /// The commitment to a body with this digest.
    pub fn of(salt: &Salt, body: Digest) -> Self {
        let hash = Sha256::new().chain_update(CONTEXT).chain_update(salt.0).chain_update(body.as_bytes());
        Self(Digest::from_bytes(hash.finalize().into()))
    }

    /// As the ledger has it.
    pub const fn recorded(digest: Digest) -> Self {
        Self(digest)
    }

    pub const fn digest(self) -> Digest {
        self.0
    }

    /// True if this is a commitment to that body.
    pub fn opens(&self, salt: &Salt, body: &[u8]) -> bool {
        *self == Self::of(salt, Digest::of(body))
    }

    /// True if this is the plain digest of that body, as events of the ledger's first form have it.
    pub fn is_plain(&self, body: &[u8]) -> bool {
        self.0 == Digest::of(body)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SALT: Salt = Salt::from_bytes([7; Salt::BYTES]);

    #[test]
    fn a_commitment_opens_with_its_own_salt_and_body_alone() {
        let commitment = Commitment::of(&SALT, Digest::of(b"{\"pin\":\"1234\"}"));
        assert!(commitment.opens(&SALT, b"{\"pin\":\"1234\"}"));
        assert!(!commitment.opens(&SALT, b"{\"pin\":\"1235\"}"));
        assert!(!commitment.opens(&Salt::from_bytes([8; Salt::BYTES]), b"{\"pin\":\"1234\"}"));
        assert!(!commitment.is_plain(b"{\"pin\":\"1234\"}"));
        assert!(Commitment::recorded(Digest::of("{}")).is_plain(b"{}"));
    }

    #[test]
    fn a_commitment_is_made_like_this_for_ever() {
        let mut hashed = b"toolgate ledger body 2\0".to_vec();
        hashed.extend([7; 16]);
        hashed.extend(Digest::of("{}").as_bytes());
        assert_eq!(Commitment::of(&SALT, Digest::of("{}")).digest(), Digest::of(hashed));
    }

    #[test]
    fn a_salt_reads_back_and_is_not_shown_by_accident() {
        assert_eq!(SALT.to_string().parse(), Ok(SALT));
        for bad in ["", "07", &"0".repeat(31), &"0".repeat(33), &"G".repeat(32), &"A".repeat(32)] {
            assert_eq!(bad.parse::<Salt>(), Err(BadSalt), "{bad}");
        }
        assert_eq!(format!("{SALT:?}"), "Salt(…)");
    }
}
