//! The resolution of names, checked against the address rules whenever a connection is opened: the target of
//! a name at registration says nothing about its target now.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper_util::client::legacy::connect::dns::Name;
use toolgate_core::address::{AddressRefused, Reach};
use toolgate_core::port::BoxFuture;
use tower_service::Service;

/// Turns a name into addresses.
pub trait HostLookup: Send + Sync {
    fn addresses(&self, host: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>>;
}

/// The machine's own resolver.
struct SystemLookup;

impl HostLookup for SystemLookup {
    fn addresses(&self, host: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
        let host = host.to_owned();
        Box::pin(async move {
            // The port is the connector's affair.
            let found = tokio::net::lookup_host((host.as_str(), 0)).await;
            let found = found.map(|found| found.map(|address| address.ip()).collect());
            found.map_err(|error| io::Error::other(NameUnknown { host, reason: error.to_string() }))
        })
    }
}

/// A name or address that a server may not have.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("\"{host}\" may not be dialled: {refused}")]
pub struct ForbiddenAddress {
    pub host: String,
    pub refused: AddressRefused,
}

/// A name that does not resolve.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("\"{host}\": {reason}")]
pub struct NameUnknown {
    pub host: String,
    pub reason: String,
}

#[derive(Clone)]
pub struct Resolver {
    lookup: Arc<dyn HostLookup>,
    reach: Reach,
}

impl Resolver {
    pub fn system(reach: Reach) -> Self {
        Self { lookup: Arc::new(SystemLookup), reach }
    }

    pub fn with(lookup: Arc<dyn HostLookup>, reach: Reach) -> Self {
        Self { lookup, reach }
    }

    /// Addresses in a URL are never resolved, so they are checked here, in any notation.
    pub fn check_literal(&self, url: &url::Url) -> Result<(), ForbiddenAddress> {
        let address = match url.host() {
            Some(url::Host::Ipv4(address)) => IpAddr::V4(address),
            Some(url::Host::Ipv6(address)) => IpAddr::V6(address),
            Some(url::Host::Domain(_)) | None => return Ok(()),
        };
        self.check(address, &address.to_string())
    }

    pub(crate) fn check(&self, address: IpAddr, host: &str) -> Result<(), ForbiddenAddress> {
        self.reach.check(address).map_err(|refused| ForbiddenAddress { host: host.to_owned(), refused })
    }

    /// The address to request from a proxy, so that it dials exactly the checked one; `None` if nothing is
    /// checked and the proxy may resolve the name itself.
    pub(crate) async fn pinned(&self, host: &str) -> io::Result<Option<IpAddr>> {
        if self.reach == Reach::Anywhere {
            return Ok(None);
        }
        if let Ok(address) = host.parse() {
            return Ok(Some(address));
        }
        let found = self.checked(host).await?;
        // Many proxies have no way to the newer kind of addresses.
        let first = found.iter().find(|address| address.is_ipv4()).or(found.first()).copied();
        let reason = "it has no address".to_owned();
        first.map(Some).ok_or_else(|| io::Error::other(NameUnknown { host: host.to_owned(), reason }))
    }

    /// All of the addresses or none: a name with a forbidden address among others is suspicious.
    async fn checked(&self, host: &str) -> io::Result<Vec<IpAddr>> {
        let found = self.lookup.addresses(host).await?;
        for address in &found {
            self.check(*address, host).map_err(io::Error::other)?;
        }
        Ok(found)
    }

    async fn resolve(self, host: Name) -> io::Result<std::vec::IntoIter<SocketAddr>> {
        let found = self.checked(host.as_str()).await?;
        let found: Vec<SocketAddr> = found.into_iter().map(|address| SocketAddr::new(address, 0)).collect();
        Ok(found.into_iter())
    }
}

impl Service<Name> for Resolver {
    type Response = std::vec::IntoIter<SocketAddr>;
    type Error = io::Error;
    type Future = BoxFuture<'static, io::Result<Self::Response>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, host: Name) -> Self::Future {
        Box::pin(self.clone().resolve(host))
    }
}

#[cfg(test)]
mod tests {
    use parking_lot::Mutex;
    use toolgate_core::address::AddressRules;

    use super::*;

    /// Answers each question with the next of its answers, and the last one from then on.
    struct ScriptedLookup(Mutex<Vec<Vec<IpAddr>>>);

    impl ScriptedLookup {
        fn new(answers: &[&[&str]]) -> Arc<Self> {
            let parse = |text: &&str| text.parse().expect("an address");
            let mut answers: Vec<Vec<IpAddr>> =
                answers.iter().map(|answer| answer.iter().map(parse).collect()).collect();
            answers.reverse();
            Arc::new(Self(Mutex::new(answers)))
        }
    }

    impl HostLookup for ScriptedLookup {
        fn addresses(&self, _: &str) -> BoxFuture<'static, io::Result<Vec<IpAddr>>> {
            let mut answers = self.0.lock();
            let answer = if answers.len() > 1 { answers.pop() } else { answers.last().cloned() };
            Box::pin(std::future::ready(Ok(answer.unwrap_or_default())))
        }
    }

    const PUBLIC_ONLY: Reach = Reach::Within(AddressRules { allow_loopback: false, allow_private: false });

    async fn ask(resolver: &Resolver) -> Result<Vec<IpAddr>, String> {
        let name = "rebound.example".parse().expect("a name");
        let found = resolver.clone().call(name).await.map_err(|error| error.to_string())?;
        Ok(found.map(|address| address.ip()).collect())
    }

    #[tokio::test]
    async fn a_name_that_leads_elsewhere_when_it_is_dialled_again_is_refused_then() {
        let resolver = Resolver::with(ScriptedLookup::new(&[&["8.8.8.8"], &["127.0.0.1"]]), PUBLIC_ONLY);
        assert_eq!(ask(&resolver).await, Ok(vec!["8.8.8.8".parse().expect("an address")]));
        let refused = ask(&resolver).await.expect_err("loopback");
        assert!(refused.contains("rebound.example") && refused.contains("127.0.0.1"), "{refused}");
        assert!(refused.contains("allow_loopback"), "{refused}");
    }

    #[tokio::test]
    async fn one_forbidden_address_among_others_refuses_the_name() {
        let resolver = Resolver::with(ScriptedLookup::new(&[&["8.8.8.8", "10.0.0.1"]]), PUBLIC_ONLY);
        assert!(ask(&resolver).await.expect_err("a private address").contains("10.0.0.1"));
    }

    #[tokio::test]
    async fn a_proxy_is_asked_for_the_address_that_was_checked() {
        let pinned = async |answer: &[&str], reach| {
            let resolver = Resolver::with(ScriptedLookup::new(&[answer]), reach);
            resolver.pinned("rebound.example").await.map_err(|error| error.to_string())
        };
        let public = |text: &str| Ok(Some(text.parse().expect("an address")));
        assert_eq!(pinned(&["2606:4700::1111", "8.8.8.8"], PUBLIC_ONLY).await, public("8.8.8.8"));
        assert_eq!(pinned(&["2606:4700::1111"], PUBLIC_ONLY).await, public("2606:4700::1111"));
        assert!(pinned(&["8.8.8.8", "10.0.0.1"], PUBLIC_ONLY).await.is_err());
        assert!(pinned(&[], PUBLIC_ONLY).await.is_err());
        assert_eq!(pinned(&["10.0.0.1"], Reach::Anywhere).await, Ok(None), "the proxy looks it up");
    }

    #[tokio::test]
    async fn what_the_operator_wrote_leads_anywhere() {
        let resolver =
            Resolver::with(ScriptedLookup::new(&[&["127.0.0.1", "169.254.169.254"]]), Reach::Anywhere);
        assert_eq!(ask(&resolver).await.expect("not checked").len(), 2);
    }

    #[tokio::test]
    async fn the_machine_itself_knows_localhost() {
        let name: Name = "localhost".parse().expect("a name");
        let found = Resolver::system(Reach::Anywhere).call(name.clone()).await.expect("known");
        assert!(found.into_iter().all(|address| address.ip().is_loopback()));
        assert!(Resolver::system(PUBLIC_ONLY).call(name).await.is_err());
    }

    #[test]
    fn addresses_in_urls_are_checked_in_every_notation() {
        let check = |url: &str| {
            let url = url::Url::parse(url).expect("a url");
            Resolver::system(PUBLIC_ONLY).check_literal(&url).is_ok()
        };
        for loopback in [
            "http://127.0.0.1/",
            "http://127.1:80/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://017700000001/",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
        ] {
            assert!(!check(loopback), "{loopback}");
        }
        assert!(check("http://8.8.8.8/") && check("http://names-are-looked-up.example/"));
    }
}
