//! The address of a proxy as people write it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use percent_encoding::percent_decode_str;
use toolgate_core::egress::Proxy;
use url::Url;

/// The reason why an address is invalid for a proxy. Never contains the address: it may have a password in
/// it.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{what}")]
pub struct BadProxy {
    what: String,
    pub hint: &'static str,
}

fn bad(what: impl Into<String>, hint: &'static str) -> BadProxy {
    BadProxy { what: what.into(), hint }
}

/// Reads `http://user:password@proxy.example:3128`.
pub fn read_proxy(text: &str) -> Result<Proxy, BadProxy> {
    const START: &str = "start with `http://`";
    let url = Url::parse(text).map_err(|error| bad(format!("is not a URL: {error}"), START))?;
    match url.scheme() {
        "http" => {}
        "https" => {
            let hint =
                "write `http://`; what goes through the proxy to an https address is encrypted all the same";
            return Err(bad("wants TLS to the proxy itself", hint));
        }
        other => return Err(bad(format!("has the scheme `{other}`"), "only HTTP proxies are spoken to")),
    }
    if !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some() {
        return Err(bad("has a path", "leave out everything after the port"));
    }
    let host = url.host_str().ok_or_else(|| bad("has no host", START))?;
    let host = host.trim_start_matches('[').trim_end_matches(']').to_owned();
    Ok(Proxy { host, port: url.port_or_known_default().unwrap_or(80), authorization: authorization(&url) })
}

fn authorization(url: &Url) -> Option<String> {
    if url.username().is_empty() && url.password().is_none() {
        return None;
    }
    let mut credentials: Vec<u8> = percent_decode_str(url.username()).collect();
    credentials.push(b':');
    credentials.extend(percent_decode_str(url.password().unwrap_or_default()));
    Some(format!("Basic {}", BASE64.encode(credentials)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proxy_is_read_with_its_credentials() {
        let proxy = read_proxy("http://ann:p%40ss@proxy.example:3128").unwrap();
        assert_eq!((proxy.host.as_str(), proxy.port), ("proxy.example", 3128));
        assert_eq!(proxy.authorization.as_deref(), Some("Basic YW5uOnBAc3M="));
        let plain = read_proxy("http://[::1]/").unwrap();
        assert_eq!((plain.authority(), plain.authorization), ("[::1]:80".to_owned(), None));
        for wrong in ["proxy:3128", "https://proxy", "socks5://proxy", "http://proxy/path", "http://proxy/?a"]
        {
            assert!(read_proxy(wrong).is_err(), "{wrong}");
        }
    }
}
