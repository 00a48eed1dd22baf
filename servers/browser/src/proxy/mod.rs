//! The only way out of a context: an HTTP proxy on a port of loopback that is the context's own, so that traffic has a name.
//! Pages, frames, workers of every kind, WebSockets, downloads and icons take it, and so does every redirect, since each is a
//! new request. Each connection is judged when it is dialled, by the address that is then dialled and no other.

mod dial;
mod request;
mod serve;

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::net::TcpListener;
use tokio_util::sync::{CancellationToken, DropGuard};
use tokio_util::task::TaskTracker;

use crate::hosts::HostRules;
use crate::journal::Journal;
use serve::ProxyWay;

/// The ports of all proxies of this browser. None of them is dialled, also where this machine may be.
pub(crate) type ProxyPorts = Arc<Mutex<Vec<u16>>>;

/// Ends, with all its connections, when it is dropped.
pub(crate) struct EgressProxy {
    port: u16,
    ports: ProxyPorts,
    _end: DropGuard,
}

impl EgressProxy {
    /// Refusals go to the journal.
    pub(crate) async fn start(
        rules: Arc<HostRules>,
        journal: Arc<Journal>,
        ports: ProxyPorts,
        tasks: &TaskTracker,
    ) -> std::io::Result<Self> {
        let listener = TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
        let port = listener.local_addr()?.port();
        ports.lock().push(port);
        let end = CancellationToken::new();
        let way = ProxyWay { rules, journal, ports: Arc::clone(&ports), names: dial::system_names() };
        tasks.spawn(serve::serve(listener, Arc::new(way), end.clone(), tasks.clone()));
        Ok(Self { port, ports, _end: end.drop_guard() })
    }

    /// As Chromium wants it named.
    pub(crate) fn address(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }
}

impl Drop for EgressProxy {
    fn drop(&mut self) {
        self.ports.lock().retain(|port| *port != self.port);
    }
}

#[cfg(test)]
mod tests;
