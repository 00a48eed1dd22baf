//! Credentials that are recognisable by their look: those of well-known issuers, our own tokens, the value
//! after `Bearer`, private keys, passwords in addresses, numbers of payment cards. Only the credential itself
//! is matched, never the text around it.
//!
//! One search for all beginnings at once goes over a text; its matches are then inspected more closely.

mod card;
mod shape;
mod table;

use std::ops::Range;
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, MatchKind};

use shape::CredentialShape;
use table::LOOKS;

pub(crate) use card::CARD;
pub(super) use card::{card_of_number, may_hold_card};

/// Shorter texts contain none of them.
const TEXT_BYTES_MIN: usize = 8;
/// The number of bytes of an address in JSON that are inspected: each character may be written with an
/// escape.
const RAW_ADDRESS_BYTES_MAX: usize = 2 * shape::ADDRESS_BYTES_MAX;
/// The beginnings of an address if JSON escapes its slashes, once or several times.
const ESCAPED_ADDRESSES: [&str; 2] = [":\\/", ":\\\\"];

static STARTS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .match_kind(MatchKind::LeftmostFirst)
        .build(LOOKS.iter().map(|look| look.start))
        .expect("a few short words are far from the automaton's limits")
});

/// One kind of credential.
#[derive(Debug)]
struct CredentialLook {
    /// Its beginning, or the text before it.
    start: &'static str,
    kind: &'static str,
    shape: CredentialShape,
}

/// A credential in a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct SeenCredential {
    pub(crate) place: Range<usize>,
    pub(crate) kind: &'static str,
}

/// Every credential in a text, from its start to its end.
pub(crate) fn credentials(text: &str) -> Vec<SeenCredential> {
    if text.len() < TEXT_BYTES_MIN {
        return Vec::new();
    }
    let mut seen: Vec<SeenCredential> = Vec::new();
    for start in STARTS.find_iter(text) {
        if seen.last().is_some_and(|last| start.start() < last.place.end) {
            continue;
        }
        let look = &LOOKS[start.pattern().as_usize()];
        if let Some(place) = look.shape.at(text, start.start(), look.start) {
            seen.push(SeenCredential { place, kind: look.kind });
        }
    }
    let cards = card::cards(text);
    if !cards.is_empty() {
        seen.extend(cards.into_iter().map(|place| SeenCredential { place, kind: CARD }));
        seen.sort_by_key(|one| one.place.start);
        let mut end = 0;
        seen.retain(|one| {
            one.place.start >= end && {
                end = one.place.end;
                true
            }
        });
    }
    seen
}

/// The names of credentials, each once.
#[cfg(test)]
pub(crate) fn look_kinds() -> impl Iterator<Item = &'static str> {
    let kinds: std::collections::BTreeSet<&str> = LOOKS.iter().map(|look| look.kind).chain([CARD]).collect();
    kinds.into_iter()
}

/// True if a text contains a credential.
pub(crate) fn holds_credential(text: &str) -> bool {
    !credentials(text).is_empty()
}

/// Words of which one occurs, in any case, in every JSON text that has a credential in one of its strings,
/// unless it is written with escapes.
pub(super) fn traces() -> impl Iterator<Item = &'static str> {
    LOOKS.iter().map(|look| look.start).chain(ESCAPED_ADDRESSES)
}

/// True if the trace with this number, found at this position of a JSON text, may belong to a credential.
/// False positives are fine, false negatives are not.
pub(super) fn may_be(json: &str, trace: usize, at: usize) -> bool {
    match LOOKS.get(trace) {
        Some(look) if look.shape != CredentialShape::Address => {
            look.shape.may_be_at(json.as_bytes(), at, look.start)
        }
        _ => {
            let after = json.as_bytes()[at..].iter().take(RAW_ADDRESS_BYTES_MAX);
            after.take_while(|byte| **byte != b' ').any(|byte| *byte == b'@')
        }
    }
}
