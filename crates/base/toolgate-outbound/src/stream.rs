//! A connection for protocols other than HTTP, to an address that the operator wrote down: plain, and encrypted
//! from some moment on.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;
use toolgate_core::address::Reach;
use toolgate_core::egress::Egress;
use tower_service::Service as _;

use crate::client::ExchangeError;
use crate::resolver::Resolver;
use crate::tcp::{Tcp, authority};
use crate::tls::tls;
use crate::trouble::told;

/// A connection, encrypted or not.
pub enum OutboundStream {
    Plain(TcpStream),
    Encrypted(Box<TlsStream<TcpStream>>),
}

impl OutboundStream {
    /// A plain connection, directly or through the proxy of the egress.
    pub async fn open(
        host: &str,
        port: u16,
        egress: &Arc<Egress>,
        limit: Duration,
    ) -> Result<Self, ExchangeError> {
        let address = format!("tcp://{}/", authority(host, port));
        let uri = address.parse::<Uri>().map_err(|error| ExchangeError::Broken(error.to_string()))?;
        let mut tcp = Tcp::new(egress.clone(), Resolver::system(Reach::Anywhere), limit);
        let opened = tcp.call(uri).await.map_err(|error| ExchangeError::Broken(told(&*error)))?;
        Ok(Self::Plain(opened.into_inner()))
    }

    /// The same connection, encrypted from here on; the certificate must be that of `host`.
    pub async fn encrypted(
        self,
        host: &str,
        egress: &Egress,
        limit: Duration,
    ) -> Result<Self, ExchangeError> {
        let tcp = match self {
            Self::Plain(tcp) => tcp,
            Self::Encrypted(_) => return Ok(self),
        };
        let broken = |error: &dyn std::fmt::Display| ExchangeError::Broken(error.to_string());
        let config = tls(egress).map_err(|error| broken(&error))?;
        let name = ServerName::try_from(host.to_owned()).map_err(|error| broken(&error))?;
        match tokio::time::timeout(limit, TlsConnector::from(config).connect(name, tcp)).await {
            Ok(Ok(stream)) => Ok(Self::Encrypted(Box::new(stream))),
            Ok(Err(error)) => Err(ExchangeError::Broken(told(&error))),
            Err(_) => Err(ExchangeError::TimedOut(limit)),
        }
    }

    /// True if the other end is on this machine.
    pub fn stays_here(&self) -> bool {
        let peer = match self {
            Self::Plain(tcp) => tcp.peer_addr(),
            Self::Encrypted(stream) => stream.get_ref().0.peer_addr(),
        };
        peer.is_ok_and(|peer| peer.ip().to_canonical().is_loopback())
    }
}

impl AsyncRead for OutboundStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Plain(tcp) => Pin::new(tcp).poll_read(cx, buffer),
            Self::Encrypted(stream) => Pin::new(stream).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for OutboundStream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match &mut *self {
            Self::Plain(tcp) => Pin::new(tcp).poll_write(cx, bytes),
            Self::Encrypted(stream) => Pin::new(stream).poll_write(cx, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Plain(tcp) => Pin::new(tcp).poll_flush(cx),
            Self::Encrypted(stream) => Pin::new(stream).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Self::Plain(tcp) => Pin::new(tcp).poll_shutdown(cx),
            Self::Encrypted(stream) => Pin::new(stream).poll_shutdown(cx),
        }
    }
}
