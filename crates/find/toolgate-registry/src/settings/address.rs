//! The address of a server from the network. Names are resolved, and checked again, when they are dialled.

use std::net::IpAddr;

use toolgate_core::address::AddressRules;
use url::{Host, Url};

pub(crate) const URL_BYTES_MAX: usize = 2048;

/// The reason why an address is invalid for a server, and what would help.
pub(crate) struct BadAddress {
    pub(crate) message: String,
    pub(crate) hint: String,
}

fn bad<T>(message: impl Into<String>, hint: &str) -> Result<T, BadAddress> {
    Err(BadAddress { message: message.into(), hint: hint.into() })
}

/// The address as written, if it may be dialled.
pub(crate) fn check(text: &str, rules: AddressRules) -> Result<String, BadAddress> {
    const FORM: &str = "an address such as `https://example.com/mcp`";
    if text.len() > URL_BYTES_MAX {
        return bad(format!("the address is longer than {URL_BYTES_MAX} characters"), FORM);
    }
    let url = match Url::parse(text) {
        Ok(url) => url,
        Err(error) => return bad(format!("it is not an address: {error}"), FORM),
    };
    if !matches!(url.scheme(), "http" | "https") {
        return bad(format!("a server is reached by http or https, not by {:?}", url.scheme()), FORM);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return bad("an address holds no user and no password", "put them into a header as `${vault:NAME}`");
    }
    if url.fragment().is_some() {
        return bad("an address of a server has nothing after a `#`", FORM);
    }
    let literal = match url.host() {
        Some(Host::Ipv4(v4)) => Some(IpAddr::V4(v4)),
        Some(Host::Ipv6(v6)) => Some(IpAddr::V6(v6)),
        Some(Host::Domain(name)) => local_name(name),
        None => return bad("the address has no host", FORM),
    };
    match literal.map_or(Ok(()), |address| rules.check(address)) {
        Ok(()) => Ok(text.to_owned()),
        Err(refused) => {
            bad(refused.to_string(), "an operator may allow it in toolgate.toml, or use a public address")
        }
    }
}

/// Names that mean this machine wherever they are looked up.
fn local_name(name: &str) -> Option<IpAddr> {
    let name = name.trim_end_matches('.');
    let local = name.eq_ignore_ascii_case("localhost") || name.to_ascii_lowercase().ends_with(".localhost");
    local.then_some(IpAddr::V4(std::net::Ipv4Addr::LOCALHOST))
}

/// An address without parts that may be secret.
pub(crate) fn shown(text: &str) -> String {
    match Url::parse(text) {
        Ok(url) => format!("{}{}", url.origin().ascii_serialization(), url.path()),
        Err(_) => "(not an address)".into(),
    }
}

/// Scheme, host and port of an address.
pub(crate) fn origin_of(text: &str) -> Option<String> {
    let url = Url::parse(text).ok().filter(|url| matches!(url.scheme(), "http" | "https"))?;
    Some(url.origin().ascii_serialization())
}
