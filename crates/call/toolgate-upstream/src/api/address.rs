//! Addresses of requests: nothing that a caller gives may lead out of the path that was meant.

use url::Url;

/// The reason why an address is not sent to.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub(super) enum BadTarget {
    #[error("{0:?} is not an http or https address")]
    NoUrl(String),
    #[error("an argument would lead out of the path of the operation: `.` and `..` are no values in a path")]
    Dots,
}

/// Parses an address that was put together from parts. Steps such as `..` are refused, since a reader takes them for a way
/// up and a caller could reach other operations by them.
pub(super) fn parsed(address: &str) -> Result<Url, BadTarget> {
    let no_url = || BadTarget::NoUrl(crate::client::shown(address));
    let url = Url::parse(address).map_err(|_| no_url())?;
    if !matches!(url.scheme(), "http" | "https") || url.host_str().is_none() {
        return Err(no_url());
    }
    let path = address.split(['?', '#']).next().unwrap_or_default();
    let path = path.split_once("://").map_or(path, |(_, rest)| rest);
    if path.contains('\\') || path.split('/').skip(1).any(is_dots) {
        return Err(BadTarget::Dots);
    }
    Ok(url)
}

fn is_dots(step: &str) -> bool {
    matches!(step.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_up_is_refused_however_it_is_written() {
        for bad in ["..", ".", "%2e%2E", ".%2e", "a\\..\\b"] {
            let address = format!("https://api.example/v1/users/{bad}/keys?x=..");
            assert_eq!(parsed(&address), Err(BadTarget::Dots), "{bad}");
        }
        for good in ["a..b", "...", "%2e%2ea", "a%2Fb"] {
            let address = format!("https://api.example/v1/users/{good}?q=../..");
            assert!(parsed(&address).is_ok(), "{good}");
        }
        assert!(matches!(parsed("ftp://api.example/a"), Err(BadTarget::NoUrl(_))));
        assert!(matches!(parsed("/a"), Err(BadTarget::NoUrl(_))));
    }
}
