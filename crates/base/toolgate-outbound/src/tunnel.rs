//! A tunnel through a proxy: CONNECT, and from then on the data of both ends.

use std::fmt::Write as _;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use toolgate_core::egress::Proxy;

/// The most that a proxy may say before the way is open.
const ANSWER_BYTES_MAX: usize = 8 << 10;
const END: &[u8] = b"\r\n\r\n";

/// The reason why a proxy did not open the tunnel.
#[derive(Debug, thiserror::Error)]
pub enum ProxyError {
    #[error("the proxy {proxy} cannot be reached: {reason}")]
    Unreachable { proxy: String, reason: String },
    #[error("the proxy {proxy} wants credentials (407)")]
    WantsCredentials { proxy: String },
    #[error("the proxy {proxy} refuses to connect there ({status})")]
    Refused { proxy: String, status: String },
    #[error("the proxy {proxy} does not answer as an HTTP proxy does")]
    Garbled { proxy: String },
    #[error("the proxy {proxy} did not answer within {seconds} s")]
    TimedOut { proxy: String, seconds: u64 },
}

/// Requests a tunnel to `target`, which is a host and a port.
pub(crate) async fn open(
    mut stream: TcpStream,
    proxy: &Proxy,
    target: &str,
) -> Result<TcpStream, ProxyError> {
    let lost = |error: std::io::Error| ProxyError::Unreachable {
        proxy: proxy.authority(),
        reason: error.to_string(),
    };
    stream.write_all(question(proxy, target).as_bytes()).await.map_err(lost)?;
    let garbled = || ProxyError::Garbled { proxy: proxy.authority() };
    let mut answer = Vec::with_capacity(256);
    while !answer.ends_with(END) {
        // Byte by byte: the data after the answer belongs to the other end, and this happens once per
        // connection.
        if answer.len() == ANSWER_BYTES_MAX {
            return Err(garbled());
        }
        match stream.read_u8().await {
            Ok(byte) => answer.push(byte),
            Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => return Err(garbled()),
            Err(error) => return Err(lost(error)),
        }
    }
    let status = status(&answer).ok_or_else(garbled)?;
    match status.get(..3) {
        Some(code) if code.starts_with('2') => Ok(stream),
        Some("407") => Err(ProxyError::WantsCredentials { proxy: proxy.authority() }),
        _ => Err(ProxyError::Refused { proxy: proxy.authority(), status }),
    }
}

fn question(proxy: &Proxy, target: &str) -> String {
    let mut question = format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\n");
    if let Some(authorization) = &proxy.authorization {
        write!(question, "Proxy-Authorization: {authorization}\r\n").expect("text takes text");
    }
    question + "\r\n"
}

/// "200 Connection established".
fn status(answer: &[u8]) -> Option<String> {
    const CHARS_MAX: usize = 100;
    let line = answer.split(|byte| *byte == b'\r').next()?;
    let line = String::from_utf8_lossy(line);
    let (version, status) = line.split_once(' ')?;
    let code = status.get(..3)?;
    let is_answer = version.starts_with("HTTP/1.") && code.bytes().all(|byte| byte.is_ascii_digit());
    is_answer.then(|| status.chars().filter(|c| !c.is_control()).take(CHARS_MAX).collect())
}

#[cfg(test)]
mod tests {
    use tokio::net::TcpListener;

    use super::*;

    /// The result of a request with this answer, and the rest of the answer for the two ends.
    async fn asked(answer: &'static [u8]) -> (String, Result<Vec<u8>, ProxyError>) {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        let answering = async {
            let (mut peer, _) = listener.accept().await.unwrap();
            let mut heard = Vec::new();
            while !heard.ends_with(END) {
                heard.push(peer.read_u8().await.unwrap());
            }
            peer.write_all(answer).await.unwrap();
            String::from_utf8(heard).unwrap()
        };
        let authorization = Some("Basic dTpw".to_owned());
        let proxy = Proxy { host: "proxy".into(), port: 3128, authorization };
        let opening = async {
            let mut open = open(stream, &proxy, "example.com:443").await?;
            let mut rest = Vec::new();
            open.read_to_end(&mut rest).await.unwrap();
            Ok(rest)
        };
        tokio::join!(answering, opening)
    }

    #[tokio::test]
    async fn what_follows_the_answer_is_the_other_ends() {
        let (question, opened) = asked(b"HTTP/1.1 200 OK\r\nVia: x\r\n\r\nhello").await;
        assert_eq!(
            question,
            "CONNECT example.com:443 HTTP/1.1\r\nHost: example.com:443\r\nProxy-Authorization: Basic dTpw\r\n\r\n"
        );
        assert_eq!(opened.unwrap(), b"hello");
    }

    #[tokio::test]
    async fn a_proxy_that_opens_nothing_says_why() {
        for (answer, told) in [
            (&b"HTTP/1.1 407 Who are you\r\n\r\n"[..], "wants credentials (407)"),
            (b"HTTP/1.0 403 Forbidden\r\n\r\n", "refuses to connect there (403 Forbidden)"),
            (b"HTTP/1.1 502\r\n\r\n", "refuses to connect there (502)"),
            (b"SSH-2.0-x\r\n\r\n", "does not answer as an HTTP proxy does"),
            (b"HTTP/1.1 200", "does not answer as an HTTP proxy does"),
        ] {
            let refused = asked(answer).await.1.unwrap_err().to_string();
            assert_eq!(refused, format!("the proxy proxy:3128 {told}"));
        }
    }
}
