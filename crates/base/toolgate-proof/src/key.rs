//! The keys of checkpoints: Ed25519, in the text form of C2SP `signed-note` and Go's `note` package.

use std::fmt;
use std::str::FromStr;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use sha2::{Digest as _, Sha256};

/// The kind of key and signature in notes: Ed25519.
const ALGORITHM: u8 = 1;
const PRIVATE: &str = "PRIVATE+KEY+";
pub(crate) const ID_BYTES: usize = 4;

/// A text that is no key. It never quotes the text, which may be secret.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadKey {
    #[error("it is not a private key of checkpoints, which begins with `PRIVATE+KEY+`")]
    NoPrivateKey,
    #[error("it is a private key, and a public one is wanted: NAME+ID+BASE64")]
    Private,
    #[error("it is not a public key of checkpoints: NAME+ID+BASE64")]
    NoPublicKey,
    #[error("its id does not belong to its name and its bytes")]
    OtherId,
    #[error("the name of a key has no spaces and no `+`, and is not empty")]
    Name,
}

/// The key that signs.
pub struct CheckpointKey {
    pair: Ed25519KeyPair,
    seed: [u8; 32],
    public: VerifierKey,
}

/// The key that checks signatures. It is public.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VerifierKey {
    name: String,
    id: [u8; ID_BYTES],
    bytes: [u8; 32],
}

impl CheckpointKey {
    /// The key of 32 random bytes.
    pub fn from_seed(name: &str, seed: [u8; 32]) -> Result<Self, BadKey> {
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed).map_err(|_| BadKey::NoPrivateKey)?;
        let bytes: &[u8] = pair.public_key().as_ref();
        let bytes = bytes.try_into().map_err(|_| BadKey::NoPrivateKey)?;
        let public = VerifierKey::new(name, bytes)?;
        Ok(Self { pair, seed, public })
    }

    pub fn public(&self) -> &VerifierKey {
        &self.public
    }

    /// The text to keep secret, without a line end.
    pub fn secret_text(&self) -> String {
        let VerifierKey { name, id, .. } = &self.public;
        format!("{PRIVATE}{name}+{}+{}", hex(id), STANDARD.encode(tagged(&self.seed)))
    }

    pub(crate) fn sign(&self, message: &[u8]) -> Vec<u8> {
        self.pair.sign(message).as_ref().to_vec()
    }
}

impl fmt::Debug for CheckpointKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CheckpointKey").field(&self.public).finish()
    }
}

impl FromStr for CheckpointKey {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        let text = text.trim().strip_prefix(PRIVATE).ok_or(BadKey::NoPrivateKey)?;
        let (name, id, seed) = parts(text).ok_or(BadKey::NoPrivateKey)?;
        let key = Self::from_seed(name, seed)?;
        if hex(&key.public.id) == id { Ok(key) } else { Err(BadKey::OtherId) }
    }
}

impl VerifierKey {
    fn new(name: &str, bytes: [u8; 32]) -> Result<Self, BadKey> {
        if !is_name(name) {
            return Err(BadKey::Name);
        }
        let hash =
            Sha256::new().chain_update(name).chain_update([b'\n']).chain_update(tagged(&bytes)).finalize();
        let [a, b, c, d, ..] = <[u8; 32]>::from(hash);
        Ok(Self { name: name.to_owned(), id: [a, b, c, d], bytes })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn id(&self) -> [u8; ID_BYTES] {
        self.id
    }

    pub(crate) fn has_signed(&self, message: &[u8], signature: &[u8]) -> bool {
        UnparsedPublicKey::new(&ED25519, self.bytes).verify(message, signature).is_ok()
    }
}

impl fmt::Display for VerifierKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}+{}+{}", self.name, hex(&self.id), STANDARD.encode(tagged(&self.bytes)))
    }
}

impl FromStr for VerifierKey {
    type Err = BadKey;

    fn from_str(text: &str) -> Result<Self, BadKey> {
        let text = text.trim();
        if text.starts_with(PRIVATE) {
            return Err(BadKey::Private);
        }
        let (name, id, bytes) = parts(text).ok_or(BadKey::NoPublicKey)?;
        let key = Self::new(name, bytes)?;
        if hex(&key.id) == id { Ok(key) } else { Err(BadKey::OtherId) }
    }
}

/// Name, id and bytes.
fn parts(text: &str) -> Option<(&str, &str, [u8; 32])> {
    let (name, rest) = text.split_once('+')?;
    let (id, encoded) = rest.split_once('+')?;
    let decoded = STANDARD.decode(encoded).ok()?;
    let (&ALGORITHM, bytes) = decoded.split_first()? else { return None };
    Some((name, id, bytes.try_into().ok()?))
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.chars().any(|c| c.is_whitespace() || c.is_control() || c == '+')
}

fn tagged(bytes: &[u8; 32]) -> Vec<u8> {
    [&[ALGORITHM], &bytes[..]].concat()
}

fn hex(id: &[u8; ID_BYTES]) -> String {
    format!("{:08x}", u32::from_be_bytes(*id))
}
