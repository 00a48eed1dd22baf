//! Many MCP servers of the newer era in one process, on one listener: `/s/{number}/mcp` is one of them.
//!
//! Lives here: routing to a server, its answers, its subscriptions, and changing its tools on request (`POST
//! /s/{number}/change`). Does not live here: the tools themselves (`tools`), registering them anywhere
//! (`catalogue`).

pub(crate) mod tools;

use std::convert::Infallible;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use anyhow::Context as _;
use bytes::Bytes;
use http::header::{CONTENT_TYPE, HeaderValue};
use http::{Method, Request, Response, StatusCode};
use http_body::{Body, Frame};
use http_body_util::{BodyExt as _, Either, Limited};
use hyper::body::Incoming;
use parking_lot::Mutex;
use serde_json::value::RawValue;
use tokio::net::TcpListener;
use tokio::sync::mpsc;

use crate::server::replies::{self, ReplyBody};
use crate::server::{BenchMessage, EchoArguments, Params, REQUEST_BYTES_MAX, serve_until_stdin_ends};
use crate::wire::{BenchEra, MODERN};

/// Announcements that wait for one slow reader.
const EVENTS_WAITING_MAX: usize = 16;

type Reply = Response<Either<ReplyBody, EventBody>>;

/// Binds, hands the address to `announce`, and serves until its stdin ends.
pub(crate) async fn serve(
    servers: usize,
    announce: impl FnOnce(SocketAddr) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0").await.context("listen")?;
    announce(listener.local_addr().context("ask for the address that was bound")?)?;
    let crowd: Arc<[CrowdServer]> = (0..servers).map(CrowdServer::new).collect();
    let answer = move |request| {
        let crowd = crowd.clone();
        async move { answer(&crowd, request).await }
    };
    serve_until_stdin_ends(listener, answer).await
}

async fn answer(crowd: &[CrowdServer], request: Request<Incoming>) -> Reply {
    let (head, body) = request.into_parts();
    let Some((server, part)) = route(head.uri.path()) else { return plain(StatusCode::NOT_FOUND) };
    let Some(server) = crowd.get(server) else { return plain(StatusCode::NOT_FOUND) };
    match (head.method, part) {
        (Method::POST, "mcp") => match Limited::new(body, REQUEST_BYTES_MAX).collect().await {
            Ok(body) => server.answer(&body.to_bytes()),
            Err(_) => plain(StatusCode::PAYLOAD_TOO_LARGE),
        },
        (Method::POST, "change") => {
            server.change();
            plain(StatusCode::OK)
        }
        (Method::DELETE, "mcp") => plain(StatusCode::OK),
        _ => plain(StatusCode::METHOD_NOT_ALLOWED),
    }
}

fn route(path: &str) -> Option<(usize, &str)> {
    let (number, part) = path.strip_prefix("/s/")?.split_once('/')?;
    Some((number.parse().ok()?, part))
}

fn plain(status: StatusCode) -> Reply {
    replies::empty(status).map(Either::Left)
}

struct CrowdServer {
    number: usize,
    state: Mutex<State>,
}

struct State {
    changes: u64,
    /// The current array of definitions.
    tools: String,
    listeners: Vec<Listener>,
}

/// A listener for changes until it closes the stream.
struct Listener {
    subscription: String,
    events: mpsc::Sender<Bytes>,
}

impl CrowdServer {
    fn new(number: usize) -> CrowdServer {
        let state = State { changes: 0, tools: tools::list(number, 0), listeners: Vec::new() };
        CrowdServer { number, state: Mutex::new(state) }
    }

    fn answer(&self, body: &Bytes) -> Reply {
        let message: BenchMessage<'_> = match serde_json::from_slice(body) {
            Ok(message) => message,
            Err(error) => {
                return replies::error(StatusCode::BAD_REQUEST, "null", -32700, &error.to_string())
                    .map(Either::Left);
            }
        };
        let Some(id) = message.id.map(RawValue::get) else { return plain(StatusCode::ACCEPTED) };
        let reply = match message.method {
            "tools/call" => call(id, &message),
            "tools/list" => self.list(id),
            "server/discover" => self.discover(id),
            "subscriptions/listen" => return self.listen(id),
            other => replies::unknown_method(StatusCode::NOT_FOUND, id, other),
        };
        reply.map(Either::Left)
    }

    fn discover(&self, id: &str) -> Response<ReplyBody> {
        let body = format!(
            r#"{{"resultType":"complete","supportedVersions":["{MODERN}"],"capabilities":{{"tools":{{"listChanged":true}}}},"ttlMs":60000,"cacheScope":"public","_meta":{{"io.modelcontextprotocol/serverInfo":{{"name":"toolgate-bench-crowd-{}","version":"{}"}}}}}}"#,
            self.number,
            env!("CARGO_PKG_VERSION")
        );
        replies::result(id, &body)
    }

    fn list(&self, id: &str) -> Response<ReplyBody> {
        let tools = &self.state.lock().tools;
        let body =
            format!(r#"{{"resultType":"complete","ttlMs":60000,"cacheScope":"public","tools":{tools}}}"#);
        replies::result(id, &body)
    }

    /// The acknowledgement comes first, and every later change after it.
    fn listen(&self, id: &str) -> Reply {
        let (events, body) = mpsc::channel(EVENTS_WAITING_MAX);
        let listener = Listener { subscription: id.to_owned(), events };
        listener.tell(
            "notifications/subscriptions/acknowledged",
            r#""notifications":{"toolsListChanged":true},"#,
        );
        self.state.lock().listeners.push(listener);
        let mut response = Response::new(Either::Right(EventBody(body)));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/event-stream"));
        response
    }

    /// Changes the description of the first tool, and notifies listeners.
    fn change(&self) {
        let mut state = self.state.lock();
        state.changes += 1;
        state.tools = tools::list(self.number, state.changes);
        state.listeners.retain(|listener| !listener.events.is_closed());
        state.listeners.iter().for_each(|listener| listener.tell("notifications/tools/list_changed", ""));
    }
}

fn call(id: &str, message: &BenchMessage<'_>) -> Response<ReplyBody> {
    let Some(Params { name: Some(_), arguments: Some(arguments) }) = &message.params else {
        return replies::error(StatusCode::OK, id, -32602, "tools/call needs name and arguments");
    };
    match serde_json::from_str::<EchoArguments<'_>>(arguments.get()) {
        Ok(echo) if echo.text.get().starts_with('"') => replies::echo(BenchEra::Modern, id, echo.text.get()),
        _ => replies::error(StatusCode::OK, id, -32602, "every tool needs a string `text`"),
    }
}

impl Listener {
    /// A listener that does not read loses announcements: a later one says the same.
    fn tell(&self, method: &str, members: &str) {
        let event = format!(
            "event: message\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"{method}\",\"params\":{{{members}\"_meta\":{{\"io.modelcontextprotocol/subscriptionId\":{}}}}}}}\n\n",
            self.subscription
        );
        drop(self.events.try_send(Bytes::from(event)));
    }
}

/// Server-sent events for as long as the client reads them.
pub(crate) struct EventBody(mpsc::Receiver<Bytes>);

impl Body for EventBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        ctx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(ctx).map(|event| event.map(|event| Ok(Frame::data(event))))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    async fn text(reply: Reply) -> String {
        let body = reply.into_body().collect().await.expect("it cannot fail").to_bytes();
        String::from_utf8(body.to_vec()).expect("it is text")
    }

    async fn ask(server: &CrowdServer, message: &str) -> Value {
        serde_json::from_str(&text(server.answer(&Bytes::from(message.to_owned()))).await)
            .expect("it is JSON")
    }

    #[test]
    fn a_path_names_a_server_and_what_is_wanted_of_it() {
        assert_eq!(route("/s/12/mcp"), Some((12, "mcp")));
        assert_eq!(route("/s/12/change"), Some((12, "change")));
        assert_eq!(route("/s/x/mcp"), None);
        assert_eq!(route("/mcp"), None);
    }

    #[tokio::test]
    async fn every_tool_gives_back_its_text() {
        let server = CrowdServer::new(3);
        let call = r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"any","arguments":{"text":"hello"}}}"#;
        assert_eq!(ask(&server, call).await["result"]["content"][0]["text"], "hello");
    }

    #[tokio::test]
    async fn a_change_is_listed_and_told_to_whoever_listens() {
        let server = CrowdServer::new(3);
        let listening = server
            .answer(&Bytes::from_static(br#"{"jsonrpc":"2.0","id":9,"method":"subscriptions/listen"}"#));
        server.change();
        let list = ask(&server, r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await;
        let description = list["result"]["tools"][0]["description"].as_str().expect("a text");
        assert!(description.ends_with(&tools::revision(3, 1)));
        // There is nothing left to report, so the stream ends.
        drop(server);
        let told = text(listening).await;
        let order = ["acknowledged", "list_changed"].map(|word| told.find(word).expect("it is told"));
        assert!(order[0] < order[1]);
        assert_eq!(told.matches(r#""io.modelcontextprotocol/subscriptionId":9"#).count(), 2);
    }
}
