//! The file that proves one call: the lines of its events, and the way from each of them to a signed
//! checkpoint.
//!
//! It proves that the lines were in the ledger when the checkpoint was signed. It does not prove that the
//! call has no further events.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};
use toolgate_core::{Commitment, Digest, Salt};

use crate::checkpoint::{BadCheckpoint, SignedStream, notes_of};
use crate::key::VerifierKey;
use crate::tree;

/// Change it together with the members.
const FORM: &str = "toolgate-call-proof/1";

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum BadProof {
    #[error("it is not a proof of a call: {0}")]
    Form(String),
    #[error("its checkpoint does not hold: {0}")]
    Checkpoint(#[from] BadCheckpoint),
    #[error("event {number} of stream {stream} is not in the tree that the checkpoint signs")]
    NotIncluded { stream: String, number: u64 },
    #[error("it has no event")]
    Empty,
}

/// The proof of one call.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CallProof {
    form: String,
    /// The id of the call. The lines say it too.
    pub call: String,
    pub streams: Vec<ProvenStream>,
}

/// The events of the call in one stream.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProvenStream {
    /// The signed note of the stream.
    pub checkpoint: String,
    pub events: Vec<ProvenEvent>,
}

/// One event, in Base64.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ProvenEvent {
    /// Its number in the stream, from 1.
    pub number: u64,
    /// The bytes that are hashed.
    pub line: String,
    /// The path to the root, lowest first.
    pub path: Vec<String>,
    /// What the digests in the line stand for, as far as it is shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub disclosed: Option<DisclosedBodies>,
}

/// The arguments and the result of an event, and what came in `_meta`.
#[derive(Clone, Default, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DisclosedBodies {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input: Option<DisclosedBody>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<DisclosedBody>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub meta: Option<DisclosedBody>,
}

/// JSON as it was recorded, to the last byte.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct DisclosedBody {
    /// The salt of the commitment. Events of the ledger's first form have plain digests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub salt: Option<Salt>,
    pub body: String,
}

impl DisclosedBody {
    /// True if an event that names the digest means this body.
    pub fn opens(&self, digest: &Digest) -> bool {
        let commitment = Commitment::recorded(*digest);
        match &self.salt {
            Some(salt) => commitment.opens(salt, self.body.as_bytes()),
            None => commitment.is_plain(self.body.as_bytes()),
        }
    }
}

/// A line that is proved.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CheckedLine {
    pub number: u64,
    pub line: Vec<u8>,
    /// Not checked: the digests are in the line.
    pub disclosed: DisclosedBodies,
    pub signed: SignedStream,
}

impl CallProof {
    pub fn new(call: &str, streams: Vec<ProvenStream>) -> Self {
        Self { form: FORM.to_owned(), call: call.to_owned(), streams }
    }

    pub fn parse(text: &str) -> Result<Self, BadProof> {
        let proof: Self = serde_json::from_str(text).map_err(|error| BadProof::Form(error.to_string()))?;
        if proof.form == FORM {
            return Ok(proof);
        }
        Err(BadProof::Form(format!("its form is {:?}, and this program reads {FORM:?}", proof.form)))
    }

    /// The lines, each of which one of the keys vouches for.
    pub fn check(&self, keys: &[VerifierKey]) -> Result<Vec<CheckedLine>, BadProof> {
        let mut lines = Vec::new();
        for stream in &self.streams {
            stream.check(keys, &mut lines)?;
        }
        if lines.is_empty() { Err(BadProof::Empty) } else { Ok(lines) }
    }
}

impl ProvenStream {
    fn check(&self, keys: &[VerifierKey], lines: &mut Vec<CheckedLine>) -> Result<(), BadProof> {
        let notes = notes_of(&self.checkpoint)?;
        let [note] = &notes[..] else {
            return Err(BadProof::Form("a stream has one note as its checkpoint".into()));
        };
        let signed = SignedStream::open(note, keys)?;
        for event in &self.events {
            let line = event.line()?;
            let (stream, number) = (signed.tree.stream.clone(), event.number);
            if event.root(&line, signed.tree.size)? != Some(signed.tree.root) {
                return Err(BadProof::NotIncluded { stream, number });
            }
            let disclosed = event.disclosed.clone().unwrap_or_default();
            lines.push(CheckedLine { number, line, disclosed, signed: signed.clone() });
        }
        Ok(())
    }
}

impl ProvenEvent {
    pub fn new(number: u64, line: &[u8], path: &[Digest]) -> Self {
        let path = path.iter().map(|digest| STANDARD.encode(digest.as_bytes())).collect();
        Self { number, line: STANDARD.encode(line), path, disclosed: None }
    }

    fn line(&self) -> Result<Vec<u8>, BadProof> {
        STANDARD.decode(&self.line).map_err(|error| BadProof::Form(error.to_string()))
    }

    fn root(&self, line: &[u8], size: u64) -> Result<Option<Digest>, BadProof> {
        let decoded = self.path.iter().map(|text| STANDARD.decode(text).ok()?.try_into().ok());
        let path: Option<Vec<[u8; 32]>> = decoded.collect();
        let path = path.ok_or_else(|| BadProof::Form("a path has hashes of 32 bytes".into()))?;
        let path: Vec<Digest> = path.into_iter().map(Digest::from_bytes).collect();
        let Some(index) = self.number.checked_sub(1) else { return Ok(None) };
        Ok(tree::root_of_inclusion(tree::leaf(line), index, size, &path))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::checkpoint::{LedgerCheckpoint, StreamRoot};
    use crate::key::CheckpointKey;
    use crate::stream_tree::StreamTree;

    fn key(seed: u8) -> CheckpointKey {
        CheckpointKey::from_seed("ledger", [seed; 32]).unwrap()
    }

    fn proof() -> CallProof {
        let mut tree = StreamTree::default();
        let lines: Vec<String> = (1..=7).map(|number| format!("line {number}")).collect();
        lines.iter().for_each(|line| tree.push_leaf(tree::leaf(line.as_bytes())));
        let root = StreamRoot { stream: "gateway".into(), size: tree.size(), root: tree.root() };
        let checkpoint = LedgerCheckpoint { store: "ab".into(), at_ms: 0, streams: vec![root] };
        let note = checkpoint.sign(&key(1)).unwrap()[0].to_string();
        let event = |number: u64| {
            let path = tree.inclusion(number - 1).unwrap();
            ProvenEvent::new(number, lines[number as usize - 1].as_bytes(), &path)
        };
        let events = vec![event(3), event(7)];
        CallProof::new("tc_1", vec![ProvenStream { checkpoint: note, events }])
    }

    fn refused(proof: &CallProof) -> BadProof {
        proof.check(&[key(1).public().clone()]).expect_err("it was changed")
    }

    #[test]
    fn a_proof_shows_its_lines_and_who_signed_them() {
        let text = serde_json::to_string(&proof()).unwrap();
        let read = CallProof::parse(&text).unwrap();
        assert_eq!(read, proof());
        let lines = read.check(&[key(2).public().clone(), key(1).public().clone()]).unwrap();
        let shown: Vec<(u64, &[u8])> = lines.iter().map(|one| (one.number, &one.line[..])).collect();
        assert_eq!(shown, [(3, &b"line 3"[..]), (7, b"line 7")]);
        assert_eq!(lines[0].signed.key, *key(1).public());
    }

    #[test]
    fn a_proof_that_was_changed_proves_nothing() {
        let gone = |number| BadProof::NotIncluded { stream: "gateway".into(), number };
        let mut other_line = proof();
        other_line.streams[0].events[0].line = STANDARD.encode("line 4");
        assert_eq!(refused(&other_line), gone(3));
        for number in [0, 1, 4, 8, u64::MAX] {
            let mut other_number = proof();
            other_number.streams[0].events[0].number = number;
            assert_eq!(refused(&other_number), gone(number));
        }
        let mut shorter = proof();
        shorter.streams[0].events[1].path.pop();
        assert_eq!(refused(&shorter), gone(7));
        let mut empty = proof();
        empty.streams[0].events.clear();
        assert_eq!(refused(&empty), BadProof::Empty);
        let mut signed = proof();
        signed.streams[0].checkpoint = signed.streams[0].checkpoint.replace("\n7\n", "\n8\n");
        assert!(matches!(refused(&signed), BadProof::Checkpoint(_)));
        let by_another = proof().check(&[key(2).public().clone()]);
        assert!(matches!(by_another, Err(BadProof::Checkpoint(_))), "{by_another:?}");
    }

    #[test]
    fn what_is_no_proof_is_said_to_be_none() {
        for text in ["", "{}", "[]", r#"{"form":"toolgate-call-proof/2","call":"tc_1","streams":[]}"#] {
            assert!(matches!(CallProof::parse(text), Err(BadProof::Form(_))), "{text}");
        }
        for damage in ["!", "AAAA"] {
            let mut damaged = proof();
            damaged.streams[0].events[0].path[0] = damage.into();
            assert!(matches!(refused(&damaged), BadProof::Form(_)));
        }
        let mut two = proof();
        two.streams[0].checkpoint = format!("{0}\n{0}", two.streams[0].checkpoint);
        assert!(matches!(refused(&two), BadProof::Form(_)));
    }

    proptest! {
        #[test]
        fn a_changed_byte_never_proves_another_line(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
            let mut text = serde_json::to_vec(&proof()).unwrap();
            let at = at.index(text.len());
            text[at] = byte;
            let read = String::from_utf8(text).ok().and_then(|text| CallProof::parse(&text).ok());
            let lines = read.and_then(|proof| proof.check(&[key(1).public().clone()]).ok());
            if let Some(lines) = lines {
                prop_assert_eq!(lines, proof().check(&[key(1).public().clone()]).unwrap());
            }
        }
    }
}
