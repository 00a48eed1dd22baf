//! Connections to the configured host and to no other: addresses are checked, TLS is the rule, silence is limited.

mod address;
mod tls;

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

pub(crate) use address::{HostPort, check_name};

use crate::options::WayOptions;
use crate::patience::within;

/// The way to one host.
#[derive(Clone)]
pub(crate) struct ProviderWay {
    pub(crate) place: HostPort,
    pub(crate) silence_max: Duration,
    pub(crate) encryption: Encryption,
    tls: Arc<tls::TlsClient>,
}

/// The moment at which encryption begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Encryption {
    FromTheStart,
    /// By a command of the protocol, before anything else is said.
    Upgraded,
    /// Only where the operator says so, and never to public addresses.
    Never,
}

/// A connection, encrypted or not.
pub(crate) enum Wire {
    Plain(TcpStream),
    Tls(Box<TlsStream<TcpStream>>),
}

impl ProviderWay {
    pub(crate) fn new(place: HostPort, encryption: Encryption, options: &WayOptions) -> Self {
        let encryption = if options.without_tls { Encryption::Never } else { encryption };
        let tls = Arc::new(tls::TlsClient::new(options.ca_file.clone()));
        Self { place, silence_max: options.silence_max(), encryption, tls }
    }

    /// A connection, encrypted if it is so from the start.
    pub(crate) async fn connect(&self) -> io::Result<Wire> {
        let addresses = within(self.silence_max, self.place.addresses(self.encryption)).await?;
        let tcp = within(self.silence_max, TcpStream::connect(&addresses[..])).await?;
        tcp.set_nodelay(true)?;
        match self.encryption {
            Encryption::FromTheStart => self.encrypt(tcp).await,
            Encryption::Upgraded | Encryption::Never => Ok(Wire::Plain(tcp)),
        }
    }

    /// The same connection, encrypted from here on.
    pub(crate) async fn upgrade(&self, wire: Wire) -> io::Result<Wire> {
        match wire {
            Wire::Plain(tcp) => self.encrypt(tcp).await,
            Wire::Tls(_) => Ok(wire),
        }
    }

    async fn encrypt(&self, tcp: TcpStream) -> io::Result<Wire> {
        let connector = TlsConnector::from(self.tls.config().await?);
        let stream = within(self.silence_max, connector.connect(self.place.server_name()?, tcp)).await?;
        Ok(Wire::Tls(Box::new(stream)))
    }
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        match &mut *self {
            Wire::Plain(tcp) => Pin::new(tcp).poll_read(cx, buffer),
            Wire::Tls(tls) => Pin::new(tls).poll_read(cx, buffer),
        }
    }
}

impl AsyncWrite for Wire {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        match &mut *self {
            Wire::Plain(tcp) => Pin::new(tcp).poll_write(cx, bytes),
            Wire::Tls(tls) => Pin::new(tls).poll_write(cx, bytes),
        }
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Wire::Plain(tcp) => Pin::new(tcp).poll_flush(cx),
            Wire::Tls(tls) => Pin::new(tls).poll_flush(cx),
        }
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut *self {
            Wire::Plain(tcp) => Pin::new(tcp).poll_shutdown(cx),
            Wire::Tls(tls) => Pin::new(tls).poll_shutdown(cx),
        }
    }
}
