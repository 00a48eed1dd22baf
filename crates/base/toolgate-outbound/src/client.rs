//! Requests besides the hot path: one time limit for the whole exchange, answers read up to a limit, no redirects.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::header::USER_AGENT;
use http::{HeaderValue, Request, Response};
use http_body_util::{BodyExt, Collected, Full, Limited};
use hyper_util::client::legacy::Client as HyperClient;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use toolgate_core::address::Reach;
use toolgate_core::egress::Egress;

use crate::resolver::Resolver;
use crate::tcp::Tcp;
use crate::tls::{BadEgress, tls, without_roots};
use crate::trouble::told;
use crate::{OutboundConnector, Scheme, connector};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
/// Common servers close connections that idle for five seconds; ours must be gone before, or a request could be
/// written to a connection that is just being closed.
pub const IDLE_MAX: Duration = Duration::from_secs(4);
/// The most that is read at once. Large pieces are cheaper to hash, to encode and to send.
const READ_BUFFER_BYTES_MAX: usize = 512 << 10;
const PRODUCT: HeaderValue = HeaderValue::from_static(concat!("toolgate/", env!("CARGO_PKG_VERSION")));

/// Connections that are kept for the next request.
pub type Pool<B> = HyperClient<OutboundConnector, B>;

/// The connector to addresses of one scheme that the operator wrote down.
pub fn connector_anywhere(scheme: Scheme, egress: &Arc<Egress>) -> Result<OutboundConnector, BadEgress> {
    connector(scheme, egress, Resolver::system(Reach::Anywhere), CONNECT_TIMEOUT)
}

/// Connections that close when they idle.
pub fn pool<B>(connector: OutboundConnector) -> Pool<B>
where
    B: http_body::Body + Send,
    B::Data: Send,
{
    let mut builder = HyperClient::builder(TokioExecutor::new());
    builder.pool_idle_timeout(IDLE_MAX).pool_timer(TokioTimer::new());
    builder.http1_max_buf_size(READ_BUFFER_BYTES_MAX).build(connector)
}

/// The reason why there is no answer, or not all of it.
#[derive(Debug, thiserror::Error)]
pub enum ExchangeError {
    #[error("{0} is not an http or https address")]
    Address(String),
    #[error("no answer within {} s", .0.as_secs_f32())]
    TimedOut(Duration),
    #[error("{0}")]
    Broken(String),
}

/// An answer whose head arrived. The status counts even if the body broke off or was too large.
pub type OutboundAnswer = Response<Result<Bytes, ExchangeError>>;

/// A client for whole requests and answers. Clones share their connections.
#[derive(Clone)]
pub struct Client(Pool<Full<Bytes>>);

impl Client {
    /// For addresses of one scheme that the operator wrote down.
    pub fn to(scheme: Scheme, egress: &Arc<Egress>) -> Result<Self, BadEgress> {
        Ok(Self(pool(connector_anywhere(scheme, egress)?)))
    }

    /// For addresses of both schemes within `reach`. If TLS cannot be configured, no https address is trusted.
    pub fn within(reach: Reach, egress: &Arc<Egress>) -> Self {
        let tls = tls(egress).unwrap_or_else(|error| {
            tracing::warn!(%error, "no https address can be trusted");
            without_roots()
        });
        let tcp = Tcp::new(egress.clone(), Resolver::system(reach), CONNECT_TIMEOUT);
        Self(pool(OutboundConnector::from((tcp, tls))))
    }

    /// One exchange, within `limit` from the connection to the end of the answer.
    pub async fn send(
        &self,
        mut request: Request<Bytes>,
        limit: Duration,
        answer_bytes_max: usize,
    ) -> Result<OutboundAnswer, ExchangeError> {
        if request.uri().host().is_none() || request.uri().scheme_str().and_then(Scheme::of).is_none() {
            return Err(ExchangeError::Address(request.uri().to_string()));
        }
        request.headers_mut().insert(USER_AGENT, PRODUCT);
        let exchange = async {
            let sent = self.0.request(request.map(Full::new)).await;
            let (head, body) = sent.map_err(|error| ExchangeError::Broken(told(&error)))?.into_parts();
            let body = Limited::new(body, answer_bytes_max).collect().await.map(Collected::to_bytes);
            Ok(Response::from_parts(head, body.map_err(|error| ExchangeError::Broken(told(&*error)))))
        };
        let answered = tokio::time::timeout(limit, exchange).await;
        answered.unwrap_or(Err(ExchangeError::TimedOut(limit)))
    }
}

/// A short readable beginning of an answer, for messages to people.
pub fn excerpt(answer: &[u8], chars_max: usize) -> String {
    let text = String::from_utf8_lossy(answer);
    let words: Vec<&str> = text.split_whitespace().collect();
    words.join(" ").chars().filter(|c| !c.is_control()).take(chars_max).collect()
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::TcpListener;
    use toolgate_core::address::AddressRules;

    use super::*;

    const LIMIT: Duration = Duration::from_secs(10);

    async fn get(reach: Reach, url: &str, limit: Duration) -> Result<OutboundAnswer, ExchangeError> {
        let mut request = Request::new(Bytes::new());
        *request.uri_mut() = url.parse().unwrap();
        Client::within(reach, &Arc::default()).send(request, limit, 5).await
    }

    /// The outcome of a request with this answer, after which the other side hangs up.
    async fn answered(answer: &'static [u8]) -> OutboundAnswer {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let answering = async {
            let (mut peer, _) = listener.accept().await.unwrap();
            let mut heard = Vec::new();
            while !heard.ends_with(b"\r\n\r\n") {
                heard.push(peer.read_u8().await.unwrap());
            }
            peer.write_all(answer).await.unwrap();
        };
        tokio::join!(answering, get(Reach::Anywhere, &url, LIMIT)).1.unwrap()
    }

    #[tokio::test]
    async fn an_address_out_of_reach_is_not_dialled_however_it_is_written() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        for host in ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]"] {
            let url = format!("http://{host}:{port}/");
            let refused = get(Reach::Within(AddressRules::default()), &url, LIMIT).await.unwrap_err();
            assert!(refused.to_string().contains("address of this machine"), "{host}: {refused}");
        }
        let dialled = tokio::time::timeout(Duration::ZERO, listener.accept()).await;
        assert!(dialled.is_err(), "no connection was opened");
    }

    #[tokio::test]
    async fn only_http_is_spoken() {
        for url in ["ftp://example.org/", "/path", "gopher://example.org/"] {
            let refused = get(Reach::Anywhere, url, LIMIT).await.unwrap_err();
            assert!(matches!(refused, ExchangeError::Address(_)), "{url}");
        }
    }

    #[tokio::test]
    async fn the_status_counts_even_if_the_body_is_too_large_or_breaks_off() {
        let whole = answered(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello").await;
        assert_eq!(whole.into_body().unwrap(), "hello");
        for answer in [
            &b"HTTP/1.1 503 Busy\r\ncontent-length: 6\r\n\r\nhello!"[..],
            b"HTTP/1.1 503 Busy\r\ncontent-length: 5\r\n\r\nhel",
        ] {
            let answer = answered(answer).await;
            assert_eq!(answer.status(), 503);
            assert!(answer.into_body().is_err());
        }
    }

    #[tokio::test]
    async fn silence_ends_at_the_time_limit() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}/", listener.local_addr().unwrap());
        let silent = get(Reach::Anywhere, &url, Duration::from_millis(200)).await.unwrap_err();
        assert_eq!(silent.to_string(), "no answer within 0.2 s");
    }

    #[test]
    fn an_excerpt_is_one_line_without_control_characters() {
        assert_eq!(excerpt(b" one\r\n\ttwo \x1b[31mthree\xff", 20), "one two [31mthree\u{fffd}");
        assert_eq!(excerpt("äöü".as_bytes(), 2), "äö");
    }
}
