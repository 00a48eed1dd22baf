//! The body of an answer as the edge takes it: whole or streaming. A failing body ends early.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use http_body_util::BodyExt;
use http_body_util::combinators::UnsyncBoxBody;

/// The body of answers of [`crate::Api::serve`].
pub type ApiBody = UnsyncBoxBody<Bytes, Infallible>;

/// A body that ends early where it would have failed.
pub fn unfailing(body: axum::body::Body) -> ApiBody {
    UnfailingBody(body).boxed_unsync()
}

/// Content from a storage may break off. Its length was announced, so the reader notices that some is
/// missing.
struct UnfailingBody(axum::body::Body);

impl Body for UnfailingBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let frame = ready!(Pin::new(&mut self.0).poll_frame(context));
        let frame =
            frame.map(|frame| frame.inspect_err(|error| tracing::error!(%error, "an answer broke off")));
        Poll::Ready(frame.and_then(Result::ok).map(Ok))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}
