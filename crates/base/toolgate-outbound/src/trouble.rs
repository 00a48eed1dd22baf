//! The reasons of a failed connection, in words that distinguish certificates, proxies and the network. The
//! words travel as text through states, ledgers and logs; the advice for people is found by them again.

use std::error::Error;
use std::io;

use rustls::{AlertDescription, CertificateError};

use crate::resolver::NameUnknown;
use crate::tunnel::ProxyError;

/// A kind of trouble with known advice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ConnectTrouble {
    UnknownIssuer,
    Expired,
    NotYetValid,
    WrongName,
    WantsCertificate,
    Certificate,
    NotTls,
    ProxyWantsCredentials,
    ProxyRefused,
    ProxyAway,
    NameUnknown,
    ConnectionRefused,
    TimedOut,
}

impl ConnectTrouble {
    /// In the order in which they are searched for in a text: specific ones come before general ones.
    pub const ALL: [Self; 13] = [
        Self::UnknownIssuer,
        Self::Expired,
        Self::NotYetValid,
        Self::WrongName,
        Self::WantsCertificate,
        Self::Certificate,
        Self::NotTls,
        Self::ProxyWantsCredentials,
        Self::ProxyRefused,
        Self::ProxyAway,
        Self::NameUnknown,
        Self::ConnectionRefused,
        Self::TimedOut,
    ];

    /// The phrase in all messages.
    pub fn phrase(self) -> &'static str {
        match self {
            Self::UnknownIssuer => "certificate trouble: an authority signed it that is not trusted here",
            Self::Expired => "certificate trouble: it has expired",
            Self::NotYetValid => "certificate trouble: it is not valid yet",
            Self::WrongName => "certificate trouble: it is for other names than the one that was dialled",
            Self::WantsCertificate => {
                "certificate trouble: the other side wants a certificate of the gateway's that it trusts"
            }
            Self::Certificate => "certificate trouble",
            Self::NotTls => "network trouble: what answers there does not speak TLS",
            Self::ProxyWantsCredentials => "proxy trouble: it wants credentials",
            Self::ProxyRefused => "proxy trouble: it does not open the way",
            Self::ProxyAway => "proxy trouble: it does not answer",
            Self::NameUnknown => "network trouble: the name leads nowhere",
            Self::ConnectionRefused => "network trouble: connection refused",
            Self::TimedOut => "network trouble: nothing answers there",
        }
    }

    /// The advice.
    pub fn advice(self) -> &'static str {
        match self {
            Self::UnknownIssuer => {
                "if it is an authority of your own, name its certificate: `ca_file` in `[network]` or in the server's `network`"
            }
            Self::Expired => {
                "renew the certificate over there; if it is good, the clock of this machine is wrong"
            }
            Self::NotYetValid => {
                "check the clock of this machine, and that of the machine that made the certificate"
            }
            Self::WrongName => {
                "dial a name that stands in the certificate, or have one made for the name that is dialled"
            }
            Self::WantsCertificate => {
                "name one with `client_certificate` and `client_key`, in `[network]` or in the server's `network`"
            }
            Self::Certificate => "have the certificate over there reissued",
            Self::NotTls => "write `http://` if it speaks plain HTTP, or check the port",
            Self::ProxyWantsCredentials => {
                "write them into the proxy's address: `proxy = \"http://${PROXY_USER}:${PROXY_PASSWORD}@proxy.example:3128\"`"
            }
            Self::ProxyRefused => {
                "ask the operator of the proxy to allow it, or reach the host without: `no_proxy = [\"host.example\"]`"
            }
            Self::ProxyAway => {
                "check `proxy` in `[network]` and in the server's `network`, and whether the proxy runs"
            }
            Self::NameUnknown => {
                "check the spelling and the DNS of this machine; where only a proxy knows names, `[network] proxy` names it"
            }
            Self::ConnectionRefused => "check the port, and whether it runs",
            Self::TimedOut => "check the address and firewalls on the way; `[network] proxy` names a proxy",
        }
    }

    /// The trouble that a text tells of.
    pub fn in_text(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|one| text.contains(one.phrase()))
    }

    /// The trouble that an error tells of, however deep inside.
    pub fn of(error: &(dyn Error + 'static)) -> Option<Self> {
        causes(error).find_map(of_cause)
    }
}

/// The error in words: the kind of trouble, if known, and the innermost reason.
pub fn told(error: &(dyn Error + 'static)) -> String {
    let innermost = causes(error).last().unwrap_or(error);
    let detail = detail(innermost);
    match ConnectTrouble::of(error) {
        Some(trouble) if detail.is_empty() => trouble.phrase().to_owned(),
        Some(trouble) => format!("{} ({detail})", trouble.phrase()),
        None => detail,
    }
}

/// The error and its causes. The content of an `io::Error` is not its source but takes its place.
fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |error: &&'a (dyn Error + 'static)| {
        let error: &'a (dyn Error + 'static) = *error;
        let carried = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        carried.map(|inner| inner as &(dyn Error + 'static)).or_else(|| error.source())
    })
}

fn of_cause(error: &(dyn Error + 'static)) -> Option<ConnectTrouble> {
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return of_tls(error);
    }
    if let Some(error) = error.downcast_ref::<ProxyError>() {
        return Some(match error {
            ProxyError::WantsCredentials { .. } => ConnectTrouble::ProxyWantsCredentials,
            ProxyError::Refused { .. } => ConnectTrouble::ProxyRefused,
            ProxyError::Unreachable { .. } | ProxyError::Garbled { .. } | ProxyError::TimedOut { .. } => {
                ConnectTrouble::ProxyAway
            }
        });
    }
    if error.is::<NameUnknown>() {
        return Some(ConnectTrouble::NameUnknown);
    }
    match error.downcast_ref::<io::Error>().filter(|error| error.get_ref().is_none())?.kind() {
        io::ErrorKind::ConnectionRefused => Some(ConnectTrouble::ConnectionRefused),
        io::ErrorKind::TimedOut | io::ErrorKind::HostUnreachable | io::ErrorKind::NetworkUnreachable => {
            Some(ConnectTrouble::TimedOut)
        }
        _ => None,
    }
}

fn of_tls(error: &rustls::Error) -> Option<ConnectTrouble> {
    match error {
        rustls::Error::InvalidCertificate(why) => Some(match why {
            CertificateError::UnknownIssuer => ConnectTrouble::UnknownIssuer,
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => ConnectTrouble::Expired,
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                ConnectTrouble::NotYetValid
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                ConnectTrouble::WrongName
            }
            _ => ConnectTrouble::Certificate,
        }),
        rustls::Error::AlertReceived(
            AlertDescription::CertificateRequired
            | AlertDescription::BadCertificate
            | AlertDescription::UnknownCA
            | AlertDescription::CertificateUnknown
            | AlertDescription::CertificateExpired
            | AlertDescription::CertificateRevoked
            | AlertDescription::UnsupportedCertificate,
        ) => Some(ConnectTrouble::WantsCertificate),
        rustls::Error::InvalidMessage(_) => Some(ConnectTrouble::NotTls),
        _ => None,
    }
}

/// The innermost reason, if it says more than the kind of trouble.
fn detail(error: &(dyn Error + 'static)) -> String {
    match error.downcast_ref::<rustls::Error>() {
        Some(rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer)) => String::new(),
        Some(rustls::Error::InvalidCertificate(why)) => why.to_string(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trouble_is_found_again_in_the_words_for_it() {
        for trouble in ConnectTrouble::ALL {
            let text = format!("could not connect to a.example:443: {} (x)", trouble.phrase());
            assert_eq!(ConnectTrouble::in_text(&text), Some(trouble));
        }
        assert_eq!(ConnectTrouble::in_text("it answered HTTP 500"), None);
    }

    #[test]
    fn what_an_io_error_carries_is_looked_into() {
        let inner = rustls::Error::InvalidCertificate(CertificateError::UnknownIssuer);
        let error = io::Error::other(io::Error::new(io::ErrorKind::InvalidData, inner));
        assert_eq!(told(&error), ConnectTrouble::UnknownIssuer.phrase());
        let refused = io::Error::other(io::Error::from_raw_os_error(111));
        assert_eq!(told(&refused), "network trouble: connection refused (Connection refused (os error 111))");
    }
}
