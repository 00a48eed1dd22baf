//! The cookie of a login: its name, and the rules for trusting one.
//!
//! Browsers send cookies to every port of a host, and let every port set them. So each gateway has its own
//! name, two values under it are ignored, and a cookie that could have been set over plain HTTP is not
//! trusted in an HTTPS request.

use http::header::{COOKIE, HOST, ORIGIN};
use http::{HeaderMap, HeaderValue};

/// The names of one gateway's cookie.
#[derive(Clone, Debug)]
pub struct Cookies {
    plain: String,
    /// Over HTTPS: only this host may set it, and only for all of itself.
    secure: String,
    /// Of a login that is under way at the identity provider.
    ticket: String,
    /// The same over HTTPS: a login that somebody else began is not carried on here.
    secure_ticket: String,
    /// The gateway's host and port over HTTPS, if known.
    https_authority: Option<String>,
}

impl Cookies {
    /// `instance` distinguishes gateways on one host and consists of letters and digits. `public_url` is the
    /// gateway's public URL.
    pub fn new(instance: &str, public_url: Option<&str>) -> Self {
        let authority = public_url.and_then(|url| url.strip_prefix("https://"));
        let authority = authority.and_then(|rest| rest.split('/').next());
        Self {
            plain: format!("toolgate-{instance}"),
            secure: format!("__Host-toolgate-{instance}"),
            ticket: format!("toolgate-ticket-{instance}"),
            secure_ticket: format!("__Host-toolgate-ticket-{instance}"),
            https_authority: authority.map(str::to_ascii_lowercase),
        }
    }

    /// The secret that a request shows.
    pub(crate) fn secret(&self, headers: &HeaderMap) -> Option<String> {
        // A browser sends the secure one over HTTPS alone.
        match (only(headers, &self.secure), self.is_https(headers)) {
            (CookieMatch::One(secret), _) => Some(secret),
            (CookieMatch::Several, _) | (CookieMatch::Nothing, true) => None,
            (CookieMatch::Nothing, false) => match only(headers, &self.plain) {
                CookieMatch::One(secret) => Some(secret),
                CookieMatch::Nothing | CookieMatch::Several => None,
            },
        }
    }

    /// The header that makes the browser store a secret.
    pub(crate) fn kept(&self, headers: &HeaderMap, secret: &str, seconds: u64) -> HeaderValue {
        let name = if self.is_https(headers) { &self.secure } else { &self.plain };
        self.written(name, secret, seconds)
    }

    /// The headers that make a browser forget it, under either name.
    pub(crate) fn forgotten(&self) -> [HeaderValue; 2] {
        [&self.secure, &self.plain].map(|name| self.written(name, "", 0))
    }

    /// The ticket of a login at the identity provider. The browser comes back from another site, so the cookie goes along with it.
    pub(crate) fn ticket_kept(&self, headers: &HeaderMap, value: &str, seconds: u64) -> HeaderValue {
        let (name, path, secure) = match self.is_https(headers) {
            true => (&self.secure_ticket, "/", "; Secure"),
            false => (&self.ticket, "/console/provider", ""),
        };
        let text = format!("{name}={value}; Path={path}; HttpOnly; SameSite=Lax; Max-Age={seconds}{secure}");
        HeaderValue::from_str(&text)
            .expect("tickets are made of letters and digits, and addresses are escaped")
    }

    pub(crate) fn ticket(&self, headers: &HeaderMap) -> Option<String> {
        let name = if self.is_https(headers) { &self.secure_ticket } else { &self.ticket };
        match only(headers, name) {
            CookieMatch::One(ticket) => Some(ticket),
            CookieMatch::Nothing | CookieMatch::Several => None,
        }
    }

    /// The console's own origin, as this browser sees it.
    pub(crate) fn origin(&self, headers: &HeaderMap) -> String {
        let scheme = if self.is_https(headers) { "https" } else { "http" };
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        format!("{scheme}://{host}")
    }

    fn written(&self, name: &str, value: &str, seconds: u64) -> HeaderValue {
        let secure = if name == self.secure { "; Secure" } else { "" };
        let text = format!("{name}={value}; Path=/; HttpOnly; SameSite=Strict; Max-Age={seconds}{secure}");
        HeaderValue::from_str(&text).expect("secrets are made of letters and digits")
    }

    /// True if the browser came over HTTPS, according to itself, to a proxy in front, or to the operator.
    fn is_https(&self, headers: &HeaderMap) -> bool {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
        let host = text(HOST.as_str()).to_ascii_lowercase();
        text(ORIGIN.as_str()).starts_with("https:")
            || text("x-forwarded-proto").eq_ignore_ascii_case("https")
            || self.https_authority.as_ref().is_some_and(|known| *known == host)
    }
}

/// The cookies of one name in a request.
enum CookieMatch {
    Nothing,
    One(String),
    /// Another party set one too, and ours cannot be determined.
    Several,
}

fn only(headers: &HeaderMap, wanted: &str) -> CookieMatch {
    let all = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
    let pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
    let mut values = pairs.filter(|(name, _)| *name == wanted).map(|(_, value)| value);
    match (values.next(), values.next()) {
        (None, _) => CookieMatch::Nothing,
        (Some(value), None) => CookieMatch::One(value.to_owned()),
        (Some(_), Some(_)) => CookieMatch::Several,
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
    fn a_ticket_that_could_be_set_in_the_open_does_not_count_over_https() {
        let request = |pairs: &[(&'static str, &'static str)]| -> HeaderMap {
            let named = pairs
                .iter()
                .map(|(name, value)| (http::HeaderName::from_static(name), HeaderValue::from_static(value)));
            named.collect()
        };
        let (plain, secure) = ("toolgate-ticket-7f=t", "__Host-toolgate-ticket-7f=t");
        let https = ("x-forwarded-proto", "https");
        assert_eq!(cookies().ticket(&request(&[("cookie", plain)])), Some("t".into()));
        assert_eq!(cookies().ticket(&request(&[https, ("cookie", plain)])), None);
        assert_eq!(cookies().ticket(&request(&[https, ("cookie", secure)])), Some("t".into()));
        let kept = cookies().ticket_kept(&request(&[https]), "t", 60);
        assert_eq!(kept, "__Host-toolgate-ticket-7f=t; Path=/; HttpOnly; SameSite=Lax; Max-Age=60; Secure");
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
