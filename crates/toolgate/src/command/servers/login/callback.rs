//! The browser's return address: a page on this machine for one pending sign-in.

use std::net::{Ipv4Addr, SocketAddr};
use std::time::Duration;

use anyhow::Context as _;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::time::timeout;
use toolgate_credentials::{LoginError, PendingLogin, SignedIn};

const PATH: &str = "/callback";
/// A browser sends cookies of other pages on this machine along.
const REQUEST_BYTES_MAX: usize = 64 << 10;
/// A silent connection must not keep the browser waiting.
const REQUEST_WAIT: Duration = Duration::from_secs(5);

pub(super) struct CallbackListener {
    listener: TcpListener,
    port: u16,
}

impl CallbackListener {
    /// `port` is for clients that were registered with one address.
    pub(super) async fn open(port: Option<u16>) -> anyhow::Result<Self> {
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port.unwrap_or(0)));
        let listener = TcpListener::bind(address).await;
        let listener = listener.with_context(|| {
            format!("could not listen at {address} for the browser\nhint: choose another port with --port")
        })?;
        let port = listener.local_addr().context("the listener has no address")?.port();
        Ok(Self { listener, port })
    }

    pub(super) fn address(&self) -> String {
        format!("http://127.0.0.1:{}{PATH}", self.port)
    }

    /// Waits for the browser's response to this sign-in. Other requests are refused.
    pub(super) async fn serve(&self, login: &PendingLogin) -> anyhow::Result<SignedIn> {
        loop {
            let (mut stream, _) = self.listener.accept().await.context("could not wait for the browser")?;
            let Ok(Some(target)) = timeout(REQUEST_WAIT, read_target(&mut stream)).await else { continue };
            if !target.starts_with(&format!("{PATH}?")) {
                answer(&mut stream, "404 Not Found", "Nothing is here.").await;
                continue;
            }
            match login.finish(&format!("http://127.0.0.1:{}{target}", self.port)).await {
                Ok(signed_in) => {
                    answer(&mut stream, "200 OK", "You are signed in. You can close this window.").await;
                    return Ok(signed_in);
                }
                Err(error @ LoginError::Foreign { .. }) => {
                    answer(&mut stream, "400 Bad Request", &error.to_string()).await;
                }
                Err(error) => {
                    let text = format!("{error}\nYou can close this window; the terminal says more.");
                    answer(&mut stream, "400 Bad Request", &text).await;
                    return Err(error.into());
                }
            }
        }
    }
}

/// The path and query of a request, if it is one.
async fn read_target(stream: &mut TcpStream) -> Option<String> {
    let mut head = Vec::new();
    let mut buffer = [0; 4096];
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let read = stream.read(&mut buffer).await.ok()?;
        if read == 0 || head.len() + read > REQUEST_BYTES_MAX {
            return None;
        }
        head.extend_from_slice(&buffer[..read]);
    }
    target_of(std::str::from_utf8(&head).ok()?)
}

fn target_of(head: &str) -> Option<String> {
    let mut words = head.lines().next()?.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    let fits = method == "GET" && version.starts_with("HTTP/1.") && words.next().is_none();
    fits.then(|| target.to_owned())
}

async fn answer(stream: &mut TcpStream, status: &str, text: &str) {
    let page = page(text);
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {}\r\nCache-Control: no-store\r\n\
         Content-Security-Policy: default-src 'none'\r\nReferrer-Policy: no-referrer\r\nConnection: close\r\n\r\n",
        page.len()
    );
    // A browser that has gone needs no page.
    drop(stream.write_all(format!("{head}{page}").as_bytes()).await);
    drop(stream.shutdown().await);
}

fn page(text: &str) -> String {
    let lines: String = text.lines().map(|line| format!("<p>{}</p>", escaped(line))).collect();
    format!("<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Toolgate</title>{lines}</html>")
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_get_has_a_target() {
        let target = |head: &str| target_of(&format!("{head}\r\nHost: x\r\n\r\n"));
        assert_eq!(target("GET /callback?code=1 HTTP/1.1").as_deref(), Some("/callback?code=1"));
        for other in ["POST /callback HTTP/1.1", "GET /callback", "GET /a b HTTP/1.1", "", "SSH-2.0-x"] {
            assert_eq!(target(other), None, "{other}");
        }
    }

    #[test]
    fn what_somebody_else_says_is_text_on_the_page() {
        assert!(page("<script>alert(1)</script>").contains("&lt;script&gt;"));
    }

    #[tokio::test]
    async fn a_request_in_pieces_is_read_and_one_without_end_is_not() {
        let desk = CallbackListener::open(None).await.expect("a port");
        let mut browser = TcpStream::connect(("127.0.0.1", desk.port)).await.expect("connected");
        let (mut stream, _) = desk.listener.accept().await.expect("accepted");
        browser.write_all(b"GET /callback?co").await.expect("sent");
        browser.write_all(b"de=1 HTTP/1.1\r\nHost: x\r\n\r\n").await.expect("sent");
        assert_eq!(read_target(&mut stream).await.as_deref(), Some("/callback?code=1"));
        drop(browser);
        assert_eq!(read_target(&mut stream).await, None);
    }
}
