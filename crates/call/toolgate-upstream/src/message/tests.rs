use std::sync::atomic::{AtomicUsize, Ordering};

use futures_util::stream;
use toolgate_core::port::TextStream;

use super::*;

/// Yields these pieces, and counts how often it is opened.
#[derive(Debug)]
struct Script {
    bytes: u64,
    pieces: Vec<Result<&'static str, &'static str>>,
    opened: AtomicUsize,
}

impl Script {
    fn new(bytes: u64, pieces: &[Result<&'static str, &'static str>]) -> Arc<Self> {
        Arc::new(Self { bytes, pieces: pieces.to_vec(), opened: AtomicUsize::new(0) })
    }
}

impl TextSource for Script {
    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn open(&self) -> TextStream {
        self.opened.fetch_add(1, Ordering::Relaxed);
        let piece = |piece: &Result<&'static str, &'static str>| match piece {
            Ok(text) => Ok(Bytes::from_static(text.as_bytes())),
            Err(reason) => Err(SourceError((*reason).into())),
        };
        Box::pin(stream::iter(self.pieces.iter().map(piece).collect::<Vec<_>>()))
    }
}

/// `<one><two>` with the scripts between the angles, as if the parameters began at the first byte behind the `<`.
fn message(one: &Arc<Script>, two: &Arc<Script>) -> OutgoingMessage {
    let inserts = [TextInsert { at: 0, source: one.clone() }, TextInsert { at: 2, source: two.clone() }];
    OutgoingMessage::new("<><>".into(), 1, &inserts)
}

async fn written(message: &OutgoingMessage) -> (String, Option<String>) {
    let inserts = message.inserts().expect("there are inserts").clone();
    let mut pieces = PieceStream::new(message.text().clone(), inserts);
    let (mut text, announced) = (String::new(), pieces.bytes_left());
    while let Some(piece) = pieces.next().await {
        match piece {
            Ok(piece) => text.push_str(&String::from_utf8_lossy(&piece.into_bytes())),
            Err(error) => return (text, Some(error.0)),
        }
    }
    assert_eq!(text.len() as u64, announced);
    assert_eq!(pieces.bytes_left(), 0);
    (text, None)
}

#[tokio::test]
async fn content_goes_where_it_belongs_each_time() {
    let (one, two) = (Script::new(3, &[Ok("a"), Ok(""), Ok("bc")]), Script::new(0, &[]));
    let message = message(&one, &two);
    for time in 1..=2 {
        assert_eq!(written(&message).await, ("<abc><>".into(), None));
        assert_eq!(one.opened.load(Ordering::Relaxed), time);
        assert_eq!(message.inserts().expect("some").sent(), SentState::Whole);
    }
}

#[tokio::test]
async fn what_was_begun_is_gone_on_with_once() {
    let (one, two) = (Script::new(2, &[Ok("a"), Ok("b")]), Script::new(1, &[Ok("c")]));
    let message = message(&one, &two);
    let inserts = message.inserts().expect("some").clone();
    for _ in 0..2 {
        inserts.begin().await.expect("readable");
    }
    assert_eq!(inserts.sent(), SentState::Partly);
    assert_eq!(written(&message).await, ("<ab><c>".into(), None));
    assert_eq!(one.opened.load(Ordering::Relaxed), 1);
    assert_eq!(written(&message).await, ("<ab><c>".into(), None));
    assert_eq!(one.opened.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_source_that_does_not_keep_its_word_ends_the_message() {
    let empty = Script::new(0, &[]);
    for (bytes, pieces, text, reason) in [
        (3, vec![Ok("ab")], "<ab", "the content ended after 2 of the 3 bytes it was said to have"),
        (3, vec![Ok("ab"), Ok("cd")], "<ab", "the content is larger than the 3 bytes it was said to have"),
        (2, vec![Ok("ab"), Err("another digest")], "<ab", "another digest"),
        (0, vec![Ok("a")], "<", "the content is larger than the 0 bytes it was said to have"),
    ] {
        let message = message(&Script::new(bytes, &pieces), &empty);
        assert_eq!(written(&message).await, (text.into(), Some(reason.into())));
        assert_eq!(message.inserts().expect("some").sent(), SentState::Broken(SourceError(reason.into())));
    }
}

#[tokio::test]
async fn a_source_that_cannot_be_read_shows_before_anything_is_written() {
    let message = message(&Script::new(3, &[Err("gone")]), &Script::new(0, &[]));
    let inserts = message.inserts().expect("some");
    assert_eq!(inserts.begin().await, Err(SourceError("gone".into())));
    assert_eq!(inserts.sent(), SentState::Broken(SourceError("gone".into())));
}

#[tokio::test]
async fn what_is_given_up_never_becomes_whole_and_what_is_whole_is_not_given_up() {
    let (one, two) = (Script::new(1, &[Ok("a")]), Script::new(1, &[Ok("b")]));
    let given_up = message(&one, &two);
    assert!(given_up.inserts().expect("some").abandon());
    assert_eq!(written(&given_up).await, ("<a><b".into(), Some("the request was given up".into())));
    let whole = message(&one, &two);
    assert_eq!(written(&whole).await, ("<a><b>".into(), None));
    assert!(!whole.inserts().expect("some").abandon());
}

#[test]
fn a_message_without_inserts_is_its_text() {
    let message = OutgoingMessage::new("{}".into(), 1, &[]);
    assert!(message.inserts().is_none());
    assert_eq!(message.into_text(), "{}");
}
