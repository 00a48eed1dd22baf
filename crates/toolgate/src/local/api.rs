//! The REST API for commands: that of the running gateway, through its private socket, or that of the
//! command's own gateway. A user who can open the data folder is the person at the command line.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, anyhow, bail};
use bytes::Bytes;
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{Method, Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::{Body, Incoming};
use hyper::client::conn::http1::{self, SendRequest};
use hyper_util::rt::TokioIo;
use serde_json::Value;
use tokio::task::JoinSet;
use toolgate_api::Api;
use toolgate_core::scope::Credential;
use toolgate_store::Store;
use url::{Position, Url};

use super::stream::{PassedBytes, StreamFailure};
use super::{DownloadBody, LocalProblem, Socket, UploadBody, open_store};
use crate::config::Config;
use crate::wiring::{self, AssembledGateway, ServerRecording};

/// The time that the gateway has to begin its answer, or to take more of a request.
const ANSWER_WAIT: Duration = Duration::from_secs(60);
/// More than any list of a gateway within its limits.
const ANSWER_BYTES_MAX: usize = 256 << 20;
/// The base of addresses; only the part after its host is sent.
const BASE: &str = "http://toolgate/";
const JSON: &str = "application/json";
const GONE: &str = "the gateway has gone";

/// The need of a command to know servers and tools. Its own gateway has to list them first, and starts none
/// without need.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum CatalogueNeed {
    Needed,
    NotNeeded,
}

pub(crate) struct LocalApi(ApiRoute);

type RequestBody = UnsyncBoxBody<Bytes, std::io::Error>;
type ApiAnswerBody = UnsyncBoxBody<Bytes, StreamFailure>;

enum ApiRoute {
    Running(Connection),
    Own(Box<OwnGateway>),
}

/// A connection to the running gateway, which ends one that is quiet for a while: then a new one is opened.
struct Connection {
    data: PathBuf,
    sender: SendRequest<RequestBody>,
    _exchange: JoinSet<()>,
}

/// A request that was given back unsent, since its connection had ended before.
type Unsent = Request<RequestBody>;

impl Connection {
    /// The gateway of the data folder, if one runs.
    async fn open(data: &Path) -> anyhow::Result<Option<Self>> {
        let Some(stream) = Socket::Api.connect(data).await else { return Ok(None) };
        let shaken = http1::handshake(TokioIo::new(stream)).await;
        let (sender, connection) = shaken.context("the gateway does not speak HTTP on its socket")?;
        let mut exchange = JoinSet::new();
        exchange.spawn(async move {
            // The waiter for an answer gets the error.
            drop(connection.await);
        });
        Ok(Some(Self { data: data.to_owned(), sender, _exchange: exchange }))
    }

    /// `passed` counts the sent part of the request.
    async fn exchange(
        &mut self,
        request: Request<RequestBody>,
        passed: &PassedBytes,
    ) -> anyhow::Result<Response<Incoming>> {
        let unsent = match self.send(request, passed).await? {
            Ok(answer) => return Ok(answer),
            Err(unsent) => unsent,
        };
        *self = Self::open(&self.data).await?.context(GONE)?;
        self.send(unsent, passed).await?.map_err(|_| anyhow!(GONE))
    }

    async fn send(
        &mut self,
        request: Request<RequestBody>,
        passed: &PassedBytes,
    ) -> anyhow::Result<Result<Response<Incoming>, Unsent>> {
        if self.sender.ready().await.is_err() {
            return Ok(Err(request));
        }
        match patiently(self.sender.try_send_request(request), passed).await? {
            Ok(answer) => Ok(Ok(answer)),
            Err(mut failure) => match failure.take_message() {
                Some(unsent) => Ok(Err(unsent)),
                None => Err(failure.into_error()).context("the gateway ended the connection"),
            },
        }
    }
}

/// A gateway that lives as long as the command.
struct OwnGateway {
    house: AssembledGateway,
    store: Store,
}

impl LocalApi {
    pub(crate) async fn open(mut config: Config, catalogue: CatalogueNeed) -> anyhow::Result<Self> {
        if let Some(api) = Self::running(&config).await? {
            return Ok(api);
        }
        let store = open_store(&config).await?;
        if catalogue == CatalogueNeed::NotNeeded {
            config.servers.clear();
        }
        let house = wiring::start(&config, &store, config.listen, ServerRecording::No).await?;
        if catalogue == CatalogueNeed::Needed {
            house.settle(config.limits.start_wait).await;
        }
        Ok(Self(ApiRoute::Own(Box::new(OwnGateway { house, store }))))
    }

    /// The API of the running gateway of the data folder, if there is one.
    pub(crate) async fn running(config: &Config) -> anyhow::Result<Option<Self>> {
        Ok(Connection::open(&config.data).await?.map(|connection| Self(ApiRoute::Running(connection))))
    }

    pub(crate) async fn get(&mut self, path: &[&str], query: &[(&str, String)]) -> anyhow::Result<Value> {
        self.ask(Method::GET, path, query, None).await
    }

    pub(crate) async fn post(&mut self, path: &[&str], body: &Value) -> anyhow::Result<Value> {
        self.ask(Method::POST, path, &[], Some(body)).await
    }

    /// The same with parameters.
    pub(crate) async fn post_with(
        &mut self,
        path: &[&str],
        query: &[(&str, String)],
        body: &Value,
    ) -> anyhow::Result<Value> {
        self.ask(Method::POST, path, query, Some(body)).await
    }

    pub(crate) async fn delete(&mut self, path: &[&str]) -> anyhow::Result<Value> {
        self.ask(Method::DELETE, path, &[], None).await
    }

    pub(crate) async fn close(self) {
        if let ApiRoute::Own(own) = self.0 {
            own.house.stop().await;
            own.store.close().await;
        }
    }

    /// Sends content that does not fit into memory.
    pub(crate) async fn send(
        &mut self,
        path: &[&str],
        query: &[(&str, String)],
        body: UploadBody,
    ) -> anyhow::Result<Value> {
        let passed = body.passed();
        let request = request(Method::POST, path, query, "application/octet-stream", body.boxed_unsync());
        let (status, bytes) = read(self.exchange(request, &passed).await?).await?;
        answered(status, &bytes)
    }

    /// Fetches content that does not fit into memory.
    pub(crate) async fn fetch(&mut self, path: &[&str]) -> anyhow::Result<DownloadBody> {
        let answer =
            self.exchange(request(Method::GET, path, &[], JSON, whole("")), &PassedBytes::default()).await?;
        if !answer.status().is_success() {
            let (status, bytes) = read(answer).await?;
            return answered(status, &bytes).and_then(|_| bail!("the gateway answered with status {status}"));
        }
        let length = answer.headers().get(CONTENT_LENGTH);
        let length = length.and_then(|length| length.to_str().ok()?.parse().ok());
        Ok(DownloadBody::new(answer.into_body(), length))
    }

    /// Opens a stream of events, which arrives for as long as it is read.
    pub(crate) async fn follow(
        &mut self,
        path: &[&str],
        query: &[(&str, String)],
    ) -> anyhow::Result<DownloadBody> {
        let request = request(Method::GET, path, query, JSON, whole(""));
        let answer = self.exchange(request, &PassedBytes::default()).await?;
        if !answer.status().is_success() {
            let (status, bytes) = read(answer).await?;
            return answered(status, &bytes).and_then(|_| bail!("the gateway answered with status {status}"));
        }
        Ok(DownloadBody::new(answer.into_body(), None))
    }

    async fn ask(
        &mut self,
        method: Method,
        path: &[&str],
        query: &[(&str, String)],
        body: Option<&Value>,
    ) -> anyhow::Result<Value> {
        let body = whole(body.map(Value::to_string).unwrap_or_default());
        let request = request(method, path, query, JSON, body);
        let (status, bytes) = read(self.exchange(request, &PassedBytes::default()).await?).await?;
        answered(status, &bytes)
    }

    /// `passed` counts the sent part of the request.
    async fn exchange(
        &mut self,
        request: Request<RequestBody>,
        passed: &PassedBytes,
    ) -> anyhow::Result<Response<ApiAnswerBody>> {
        match &mut self.0 {
            ApiRoute::Running(connection) => {
                let answer = connection.exchange(request, passed).await?;
                Ok(answer.map(|body| body.map_err(Into::into).boxed_unsync()))
            }
            ApiRoute::Own(own) => {
                let answer = serve(&own.house.api, request).await;
                Ok(answer.map(|body| body.map_err(|never| match never {}).boxed_unsync()))
            }
        }
    }
}

/// Waits as long as there is progress.
async fn patiently<T>(answer: impl Future<Output = T>, passed: &PassedBytes) -> anyhow::Result<T> {
    let mut answer = std::pin::pin!(answer);
    loop {
        let before = passed.bytes();
        match tokio::time::timeout(ANSWER_WAIT, &mut answer).await {
            Ok(answer) => return Ok(answer),
            Err(_) if passed.bytes() > before => {}
            Err(_) => bail!("the gateway does not answer"),
        }
    }
}

fn whole(body: impl Into<Bytes>) -> RequestBody {
    Full::new(body.into()).map_err(|never| match never {}).boxed_unsync()
}

/// Hands a request to the API as one of the person at the command line.
pub(crate) async fn serve<B>(api: &Api, mut request: Request<B>) -> Response<toolgate_api::ApiBody>
where
    B: Body<Data = Bytes> + Send + 'static,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let Credential { principal, .. } = Socket::Api.credential();
    request.extensions_mut().insert(principal);
    request.extensions_mut().insert(Socket::Api.credential());
    api.serve(request).await
}

fn request(
    method: Method,
    path: &[&str],
    query: &[(&str, String)],
    media_type: &'static str,
    body: RequestBody,
) -> Request<RequestBody> {
    let request = Request::builder().method(method).uri(target(path, query));
    let request = request.header("host", "toolgate").header(CONTENT_TYPE, media_type);
    request.body(body).expect("an address of encoded parts is one")
}

/// The parts of a path may contain anything.
fn target(path: &[&str], query: &[(&str, String)]) -> String {
    let mut url = Url::parse(BASE).expect("it is written above");
    url.path_segments_mut().expect("it has a host").clear().extend(path);
    if !query.is_empty() {
        url.query_pairs_mut().extend_pairs(query);
    }
    url[Position::BeforePath..].to_owned()
}

async fn read<B>(answer: Response<B>) -> anyhow::Result<(u16, Bytes)>
where
    B: Body<Data = Bytes>,
    B::Error: Into<Box<dyn std::error::Error + Send + Sync>>,
{
    let status = answer.status().as_u16();
    match Limited::new(answer.into_body(), ANSWER_BYTES_MAX).collect().await {
        Ok(body) => Ok((status, body.to_bytes())),
        Err(error) => bail!("the answer of the gateway could not be read: {error}"),
    }
}

fn answered(status: u16, bytes: &[u8]) -> anyhow::Result<Value> {
    let body = match bytes {
        [] => Ok(Value::Null),
        _ => serde_json::from_slice(bytes),
    };
    if !(200..300).contains(&status) {
        return Err(LocalProblem::read(status, &body.unwrap_or_default()).into());
    }
    body.context("the gateway sent something that is not JSON")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn parts_of_an_address_stay_parts_of_it() {
        let query = [("query", "a&b=c d".to_owned())];
        assert_eq!(target(&["tools", "search"], &query), "/tools/search?query=a%26b%3Dc+d");
        assert_eq!(target(&["agents", "a/b?ü"], &[]), "/agents/a%2Fb%3F%C3%BC");
    }

    #[test]
    fn what_is_no_success_is_a_problem() {
        assert_eq!(answered(204, b"").expect("nothing to say"), Value::Null);
        assert_eq!(answered(200, b"{\"a\":1}").expect("JSON"), json!({ "a": 1 }));
        let refused = answered(404, b"{\"detail\":\"there is none\",\"code\":\"x\"}").expect_err("a problem");
        let problem = refused.downcast_ref::<LocalProblem>().expect("a problem");
        assert_eq!((problem.status, problem.code.as_str()), (404, "x"));
        assert!(answered(502, b"<html>").is_err_and(|error| error.to_string().contains("502")));
        assert!(answered(200, b"<html>").is_err());
    }
}
