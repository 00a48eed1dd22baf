//! A TCP connection to an address, directly or through a proxy.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;
use toolgate_core::address::Reach;
use toolgate_core::egress::{Egress, Proxy};
use toolgate_core::port::BoxFuture;
use tower_service::Service;

use crate::resolver::Resolver;
use crate::trouble::told;
use crate::tunnel::{self, ProxyError};

const KEEPALIVE: Duration = Duration::from_secs(30);

type BoxError = Box<dyn std::error::Error + Send + Sync>;
type TcpIo = TokioIo<TcpStream>;

/// Opens connections. Clones share their state.
#[derive(Clone)]
pub struct Tcp {
    egress: Arc<Egress>,
    resolver: Resolver,
    direct: HttpConnector<Resolver>,
    /// The operator named the proxy, so it may be anywhere.
    to_proxy: HttpConnector<Resolver>,
    connect_timeout: Duration,
}

impl std::fmt::Debug for Tcp {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Tcp").field("egress", &self.egress).finish_non_exhaustive()
    }
}

impl Tcp {
    pub fn new(egress: Arc<Egress>, resolver: Resolver, connect_timeout: Duration) -> Self {
        Self {
            direct: connector(resolver.clone(), connect_timeout),
            to_proxy: connector(Resolver::system(Reach::Anywhere), connect_timeout),
            egress,
            resolver,
            connect_timeout,
        }
    }

    async fn straight(mut self, uri: Uri) -> Result<TcpIo, BoxError> {
        Ok(self.direct.call(uri).await?)
    }

    async fn through(self, proxy: Proxy, uri: Uri) -> Result<TcpIo, BoxError> {
        let host = bare(uri.host().unwrap_or_default());
        let target = match self.resolver.pinned(host).await? {
            // The proxy is asked for the checked address. It may still be one that bypasses the proxy.
            Some(address) if self.egress.proxy_to(&address.to_string()).is_none() => {
                return self.straight(uri).await;
            }
            Some(address) => SocketAddr::new(address, port(&uri)).to_string(),
            None => authority(host, port(&uri)),
        };
        Ok(TokioIo::new(self.asked(&proxy, &target).await?))
    }

    async fn asked(mut self, proxy: &Proxy, target: &str) -> Result<TcpStream, ProxyError> {
        let unreachable = |reason: String| ProxyError::Unreachable { proxy: proxy.authority(), reason };
        let uri = format!("http://{}/", proxy.authority()).parse::<Uri>();
        let uri = uri.map_err(|error| unreachable(error.to_string()))?;
        let stream = self.to_proxy.call(uri).await.map_err(|error| unreachable(told(&error)))?;
        let opening = tunnel::open(stream.into_inner(), proxy, target);
        let seconds = self.connect_timeout.as_secs();
        let opened = tokio::time::timeout(self.connect_timeout, opening).await;
        opened.unwrap_or_else(|_| Err(ProxyError::TimedOut { proxy: proxy.authority(), seconds }))
    }
}

impl Service<Uri> for Tcp {
    type Response = TcpIo;
    type Error = BoxError;
    type Future = BoxFuture<'static, Result<TcpIo, BoxError>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let host = uri.host().unwrap_or_default();
        // A numeric address is not resolved.
        if let Ok(address) = bare(host).parse::<IpAddr>()
            && let Err(forbidden) = self.resolver.check(address, host)
        {
            return Box::pin(std::future::ready(Err(forbidden.into())));
        }
        match self.egress.proxy_to(host).cloned() {
            None => Box::pin(self.clone().straight(uri)),
            Some(proxy) => Box::pin(self.clone().through(proxy, uri)),
        }
    }
}

fn connector(resolver: Resolver, connect_timeout: Duration) -> HttpConnector<Resolver> {
    let mut connector = HttpConnector::new_with_resolver(resolver);
    connector.enforce_http(false);
    connector.set_nodelay(true);
    connector.set_connect_timeout(Some(connect_timeout));
    connector.set_keepalive(Some(KEEPALIVE));
    connector
}

fn bare(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}

fn port(uri: &Uri) -> u16 {
    uri.port_u16().unwrap_or(if uri.scheme_str() == Some("https") { 443 } else { 80 })
}

/// Host and port as an address has them.
pub(crate) fn authority(host: &str, port: u16) -> String {
    match host.contains(':') {
        true => format!("[{host}]:{port}"),
        false => format!("{host}:{port}"),
    }
}
