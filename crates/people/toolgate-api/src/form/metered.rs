//! A body that is not read faster than it is used. The parser of forms takes everything available before it
//! checks any of it, and keeps it all while it searches for a boundary or for the end of headers; so here it
//! gets one piece at a time, and a limited number of bytes before it must have found something.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};

use axum::body::BodyDataStream;
use bytes::Bytes;
use futures_util::{Stream, StreamExt};

/// The number of bytes that may still come.
pub(super) struct ByteMeter(AtomicU64);

impl ByteMeter {
    const UNLIMITED: u64 = u64::MAX;

    pub(super) fn over(body: BodyDataStream) -> (Arc<ByteMeter>, MeteredBody) {
        let meter = Arc::new(ByteMeter(AtomicU64::new(0)));
        (Arc::clone(&meter), MeteredBody { body, meter, is_next: true })
    }

    pub(super) fn limit(&self, bytes: u64) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    pub(super) fn unlimit(&self) {
        self.limit(Self::UNLIMITED);
    }

    fn take(&self, bytes: usize) {
        let left = self.0.load(Ordering::Relaxed);
        if left != Self::UNLIMITED {
            self.limit(left.saturating_sub(u64::try_from(bytes).unwrap_or(u64::MAX)));
        }
    }

    fn is_used_up(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

pub(super) struct MeteredBody {
    body: BodyDataStream,
    meter: Arc<ByteMeter>,
    /// True if a piece may be handed out before other tasks get their turn.
    is_next: bool,
}

impl Stream for MeteredBody {
    type Item = Result<Bytes, Box<dyn std::error::Error + Send + Sync>>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        if !std::mem::replace(&mut self.is_next, true) {
            context.waker().wake_by_ref();
            return Poll::Pending;
        }
        if self.meter.is_used_up() {
            return Poll::Ready(Some(Err("its parts begin with too much that is none of them".into())));
        }
        let piece = std::task::ready!(self.body.poll_next_unpin(context));
        if let Some(Ok(bytes)) = &piece {
            self.meter.take(bytes.len());
            self.is_next = false;
        }
        Poll::Ready(piece.map(|piece| piece.map_err(Into::into)))
    }
}
