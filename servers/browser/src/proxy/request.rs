//! The head of a request to a proxy: `CONNECT host:port`, or a method with a whole address.

use url::{Host, Url};

use crate::hosts::parse_host;

/// Headers between the browser and its proxy only. The origin is asked to close, so each request has a connection and a
/// judgement of its own.
const HOP_BY_HOP: [&str; 4] = ["connection", "keep-alive", "proxy-connection", "proxy-authorization"];
const HTTP_PORT: u16 = 80;

#[derive(PartialEq, Eq, Debug)]
pub(super) struct ProxyRequest {
    pub(super) host: Host<String>,
    pub(super) port: u16,
    pub(super) form: RequestForm,
    /// For people.
    pub(super) url: String,
}

#[derive(PartialEq, Eq, Debug)]
pub(super) enum RequestForm {
    Tunnel,
    /// The head as the origin gets it, and the length of the body if it has one that is known.
    Plain {
        head: Vec<u8>,
        body_bytes: Option<u64>,
    },
}

/// `None` if it is none of the two forms.
pub(super) fn parse(head: &[u8]) -> Option<ProxyRequest> {
    let text = std::str::from_utf8(head).ok()?;
    let (line, fields) = text.split_once("\r\n")?;
    let mut words = line.split(' ');
    let (method, target, version) = (words.next()?, words.next()?, words.next()?);
    if words.next().is_some() || !version.starts_with("HTTP/1.") {
        return None;
    }
    match method {
        "CONNECT" => tunnel(target),
        _ => plain(method, target, fields),
    }
}

fn tunnel(target: &str) -> Option<ProxyRequest> {
    let (host, port) = target.rsplit_once(':')?;
    let (host, port) = (parse_host(host)?, port.parse().ok()?);
    let url = match port {
        443 => format!("https://{host}/"),
        HTTP_PORT => format!("ws://{host}/"),
        _ => format!("https://{host}:{port}/"),
    };
    Some(ProxyRequest { host, port, form: RequestForm::Tunnel, url })
}

fn plain(method: &str, target: &str, fields: &str) -> Option<ProxyRequest> {
    let url = Url::parse(target).ok().filter(|url| url.scheme() == "http")?;
    let host = parse_host(url.host_str()?)?;
    let port = url.port().unwrap_or(HTTP_PORT);
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let authority = &url[url::Position::BeforeHost..url::Position::BeforePath];
    let mut head = format!("{method} {path} HTTP/1.1\r\nHost: {authority}\r\nConnection: close\r\n");
    let mut body_bytes = Some(0);
    for field in fields.split("\r\n").filter(|field| !field.is_empty()) {
        let (name, value) = field.split_once(':')?;
        let name = name.to_ascii_lowercase();
        match name.as_str() {
            "host" => continue,
            "content-length" => body_bytes = Some(value.trim().parse().ok()?),
            "transfer-encoding" => body_bytes = None,
            name if HOP_BY_HOP.contains(&name) => continue,
            _ => {}
        }
        head.push_str(field);
        head.push_str("\r\n");
    }
    head.push_str("\r\n");
    let form = RequestForm::Plain { head: head.into_bytes(), body_bytes };
    Some(ProxyRequest { host, port, form, url: url.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_rewritten_for_its_origin_and_closes_after_it() {
        let said = b"POST http://A.example:8080/x?y=1 HTTP/1.1\r\nHost: evil.example\r\nProxy-Connection: keep-alive\r\nContent-Length: 5\r\nCookie: a=b\r\n\r\n";
        let request = parse(said).unwrap();
        assert_eq!((request.host.to_string().as_str(), request.port), ("a.example", 8080));
        let RequestForm::Plain { head, body_bytes } = request.form else { panic!("not a tunnel") };
        assert_eq!(body_bytes, Some(5));
        assert_eq!(
            String::from_utf8(head).unwrap(),
            "POST /x?y=1 HTTP/1.1\r\nHost: a.example:8080\r\nConnection: close\r\nContent-Length: 5\r\nCookie: a=b\r\n\r\n"
        );
    }

    #[test]
    fn addresses_in_any_spelling_are_the_address() {
        for (target, host) in [
            ("2130706433:443", "127.0.0.1"),
            ("0x7f.1:443", "127.0.0.1"),
            ("[::FFFF:127.0.0.1]:443", "[::ffff:7f00:1]"),
            ("LOCALHOST.:443", "localhost"),
        ] {
            let head = format!("CONNECT {target} HTTP/1.1\r\n\r\n");
            assert_eq!(parse(head.as_bytes()).unwrap().host.to_string(), host);
        }
    }

    #[test]
    fn what_is_no_request_to_a_proxy_is_none() {
        for head in [
            "GET / HTTP/1.1\r\nHost: a.example\r\n\r\n",
            "GET file:///etc/passwd HTTP/1.1\r\n\r\n",
            "GET ftp://a.example/ HTTP/1.1\r\n\r\n",
            "CONNECT a.example HTTP/1.1\r\n\r\n",
            "CONNECT a.example:99999 HTTP/1.1\r\n\r\n",
            "GET http://a.example/ HTTP/2.0\r\n\r\n",
            "GET http://a.example/ x HTTP/1.1\r\n\r\n",
            "GET http://a.example/ HTTP/1.1\r\nContent-Length: many\r\n\r\n",
            "\u{16}\u{3}\u{1}\r\n\r\n",
        ] {
            assert_eq!(parse(head.as_bytes()), None, "{head:?}");
        }
    }
}
