//! One MCP client on one keep-alive connection.
//!
//! Lives here: connecting, opening a legacy session, asking, calling a tool and checking the reply, REST
//! requests. Does not live here: the form of requests and replies (`wire`), the number of clients (`load`).

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use bytes::Bytes;
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_TYPE, COOKIE, HeaderMap, HeaderValue, SET_COOKIE};
use http::{Method, Request, Response, StatusCode, Uri};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use memchr::memmem;
use serde::Deserialize;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::wire::{self, BenchEra, CallTemplate, ReplyEdges, ReplyFault, ReplyForm, Work};

/// The time limit of everything except measured calls; generous, since under callgrind everything is fifty
/// times slower.
const COLD_REQUEST_MAX: Duration = Duration::from_secs(60);
/// A list of a hundred tools is well below it.
const SMALL_REPLY_BYTES_MAX: usize = 8 << 20;
const PAGES_MAX: usize = 1000;

/// Whom to speak to.
#[derive(Clone, Debug)]
pub(crate) struct BenchTarget {
    pub(crate) address: SocketAddr,
    pub(crate) token: Option<String>,
}

pub(crate) struct BenchClient {
    sender: http1::SendRequest<Full<Bytes>>,
    /// Holds the task that moves the bytes; dropping it closes the connection.
    _driver: JoinSet<()>,
    era: BenchEra,
    headers: HeaderMap,
    path: Uri,
    next_id: u64,
}

impl BenchClient {
    /// Connects; a legacy client still has to open its session.
    pub(crate) async fn connect(target: &BenchTarget, era: BenchEra) -> anyhow::Result<BenchClient> {
        let stream = TcpStream::connect(target.address)
            .await
            .with_context(|| format!("connect to {}", target.address))?;
        stream.set_nodelay(true).context("set TCP_NODELAY")?;
        let (sender, connection) = http1::handshake(TokioIo::new(stream)).await.context("start HTTP")?;
        let mut driver = JoinSet::new();
        // The waiter for a reply learns how the connection ended.
        driver.spawn(async move { drop(connection.await) });
        let headers = wire::common_headers(&target.address.to_string(), target.token.as_deref(), era);
        Ok(BenchClient { sender, _driver: driver, era, headers, path: Uri::from_static("/mcp"), next_id: 1 })
    }

    /// Connects and does everything before the first real request of that era.
    pub(crate) async fn open(target: &BenchTarget, era: BenchEra) -> anyhow::Result<BenchClient> {
        let mut client = BenchClient::connect(target, era).await?;
        if era == BenchEra::Legacy {
            client.open_session().await.context("open a legacy session")?;
        }
        Ok(client)
    }

    /// Logs in to the console as whoever has the token. Its pages are then fetched with `rest`.
    pub(crate) async fn log_in(target: &BenchTarget) -> anyhow::Result<BenchClient> {
        let token = target.token.as_deref().context("nobody logs in without a token")?;
        let nobody = BenchTarget { token: None, ..target.clone() };
        let mut client = BenchClient::connect(&nobody, BenchEra::Modern).await?;
        client.path = Uri::from_static("/console/login");
        client.headers.insert(ACCEPT, HeaderValue::from_static("text/html"));
        let mut headers = client.headers.clone();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/x-www-form-urlencoded"));
        let response = client.send(Method::POST, headers, Bytes::from(format!("token={token}"))).await?;
        let (head, body) = response.into_parts();
        let set = head.headers.get(SET_COOKIE).and_then(|cookie| cookie.to_str().ok());
        let set = set.with_context(|| format!("the login was answered {}", head.status))?;
        let cookie = set.split(';').next().unwrap_or(set);
        let cookie = HeaderValue::from_str(cookie).context("a cookie that is sent back")?;
        client.headers.insert(COOKIE, cookie);
        body.collect().await.context("read the answer to the login")?;
        Ok(client)
    }

    async fn open_session(&mut self) -> anyhow::Result<()> {
        let body =
            wire::request_body(BenchEra::Legacy, self.next_id, "initialize", &wire::initialize_members());
        let response = self.send(Method::POST, self.headers.clone(), body).await?;
        let session = response.headers().get(wire::SESSION_ID).cloned();
        let reply = small_reply(response).await?;
        wire::check_envelope(self.next_id, &reply)?;
        self.next_id += 1;
        self.headers
            .insert(wire::SESSION_ID, session.context("the reply to initialize has no Mcp-Session-Id")?);
        let initialized = Bytes::from_static(wire::INITIALIZED.as_bytes());
        let response = self.send(Method::POST, self.headers.clone(), initialized).await?;
        ensure!(
            response.status() == StatusCode::ACCEPTED,
            "notifications/initialized was answered {}",
            response.status()
        );
        response.into_body().collect().await.context("read the end of an empty reply")?;
        Ok(())
    }

    /// Sends one request and returns the JSON-RPC reply, envelope checked, with the time from sending to the
    /// reply's last byte, without the check.
    pub(crate) async fn ask(&mut self, method: &str, members: &str) -> anyhow::Result<(Bytes, Duration)> {
        let (id, begun) = (self.next_id, Instant::now());
        let response = self.post(method, members).await?;
        let reply = small_reply(response).await.with_context(|| format!("ask {method}"))?;
        let took = begun.elapsed();
        wire::check_envelope(id, &reply).with_context(|| format!("ask {method}"))?;
        Ok((reply, took))
    }

    async fn post(&mut self, method: &str, members: &str) -> anyhow::Result<Response<Incoming>> {
        let id = self.next_id;
        self.next_id += 1;
        let mut headers = self.headers.clone();
        if self.era == BenchEra::Modern {
            wire::routing_headers(&mut headers, method, None);
        }
        self.send(Method::POST, headers, wire::request_body(self.era, id, method, members)).await
    }

    /// Opens the stream that notifies a modern client of changed tools.
    pub(crate) async fn subscribe(mut self) -> anyhow::Result<Ear> {
        let members = r#""notifications":{"toolsListChanged":true}"#;
        let response = self.post("subscriptions/listen", members).await?;
        ensure!(
            response.status() == StatusCode::OK,
            "subscriptions/listen was answered {}",
            response.status()
        );
        let mut ear = Ear { _client: self, stream: response.into_body() };
        ear.hear("notifications/subscriptions/acknowledged").await?;
        Ok(ear)
    }

    /// One request to the REST API.
    pub(crate) async fn rest(
        &mut self,
        method: Method,
        path: &str,
        body: &str,
    ) -> anyhow::Result<(StatusCode, Bytes)> {
        self.ask_for(method, path, body, self.headers.clone()).await
    }

    /// The status of a page, and its bytes as browsers get them: compressed where it is large.
    pub(crate) async fn visit(&mut self, path: &str) -> anyhow::Result<(StatusCode, usize)> {
        let mut headers = self.headers.clone();
        headers.insert(ACCEPT_ENCODING, HeaderValue::from_static("gzip"));
        let (status, page) = self.ask_for(Method::GET, path, "", headers).await?;
        Ok((status, page.len()))
    }

    async fn ask_for(
        &mut self,
        method: Method,
        path: &str,
        body: &str,
        headers: HeaderMap,
    ) -> anyhow::Result<(StatusCode, Bytes)> {
        self.path = path.parse().with_context(|| format!("{path} is not a path"))?;
        let body = Bytes::from(body.to_owned());
        let (head, body) = self.send(method, headers, body).await?.into_parts();
        let body = Limited::new(body, SMALL_REPLY_BYTES_MAX).collect().await;
        let body = body.map_err(|error| anyhow::anyhow!("read the reply of {path}: {error}"))?;
        Ok((head.status, body.to_bytes()))
    }

    /// The names of all tools, read to the last page.
    pub(crate) async fn tool_names(&mut self) -> anyhow::Result<Vec<String>> {
        Ok(self.all_tools().await?.names)
    }

    /// All tools, read to the last page, and the cost.
    pub(crate) async fn all_tools(&mut self) -> anyhow::Result<AllTools> {
        let mut all = AllTools::default();
        let mut members = String::new();
        for _ in 0..PAGES_MAX {
            let (reply, took) = self.ask("tools/list", &members).await?;
            all.took += took;
            all.bytes += reply.len();
            all.pages += 1;
            let page: ToolsReply = serde_json::from_slice(&reply).context("read a page of tools")?;
            all.names.extend(page.result.tools.into_iter().map(|tool| tool.name));
            match page.result.next_cursor {
                Some(cursor) => members = format!(r#""cursor":{}"#, serde_json::Value::from(cursor)),
                None => return Ok(all),
            }
        }
        anyhow::bail!("tools/list has more than {PAGES_MAX} pages")
    }

    /// Opens the stream on which a legacy server may speak first, and leaves it open.
    pub(crate) async fn listen(&mut self) -> anyhow::Result<Response<Incoming>> {
        let mut headers = self.headers.clone();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        let response = self.send(Method::GET, headers, Bytes::new()).await?;
        ensure!(response.status() == StatusCode::OK, "the GET stream was answered {}", response.status());
        Ok(response)
    }

    /// A second connection of the same client: same credentials, same session.
    pub(crate) async fn another_connection(&self, target: &BenchTarget) -> anyhow::Result<BenchClient> {
        let mut client = BenchClient::connect(target, self.era).await?;
        client.headers.clone_from(&self.headers);
        Ok(client)
    }

    pub(crate) fn into_caller(self, work: Work, tool: &str) -> Caller {
        let mut headers = self.headers.clone();
        if self.era == BenchEra::Modern {
            wire::routing_headers(&mut headers, "tools/call", Some(tool));
        }
        let template = CallTemplate::new(self.era, work, tool);
        Caller { client: self, headers, template, work }
    }

    async fn send(
        &mut self,
        method: Method,
        headers: HeaderMap,
        body: Bytes,
    ) -> anyhow::Result<Response<Incoming>> {
        let request = self.request(method, headers, body);
        timeout(COLD_REQUEST_MAX, async {
            self.sender.ready().await?;
            self.sender.send_request(request).await
        })
        .await
        .with_context(|| format!("no reply within {} s", COLD_REQUEST_MAX.as_secs()))?
        .context("send a request")
    }

    fn request(&self, method: Method, headers: HeaderMap, body: Bytes) -> Request<Full<Bytes>> {
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = self.path.clone();
        *request.headers_mut() = headers;
        request
    }
}

/// True if `GET path` answers 200 on its own connection.
pub(crate) async fn answers_ok(address: SocketAddr, path: &'static str) -> anyhow::Result<bool> {
    let mut client = BenchClient::connect(&BenchTarget { address, token: None }, BenchEra::Modern).await?;
    client.path = Uri::from_static(path);
    let response = client.send(Method::GET, client.headers.clone(), Bytes::new()).await?;
    Ok(response.status() == StatusCode::OK)
}

/// A list read to its end. The time is that of the requests alone, without the client's processing.
#[derive(Default)]
pub(crate) struct AllTools {
    pub(crate) names: Vec<String>,
    pub(crate) took: Duration,
    pub(crate) bytes: usize,
    pub(crate) pages: usize,
}

/// An open subscription.
pub(crate) struct Ear {
    _client: BenchClient,
    stream: Incoming,
}

impl Ear {
    /// Waits for an event with this text. Events are far shorter than a frame, so none is cut in two.
    pub(crate) async fn hear(&mut self, text: &str) -> anyhow::Result<()> {
        let heard = async {
            while let Some(frame) = self.stream.frame().await {
                let frame = frame.context("read a subscription")?;
                if frame.data_ref().is_some_and(|data| memmem::find(data, text.as_bytes()).is_some()) {
                    return Ok(());
                }
            }
            anyhow::bail!("the subscription ended before {text:?} was heard")
        };
        let waited = timeout(COLD_REQUEST_MAX, heard).await;
        waited.with_context(|| format!("{text:?} was not heard within {} s", COLD_REQUEST_MAX.as_secs()))?
    }
}

async fn small_reply(response: Response<Incoming>) -> anyhow::Result<Bytes> {
    let (head, body) = response.into_parts();
    let collected = timeout(COLD_REQUEST_MAX, Limited::new(body, SMALL_REPLY_BYTES_MAX).collect())
        .await
        .context("the reply does not end")?
        .map_err(|error| anyhow::anyhow!("read a reply: {error}"))?
        .to_bytes();
    wire::check_head(head.status, &head.headers)
        .with_context(|| format!("the body begins {:?}", wire::begin(&collected)))?;
    Ok(collected)
}

#[derive(Deserialize)]
struct ToolsReply {
    result: ToolsPage,
}

#[derive(Deserialize)]
struct ToolsPage {
    tools: Vec<ToolName>,
    #[serde(rename = "nextCursor")]
    next_cursor: Option<String>,
}

#[derive(Deserialize)]
struct ToolName {
    name: String,
}

#[derive(Debug, thiserror::Error)]
pub(crate) enum CallFault {
    #[error("the connection failed: {0}")]
    Connection(#[from] hyper::Error),
    #[error(transparent)]
    Reply(#[from] ReplyFault),
}

/// A client that only calls one tool; the measurements include its cost.
pub(crate) struct Caller {
    client: BenchClient,
    headers: HeaderMap,
    template: CallTemplate,
    work: Work,
}

impl Caller {
    /// One call from sending to the checked reply. It has no time limit: the measurement sets one for the
    /// whole run.
    pub(crate) async fn call(&mut self, id: u64) -> Result<(), CallFault> {
        let response = self.send(id).await?;
        if let Err(fault) = wire::check_head(response.status(), response.headers()) {
            return Err(with_body(fault, response).await.into());
        }
        match self.work {
            Work::Echo => {
                let body = response.into_body().collect().await?.to_bytes();
                wire::check_echo(id, &body)?;
            }
            Work::DecodedBlob { bytes } => {
                let body = response.into_body().collect().await?.to_bytes();
                wire::check_decoded(id, bytes, &body)?;
            }
            Work::Blob { bytes } => read_edges(response.into_body()).await?.check(id, bytes)?,
        }
        Ok(())
    }

    /// One `echo` whose reply may also come as a stream: a program that is slowed down fifty times beside other work
    /// may take long. Says in which form it came.
    pub(crate) async fn echo_in_any_form(&mut self, id: u64) -> Result<ReplyForm, CallFault> {
        let response = self.send(id).await?;
        let form = match wire::reply_form(response.status(), response.headers()) {
            Ok(form) => form,
            Err(fault) => return Err(with_body(fault, response).await.into()),
        };
        let body = response.into_body().collect().await?.to_bytes();
        match form {
            ReplyForm::Json => wire::check_echo(id, &body)?,
            ReplyForm::Events => wire::check_echo(id, wire::last_data(&body))?,
        }
        Ok(form)
    }

    async fn send(&mut self, id: u64) -> Result<Response<Incoming>, hyper::Error> {
        let request = self.client.request(Method::POST, self.headers.clone(), self.template.body(id));
        self.client.sender.ready().await?;
        self.client.sender.send_request(request).await
    }
}

async fn read_edges(mut body: Incoming) -> Result<ReplyEdges, hyper::Error> {
    let mut edges = ReplyEdges::default();
    while let Some(frame) = body.frame().await {
        if let Some(chunk) = frame?.data_ref() {
            edges.push(chunk);
        }
    }
    Ok(edges)
}

/// A refusal says more in its body than in its status.
async fn with_body(fault: ReplyFault, response: Response<Incoming>) -> ReplyFault {
    let ReplyFault::Status { status, .. } = fault else { return fault };
    let body = Limited::new(response.into_body(), SMALL_REPLY_BYTES_MAX).collect().await;
    ReplyFault::Status { status, begin: body.map(|body| wire::begin(&body.to_bytes())).unwrap_or_default() }
}
