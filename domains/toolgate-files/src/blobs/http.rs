//! HTTP towards an S3 storage: the gateway's own TLS, a limit on silence, no redirects.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody, HttpResponse,
    HttpResponseBody, HttpService,
};
use tokio::time::Sleep;
use toolgate_core::egress::Egress;
use toolgate_outbound::{BadEgress, Pool, Scheme, connector_anywhere, pool};

use super::trouble;

/// Makes the one client of a storage.
#[derive(Debug)]
pub(super) struct StorageConnector(StorageClient);

#[derive(Clone, Debug)]
struct StorageClient {
    pool: Pool<HttpRequestBody>,
    silence_max: Duration,
}

impl StorageConnector {
    pub(super) fn new(
        scheme: Scheme,
        egress: &Arc<Egress>,
        silence_max: Duration,
    ) -> Result<Self, BadEgress> {
        Ok(Self(StorageClient { pool: pool(connector_anywhere(scheme, egress)?), silence_max }))
    }
}

impl HttpConnector for StorageConnector {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.0.clone()))
    }
}

#[async_trait::async_trait]
impl HttpService for StorageClient {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        trouble::count_try();
        let answered = tokio::time::timeout(self.silence_max, self.pool.request(request)).await;
        let response = answered.map_err(silent)?;
        let response = response.map_err(|error| {
            let kind = if error.is_connect() { HttpErrorKind::Connect } else { HttpErrorKind::Interrupted };
            HttpError::new(kind, error)
        })?;
        trouble::note_status(response.status());
        let body = |body| HttpResponseBody::new(TimedBody::new(body, self.silence_max));
        Ok(response.map(body))
    }
}

fn silent(elapsed: tokio::time::error::Elapsed) -> HttpError {
    HttpError::new(HttpErrorKind::Timeout, elapsed)
}

/// A body with a maximum silence, as long as there is a reader.
struct TimedBody {
    body: Incoming,
    silence_max: Duration,
    /// The timer since the reader began to wait for the next piece; `None` while it does something else.
    silence: Option<Pin<Box<Sleep>>>,
}

impl TimedBody {
    fn new(body: Incoming, silence_max: Duration) -> Self {
        Self { body, silence_max, silence: None }
    }
}

impl Body for TimedBody {
    type Data = Bytes;
    type Error = HttpError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, HttpError>>> {
        let this = &mut *self;
        match Pin::new(&mut this.body).poll_frame(cx) {
            Poll::Ready(frame) => {
                this.silence = None;
                Poll::Ready(frame.map(|frame| frame.map_err(cut_off)))
            }
            Poll::Pending => {
                let begin = || Box::pin(tokio::time::sleep(this.silence_max));
                let silence = this.silence.get_or_insert_with(begin);
                silence.as_mut().poll(cx).map(|()| Some(Err(too_slow())))
            }
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

fn cut_off(error: hyper::Error) -> HttpError {
    HttpError::new(HttpErrorKind::Interrupted, error)
}

fn too_slow() -> HttpError {
    HttpError::new(HttpErrorKind::Timeout, std::io::Error::from(std::io::ErrorKind::TimedOut))
}
