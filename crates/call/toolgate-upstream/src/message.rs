//! A message on its way to a server: a text, and content that is inserted while it is written.
//!
//! Nearly every message is only a text, which costs nothing extra. One with inserts is never held as a whole:
//! it is written piece by piece, and the writer takes the next piece when the one before has been sent.

mod pieces;
mod reading;

use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;

use bytes::Bytes;
use parking_lot::Mutex;
use toolgate_core::port::{SourceError, TextInsert, TextSource};

pub(crate) use pieces::{MessagePiece, PieceStream};
use reading::InsertReader;

/// Can be written any number of times; each time its sources are opened again.
#[derive(Clone)]
pub(crate) struct OutgoingMessage {
    text: Bytes,
    inserts: Option<Arc<MessageInserts>>,
}

impl OutgoingMessage {
    /// `params_at` is the start of the parameters in `text`; the positions of the inserts are relative to it.
    pub(crate) fn new(text: String, params_at: usize, inserts: &[TextInsert]) -> Self {
        let inserts = (!inserts.is_empty()).then(|| Arc::new(MessageInserts::new(params_at, inserts)));
        Self { text: text.into(), inserts }
    }

    /// The text without the inserts.
    pub(crate) fn text(&self) -> &Bytes {
        &self.text
    }

    pub(crate) fn into_text(self) -> Bytes {
        self.text
    }

    pub(crate) fn inserts(&self) -> Option<&Arc<MessageInserts>> {
        self.inserts.as_ref()
    }
}

impl From<String> for OutgoingMessage {
    fn from(text: String) -> Self {
        Bytes::from(text).into()
    }
}

impl From<Bytes> for OutgoingMessage {
    fn from(text: Bytes) -> Self {
        Self { text, inserts: None }
    }
}

/// The inserts of one message, and the progress of its writing.
pub(crate) struct MessageInserts {
    /// In the order of their positions in the text.
    places: Vec<InsertPosition>,
    /// The first of them, if it was opened before the writing began.
    begun: Mutex<Option<InsertReader>>,
    progress: Mutex<WriteProgress>,
}

struct InsertPosition {
    /// Counted from the start of the text.
    at: usize,
    source: Arc<dyn TextSource>,
    /// The size that the source announced when the message was made.
    bytes: u64,
}

/// `Writing ↔ Reading → Whole | Broken`, and from the start when the message is written again. `Abandoned` is for ever.
#[derive(Clone, Debug)]
enum WriteProgress {
    /// The connection is to take the next piece, or the writing has not begun.
    Writing,
    /// The next piece has not arrived from its source yet.
    Reading,
    /// A source broke off, so the message did.
    Broken(SourceError),
    /// The last piece was handed out: the server may get the whole message.
    Whole,
    /// The caller has given up, and the server does not have the whole message and never will.
    Abandoned,
}

/// The possibility that a server got the whole message.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum SentState {
    Whole,
    /// It has not, and cannot have run anything.
    Partly,
    /// It has not, for this reason.
    Broken(SourceError),
}

impl InsertPosition {
    fn open(&self) -> InsertReader {
        InsertReader::new(self.source.open(), self.bytes)
    }
}

impl MessageInserts {
    fn new(params_at: usize, inserts: &[TextInsert]) -> Self {
        debug_assert!(
            inserts.is_sorted_by_key(|insert| insert.at),
            "inserts come in the order of their places"
        );
        let place = |TextInsert { at, source }: &TextInsert| InsertPosition {
            at: params_at + at,
            bytes: source.bytes(),
            source: source.clone(),
        };
        let places = inserts.iter().map(place).collect();
        Self { places, begun: Mutex::default(), progress: Mutex::new(WriteProgress::Writing) }
    }

    /// Opens the first source and waits for its first piece. An unreadable source is detected before anything
    /// has been written, and no other user of the connection waits for storage.
    pub(crate) async fn begin(&self) -> Result<(), SourceError> {
        if self.begun.lock().is_some() {
            return Ok(());
        }
        let mut first = self.places[0].open();
        let peeked = poll_fn(|cx| self.watched(first.poll_peek(cx))).await;
        peeked.inspect_err(|error| self.broke(error))?;
        *self.begun.lock() = Some(first);
        Ok(())
    }

    /// Notes whether it is the source that is waited for.
    fn watched<T>(&self, polled: Poll<T>) -> Poll<T> {
        self.become_unless_abandoned(if polled.is_pending() {
            WriteProgress::Reading
        } else {
            WriteProgress::Writing
        });
        polled
    }

    fn open(&self, place: usize) -> InsertReader {
        let begun = if place == 0 { self.begun.lock().take() } else { None };
        begun.unwrap_or_else(|| self.places[place].open())
    }

    fn broke(&self, error: &SourceError) {
        self.become_unless_abandoned(WriteProgress::Broken(error.clone()));
    }

    /// The last piece is about to be handed out; `false` if it must not be any more.
    fn is_whole_now(&self) -> bool {
        self.become_unless_abandoned(WriteProgress::Whole)
    }

    fn become_unless_abandoned(&self, next: WriteProgress) -> bool {
        let mut progress = self.progress.lock();
        if matches!(*progress, WriteProgress::Abandoned) {
            return false;
        }
        *progress = next;
        true
    }

    /// Ensures that a server without the whole message never gets it. `false` if it is too late for that.
    pub(crate) fn abandon(&self) -> bool {
        let mut progress = self.progress.lock();
        if matches!(*progress, WriteProgress::Whole) {
            return false;
        }
        *progress = WriteProgress::Abandoned;
        true
    }

    pub(crate) fn sent(&self) -> SentState {
        match &*self.progress.lock() {
            WriteProgress::Whole => SentState::Whole,
            WriteProgress::Broken(error) => SentState::Broken(error.clone()),
            WriteProgress::Writing | WriteProgress::Reading | WriteProgress::Abandoned => SentState::Partly,
        }
    }

    /// True if the wait is for a source.
    pub(crate) fn awaits_source(&self) -> bool {
        matches!(*self.progress.lock(), WriteProgress::Reading)
    }
}

#[cfg(test)]
mod tests;
