//! The origin of a site: the one place that a credential is for.

use toolgate_core::{Refusal, codes};
use url::{Host, Url};

/// Scheme, host and port of an address, normalised. Values go over https, or stay on this machine.
pub(super) fn site_origin(text: &str) -> Result<String, Refusal> {
    let no = |why: &str| {
        let message = format!("{text:?} is no origin for a credential: {why}");
        let hint = "write scheme, host and port, such as https://jobs.example";
        Refusal::new(&codes::CREDENTIAL_INVALID, message).hint(hint).field("origin")
    };
    let url = Url::parse(text.trim()).map_err(|_| no("it is not an address"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(no("it has a name or a password in it"));
    }
    let host = url.host().ok_or_else(|| no("it has no host"))?;
    if url.host_str().is_some_and(|host| host.contains('*')) {
        return Err(no("a credential is for one host exactly"));
    }
    match url.scheme() {
        "https" => {}
        "http" if is_here(&host) => {}
        "http" => return Err(no("values go over https, or to this machine")),
        _ => return Err(no("its scheme is not https")),
    }
    Ok(url.origin().ascii_serialization())
}

fn is_here(host: &Host<&str>) -> bool {
    match host {
        Host::Domain(name) => *name == "localhost" || name.ends_with(".localhost"),
        Host::Ipv4(address) => address.is_loopback(),
        Host::Ipv6(address) => address.is_loopback(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_is_normalised() {
        for (text, origin) in [
            ("https://Jobs.Example/login?next=1#top", "https://jobs.example"),
            ("https://jobs.example:443", "https://jobs.example"),
            ("https://jobs.example:8443/", "https://jobs.example:8443"),
            (" https://bücher.example ", "https://xn--bcher-kva.example"),
            ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
            ("http://[::1]:8080", "http://[::1]:8080"),
            ("http://site.localhost", "http://site.localhost"),
        ] {
            assert_eq!(site_origin(text), Ok(origin.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_not_one_safe_place_is_refused() {
        for text in [
            "",
            "jobs.example",
            "http://jobs.example",
            "http://127.0.0.1.jobs.example",
            "http://localhost.jobs.example",
            "http://10.0.0.1",
            "https://*.jobs.example",
            "https://ann:x@jobs.example",
            "ftp://jobs.example",
            "file:///etc/passwd",
            "data:text/html,x",
            "*",
        ] {
            let refused = site_origin(text).unwrap_err();
            assert_eq!(refused.code, &codes::CREDENTIAL_INVALID, "{text}");
            assert!(!refused.hint.is_empty());
        }
    }
}
