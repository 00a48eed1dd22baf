//! The cookie of a login: under which name it is set, and which one is believed.
//!
//! Browsers send cookies to every port of a host, and let every port set them. So each gateway has a name of its own, two
//! values under it are nobody's, and what could have been set in the open is not believed of a request that came over HTTPS.

use http::header::{COOKIE, HOST, ORIGIN};
use http::{HeaderMap, HeaderValue};

/// The names of one gateway's cookie.
#[derive(Clone, Debug)]
pub struct Cookies {
    plain: String,
    /// Over HTTPS: only this host may set it, and only for all of itself.
    secure: String,
    /// Host and port under which the gateway is reached over HTTPS, as far as it is known.
    https_authority: Option<String>,
}

impl Cookies {
    /// `instance` tells gateways of one host apart and is made of letters and digits. `public_url` is where others reach this
    /// gateway.
    pub fn new(instance: &str, public_url: Option<&str>) -> Self {
        let authority = public_url.and_then(|url| url.strip_prefix("https://"));
        let authority = authority.and_then(|rest| rest.split('/').next());
        Self {
            plain: format!("toolgate-{instance}"),
            secure: format!("__Host-toolgate-{instance}"),
            https_authority: authority.map(str::to_ascii_lowercase),
        }
    }

    /// The secret that a request shows.
    pub(crate) fn secret(&self, headers: &HeaderMap) -> Option<String> {
        // A browser sends the secure one over HTTPS alone.
        match (only(headers, &self.secure), self.is_https(headers)) {
            (Shown::One(secret), _) => Some(secret),
            (Shown::Several, _) | (Shown::Nothing, true) => None,
            (Shown::Nothing, false) => match only(headers, &self.plain) {
                Shown::One(secret) => Some(secret),
                Shown::Nothing | Shown::Several => None,
            },
        }
    }

    /// What makes the browser that sent these headers keep a secret.
    pub(crate) fn kept(&self, headers: &HeaderMap, secret: &str, seconds: u64) -> HeaderValue {
        let name = if self.is_https(headers) { &self.secure } else { &self.plain };
        self.written(name, secret, seconds)
    }

    /// What makes a browser forget it, under whichever name.
    pub(crate) fn forgotten(&self) -> [HeaderValue; 2] {
        [&self.secure, &self.plain].map(|name| self.written(name, "", 0))
    }

    fn written(&self, name: &str, value: &str, seconds: u64) -> HeaderValue {
        let secure = if name == self.secure { "; Secure" } else { "" };
        let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}");
        HeaderValue::from_str(&text).expect("secrets are made of letters and digits")
    }

    /// Whether the browser came over HTTPS, as it says itself, as a proxy in front says, or as the operator does.
    fn is_https(&self, headers: &HeaderMap) -> bool {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let host = text(HOST.as_str()).to_ascii_lowercase();
        text(ORIGIN.as_str()).starts_with("https:")
            || text("x-forwarded-proto").eq_ignore_ascii_case("https")
            || self.https_authority.as_ref().is_some_and(|known| *known == host)
    }
}

/// What of one name a request has.
enum Shown {
    Nothing,
    One(String),
    /// Somebody else set one too, and nobody can say which is ours.
    Several,
}

fn only(headers: &HeaderMap, wanted: &str) -> Shown {
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(name, _)| *name == wanted).map(|(_, value)| value);
    match (values.next(), values.next()) {
        (None, _) => Shown::Nothing,
        (Some(value), None) => Shown::One(value.to_owned()),
        (Some(_), Some(_)) => Shown::Several,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cookies() -> Cookies {
        Cookies::new("7f", Some("https://gate.example:8443/"))
    }

    fn shown(headers: &[(&'static str, &'static str)]) -> Option<String> {
        let headers = headers
            .iter()
            .map(|(name, value)| (http::HeaderName::from_static(name), HeaderValue::from_static(value)));
        cookies().secret(&headers.collect())
    }

    #[test]
    fn the_cookie_is_out_of_reach_of_scripts_and_of_other_sites() {
        let mut headers = HeaderMap::new();
        let kept = cookies().kept(&headers, "s", 60);
        assert_eq!(kept, "toolgate-7f=s; Path=/; HttpOnly; SameSite=Strict; Max-Age=60");
        headers.insert(ORIGIN, HeaderValue::from_static("https://gate.example"));
        let kept = cookies().kept(&headers, "s", 60);
        assert_eq!(kept, "__Host-toolgate-7f=s; Path=/; HttpOnly; SameSite=Strict; Max-Age=60; Secure");
    }

    #[test]
    fn only_the_one_cookie_that_fits_is_believed() {
        let plain = ("host", "127.0.0.1:8700");
        assert_eq!(shown(&[plain, ("cookie", "a=1; toolgate-7f=s; b=2")]), Some("s".into()));
        assert_eq!(
            shown(&[plain, ("cookie", "toolgate-80=s; toolgate-console=s; toolgate=s")]),
            None,
            "others'"
        );
        assert_eq!(
            shown(&[plain, ("cookie", "toolgate-7f=s; toolgate-7f=t")]),
            None,
            "somebody else set one"
        );
        assert_eq!(shown(&[plain, ("cookie", "toolgate-7f=t; __Host-toolgate-7f=s")]), Some("s".into()));
    }

    #[test]
    fn what_could_be_set_in_the_open_does_not_count_over_https() {
        for https in [
            ("x-forwarded-proto", "https"),
            ("origin", "https://gate.example:8443"),
            ("host", "Gate.example:8443"),
        ] {
            assert_eq!(shown(&[https, ("cookie", "toolgate-7f=s")]), None, "{https:?}");
            assert_eq!(shown(&[https, ("cookie", "__Host-toolgate-7f=s")]), Some("s".into()));
        }
    }
}
