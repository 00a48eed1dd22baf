//! One source while it is read, held to its announced size.

use std::task::{Context, Poll, ready};

use bytes::Bytes;
use toolgate_core::port::{SourceError, TextStream};

pub(super) struct InsertReader {
    stream: TextStream,
    announced: u64,
    /// The rest of the announced size.
    left: u64,
    /// A piece that was read in advance.
    peeked: Option<Bytes>,
    is_over: bool,
}

impl InsertReader {
    pub(super) fn new(stream: TextStream, announced: u64) -> Self {
        Self { stream, announced, left: announced, peeked: None, is_over: false }
    }

    /// Waits for the first piece and keeps it.
    pub(super) fn poll_peek(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), SourceError>> {
        self.peeked = ready!(self.poll_piece(cx)).transpose()?;
        Poll::Ready(Ok(()))
    }

    /// The next piece; `None` when the source has ended after exactly its announced size.
    pub(super) fn poll_next(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, SourceError>>> {
        match self.peeked.take() {
            Some(piece) => Poll::Ready(Some(Ok(piece))),
            None => self.poll_piece(cx),
        }
    }

    fn poll_piece(&mut self, cx: &mut Context<'_>) -> Poll<Option<Result<Bytes, SourceError>>> {
        while !self.is_over {
            let next = ready!(self.stream.as_mut().poll_next(cx)).transpose();
            match next.and_then(|piece| self.counted(piece)) {
                Ok(Some(piece)) if piece.is_empty() => {}
                Ok(Some(piece)) => return Poll::Ready(Some(Ok(piece))),
                Ok(None) => self.is_over = true,
                Err(error) => {
                    self.is_over = true;
                    return Poll::Ready(Some(Err(error)));
                }
            }
        }
        Poll::Ready(None)
    }

    /// Too much is as wrong as too little: the size is in front of the request and cannot be changed.
    fn counted(&mut self, piece: Option<Bytes>) -> Result<Option<Bytes>, SourceError> {
        let announced = self.announced;
        match &piece {
            Some(piece) if piece.len() as u64 > self.left => Err(SourceError(format!(
                "the content is larger than the {announced} bytes it was said to have"
            ))),
            Some(piece) => {
                self.left -= piece.len() as u64;
                Ok(())
            }
            None if self.left > 0 => Err(SourceError(format!(
                "the content ended after {} of the {announced} bytes it was said to have",
                announced - self.left
            ))),
            None => Ok(()),
        }
        .map(|()| piece)
    }
}
