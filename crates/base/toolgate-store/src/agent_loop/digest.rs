//! Digests of messages. They are salted, so that nobody guesses a short message from the ledger after it was erased.

use serde::{Deserialize, Serialize};
use toolgate_core::Digest;
use toolgate_core::id::RunId;

pub(super) const SALT_BYTES: usize = 16;

/// The number of a message and its digest, as the ledger has them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct NumberedDigest {
    pub(super) number: u64,
    pub(super) digest: Digest,
}

/// The content that a digest is made of.
pub(super) struct DigestedContent<'a> {
    pub(super) run: &'a RunId,
    pub(super) number: u64,
    pub(super) turn: u64,
    pub(super) role: &'a str,
    /// As they are stored.
    pub(super) parts: &'a str,
}

impl DigestedContent<'_> {
    pub(super) fn digest(&self, salt: &[u8]) -> Digest {
        let content = (salt, self.run.as_str(), self.number, self.turn, self.role, self.parts);
        Digest::of(serde_json::to_vec(&content).expect("texts and numbers serialise"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_field_changes_the_digest() {
        let (run, other) = (RunId::new("run_1"), RunId::new("run_2"));
        let content = || DigestedContent { run: &run, number: 1, turn: 2, role: "user", parts: "[]" };
        let all = [
            content(),
            DigestedContent { run: &other, ..content() },
            DigestedContent { number: 2, ..content() },
            DigestedContent { turn: 1, ..content() },
            DigestedContent { role: "tool", ..content() },
            DigestedContent { parts: "[1]", ..content() },
        ];
        let mut digests: Vec<String> = all.iter().map(|one| one.digest(b"salt").to_string()).collect();
        digests.push(content().digest(b"another").to_string());
        digests.sort();
        digests.dedup();
        assert_eq!(digests.len(), 7);
    }
}
