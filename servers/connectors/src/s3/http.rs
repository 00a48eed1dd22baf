//! HTTP towards the one server of the bucket: a connection for each request, no redirects, a limit on silence.

use std::cell::Cell;
use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderValue, StatusCode, Uri, header};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse, HttpResponseBody,
    HttpService,
};
use tokio::task::JoinSet;
use tokio::time::Sleep;

use crate::net::ProviderWay;
use crate::patience::within;

/// The slowest way on which an object still gets through.
const BYTES_PER_SECOND_MIN: u64 = 64 << 10;

tokio::task_local! {
    /// The status of the last answer, for the library does not always tell.
    static LAST_STATUS: Cell<Option<StatusCode>>;
}

/// A request that failed, with the server's last status.
#[derive(Debug)]
pub(super) struct BucketFailure {
    pub(super) error: object_store::Error,
    pub(super) status: Option<StatusCode>,
}

/// Uses the bucket, and notes what its server says.
pub(super) async fn noted<T>(
    work: impl Future<Output = object_store::Result<T>>,
) -> Result<T, BucketFailure> {
    let noting = async {
        let done = work.await;
        done.map_err(|error| BucketFailure { error, status: LAST_STATUS.with(Cell::get) })
    };
    LAST_STATUS.scope(Cell::new(None), noting).await
}

/// Makes the client of the bucket.
pub(super) struct BucketConnector(ProviderWay);

#[derive(Clone)]
struct BucketClient(ProviderWay);

impl BucketConnector {
    pub(super) fn new(way: ProviderWay) -> Self {
        Self(way)
    }
}

impl std::fmt::Debug for BucketConnector {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BucketConnector({})", self.0.place)
    }
}

impl std::fmt::Debug for BucketClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "BucketClient({})", self.0.place)
    }
}

impl HttpConnector for BucketConnector {
    fn connect(&self, _options: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(BucketClient(self.0.clone())))
    }
}

#[async_trait::async_trait]
impl HttpService for BucketClient {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let request = self.in_origin_form(request)?;
        let silence_max = self.0.silence_max;
        let wire = self.0.connect().await.map_err(|error| HttpError::new(HttpErrorKind::Connect, error))?;
        let (mut sender, connection) = http1::handshake(TokioIo::new(wire))
            .await
            .map_err(|error| HttpError::new(HttpErrorKind::Connect, error))?;
        let mut driver = JoinSet::new();
        // An error of the connection is one of the request, too.
        driver.spawn(async move { drop(connection.await) });
        let upload = Duration::from_secs(request.body().content_length() as u64 / BYTES_PER_SECOND_MIN);
        let answering = async { sender.send_request(request).await.map_err(io::Error::other) };
        let response = within(silence_max + upload, answering).await.map_err(broken)?;
        LAST_STATUS.try_with(|last| last.set(Some(response.status()))).unwrap_or_default();
        let body =
            |body| HttpResponseBody::new(DrivenBody { body, silence_max, silence: None, _driver: driver });
        Ok(response.map(body))
    }
}

impl BucketClient {
    /// The request as it goes over the connection, which leads to the configured server and nowhere else.
    fn in_origin_form(&self, mut request: HttpRequest) -> Result<HttpRequest, HttpError> {
        let refused = |why: &str| HttpError::new(HttpErrorKind::Request, io::Error::other(why.to_owned()));
        let uri = request.uri().clone();
        let host = uri.host().map(|host| host.trim_matches(['[', ']']));
        if host != Some(self.0.place.host().as_str()) {
            return Err(refused("that is not the configured server"));
        }
        let authority = uri.authority().ok_or_else(|| refused("there is no host"))?;
        let host = HeaderValue::from_str(authority.as_str()).map_err(|_| refused("that is no host"))?;
        request.headers_mut().insert(header::HOST, host);
        let path = uri.path_and_query().map_or("/", |path| path.as_str());
        *request.uri_mut() = path.parse::<Uri>().map_err(|_| refused("that is no path"))?;
        Ok(request)
    }
}

fn broken(error: io::Error) -> HttpError {
    let kind = match error.kind() {
        io::ErrorKind::TimedOut => HttpErrorKind::Timeout,
        _ => HttpErrorKind::Interrupted,
    };
    HttpError::new(kind, error)
}

/// A body, with the task that moves its connection. Both end together.
struct DrivenBody {
    body: Incoming,
    silence_max: Duration,
    /// The timer since the reader began to wait for the next piece.
    silence: Option<Pin<Box<Sleep>>>,
    _driver: JoinSet<()>,
}

impl Body for DrivenBody {
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
                Poll::Ready(frame.map(|frame| frame.map_err(|error| broken(io::Error::other(error)))))
            }
            Poll::Pending => {
                let begin = || Box::pin(tokio::time::sleep(this.silence_max));
                let silence = this.silence.get_or_insert_with(begin);
                let too_slow = || broken(io::Error::from(io::ErrorKind::TimedOut));
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
