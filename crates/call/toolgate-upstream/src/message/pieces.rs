//! A message with inserts while it is written: text and content in turn.

use std::future::poll_fn;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use toolgate_core::port::SourceError;

use super::{InsertReader, MessageInserts};

pub(crate) enum MessagePiece {
    Text(Bytes),
    /// Part of an insert.
    Content(Bytes),
}

impl MessagePiece {
    pub(crate) fn into_bytes(self) -> Bytes {
        match self {
            MessagePiece::Text(bytes) | MessagePiece::Content(bytes) => bytes,
        }
    }

    fn len(&self) -> usize {
        match self {
            MessagePiece::Text(bytes) | MessagePiece::Content(bytes) => bytes.len(),
        }
    }
}

type NextPiece = Option<Result<MessagePiece, SourceError>>;

pub(crate) struct PieceStream {
    /// The rest of it.
    text: Bytes,
    inserts: Arc<MessageInserts>,
    /// Bytes of the text that were handed out.
    at: usize,
    /// The insert that is read, or comes next.
    place: usize,
    reading: Option<InsertReader>,
    /// Bytes of text and content that were not handed out yet.
    left: u64,
}

impl PieceStream {
    pub(crate) fn new(text: Bytes, inserts: Arc<MessageInserts>) -> Self {
        let content: u64 = inserts.places.iter().map(|place| place.bytes).sum();
        let left = text.len() as u64 + content;
        Self { text, inserts, at: 0, place: 0, reading: None, left }
    }

    pub(crate) fn bytes_left(&self) -> u64 {
        self.left
    }

    /// The amount of text that was handed out.
    pub(crate) fn text_written(&self) -> usize {
        self.at
    }

    pub(crate) async fn next(&mut self) -> NextPiece {
        poll_fn(|cx| self.poll_next(cx)).await
    }

    pub(crate) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<NextPiece> {
        let next = ready!(self.poll_piece(cx)).transpose();
        match &next {
            Ok(piece) => self.left -= piece.as_ref().map_or(0, MessagePiece::len) as u64,
            Err(error) => {
                self.inserts.broke(error);
                self.left = 0;
            }
        }
        Poll::Ready(next.transpose())
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<NextPiece> {
        while self.left > 0 {
            if let Some(reading) = &mut self.reading {
                if let Some(next) = ready!(self.inserts.watched(reading.poll_next(cx))) {
                    return Poll::Ready(Some(next.map(MessagePiece::Content)));
                }
                self.reading = None;
                self.place += 1;
            }
            match self.inserts.places.get(self.place).map(|place| place.at - self.at) {
                Some(0) => self.reading = Some(self.inserts.open(self.place)),
                Some(until) => {
                    self.at += until;
                    return Poll::Ready(Some(Ok(MessagePiece::Text(self.text.split_to(until)))));
                }
                None => return Poll::Ready(Some(self.last().map(MessagePiece::Text))),
            }
        }
        Poll::Ready(None)
    }

    /// The text after the last insert. Without it the message is not valid JSON, so only its receiver can
    /// have the whole.
    fn last(&mut self) -> Result<Bytes, SourceError> {
        if !self.inserts.is_whole_now() {
            return Err(SourceError("the request was given up".into()));
        }
        Ok(std::mem::take(&mut self.text))
    }
}
