//! Content that is made while it is read, and knows how much of it is held.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::task::{Context, Poll};

use bytes::Bytes;
use futures_util::Stream;
use toolgate_core::port::{ServerRequest, SourceError, TextInsert, TextSource, TextStream};

use crate::kit::call_of;

/// The repeated content. Its length has no divisor in common with those of the pieces.
const PATTERN: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=";

/// The behaviour of a source after some bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Then {
    End,
    Fail,
    Hang,
}

#[derive(Debug)]
pub(crate) struct Content {
    announced: u64,
    given: u64,
    then: Then,
    piece: usize,
    pub(crate) tally: Arc<SourceTally>,
}

#[derive(Default, Debug)]
pub(crate) struct SourceTally {
    opened: AtomicUsize,
    given: AtomicU64,
    held: AtomicU64,
    held_max: AtomicU64,
}

impl SourceTally {
    pub(crate) fn opened(&self) -> usize {
        self.opened.load(Ordering::SeqCst)
    }

    /// The total number of bytes from the source.
    pub(crate) fn given(&self) -> u64 {
        self.given.load(Ordering::SeqCst)
    }

    /// The maximum number of bytes from the source that were in memory at once.
    pub(crate) fn held_max(&self) -> u64 {
        self.held_max.load(Ordering::SeqCst)
    }
}

impl Content {
    pub(crate) fn of(bytes: u64) -> Arc<Self> {
        Self::odd(bytes, bytes, Then::End)
    }

    /// Announces one size and yields another number of bytes before it does something else.
    pub(crate) fn odd(announced: u64, given: u64, then: Then) -> Arc<Self> {
        Arc::new(Self { announced, given, then, piece: 64 << 10, tally: Arc::default() })
    }

    /// All of it at once, to compare.
    pub(crate) fn text(&self) -> String {
        let bytes = PATTERN.iter().copied().cycle().take(usize::try_from(self.given).unwrap());
        String::from_utf8(bytes.collect()).unwrap()
    }
}

impl TextSource for Content {
    fn bytes(&self) -> u64 {
        self.announced
    }

    fn open(&self) -> TextStream {
        self.tally.opened.fetch_add(1, Ordering::SeqCst);
        let tally = self.tally.clone();
        Box::pin(Opened { at: 0, end: self.given, then: self.then, piece: self.piece, tally })
    }
}

struct Opened {
    at: u64,
    end: u64,
    then: Then,
    piece: usize,
    tally: Arc<SourceTally>,
}

impl Stream for Opened {
    type Item = Result<Bytes, SourceError>;

    fn poll_next(mut self: Pin<&mut Self>, _cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if self.at == self.end {
            return match self.then {
                Then::End => Poll::Ready(None),
                Then::Fail => Poll::Ready(Some(Err(SourceError("the disk is on fire".into())))),
                Then::Hang => Poll::Pending,
            };
        }
        let length = self.piece.min(usize::try_from(self.end - self.at).unwrap());
        let skipped = usize::try_from(self.at % PATTERN.len() as u64).unwrap();
        let bytes = PATTERN.repeat(length / PATTERN.len() + 2)[skipped..skipped + length].to_vec();
        self.at += length as u64;
        Poll::Ready(Some(Ok(Bytes::from_owner(Held::new(bytes, self.tally.clone())))))
    }
}

/// A piece that reports when it is dropped.
struct Held {
    bytes: Vec<u8>,
    tally: Arc<SourceTally>,
}

impl Held {
    fn new(bytes: Vec<u8>, tally: Arc<SourceTally>) -> Self {
        let length = bytes.len() as u64;
        tally.given.fetch_add(length, Ordering::SeqCst);
        let held = tally.held.fetch_add(length, Ordering::SeqCst) + length;
        tally.held_max.fetch_max(held, Ordering::SeqCst);
        Self { bytes, tally }
    }
}

impl AsRef<[u8]> for Held {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        self.tally.held.fetch_sub(self.bytes.len() as u64, Ordering::SeqCst);
    }
}

/// A call of a tool whose arguments are these, each under its name.
pub(crate) fn call_with(tool: &str, contents: &[(&str, &Arc<Content>)]) -> ServerRequest {
    let mut arguments = "{".to_owned();
    let mut places = Vec::new();
    for (name, content) in contents {
        let comma = if places.is_empty() { "" } else { "," };
        arguments.push_str(&format!("{comma}\"{name}\":\""));
        places.push((arguments.len(), (*content).clone()));
        arguments.push('"');
    }
    arguments.push('}');
    let mut request = call_of(tool, &arguments);
    let start = request.params.len() - arguments.len();
    request.inserts = places.into_iter().map(|(at, source)| TextInsert { at: start + at, source }).collect();
    request
}
