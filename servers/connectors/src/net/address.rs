//! The configured host, and the addresses that its name may lead to.

use std::fmt;
use std::io;
use std::net::{IpAddr, SocketAddr};

use capability_kit::Trouble;
use rustls::pki_types::ServerName;
use url::{Host, Url};

use super::Encryption;

/// A host and its port.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct HostPort {
    host: Host<String>,
    port: u16,
}

/// The reach of an address.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum AddressRange {
    Public,
    Private,
    /// This machine, and what only it can reach, such as the metadata of a cloud.
    Here,
}

impl HostPort {
    pub(crate) fn of_url(url: &Url, usual_port: u16) -> Option<Self> {
        let host = match url.host()?.to_owned() {
            // Schemes that are not HTTP's leave addresses as names.
            Host::Domain(name) => Host::parse(&name).ok()?,
            host => host,
        };
        Some(Self { host, port: url.port().unwrap_or(usual_port) })
    }

    pub(crate) fn host(&self) -> String {
        match &self.host {
            Host::Ipv6(address) => address.to_string(),
            host => host.to_string(),
        }
    }

    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// The addresses behind the name. A name must not lead to this machine: only an operator who writes its address or `localhost`
    /// means that.
    pub(crate) async fn addresses(&self, encryption: Encryption) -> io::Result<Vec<SocketAddr>> {
        let found: Vec<SocketAddr> = match &self.host {
            Host::Ipv4(address) => vec![SocketAddr::new(IpAddr::V4(*address), self.port)],
            Host::Ipv6(address) => vec![SocketAddr::new(IpAddr::V6(*address), self.port)],
            Host::Domain(name) => tokio::net::lookup_host((name.as_str(), self.port)).await?.collect(),
        };
        if found.is_empty() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "the name has no address"));
        }
        for address in &found {
            self.check(range_of(address.ip()), encryption)?;
        }
        Ok(found)
    }

    fn check(&self, range: AddressRange, encryption: Encryption) -> io::Result<()> {
        let refused =
            |why: &str| Err(io::Error::new(io::ErrorKind::PermissionDenied, format!("{self} {why}")));
        if range == AddressRange::Here && !self.is_explicit() {
            return refused("leads to this machine, which its name does not say");
        }
        if range == AddressRange::Public && encryption == Encryption::Never {
            return refused("is public, and --without-tls is for private addresses");
        }
        Ok(())
    }

    fn is_explicit(&self) -> bool {
        match &self.host {
            Host::Domain(name) => name == "localhost" || name.ends_with(".localhost"),
            Host::Ipv4(_) | Host::Ipv6(_) => true,
        }
    }

    /// The name that the certificate must have.
    pub(super) fn server_name(&self) -> io::Result<ServerName<'static>> {
        ServerName::try_from(self.host()).map_err(io::Error::other)
    }
}

impl fmt::Display for HostPort {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

fn range_of(address: IpAddr) -> AddressRange {
    match address.to_canonical() {
        IpAddr::V4(v4)
            if v4.is_loopback() || v4.is_link_local() || v4.is_unspecified() || v4.is_multicast() =>
        {
            AddressRange::Here
        }
        IpAddr::V4(v4) if v4.is_private() => AddressRange::Private,
        IpAddr::V6(v6)
            if v6.is_loopback() || v6.is_unicast_link_local() || v6.is_unspecified() || v6.is_multicast() =>
        {
            AddressRange::Here
        }
        IpAddr::V6(v6) if v6.is_unique_local() => AddressRange::Private,
        IpAddr::V4(_) | IpAddr::V6(_) => AddressRange::Public,
    }
}

/// A URL of the operator's with one of these schemes, a host, and no password.
pub(crate) fn check_name(option: &str, written: &str, schemes: &[&str]) -> Result<Url, Trouble> {
    let example = schemes[0];
    let bad = |what: &str| {
        Trouble::unavailable(format!("{option} {what}"))
            .hint(format!("the operator writes it as {example}://HOST:PORT"))
    };
    let url = Url::parse(written).map_err(|_| bad("is no address"))?;
    if !schemes.contains(&url.scheme()) || !url.has_host() {
        return Err(bad("is no address of this kind"));
    }
    if url.password().is_some() {
        return Err(bad("has a password in it, which belongs in the environment"));
    }
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(url: &str) -> HostPort {
        HostPort::of_url(&Url::parse(url).unwrap(), 1).unwrap()
    }

    #[test]
    fn only_an_explicit_address_leads_to_this_machine() {
        for here in ["127.0.0.1", "::1", "169.254.169.254", "0.0.0.0", "::ffff:127.0.0.1"] {
            assert_eq!(range_of(here.parse().unwrap()), AddressRange::Here, "{here}");
        }
        let named = place("imaps://mail.example");
        assert!(named.check(AddressRange::Here, Encryption::FromTheStart).is_err());
        assert!(named.check(AddressRange::Private, Encryption::Never).is_ok());
        for explicit in ["imaps://127.0.0.1", "imaps://localhost", "imaps://[::1]"] {
            assert!(place(explicit).check(AddressRange::Here, Encryption::Never).is_ok(), "{explicit}");
        }
    }

    #[test]
    fn nothing_goes_to_a_public_address_unencrypted() {
        for public in ["8.8.8.8", "2001:4860:4860::8888"] {
            assert_eq!(range_of(public.parse().unwrap()), AddressRange::Public, "{public}");
        }
        let named = place("imap://mail.example");
        assert!(named.check(AddressRange::Public, Encryption::Never).is_err());
        assert!(named.check(AddressRange::Public, Encryption::Upgraded).is_ok());
    }

    #[test]
    fn addresses_of_other_schemes_are_addresses_too() {
        assert_eq!(place("smtp://127.0.0.1:2525").to_string(), "127.0.0.1:2525");
        assert!(place("smtp://127.0.0.1:2525").is_explicit());
        assert_eq!(place("smtps://[::1]").to_string(), "[::1]:1");
        assert!(check_name("--smtp", "smtp://ada:secret@mail.example", &["smtp"]).is_err());
    }
}
