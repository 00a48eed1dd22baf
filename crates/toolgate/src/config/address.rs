//! The addresses and folders at the top of the file: where to listen, which clients to accept, where to store
//! data.

use std::net::SocketAddr;
use std::path::PathBuf;

use super::problem::ConfigProblems;
use super::section::{ConfigSection, Located};
use super::{ConfigHints, reference};

/// An address to listen on, from the file or from `--listen`. The error is a hint.
pub(crate) fn parse_listen(written: &str) -> Result<SocketAddr, String> {
    let written = written.trim();
    let with_number = match written.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => written.to_owned(),
    };
    with_number.parse().map_err(|_| listen_hint(written))
}

pub(crate) const LISTEN_EXPECTED: &str = "an IP address and a port, such as `127.0.0.1:8700` or `[::1]:8700`";

fn listen_hint(written: &str) -> String {
    if let Some(port) = written.strip_prefix(':').or(Some(written)).filter(|port| port.parse::<u16>().is_ok())
    {
        return format!(
            "write `127.0.0.1:{port}` for this machine only, `0.0.0.0:{port}` for every interface"
        );
    }
    if written.parse::<std::net::IpAddr>().is_ok() {
        let bracketed = if written.contains(':') { format!("[{written}]") } else { written.to_owned() };
        return format!("add the port: `{bracketed}:8700`");
    }
    if written.contains("://") {
        return "leave out the scheme: it is an address to listen on, not a URL".into();
    }
    match written.rsplit_once(':') {
        Some((_, port)) if port.parse::<u16>().is_err() => "the port is a number from 0 to 65535".into(),
        _ => "a host name is not an address; use the IP address of the interface".into(),
    }
}

pub(super) fn checked_listen(listen: &Located<&str>, problems: &mut ConfigProblems) -> Option<SocketAddr> {
    match parse_listen(listen.value) {
        Ok(address) => Some(address),
        Err(hint) => {
            let what = format!("`listen` is not an address: {:?}", listen.value);
            problems.add(listen.span.clone(), what, LISTEN_EXPECTED, hint);
            None
        }
    }
}

pub(super) fn checked_data(
    data: &Located<&str>,
    at: &ConfigHints<'_>,
    problems: &mut ConfigProblems,
) -> Option<PathBuf> {
    let expected = "the path of a folder, absolute or from the folder of this file";
    let (what, hint) = match reference::expand(data.value, at.env) {
        Ok(path) if path.trim().is_empty() => ("`data` is empty", "leave the key out to have the default"),
        Ok(path) if path.starts_with('~') => {
            ("`~` in `data` is not expanded", "write `${HOME}` instead of `~`")
        }
        Ok(path) => return Some(path.into()),
        Err(reference::BadReference::Missing { .. }) => {
            ("`data` names an environment variable that is not set", "give a default: `${NAME:-default}`")
        }
        Err(_) => ("`data` holds a malformed reference", "write `${NAME}`, or `$$` for a plain dollar sign"),
    };
    problems.add(data.span.clone(), what, expected, hint);
    None
}

pub(super) type AddressCheck = fn(&str) -> Result<String, BadEntry>;

/// The fault of an entry in a list of hosts or origins.
pub(super) struct BadEntry {
    what: &'static str,
    expected: &'static str,
    hint: &'static str,
}

pub(super) fn checked_list(
    top: &ConfigSection<'_>,
    key: &str,
    check: AddressCheck,
    problems: &mut ConfigProblems,
) -> Vec<String> {
    let mut checked = Vec::new();
    for item in top.strings(key, problems) {
        match check(item.value) {
            Ok(value) => checked.push(value),
            Err(BadEntry { what, expected, hint }) => {
                problems.add(item.span, format!("{:?} in `{key}` {what}", item.value), expected, hint);
            }
        }
    }
    checked
}

pub(super) fn checked_host(host: &str) -> Result<String, BadEntry> {
    let refuse = |what, hint| {
        Err(BadEntry {
            what,
            expected: "a host as clients write it, such as `gate.example.com` or `10.0.0.5:8700`",
            hint,
        })
    };
    if host.contains('*') {
        return refuse(
            "is a pattern",
            "name each host: a pattern would let in a page that rebinds its DNS name",
        );
    }
    if host.contains("://") || host.contains('/') {
        return refuse("is not a host", "leave out the scheme and the path; a port may follow after `:`");
    }
    match host.parse::<http::uri::Authority>() {
        Ok(authority) if !host.contains('@') && !authority.host().is_empty() => Ok(host.to_ascii_lowercase()),
        _ => refuse("is not a host", "a name or an IP address, then perhaps `:` and a port"),
    }
}

pub(super) fn checked_origin(origin: &str) -> Result<String, BadEntry> {
    let refuse =
        |what, hint| Err(BadEntry { what, expected: "an origin such as `https://app.example.com`", hint });
    if origin == "*" {
        return Ok(origin.to_owned());
    }
    if origin.contains('*') {
        return refuse("is a pattern", "name each origin; `*` alone lets in all of them");
    }
    match url::Url::parse(origin) {
        Ok(url) if url.host().is_none() || url.cannot_be_a_base() => {
            refuse("is not an origin", "an origin is a scheme, `://`, a host, and perhaps a port")
        }
        Ok(url) if url.path().len() > 1 || origin.ends_with('/') || url.query().is_some() => {
            refuse("has more than an origin", "leave out everything after the host and port")
        }
        // Origins of schemes that browsers make up (editor extensions) are opaque to the `url` crate.
        Ok(url) if !url.origin().is_tuple() => Ok(origin.to_owned()),
        Ok(url) => Ok(url.origin().ascii_serialization()),
        Err(_) => refuse("is not an origin", "start with `http://` or `https://`"),
    }
}
