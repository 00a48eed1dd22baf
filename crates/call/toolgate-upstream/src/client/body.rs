//! The body of a request: available bytes, or pieces that arrive later.

use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use toolgate_core::port::SourceError;

use crate::message::{Message, Piece, Pieces};

/// Its size is known from the start, so the server is told and does not take half of it for the whole.
pub(super) enum Body {
    /// Empty when it has been handed out.
    Whole(Bytes),
    Pieces(Box<Pieces>),
}

impl From<Message> for Body {
    fn from(message: Message) -> Self {
        match message.inserts().cloned() {
            None => Body::Whole(message.into_text()),
            Some(inserts) => Body::Pieces(Box::new(Pieces::new(message.into_text(), inserts))),
        }
    }
}

impl http_body::Body for Body {
    type Data = Bytes;
    type Error = SourceError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, SourceError>>> {
        let next = match &mut *self {
            Body::Whole(bytes) if bytes.is_empty() => None,
            Body::Whole(bytes) => Some(Ok(std::mem::take(bytes))),
            Body::Pieces(pieces) => ready!(pieces.poll_next(cx)).map(|next| next.map(Piece::into_bytes)),
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

impl Body {
    fn left(&self) -> u64 {
        match self {
            Body::Whole(bytes) => bytes.len() as u64,
            Body::Pieces(pieces) => pieces.bytes_left(),
        }
    }
}
