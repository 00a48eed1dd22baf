//! The way connections leave the gateway: the certificates that are trusted, the gateway's own certificate,
//! and the proxy. Data only; `toolgate-outbound` opens the connections.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

/// The settings of outgoing connections. By default they trust the machine's roots, show no certificate and
/// use no proxy.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Egress {
    pub trust: Trust,
    pub identity: Option<Identity>,
    pub proxy: Option<Proxy>,
    /// Destinations that bypass the proxy, besides this machine itself.
    pub direct: Vec<ProxyBypass>,
}

/// The roots that make a certificate valid.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum Trust {
    /// The authorities that the machine trusts.
    #[default]
    Machine,
    /// These as well, in PEM.
    MachineAnd(Pem),
    /// None but these, in PEM.
    Only(Pem),
}

/// The gateway's own certificate, shown to servers that ask for one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    pub certificates: Pem,
    pub key: Pem,
}

/// The content of a PEM file. Nothing prints it.
#[derive(Clone, PartialEq, Eq)]
pub struct Pem(Vec<u8>);

impl Pem {
    pub fn new(content: Vec<u8>) -> Self {
        Self(content)
    }

    pub fn content(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for Pem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Pem({} bytes)", self.0.len())
    }
}

/// An HTTP proxy that is used with CONNECT.
#[derive(Clone, PartialEq, Eq)]
pub struct Proxy {
    /// A name or an address, without brackets.
    pub host: String,
    pub port: u16,
    /// The value of `Proxy-Authorization`.
    pub authorization: Option<String>,
}

impl fmt::Debug for Proxy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let authorization = self.authorization.as_ref().map(|_| "hidden");
        f.debug_struct("Proxy")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("authorization", &authorization)
            .finish()
    }
}

impl Proxy {
    /// Host and port, as messages name it.
    pub fn authority(&self) -> String {
        match self.host.contains(':') {
            true => format!("[{}]:{}", self.host, self.port),
            false => format!("{}:{}", self.host, self.port),
        }
    }
}

/// A destination that bypasses the proxy.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProxyBypass {
    Always,
    /// A name; in lower case.
    Name(String),
    /// A name and every name below it; in lower case, without the dot in front.
    Below(String),
    /// The addresses that share this many leading bits with this one.
    Net(IpAddr, u8),
}

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{0:?} is neither the name of a host nor an address")]
pub struct BadDirect(String);

impl FromStr for ProxyBypass {
    type Err = BadDirect;

    fn from_str(text: &str) -> Result<Self, BadDirect> {
        let bad = || BadDirect(text.to_owned());
        let bare = text.trim_start_matches('[').trim_end_matches(']');
        if text == "*" {
            return Ok(Self::Always);
        }
        if let Ok(address) = bare.parse::<IpAddr>() {
            return Ok(Self::Net(address, bits(address)));
        }
        if let Some((address, length)) = text.split_once('/') {
            let address: IpAddr = address.parse().map_err(|_| bad())?;
            let length = length.parse().ok().filter(|length| *length <= bits(address)).ok_or_else(bad)?;
            return Ok(Self::Net(address, length));
        }
        let below = text.strip_prefix("*.").or_else(|| text.strip_prefix('.'));
        let name = below.unwrap_or(text).to_ascii_lowercase();
        let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
        if name.is_empty() || !name.chars().all(fits) || name.starts_with('.') {
            return Err(bad());
        }
        Ok(if below.is_some() { Self::Below(name) } else { Self::Name(name) })
    }
}

impl ProxyBypass {
    fn is_name(&self, host: &str) -> bool {
        match self {
            Self::Always => true,
            Self::Name(name) => name == host,
            Self::Below(name) => {
                host.strip_suffix(name.as_str()).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
            }
            Self::Net(..) => false,
        }
    }

    fn is_address(&self, address: IpAddr) -> bool {
        match self {
            Self::Always => true,
            Self::Name(_) | Self::Below(_) => false,
            Self::Net(net, length) => match (net, address) {
                (IpAddr::V4(net), IpAddr::V4(address)) => same_bits_v4(*net, address, *length),
                (IpAddr::V6(net), IpAddr::V6(address)) => same_bits_v6(*net, address, *length),
                _ => false,
            },
        }
    }
}

fn bits(address: IpAddr) -> u8 {
    if address.is_ipv4() { 32 } else { 128 }
}

fn same_bits_v4(a: Ipv4Addr, b: Ipv4Addr, length: u8) -> bool {
    (a.to_bits() ^ b.to_bits()).leading_zeros() >= u32::from(length)
}

fn same_bits_v6(a: Ipv6Addr, b: Ipv6Addr, length: u8) -> bool {
    (a.to_bits() ^ b.to_bits()).leading_zeros() >= u32::from(length)
}

impl Egress {
    /// The proxy for a host; `None` connects directly. A proxy would resolve this machine's names and
    /// addresses as its own, so they never go through it.
    pub fn proxy_to(&self, host: &str) -> Option<&Proxy> {
        let proxy = self.proxy.as_ref()?;
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let direct = match bare.parse::<IpAddr>() {
            Ok(address) => is_here(address) || self.direct.iter().any(|one| one.is_address(address)),
            Err(_) => {
                let name = bare.trim_end_matches('.').to_ascii_lowercase();
                let here = name == "localhost" || name.ends_with(".localhost");
                here || self.direct.iter().any(|one| one.is_name(&name))
            }
        };
        (!direct).then_some(proxy)
    }

    /// The same settings without the gateway's own identity: for addresses that the operator did not write
    /// down.
    pub fn anonymous(&self) -> Self {
        Self { identity: None, ..self.clone() }
    }
}

/// True if an address belongs to this machine, in any form.
pub fn is_here(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn by_proxy(direct: &[&str], host: &str) -> bool {
        let proxy = Proxy { host: "proxy".into(), port: 3128, authorization: None };
        let direct = direct.iter().map(|text| text.parse().expect("it can be read")).collect();
        Egress { proxy: Some(proxy), direct, ..Egress::default() }.proxy_to(host).is_some()
    }

    #[test]
    fn this_machine_is_never_reached_through_a_proxy() {
        for here in [
            "127.0.0.1",
            "127.9.9.9",
            "[::1]",
            "[::ffff:127.0.0.1]",
            "localhost",
            "LOCALHOST.",
            "a.localhost",
        ] {
            assert!(!by_proxy(&[], here), "{here}");
        }
        assert!(by_proxy(&[], "example.com") && by_proxy(&[], "10.0.0.1") && by_proxy(&[], "notlocalhost"));
    }

    #[test]
    fn names_domains_addresses_and_networks_go_direct() {
        for (direct, host, expected) in [
            ("example.com", "example.com", false),
            ("example.com", "Example.COM", false),
            ("example.com", "a.example.com", true),
            (".example.com", "a.example.com", false),
            ("*.example.com", "example.com", false),
            (".example.com", "notexample.com", true),
            ("10.0.0.0/8", "10.9.9.9", false),
            ("10.0.0.0/8", "11.0.0.1", true),
            ("10.0.0.0/8", "ten.example", true),
            ("0.0.0.0/0", "8.8.8.8", false),
            ("192.0.2.7", "192.0.2.7", false),
            ("fd00::/8", "[fd12::1]", false),
            ("[fd12::1]", "[fd12::1]", false),
            ("*", "anything.example", false),
        ] {
            assert_eq!(by_proxy(&[direct], host), expected, "{direct} {host}");
        }
    }

    #[test]
    fn what_names_nobody_is_refused() {
        for text in ["", ".", "..a", "a b", "http://a", "10.0.0.0/33", "10.0.0.0/-1", "a:80", "::/129"] {
            assert!(text.parse::<ProxyBypass>().is_err(), "{text}");
        }
    }

    #[test]
    fn nothing_prints_a_key_or_a_password() {
        let pem = Pem::new(b"PRIVATE".to_vec());
        let identity = Identity { certificates: pem.clone(), key: pem };
        let authorization = Some("Basic c2VjcmV0".to_owned());
        let proxy = Proxy { host: "proxy".into(), port: 1, authorization };
        let egress = Egress { identity: Some(identity), proxy: Some(proxy), ..Egress::default() };
        let printed = format!("{egress:?}");
        assert!(!printed.contains("PRIVATE") && !printed.contains("c2VjcmV0"), "{printed}");
    }
}
