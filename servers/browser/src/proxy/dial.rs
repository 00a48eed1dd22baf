//! Resolving, judging and connecting, in this order and to the very address that was judged.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpStream, lookup_host};
use tokio::time::timeout;
use url::Host;

use super::ProxyPorts;
use crate::hosts::HostRules;

const RESOLVE_LIMIT: Duration = Duration::from_secs(5);
const CONNECT_LIMIT: Duration = Duration::from_secs(5);
/// Of the addresses of one name.
const ADDRESSES_MAX: usize = 4;

#[derive(PartialEq, Eq, Debug)]
pub(super) enum DialError {
    /// By our rules, with the reason.
    Refused(String),
    Unreachable(String),
}

/// Looks a name up, once for each connection. The system is asked; tests answer themselves.
pub(super) type NameLookup = Arc<dyn Fn(String, u16) -> LookupFuture + Send + Sync>;
pub(super) type LookupFuture = Pin<Box<dyn Future<Output = io::Result<Vec<SocketAddr>>> + Send>>;

/// The names of this system.
pub(super) fn system_names() -> NameLookup {
    Arc::new(|name, port| {
        Box::pin(async move { Ok(lookup_host((name.as_str(), port)).await?.take(ADDRESSES_MAX).collect()) })
    })
}

pub(super) async fn dial(
    rules: &HostRules,
    ports: &ProxyPorts,
    names: &NameLookup,
    host: &Host<String>,
    port: u16,
) -> Result<TcpStream, DialError> {
    rules.check_name(host, port).map_err(DialError::Refused)?;
    let addresses = judged(rules, ports, host, resolve(names, host, port).await?)?;
    let mut last = String::new();
    for address in addresses {
        match timeout(CONNECT_LIMIT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                // A page waits for every piece.
                drop(stream.set_nodelay(true));
                return Ok(stream);
            }
            Ok(Err(error)) => last = error.to_string(),
            Err(_) => last = format!("no answer within {} s", CONNECT_LIMIT.as_secs()),
        }
    }
    Err(DialError::Unreachable(format!("{host} cannot be reached: {last}")))
}

async fn resolve(names: &NameLookup, host: &Host<String>, port: u16) -> Result<Vec<SocketAddr>, DialError> {
    match host {
        Host::Ipv4(address) => Ok(vec![(*address, port).into()]),
        Host::Ipv6(address) => Ok(vec![(*address, port).into()]),
        Host::Domain(name) => match timeout(RESOLVE_LIMIT, names(name.clone(), port)).await {
            Ok(Ok(addresses)) => Ok(addresses),
            Ok(Err(error)) => Err(DialError::Unreachable(format!("{name} has no address: {error}"))),
            Err(_) => Err(DialError::Unreachable(format!("{name} was not resolved in time"))),
        },
    }
}

/// The addresses that may be dialled. A name with a public and a private one is the oldest trick.
fn judged(
    rules: &HostRules,
    ports: &ProxyPorts,
    host: &Host<String>,
    addresses: Vec<SocketAddr>,
) -> Result<Vec<SocketAddr>, DialError> {
    let mut why = None;
    let mut allowed = Vec::new();
    for address in addresses {
        match check(rules, ports, address) {
            Ok(()) => allowed.push(address),
            Err(reason) => why = Some(reason),
        }
    }
    match (allowed.is_empty(), why) {
        (true, Some(reason)) => Err(DialError::Refused(reason)),
        (true, None) => Err(DialError::Unreachable(format!("{host} has no address"))),
        (false, _) => Ok(allowed),
    }
}

fn check(rules: &HostRules, ports: &ProxyPorts, address: SocketAddr) -> Result<(), String> {
    rules.check_address(address.ip())?;
    if address.ip().to_canonical().is_loopback() && ports.lock().contains(&address.port()) {
        return Err("it is the browser's own proxy".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use parking_lot::Mutex;

    use super::*;

    fn judge(rules: &HostRules, addresses: &[&str]) -> Result<Vec<SocketAddr>, DialError> {
        let ports: ProxyPorts = Arc::new(Mutex::new(vec![4000]));
        let host = Host::Domain("a.example".to_owned());
        judged(rules, &ports, &host, addresses.iter().map(|one| one.parse().unwrap()).collect())
    }

    #[test]
    fn a_name_with_a_private_address_leads_to_its_public_ones_only() {
        let both = ["10.0.0.1:80", "93.184.216.34:80", "[::ffff:127.0.0.1]:80"];
        let allowed = judge(&HostRules::default(), &both).unwrap();
        assert_eq!(allowed, ["93.184.216.34:80".parse().unwrap()]);
        let refused = judge(&HostRules::default(), &both[..1]).unwrap_err();
        assert!(matches!(refused, DialError::Refused(why) if why.contains("private network")));
    }

    #[test]
    fn the_proxies_of_contexts_are_not_dialled_even_where_this_machine_may_be() {
        let rules = HostRules { private: true, ..HostRules::default() };
        assert!(judge(&rules, &["127.0.0.1:4001"]).is_ok());
        assert!(judge(&rules, &["127.0.0.1:4000"]).is_err());
        assert!(judge(&rules, &["[::ffff:127.0.0.1]:4000"]).is_err());
    }
}
