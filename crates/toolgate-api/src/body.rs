//! The body of an answer as the edge takes it: whole or streaming, and never failing.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;

/// What [`crate::Api::serve`] answers with.
pub type ApiBody = UnsyncBoxBody<Bytes, Infallible>;

pub(crate) fn boxed(body: axum::body::Body) -> ApiBody {
    Unfailing(body).boxed_unsync()
}

/// Our answers are in memory or come from a channel; neither fails. If one did, it would end there.
struct Unfailing(axum::body::Body);

impl Body for Unfailing {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let frame = ready!(Pin::new(&mut self.0).poll_frame(context));
        Poll::Ready(frame.and_then(Result::ok).map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}
