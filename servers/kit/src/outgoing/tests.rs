//! Requests to listeners of this machine that answer by hand.

use std::io::Write as _;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use super::*;

fn client(url: &str, proxy: Option<&str>) -> Result<Outgoing, OutgoingError> {
    Outgoing::new(&url.parse().unwrap(), None, proxy, Duration::from_secs(10))
}

async fn listener() -> (TcpListener, String) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    (listener, url)
}

/// The head of the next request.
async fn head(peer: &mut TcpStream) -> String {
    let mut heard = Vec::new();
    while !heard.ends_with(b"\r\n\r\n") {
        heard.push(peer.read_u8().await.unwrap());
    }
    String::from_utf8(heard).unwrap()
}

async fn answered(answer: &[u8]) -> OutgoingAnswer {
    let (listener, url) = listener().await;
    let outgoing = client(&url, None).unwrap();
    let answering = async {
        let (mut peer, _) = listener.accept().await.unwrap();
        head(&mut peer).await;
        peer.write_all(answer).await.unwrap();
    };
    tokio::join!(answering, outgoing.ask(Method::GET, "/a", None, None)).1.unwrap()
}

#[tokio::test]
async fn a_proxy_opens_the_way_and_sees_its_own_credentials_only() {
    let (listener, url) = listener().await;
    let proxy = url.replace("//", "//ann:p%40ss@");
    let outgoing = client("http://model.example/v1/?a=b", Some(&proxy)).unwrap();
    let proxying = async {
        let (mut peer, _) = listener.accept().await.unwrap();
        let question = head(&mut peer).await;
        peer.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
        let request = head(&mut peer).await;
        peer.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await.unwrap();
        (question, request)
    };
    let asking = outgoing.ask(Method::POST, "", Some("key"), None);
    let ((question, request), answer) = tokio::join!(proxying, asking);
    assert!(question.starts_with("CONNECT model.example:80 HTTP/1.1\r\n"), "{question}");
    assert!(question.contains("Proxy-Authorization: Basic YW5uOnBAc3M=\r\n"), "{question}");
    assert!(request.starts_with("POST /v1?a=b HTTP/1.1\r\n"), "{request}");
    assert!(request.contains("authorization: Bearer key\r\n"), "{request}");
    assert!(request.contains("host: model.example\r\n") && !request.contains("YW5u"), "{request}");
    assert_eq!(answer.unwrap().into_body().unwrap(), "{}");
}

#[tokio::test]
async fn this_machine_is_reached_without_a_proxy() {
    let (listener, url) = listener().await;
    let (proxy, proxy_url) = self::listener().await;
    let outgoing = client(&url, Some(&proxy_url)).unwrap();
    let answering = async {
        let (mut peer, _) = listener.accept().await.unwrap();
        let request = head(&mut peer).await;
        peer.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").await.unwrap();
        request
    };
    let (request, answer) = tokio::join!(answering, outgoing.ask(Method::GET, "/a", None, None));
    assert!(request.starts_with("GET /a HTTP/1.1\r\n"), "{request}");
    assert_eq!(answer.unwrap().status(), 204);
    assert!(tokio::time::timeout(Duration::ZERO, proxy.accept()).await.is_err(), "the proxy was not asked");
}

#[test]
fn an_address_that_is_not_one_is_refused_without_being_shown() {
    for wrong in
        ["proxy:3128", "https://proxy", "socks5://proxy", "http://proxy/path", "http://u:secret@proxy/?a"]
    {
        let refused = client("http://model.example", Some(wrong)).err().unwrap();
        assert!(matches!(refused, OutgoingError::Proxy), "{wrong}: {refused}");
        assert!(!refused.to_string().contains("secret"), "{refused}");
    }
    let refused = client("ftp://model.example", None).err().unwrap();
    assert!(matches!(refused, OutgoingError::Address), "{refused}");
}

#[test]
fn a_file_without_certificates_is_named() {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, "not a certificate").unwrap();
    let client =
        |url: &str| Outgoing::new(&url.parse().unwrap(), Some(file.path()), None, Duration::from_secs(10));
    let refused = client("https://model.example").err().unwrap().to_string();
    assert!(refused.contains(file.path().to_str().unwrap()), "{refused}");
    assert!(refused.contains("no certificate in PEM"), "{refused}");
    assert!(client("http://model.example").is_ok(), "plain HTTP needs none");
}

#[tokio::test]
async fn the_status_counts_even_if_the_body_is_too_long_or_breaks_off() {
    let length = ANSWER_BYTES_MAX + 1;
    let head = format!("HTTP/1.1 503 Busy\r\ncontent-length: {length}\r\n\r\n");
    let long = answered(&[head.as_bytes(), &vec![b'a'; length]].concat()).await;
    assert_eq!(long.status(), 503);
    assert!(matches!(long.body(), Err(OutgoingError::TooLong)), "{:?}", long.body());
    let broken = answered(b"HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\nfour").await;
    assert_eq!(broken.status(), 200);
    assert!(matches!(broken.body(), Err(OutgoingError::Unreachable(_))), "{:?}", broken.body());
}

#[tokio::test]
async fn a_token_that_no_header_allows_is_not_sent() {
    let outgoing = client("http://127.0.0.1:9", None).unwrap();
    let refused = outgoing.ask(Method::GET, "", Some("a\nb"), None).await.err().unwrap();
    assert!(matches!(refused, OutgoingError::Token), "{refused}");
}
