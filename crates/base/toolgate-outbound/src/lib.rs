#![doc = include_str!("../README.md")]

mod client;
mod proxy;
mod resolver;
mod stream;
mod tcp;
mod tls;
mod trouble;
mod tunnel;

use std::sync::Arc;
use std::time::Duration;

use hyper_rustls::HttpsConnector;
use toolgate_core::address::Reach;
use toolgate_core::egress::Egress;

pub use client::{Client, ExchangeError, IDLE_MAX, OutboundAnswer, Pool, connector_anywhere, excerpt, pool};
pub use proxy::{BadProxy, read_proxy};
pub use resolver::{ForbiddenAddress, HostLookup, NameUnknown, Resolver};
pub use stream::OutboundStream;
pub use tcp::Tcp;
pub use tls::{BadEgress, TlsPart, check};
use tls::{tls, without_roots};
pub use trouble::{ConnectTrouble, told};
pub use tunnel::ProxyError;

/// Plain connections and TLS, depending on the address.
pub type OutboundConnector = HttpsConnector<Tcp>;

/// The allowed addresses of a destination, and the connection settings.
#[derive(Clone, Debug)]
pub struct OutboundSettings {
    pub reach: Reach,
    pub egress: Arc<Egress>,
}

impl From<Reach> for OutboundSettings {
    fn from(reach: Reach) -> Self {
        Self { reach, egress: Arc::default() }
    }
}

/// The scheme of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scheme {
    Http,
    Https,
}

impl Scheme {
    /// `None` for unsupported schemes.
    pub fn of(text: &str) -> Option<Self> {
        match text {
            "http" => Some(Self::Http),
            "https" => Some(Self::Https),
            _ => None,
        }
    }
}

/// A connector for addresses of one scheme. The machine's root certificates are read only where they are needed.
pub fn connector(
    scheme: Scheme,
    egress: &Arc<Egress>,
    resolver: Resolver,
    connect_timeout: Duration,
) -> Result<OutboundConnector, BadEgress> {
    let tls = match scheme {
        Scheme::Http => without_roots(),
        Scheme::Https => tls(egress)?,
    };
    let mut connector = OutboundConnector::from((Tcp::new(egress.clone(), resolver, connect_timeout), tls));
    if scheme == Scheme::Https {
        connector.enforce_https();
    }
    Ok(connector)
}
