//! Signed notes as C2SP `signed-note` describes them: a text, an empty line, and lines with signatures.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::key::{CheckpointKey, ID_BYTES, VerifierKey};

const DASH: &str = "\u{2014} ";

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadNote {
    #[error("it is not a signed note: a text, an empty line, and lines that begin with `—`")]
    Form,
    #[error("none of the given keys has signed it; it names {0}")]
    OtherKeys(String),
    #[error("the signature of {0} is not right: the text or the signature was changed")]
    Signature(String),
}

/// A text with its signatures, which are not checked yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SignedNote {
    /// It ends with a line end.
    text: String,
    signatures: Vec<NoteSignature>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct NoteSignature {
    name: String,
    id: [u8; ID_BYTES],
    signature: Vec<u8>,
}

impl SignedNote {
    /// Signs a text that ends with a line end and has no empty line.
    pub fn sign(text: String, key: &CheckpointKey) -> Self {
        let signature = key.sign(text.as_bytes());
        let public = key.public();
        let signature = NoteSignature { name: public.name().to_owned(), id: public.id(), signature };
        Self { text, signatures: vec![signature] }
    }

    pub fn parse(note: &str) -> Result<Self, BadNote> {
        let (text, lines) = note.rsplit_once("\n\n").ok_or(BadNote::Form)?;
        let lines = lines.strip_suffix('\n').ok_or(BadNote::Form)?;
        let signatures: Option<Vec<NoteSignature>> = lines.split('\n').map(signature).collect();
        Ok(Self { text: format!("{text}\n"), signatures: signatures.ok_or(BadNote::Form)? })
    }

    /// The text and the first of the keys that has signed it. Signatures of other keys do not count; a wrong
    /// one of a given key does.
    pub fn open<'k>(&self, keys: &'k [VerifierKey]) -> Result<(&str, &'k VerifierKey), BadNote> {
        let mut found = None;
        for one in &self.signatures {
            let Some(key) = keys.iter().find(|key| key.name() == one.name && key.id() == one.id) else {
                continue;
            };
            if !key.has_signed(self.text.as_bytes(), &one.signature) {
                return Err(BadNote::Signature(one.name.clone()));
            }
            found = found.or(Some(key));
        }
        found.map(|key| (self.text.as_str(), key)).ok_or_else(|| BadNote::OtherKeys(self.signers()))
    }

    fn signers(&self) -> String {
        let ids =
            self.signatures.iter().map(|one| format!("{}+{:08x}", one.name, u32::from_be_bytes(one.id)));
        ids.collect::<Vec<_>>().join(", ")
    }
}

impl std::fmt::Display for SignedNote {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        writeln!(f, "{}", self.text)?;
        for one in &self.signatures {
            let encoded = STANDARD.encode([&one.id[..], &one.signature].concat());
            writeln!(f, "{DASH}{} {encoded}", one.name)?;
        }
        Ok(())
    }
}

fn signature(line: &str) -> Option<NoteSignature> {
    let (name, encoded) = line.strip_prefix(DASH)?.split_once(' ')?;
    let decoded = STANDARD.decode(encoded).ok()?;
    let (id, signature) = decoded.split_first_chunk()?;
    Some(NoteSignature { name: name.to_owned(), id: *id, signature: signature.to_vec() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::key::BadKey;

    // From the documentation of Go's package `golang.org/x/mod/sumdb/note`.
    const PUBLIC: &str = "PeterNeumann+c74f20a3+ARpc2QcUPDhMQegwxbzhKqiBfsVkmqq/LDE4izWy10TW";
    const PRIVATE: &str = "PRIVATE+KEY+PeterNeumann+c74f20a3+AYEKFALVFGyNhPJEMzD1QIDr+Y7hfZx09iUvxdXHKDFz";
    const NOTE: &str = "If you think cryptography is the answer to your problem,\n\
         then you don't know what your problem is.\n\n\
         — PeterNeumann x08go/ZJkuBS9UG/SffcvIAQxVBtiFupLLr8pAcElZInNIuGUgYN1FFYC2pZSNXgKvqfqdngotpRZb6KE6RyyBwJnAM=\n";

    fn public() -> VerifierKey {
        PUBLIC.parse().unwrap()
    }

    #[test]
    fn keys_and_signatures_are_those_of_the_reference() {
        let key: CheckpointKey = PRIVATE.parse().unwrap();
        assert_eq!((key.public().to_string(), key.secret_text()), (PUBLIC.to_owned(), PRIVATE.to_owned()));
        let (text, _) = NOTE.split_once("\n\n").unwrap();
        assert_eq!(SignedNote::sign(format!("{text}\n"), &key).to_string(), NOTE);
        let read = SignedNote::parse(NOTE).unwrap();
        assert_eq!(read.open(&[public()]).map(|(text, _)| text.len()), Ok(text.len() + 1));
        assert!(!format!("{key:?}").contains("AYEKFALV"));
    }

    #[test]
    fn a_changed_note_is_refused() {
        let note = SignedNote::parse(&NOTE.replace("answer", "Answer")).unwrap();
        assert_eq!(note.open(&[public()]), Err(BadNote::Signature("PeterNeumann".into())));
        let other = CheckpointKey::from_seed("PeterNeumann", [7; 32]).unwrap();
        let read = SignedNote::parse(NOTE).unwrap();
        assert_eq!(
            read.open(&[other.public().clone()]),
            Err(BadNote::OtherKeys("PeterNeumann+c74f20a3".into()))
        );
        assert!(read.open(&[other.public().clone(), public()]).is_ok(), "an old key stays valid");
    }

    #[test]
    fn what_is_no_note_is_said_to_be_none() {
        for text in ["", "text", "text\n\n", "text\n\nno dash\n", "text\n\n— name\n", NOTE.trim_end()] {
            assert_eq!(SignedNote::parse(text), Err(BadNote::Form), "{text:?}");
        }
    }

    #[test]
    fn what_is_no_key_is_said_to_be_none() {
        assert_eq!(PRIVATE.parse::<VerifierKey>().err(), Some(BadKey::Private));
        assert_eq!(PUBLIC.parse::<CheckpointKey>().err(), Some(BadKey::NoPrivateKey));
        assert_eq!(PUBLIC.replace("c74f", "c74e").parse::<VerifierKey>().err(), Some(BadKey::OtherId));
        assert_eq!(PUBLIC.replace("Peter", "Petra").parse::<VerifierKey>().err(), Some(BadKey::OtherId));
        assert_eq!(PRIVATE.replace("c74f", "c74e").parse::<CheckpointKey>().err(), Some(BadKey::OtherId));
        for text in ["", "a", "a+b", "a+b+!", "a+b+AA=="] {
            assert_eq!(text.parse::<VerifierKey>().err(), Some(BadKey::NoPublicKey), "{text:?}");
        }
        for name in ["", "two words", "a+b", "line\n"] {
            assert_eq!(CheckpointKey::from_seed(name, [1; 32]).err(), Some(BadKey::Name), "{name:?}");
        }
    }
}
