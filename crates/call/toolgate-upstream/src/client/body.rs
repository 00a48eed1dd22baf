//! The body of a request: available bytes, or pieces that arrive later.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use toolgate_core::port::SourceError;

use crate::message::{MessagePiece, OutgoingMessage, PieceStream};

/// Its size is known from the start, so the server is told and does not take half of it for the whole.
pub(super) enum OutgoingBody {
    /// Empty when it has been handed out.
    Whole(Bytes),
    Pieces(Box<PieceStream>),
}

impl From<OutgoingMessage> for OutgoingBody {
    fn from(message: OutgoingMessage) -> Self {
        match message.inserts().cloned() {
            None => OutgoingBody::Whole(message.into_text()),
            Some(inserts) => OutgoingBody::Pieces(Box::new(PieceStream::new(message.into_text(), inserts))),
        }
    }
}

impl http_body::Body for OutgoingBody {
    type Data = Bytes;
    type Error = SourceError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, SourceError>>> {
        let next = match &mut *self {
            OutgoingBody::Whole(bytes) if bytes.is_empty() => None,
            OutgoingBody::Whole(bytes) => Some(Ok(std::mem::take(bytes))),
            OutgoingBody::Pieces(pieces) => {
                ready!(pieces.poll_next(cx)).map(|next| next.map(MessagePiece::into_bytes))
            }
        };
        Poll::Ready(next.map(|next| next.map(Frame::data)))
    }

    fn is_end_stream(&self) -> bool {
        self.left() == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left())
    }
}

impl OutgoingBody {
    fn left(&self) -> u64 {
        match self {
            OutgoingBody::Whole(bytes) => bytes.len() as u64,
            OutgoingBody::Pieces(pieces) => pieces.bytes_left(),
        }
    }
}
