//! The equipment in front of servers in operators' networks: TLS with private certificates, and proxies.

use std::net::SocketAddr;
use std::sync::Arc;

use parking_lot::Mutex;
use rustls::ServerConfig;
use tokio::io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::{CancellationToken, DropGuard};

/// Terminates TLS and passes the content on to a plain HTTP server, until it is dropped.
pub struct TlsFront {
    pub address: SocketAddr,
    _end: DropGuard,
}

impl TlsFront {
    pub async fn start(config: Arc<ServerConfig>, behind: SocketAddr) -> Self {
        let (listener, address) = bound().await;
        let acceptor = TlsAcceptor::from(config);
        let end = serve(listener, move |stream| {
            let acceptor = acceptor.clone();
            async move {
                let Ok(mut near) = acceptor.accept(stream).await else { return };
                let Ok(mut far) = TcpStream::connect(behind).await else { return };
                drop(copy_bidirectional(&mut near, &mut far).await);
            }
        });
        Self { address, _end: end }
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }
}

/// An HTTP proxy that supports only CONNECT and resolves every name to this machine, until it is dropped.
pub struct ConnectProxy {
    pub address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
    _end: DropGuard,
}

impl ConnectProxy {
    /// `authorization` is the required header, if any.
    pub async fn start(authorization: Option<&str>) -> Self {
        let (listener, address) = bound().await;
        let asked: Arc<Mutex<Vec<String>>> = Arc::default();
        let (seen, wanted) = (asked.clone(), authorization.map(str::to_owned));
        let end = serve(listener, move |stream| pass(stream, seen.clone(), wanted.clone()));
        Self { address, asked, _end: end }
    }

    /// The requested targets, in order.
    pub fn asked(&self) -> Vec<String> {
        self.asked.lock().clone()
    }
}

async fn pass(mut near: TcpStream, asked: Arc<Mutex<Vec<String>>>, wanted: Option<String>) {
    const HEAD_BYTES_MAX: usize = 8 << 10;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") && head.len() < HEAD_BYTES_MAX {
        let Ok(byte) = near.read_u8().await else { return };
        head.push(byte);
    }
    let head = String::from_utf8_lossy(&head);
    let Some(target) = head.strip_prefix("CONNECT ").and_then(|rest| rest.split(' ').next()) else { return };
    let shown = head.lines().find_map(|line| line.strip_prefix("Proxy-Authorization: ")).map(str::to_owned);
    asked.lock().push(target.to_owned());
    if wanted.is_some() && shown != wanted {
        drop(
            near.write_all(b"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n").await,
        );
        return;
    }
    let port = target.rsplit(':').next().and_then(|port| port.parse::<u16>().ok()).unwrap_or_default();
    match TcpStream::connect(("127.0.0.1", port)).await {
        Ok(mut far) => {
            drop(near.write_all(b"HTTP/1.1 200 Connection established\r\n\r\n").await);
            drop(copy_bidirectional(&mut near, &mut far).await);
        }
        Err(_) => drop(near.write_all(b"HTTP/1.1 502 Bad Gateway\r\n\r\n").await),
    }
}

async fn bound() -> (TcpListener, SocketAddr) {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let address = listener.local_addr().expect("an address that was bound");
    (listener, address)
}

fn serve<F>(listener: TcpListener, mut each: impl FnMut(TcpStream) -> F + Send + 'static) -> DropGuard
where
    F: Future<Output = ()> + Send + 'static,
{
    let end = CancellationToken::new();
    let until = end.clone();
    tokio::spawn(end.clone().run_until_cancelled_owned(async move {
        while let Ok((stream, _)) = listener.accept().await {
            tokio::spawn(until.clone().run_until_cancelled_owned(each(stream)));
        }
    }));
    end.drop_guard()
}
