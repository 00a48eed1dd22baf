//! Files of checkpoints: what they say, and what is noticed when they were changed.

use proptest::prelude::*;

use super::*;

fn key(name: &str, seed: u8) -> CheckpointKey {
    CheckpointKey::from_seed(name, [seed; 32]).unwrap()
}

fn tree_of(stream: &str, size: u64) -> StreamRoot {
    StreamRoot { stream: stream.to_owned(), size, root: Digest::of(stream) }
}

fn checkpoint(streams: &[&str]) -> LedgerCheckpoint {
    let streams = (1..).zip(streams).map(|(size, stream)| tree_of(stream, size)).collect();
    LedgerCheckpoint { store: "0123456789abcdef".into(), at_ms: 1_767_225_600_000, streams }
}

fn signed(checkpoint: &LedgerCheckpoint, key: &CheckpointKey) -> String {
    LedgerCheckpoint::file(&checkpoint.sign(key).unwrap())
}

#[test]
fn a_note_has_the_form_of_the_standard() {
    let key = key("example.com/ledger", 1);
    let file = signed(&checkpoint(&["gateway"]), &key);
    let lines: Vec<&str> = file.lines().collect();
    let root = encoded(Digest::of("gateway"));
    assert_eq!(lines[..3], ["example.com/ledger/gateway", "1", root.as_str()]);
    assert_eq!(lines[3], "store 0123456789abcdef");
    assert!(lines[4].starts_with("streams 1 "), "{file}");
    assert_eq!(lines[5..7], ["time 2026-01-01T00:00:00.000Z", ""]);
    assert!(lines[7].starts_with("— example.com/ledger "), "{file}");
    assert_eq!(lines.len(), 8);
}

#[test]
fn a_file_says_what_was_signed() {
    let (old, new) = (key("ledger", 1), key("ledger", 2));
    let keys = [new.public().clone(), old.public().clone()];
    let checkpoint = checkpoint(&["cli", "gate-1", "gate-2"]);
    for key in [&old, &new] {
        assert_eq!(LedgerCheckpoint::open(&signed(&checkpoint, key), &keys), Ok(checkpoint.clone()));
    }
    let other = signed(&checkpoint, &key("ledger", 3));
    let refused = LedgerCheckpoint::open(&other, &keys);
    assert!(matches!(refused, Err(BadCheckpoint::Note(BadNote::OtherKeys(_)))), "{refused:?}");
}

#[test]
fn a_note_that_was_left_out_or_repeated_is_noticed() {
    let key = key("ledger", 1);
    let keys = [key.public().clone()];
    let notes = checkpoint(&["a", "b", "c"]).sign(&key).unwrap();
    let open = |notes: &[SignedNote]| LedgerCheckpoint::open(&LedgerCheckpoint::file(notes), &keys);
    let [a, b, c] = [0, 1, 2].map(|at| notes[at].clone());
    for notes in [vec![a.clone(), b.clone()], vec![c.clone()], vec![a.clone(), a.clone(), c.clone()]] {
        let refused = open(&notes);
        assert!(matches!(refused, Err(BadCheckpoint::Incomplete { expected: 3, .. })), "{refused:?}");
    }
    let later = LedgerCheckpoint { at_ms: 1, ..checkpoint(&["a", "b", "c"]) }.sign(&key).unwrap();
    assert_eq!(open(&[a, b, later[2].clone()]), Err(BadCheckpoint::Mixed));
    assert_eq!(LedgerCheckpoint::open("", &keys), Err(BadNote::Form.into()));
}

#[test]
fn a_changed_file_is_refused() {
    let key = key("ledger", 1);
    let keys = [key.public().clone()];
    let file = signed(&checkpoint(&["a", "b"]), &key);
    for (from, to) in [("ledger/b\n2", "ledger/b\n1"), ("ledger/a", "ledger/c"), ("store 0", "store 1")] {
        let changed = file.replace(from, to);
        assert_ne!(changed, file);
        let refused = LedgerCheckpoint::open(&changed, &keys);
        assert!(matches!(refused, Err(BadCheckpoint::Note(BadNote::Signature(_)))), "{refused:?}");
    }
    assert!(LedgerCheckpoint::open(&file[..file.len() / 2], &keys).is_err());
}

#[test]
fn a_signed_text_of_another_kind_is_no_checkpoint() {
    let key = key("ledger", 1);
    let keys = [key.public().clone()];
    let open = |text: &str| SignedStream::open(&SignedNote::sign(text.to_owned(), &key), &keys);
    let text = checkpoint(&["a"]).sign(&key).unwrap()[0].open(&keys).unwrap().0.to_owned();
    assert!(open(&text).is_ok());
    assert_eq!(open("hello\n"), Err(BadCheckpoint::Form));
    for (from, to) in [("\n1\n", "\n01\n"), ("time ", "at "), ("ledger/a", "a"), ("streams 1 ", "streams ")] {
        assert_eq!(open(&text.replace(from, to)), Err(BadCheckpoint::Form), "{to}");
    }
    assert_eq!(open(&format!("{text}more\n")), Err(BadCheckpoint::Form));
    let other = BadCheckpoint::OtherOrigin { origin: "other".into(), key: "ledger".into() };
    assert_eq!(open(&text.replace("ledger/a", "other/a")), Err(other));
}

#[test]
fn what_cannot_be_signed_is_said() {
    let key = key("ledger", 1);
    assert_eq!(checkpoint(&[]).sign(&key), Err(BadCheckpoint::Empty));
    for stream in ["", "a/b", "a\nb"] {
        assert_eq!(checkpoint(&[stream]).sign(&key), Err(BadCheckpoint::Stream(stream.to_owned())));
    }
}

proptest! {
    #[test]
    fn a_changed_byte_never_says_something_else(at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let key = key("ledger", 1);
        let keys = [key.public().clone()];
        let whole = checkpoint(&["a", "b"]);
        let mut text = signed(&whole, &key).into_bytes();
        let at = at.index(text.len());
        text[at] = byte;
        let read = String::from_utf8(text).ok().and_then(|text| LedgerCheckpoint::open(&text, &keys).ok());
        prop_assert!(read.is_none_or(|read| read == whole));
    }
}
