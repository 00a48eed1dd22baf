//! Which hosts may be dialled: names and ports before they are resolved, addresses after.

mod address;

use std::net::IpAddr;
use std::str::FromStr;

use capability_kit::Trouble;
use url::Host;

use address::AddressClass;

/// The ports of the web, and those that any user's program may listen on. The others belong to mail, shells and the like.
const WEB_PORTS: [u16; 2] = [80, 443];
const ORDINARY_PORT_MIN: u16 = 1024;

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct HostRules {
    /// Empty: any public host.
    pub allow: Vec<HostPattern>,
    /// This machine and private networks too. Link-local addresses, where clouds have their metadata, stay refused.
    pub private: bool,
    /// Empty: 80, 443 and every port from 1024 up.
    pub ports: Vec<u16>,
}

/// `jobs.example` is this host alone, `*.jobs.example` every host below it, each with an optional `:port`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HostPattern {
    host: Host<String>,
    reach: HostReach,
    port: Option<u16>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum HostReach {
    Itself,
    Below,
}

impl HostRules {
    /// Refuses a host by its name and port. The words continue "… is not visited:".
    pub(crate) fn check_name(&self, host: &Host<String>, port: u16) -> Result<(), String> {
        let named_with_port =
            || self.allow.iter().any(|one| one.port == Some(port) && one.is_for(host, port));
        if !self.allow.is_empty() && !self.allow.iter().any(|one| one.is_for(host, port)) {
            return Err(format!("{host} is not one of the hosts that the operator allows"));
        }
        if !self.has_port(port) && !named_with_port() {
            return Err(format!("port {port} is not one that the operator allows"));
        }
        Ok(())
    }

    /// Refuses an address that a name has led to.
    pub(crate) fn check_address(&self, address: IpAddr) -> Result<(), String> {
        match address::class(address) {
            AddressClass::Public => Ok(()),
            AddressClass::Private if self.private => Ok(()),
            AddressClass::Private => {
                Err(format!("{address} is an address of this machine or of a private network"))
            }
            AddressClass::Never => Err(format!("{address} is not the address of a web server")),
        }
    }

    fn has_port(&self, port: u16) -> bool {
        match self.ports.as_slice() {
            [] => WEB_PORTS.contains(&port) || port >= ORDINARY_PORT_MIN,
            ports => ports.contains(&port),
        }
    }
}

impl HostPattern {
    fn is_for(&self, host: &Host<String>, port: u16) -> bool {
        self.port.is_none_or(|own| own == port) && self.has_host(host)
    }

    fn has_host(&self, host: &Host<String>) -> bool {
        match (self.reach, &self.host, host) {
            (HostReach::Itself, own, host) => own == host,
            (HostReach::Below, Host::Domain(own), Host::Domain(host)) => {
                host.strip_suffix(own.as_str()).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
            }
            (HostReach::Below, ..) => false,
        }
    }
}

/// A host as a browser would write it; a last dot makes no other host.
pub(crate) fn parse_host(text: &str) -> Option<Host<String>> {
    match Host::parse(text).ok()? {
        Host::Domain(name) => {
            let name = name.strip_suffix('.').unwrap_or(&name);
            (!name.is_empty()).then(|| Host::Domain(name.to_owned()))
        }
        address => Some(address),
    }
}

impl FromStr for HostPattern {
    type Err = Trouble;

    fn from_str(text: &str) -> Result<Self, Trouble> {
        let refused = || {
            let message =
                format!("{text:?} is not a host such as jobs.example, *.jobs.example or jobs.example:8443");
            Trouble::bad_arguments(message).hint("write no scheme and no path")
        };
        let (rest, reach) = match text.strip_prefix("*.") {
            Some(rest) => (rest, HostReach::Below),
            None => (text, HostReach::Itself),
        };
        let (name, port) = split_port(rest).ok_or_else(refused)?;
        let host = parse_host(name).ok_or_else(refused)?;
        if reach == HostReach::Below && !matches!(host, Host::Domain(_)) {
            return Err(refused());
        }
        Ok(Self { host, reach, port })
    }
}

/// An address in brackets has colons of its own.
fn split_port(text: &str) -> Option<(&str, Option<u16>)> {
    let has_port = text.rfind(':').filter(|at| text.rfind(']').is_none_or(|end| end < *at));
    match has_port {
        None => Some((text, None)),
        Some(at) => Some((&text[..at], Some(text[at + 1..].parse().ok()?))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(allow: &[&str]) -> HostRules {
        HostRules { allow: allow.iter().map(|one| one.parse().unwrap()).collect(), ..HostRules::default() }
    }

    fn allowed(rules: &HostRules, host: &str, port: u16) -> bool {
        rules.check_name(&parse_host(host).unwrap(), port).is_ok()
    }

    #[test]
    fn a_host_is_allowed_exactly_or_by_what_it_lies_below() {
        let rules = rules(&["jobs.example", "*.cdn.example", "local.example:8443", "[::1]:9000"]);
        for (host, port) in [
            ("jobs.example", 443),
            ("JOBS.example.", 80),
            ("a.b.cdn.example", 443),
            ("local.example", 8443),
            ("[::1]", 9000),
        ] {
            assert!(allowed(&rules, host, port), "{host}:{port}");
        }
        for (host, port) in [
            ("www.jobs.example", 443),
            ("jobs.example.evil.example", 443),
            ("evil-jobs.example", 443),
            ("cdn.example", 443),
            ("evilcdn.example", 443),
            ("local.example", 443),
            ("[::1]", 80),
            ("93.184.216.34", 443),
        ] {
            assert!(!allowed(&rules, host, port), "{host}:{port}");
        }
    }

    #[test]
    fn ports_of_mail_and_shells_are_not_dialled() {
        let any = HostRules::default();
        assert!(allowed(&any, "a.example", 443) && allowed(&any, "a.example", 8080));
        assert!(!allowed(&any, "a.example", 25) && !allowed(&any, "a.example", 22));
        let named = rules(&["a.example:22"]);
        assert!(allowed(&named, "a.example", 22));
    }

    #[test]
    fn a_pattern_that_is_no_host_is_refused() {
        for text in ["", "https://a.example", "a.example/path", "*.10.0.0.1", "a.example:no", "*."] {
            let refused = text.parse::<HostPattern>().unwrap_err();
            assert!(refused.message.contains("is not a host"), "{text}: {refused}");
        }
    }

    #[test]
    fn private_addresses_need_permission_and_metadata_has_none() {
        let public = HostRules::default();
        let private = HostRules { private: true, ..HostRules::default() };
        let of = |text: &str| text.parse().unwrap();
        assert!(public.check_address(of("::ffff:10.0.0.1")).is_err());
        assert!(private.check_address(of("::ffff:10.0.0.1")).is_ok());
        assert!(private.check_address(of("169.254.169.254")).is_err());
    }
}
