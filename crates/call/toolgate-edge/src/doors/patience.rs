//! Bodies of requests that may take their time, but not for ever: a slow sender holds a connection that others need.

use std::error::Error;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http_body::{Body, Frame, SizeHint};
use hyper::body::Incoming;
use tokio::time::{Instant, Sleep};

/// The time within which the first bytes of a body must come.
const GRACE: Duration = Duration::from_secs(10);
/// The bytes that earn a body more time: a file on a slow line takes as long as it takes.
const BYTES_PER_SECOND_MIN: u64 = 4 << 10;

/// A body that ends with an error once its sender has kept us waiting for too long. Time in which no one wanted to read does not
/// count.
pub struct PatientBody {
    inner: Incoming,
    received: u64,
    waited: Duration,
    waiting: Option<ReadTimer>,
}

struct ReadTimer {
    since: Instant,
    limit: Pin<Box<Sleep>>,
}

impl PatientBody {
    pub(crate) fn new(inner: Incoming) -> Self {
        Self { inner, received: 0, waited: Duration::ZERO, waiting: None }
    }

    fn allowed(&self) -> Duration {
        GRACE + Duration::from_millis(self.received.saturating_mul(1_000) / BYTES_PER_SECOND_MIN)
    }

    fn poll_limit(&mut self, context: &mut Context<'_>) -> Poll<io::Error> {
        let left = self.allowed().saturating_sub(self.waited);
        let waiting = self.waiting.get_or_insert_with(|| {
            let since = Instant::now();
            ReadTimer { since, limit: Box::pin(tokio::time::sleep_until(since + left)) }
        });
        waiting.limit.as_mut().poll(context).map(|()| {
            let seconds = (self.waited + waiting.since.elapsed()).as_secs();
            let slow = format!("the body came too slowly: {} bytes in {seconds} s of waiting", self.received);
            io::Error::new(io::ErrorKind::TimedOut, slow)
        })
    }
}

impl Body for PatientBody {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        match Pin::new(&mut self.inner).poll_frame(context) {
            Poll::Pending => self.poll_limit(context).map(|slow| Some(Err(slow.into()))),
            Poll::Ready(frame) => {
                if let Some(waiting) = self.waiting.take() {
                    self.waited += waiting.since.elapsed();
                }
                let data = frame.as_ref().and_then(|frame| frame.as_ref().ok()).and_then(Frame::data_ref);
                self.received += data.map_or(0, |data| data.len() as u64);
                Poll::Ready(frame.map(|frame| frame.map_err(Into::into)))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
