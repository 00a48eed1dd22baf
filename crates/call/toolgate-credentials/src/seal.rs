//! XChaCha20-Poly1305: `format (1) | key id (8) | nonce (24) | ciphertext and tag`. The owner of an entry is
//! sealed with it, so that a row copied over another one cannot be opened.

use chacha20poly1305::aead::{Aead, Payload};
use chacha20poly1305::{Key, KeyInit, XChaCha20Poly1305, XNonce};
use toolgate_core::id::CredentialId;
use toolgate_core::{PrincipalId, ServerName};

use crate::key::{KEY_ID_BYTES, VaultKey};
use crate::secret::Secret;

const FORMAT: u8 = 1;
/// The kinds of places, in front of their parts.
const OF_SERVERS: u8 = 1;
const OF_CREDENTIALS: u8 = 2;
const NONCE_BYTES: usize = 24;
const HEAD_BYTES: usize = 1 + KEY_ID_BYTES + NONCE_BYTES;

/// The owner of a value.
#[derive(Clone, Copy)]
pub(crate) struct SealContext<'p> {
    pub(crate) tenant: &'p str,
    pub(crate) server: &'p ServerName,
    pub(crate) principal: Option<&'p PrincipalId>,
    pub(crate) name: &'p str,
}

/// The owner of a field of a credential. A value whose origin was changed in the database does not open.
#[derive(Clone, Copy)]
pub(crate) struct FieldSealContext<'p> {
    pub(crate) tenant: &'p str,
    pub(crate) id: &'p CredentialId,
    pub(crate) origin: &'p str,
    pub(crate) field: &'p str,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum UnsealError {
    OtherKey,
    /// Changed since it was sealed, or moved here from another place.
    Tampered,
}

/// The place of a value, which is sealed with it.
pub(crate) trait SealPlace {
    /// Every part of it, so that no two places are written the same.
    fn bound(&self) -> Vec<u8>;
}

pub(crate) fn seal(
    key: &VaultKey,
    place: impl SealPlace,
    value: &Secret,
) -> Result<Vec<u8>, getrandom::Error> {
    let mut nonce = [0; NONCE_BYTES];
    getrandom::fill(&mut nonce)?;
    let payload = Payload { msg: value.expose().as_bytes(), aad: &place.bound() };
    let sealed = cipher(key).encrypt(&XNonce::from(nonce), payload);
    let sealed = sealed.expect("a value is far shorter than what the cipher can take");
    Ok([&[FORMAT][..], &key.id(), &nonce, &sealed].concat())
}

pub(crate) fn open(key: &VaultKey, place: impl SealPlace, sealed: &[u8]) -> Result<Secret, UnsealError> {
    let (head, body) = sealed.split_at_checked(HEAD_BYTES).ok_or(UnsealError::Tampered)?;
    let (format, rest) = head.split_at(1);
    let (key_id, nonce) = rest.split_at(KEY_ID_BYTES);
    if format != [FORMAT] {
        return Err(UnsealError::Tampered);
    }
    if key_id != key.id() {
        return Err(UnsealError::OtherKey);
    }
    let nonce = XNonce::try_from(nonce).map_err(|_| UnsealError::Tampered)?;
    let opened = cipher(key).decrypt(&nonce, Payload { msg: body, aad: &place.bound() });
    let opened = opened.map_err(|_| UnsealError::Tampered)?;
    String::from_utf8(opened).map(Secret::new).map_err(|_| UnsealError::Tampered)
}

fn cipher(key: &VaultKey) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&Key::from(*key.bytes()))
}

impl SealPlace for SealContext<'_> {
    fn bound(&self) -> Vec<u8> {
        let whose = self.principal.map_or("everybody", |_| "principal");
        let principal = self.principal.map_or("", PrincipalId::as_str);
        lengths_and_texts(OF_SERVERS, &[self.tenant, self.server.as_str(), whose, principal, self.name])
    }
}

impl SealPlace for FieldSealContext<'_> {
    fn bound(&self) -> Vec<u8> {
        lengths_and_texts(OF_CREDENTIALS, &[self.tenant, self.id.as_str(), self.origin, self.field])
    }
}

fn lengths_and_texts(kind: u8, parts: &[&str]) -> Vec<u8> {
    let mut bound = vec![kind];
    for part in parts {
        bound.extend(u64::try_from(part.len()).expect("a length fits").to_be_bytes());
        bound.extend(part.as_bytes());
    }
    bound
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::{key, server};

    #[test]
    fn what_is_sealed_opens_in_its_own_place_only() {
        let (key, files, mail) = (key("aa"), server("files"), server("mail"));
        let (ann, none) = (PrincipalId::new("ann"), PrincipalId::new(""));
        let home = SealContext { tenant: "t", server: &files, principal: Some(&ann), name: "token" };
        let sealed = seal(&key, home, &Secret::new("hunter2")).unwrap();
        assert_eq!(open(&key, home, &sealed).unwrap().expose(), "hunter2");
        assert!(!sealed.windows(7).any(|part| part == b"hunter2"));
        for moved in [
            SealContext { tenant: "u", ..home },
            SealContext { server: &mail, ..home },
            SealContext { principal: None, ..home },
            SealContext { principal: Some(&none), ..home },
            SealContext { name: "toke", ..home },
        ] {
            assert_eq!(open(&key, moved, &sealed).unwrap_err(), UnsealError::Tampered);
        }
        let everybody = SealContext { principal: None, ..home };
        let sealed = seal(&key, everybody, &Secret::new("x")).unwrap();
        assert_eq!(
            open(&key, SealContext { principal: Some(&none), ..home }, &sealed).unwrap_err(),
            UnsealError::Tampered
        );
    }

    #[test]
    fn a_field_opens_for_its_credential_and_origin_only() {
        let (key, id, other) = (key("aa"), CredentialId::new("cred_1"), CredentialId::new("cred_2"));
        let home = FieldSealContext { tenant: "t", id: &id, origin: "https://a.example", field: "password" };
        let sealed = seal(&key, home, &Secret::new("hunter2")).unwrap();
        assert_eq!(open(&key, home, &sealed).unwrap().expose(), "hunter2");
        for moved in [
            FieldSealContext { tenant: "u", ..home },
            FieldSealContext { id: &other, ..home },
            FieldSealContext { origin: "https://b.example", ..home },
            FieldSealContext { field: "username", ..home },
        ] {
            assert_eq!(open(&key, moved, &sealed).unwrap_err(), UnsealError::Tampered);
        }
    }

    #[test]
    fn no_bit_can_be_changed() {
        let (key, files) = (key("aa"), server("files"));
        let place = SealContext { tenant: "t", server: &files, principal: None, name: "token" };
        let sealed = seal(&key, place, &Secret::new("hunter2")).unwrap();
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(open(&key, place, &changed).is_err(), "byte {at}");
        }
        for short in 0..sealed.len() {
            assert!(open(&key, place, &sealed[..short]).is_err(), "{short} bytes");
        }
    }

    #[test]
    fn another_key_is_told_apart_from_a_changed_entry() {
        let files = server("files");
        let place = SealContext { tenant: "t", server: &files, principal: None, name: "token" };
        let sealed = seal(&key("aa"), place, &Secret::new("hunter2")).unwrap();
        assert_eq!(open(&key("bb"), place, &sealed).unwrap_err(), UnsealError::OtherKey);
    }

    #[test]
    fn the_same_value_is_never_sealed_the_same() {
        let (key, files) = (key("aa"), server("files"));
        let place = SealContext { tenant: "t", server: &files, principal: None, name: "token" };
        let once = seal(&key, place, &Secret::new("x")).unwrap();
        assert_ne!(once, seal(&key, place, &Secret::new("x")).unwrap());
    }
}
