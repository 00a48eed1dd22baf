use std::io;
use std::net::{IpAddr, Ipv4Addr};

use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use toolgate_core::address::{AddressRules, Reach};
use toolgate_core::port::BoxFuture;
use toolgate_outbound::HostLookup;

use super::*;

const PUBLIC_ONLY: Reach = Reach::Within(AddressRules { allow_loopback: false, allow_private: false });

/// Every name resolves to this machine.
struct Here;

impl HostLookup for Here {
    fn addresses(&self, _: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        Box::pin(std::future::ready(Ok(vec![Ipv4Addr::LOCALHOST.into()])))
    }
}

#[test]
fn what_may_be_secret_in_an_address_is_not_shown() {
    let check = |address: &str, expected: &str| assert_eq!(shown(address), expected, "{address}");
    check("https://me:pw@host:1/mcp/@x?key=s#s", "https://host:1/mcp/@x");
    check("https://host?key=s", "https://host");
    check("me:p@w@host", "host");
    check("/login?next=s", "/login");
    check("//me@host/a", "//host/a");
    check("", "");
}

/// A listener on this machine and a client that believes it to be at `rebound.example`.
async fn rebound(reach: Reach) -> (TcpListener, Arc<ServerClient>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let port = listener.local_addr().expect("bound").port();
    let url = url::Url::parse(&format!("http://rebound.example:{port}/mcp")).expect("a url");
    let resolver = Resolver::with(Arc::new(Here), reach);
    let client = ServerClient::new(&url, resolver, &Arc::default(), TaskTracker::new()).expect("an address");
    (listener, client)
}

async fn get(client: &Arc<ServerClient>) -> Result<ServerResponse, SendError> {
    client.send(Method::GET, Uri::from_static("/mcp"), HeaderMap::new(), String::new().into()).await
}

#[tokio::test]
async fn a_name_that_leads_to_this_machine_when_it_is_dialled_is_not_dialled() {
    let (listener, client) = rebound(PUBLIC_ONLY).await;
    let error = get(&client).await.err().expect("refused");
    let text = error.to_string();
    assert!(matches!(error, SendError::Connect { .. }), "{text}");
    assert!(text.contains("\"rebound.example\"") && text.contains("allow_loopback"), "{text}");
    let listener = listener.into_std().expect("not blocking");
    assert_eq!(listener.accept().expect_err("nobody came").kind(), std::io::ErrorKind::WouldBlock);
}

#[tokio::test]
async fn what_the_operator_named_is_dialled_wherever_it_leads() {
    let (listener, client) = rebound(Reach::Anywhere).await;
    let serving = async {
        let (mut stream, _) = listener.accept().await.expect("a connection");
        let mut head = [0; 1024];
        let length = stream.read(&mut head).await.expect("a request");
        stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.expect("taken");
        String::from_utf8_lossy(&head[..length]).into_owned()
    };
    let (request, answered) = tokio::join!(serving, get(&client));
    assert!(request.to_ascii_lowercase().contains("host: rebound.example"), "{request}");
    assert_eq!(answered.expect("answered").status, 204);
}

fn request() -> line::OutgoingRequest {
    let mut request = Request::new(OutgoingBody::from(OutgoingMessage::from("{}".to_owned())));
    request.headers_mut().insert(header::HOST, HeaderValue::from_static("here"));
    request
}

#[tokio::test]
async fn a_request_that_was_not_written_comes_back() {
    let (near, far) = tokio::io::duplex(1024);
    let mut line = HttpConnection::open(TokioIo::new(near)).await.expect("open");
    drop(far);
    let mut error = line.send(request()).await.expect_err("nobody is there");
    assert!(error.take_message().is_some());
}

#[tokio::test]
async fn a_request_that_was_written_does_not() {
    let (near, mut far) = tokio::io::duplex(1024);
    let mut line = HttpConnection::open(TokioIo::new(near)).await.expect("open");
    let reading = async {
        let mut head = [0; 1024];
        assert_ne!(far.read(&mut head).await.expect("a request"), 0);
        drop(far);
    };
    let (sent, ()) = tokio::join!(line.send(request()), reading);
    let mut error = sent.expect_err("no answer");
    assert!(error.take_message().is_none());
}
