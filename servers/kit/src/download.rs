//! A file from an address that somebody else chose: to the disk, within limits, never from inside this network unless the
//! operator says so.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http::header::{CONTENT_RANGE, RANGE};
use http::{Request, Response, StatusCode};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::dns::Name;
use url::{Host, Url};

use crate::outgoing::{self, CONNECT_LIMIT, OutgoingError};

/// The longest silence of the other side.
const SILENCE: Duration = Duration::from_secs(30);

/// What is fetched, and within which limits.
pub struct DownloadPlan<'a> {
    pub url: &'a Url,
    /// A part that is there already is continued if the other side can do that.
    pub to: &'a Path,
    pub bytes_max: u64,
    /// Hosts (`host` or `host:port`) that may lie on this machine or in a private network.
    pub private_hosts: &'a [String],
}

/// The reason why there is no file. Nothing of the address but its host is in the texts.
#[derive(Debug, thiserror::Error)]
pub enum DownloadError {
    #[error("the address is not http or https, or carries a password")]
    Address,
    #[error("{0} is in a private network")]
    Private(String),
    #[error("the address redirects, which is not followed")]
    Redirected,
    #[error("the address was refused with status {0}; it may have expired")]
    Refused(u16),
    #[error("the other side answered with status {0}")]
    Status(u16),
    #[error("the file has more than {0} bytes")]
    TooLarge(u64),
    #[error("it could not be reached: {0}")]
    Unreachable(String),
    #[error("the other side fell silent for {} seconds", SILENCE.as_secs())]
    Silent,
    #[error("the connection broke off: {0}")]
    BrokenOff(String),
    #[error("it was stopped")]
    Stopped,
    #[error("the file cannot be written: {0}")]
    Disk(#[from] io::Error),
}

/// Fetches the file and says how many bytes it has. `on_progress` hears the bytes so far and, where known, in all; it says
/// whether to go on. Tools are synchronous, so the runtime lives as long as the request.
pub fn download(
    plan: &DownloadPlan<'_>,
    on_progress: impl FnMut(u64, Option<u64>) -> bool,
) -> Result<u64, DownloadError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(fetch(plan, on_progress))
}

async fn fetch(
    plan: &DownloadPlan<'_>,
    on_progress: impl FnMut(u64, Option<u64>) -> bool,
) -> Result<u64, DownloadError> {
    let have = plan.to.metadata().map_or(0, |file| file.len());
    let answer = tokio::time::timeout(SILENCE, ask(plan, have)).await;
    let answer = answer.map_err(|_| DownloadError::Silent)??;
    let (file, have) = match answer.status() {
        StatusCode::PARTIAL_CONTENT if continues(&answer, have) => {
            (OpenOptions::new().append(true).create(true).open(plan.to)?, have)
        }
        StatusCode::OK => (File::create(plan.to)?, 0),
        // All of it is there.
        StatusCode::RANGE_NOT_SATISFIABLE if have > 0 => return Ok(have),
        status => return Err(refusal(status)),
    };
    take(answer.into_body(), file, have, plan.bytes_max, on_progress).await
}

fn refusal(status: StatusCode) -> DownloadError {
    match status {
        status if status.is_redirection() => DownloadError::Redirected,
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::NOT_FOUND | StatusCode::GONE => {
            DownloadError::Refused(status.as_u16())
        }
        status => DownloadError::Status(status.as_u16()),
    }
}

/// The part that was asked for, and no other.
fn continues(answer: &Response<Incoming>, have: u64) -> bool {
    let range = answer.headers().get(CONTENT_RANGE).and_then(|range| range.to_str().ok());
    range.and_then(|range| range.strip_prefix("bytes ")?.split_once('-')?.0.parse().ok()) == Some(have)
}

async fn ask(plan: &DownloadPlan<'_>, have: u64) -> Result<Response<Incoming>, DownloadError> {
    let url = plan.url;
    let address = outgoing::base(url).filter(|_| url.username().is_empty() && url.password().is_none());
    let mut address = address.ok_or(DownloadError::Address)?;
    // A slash at the end belongs to the address of a file.
    if url.path().ends_with('/') && url.query().is_none() {
        address.push('/');
    }
    let may_be_private = is_listed(url, plan.private_hosts);
    check_literal(url, may_be_private)?;
    let roots = outgoing::roots(url, None).map_err(|error| DownloadError::Unreachable(error.to_string()))?;
    let client = outgoing::client(roots, connector(may_be_private));
    let mut request = Request::get(address);
    if have > 0 {
        request = request.header(RANGE, format!("bytes={have}-"));
    }
    let request = request.body(Full::<Bytes>::default()).map_err(|_| DownloadError::Address)?;
    client.request(request).await.map_err(|error| unreachable(url, &error))
}

fn unreachable(url: &Url, error: &(dyn std::error::Error + 'static)) -> DownloadError {
    let said = match outgoing::unreachable(error) {
        OutgoingError::Unreachable(said) => said,
        other => other.to_string(),
    };
    match said.contains(PRIVATE) {
        true => DownloadError::Private(url.host_str().unwrap_or_default().to_owned()),
        false => DownloadError::Unreachable(said),
    }
}

const PRIVATE: &str = "no public address";

/// A connector whose names lead to public addresses alone, unless the host is listed.
fn connector(
    may_be_private: bool,
) -> HttpConnector<
    impl tower::Service<
        Name,
        Response = std::vec::IntoIter<SocketAddr>,
        Error = io::Error,
        Future = impl Future<Output = Result<std::vec::IntoIter<SocketAddr>, io::Error>> + Send,
    > + Clone
    + Send
    + Sync
    + 'static,
> {
    let resolve = move |name: Name| async move {
        let found: Vec<SocketAddr> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
        let allowed: Vec<SocketAddr> =
            found.into_iter().filter(|address| may_be_private || is_public(address.ip())).collect();
        match allowed.is_empty() {
            true => Err(io::Error::other(PRIVATE)),
            false => Ok(allowed.into_iter()),
        }
    };
    let mut connector = HttpConnector::new_with_resolver(tower::service_fn(resolve));
    connector.enforce_http(false);
    connector.set_connect_timeout(Some(CONNECT_LIMIT));
    connector
}

fn is_listed(url: &Url, hosts: &[String]) -> bool {
    let Some(host) = url.host_str() else { return false };
    let with_port = format!("{host}:{}", url.port_or_known_default().unwrap_or_default());
    hosts.iter().any(|listed| listed.eq_ignore_ascii_case(host) || listed.eq_ignore_ascii_case(&with_port))
}

/// Addresses that are numbers are not looked up.
fn check_literal(url: &Url, may_be_private: bool) -> Result<(), DownloadError> {
    let address: IpAddr = match url.host() {
        Some(Host::Ipv4(address)) => address.into(),
        Some(Host::Ipv6(address)) => address.into(),
        Some(Host::Domain(_)) => return Ok(()),
        None => return Err(DownloadError::Address),
    };
    match may_be_private || is_public(address) {
        true => Ok(()),
        false => Err(DownloadError::Private(address.to_string())),
    }
}

/// Addresses of the open internet: none of this machine, of private networks, of links, of documentation or of groups.
fn is_public(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let [first, second, third, _] = address.octets();
            let is_shared = first == 100 && (64..128).contains(&second);
            let is_special = first == 0 || first >= 240 || (first == 192 && second == 0 && third == 0);
            let is_benchmark = first == 198 && (18..20).contains(&second);
            !(address.is_private()
                || address.is_loopback()
                || address.is_link_local()
                || address.is_documentation()
                || address.is_multicast()
                || is_shared
                || is_special
                || is_benchmark)
        }
        // 2000::/3 is all that is given out, but for documentation and for addresses that hold others.
        IpAddr::V6(address) => {
            let [first, second, ..] = address.segments();
            let holds_other = first == 0x2002 || (first == 0x2001 && matches!(second, 0 | 0xdb8));
            (0x2000..0x4000).contains(&first) && !holds_other
        }
    }
}

async fn take(
    mut body: Incoming,
    mut file: File,
    have: u64,
    bytes_max: u64,
    mut on_progress: impl FnMut(u64, Option<u64>) -> bool,
) -> Result<u64, DownloadError> {
    let total = hyper::body::Body::size_hint(&body).exact().map(|rest| have.saturating_add(rest));
    if total.is_some_and(|total| total > bytes_max) {
        return Err(DownloadError::TooLarge(bytes_max));
    }
    let mut done = have;
    loop {
        let frame = tokio::time::timeout(SILENCE, body.frame()).await.map_err(|_| DownloadError::Silent)?;
        let Some(frame) = frame else { return Ok(done) };
        let frame = frame.map_err(|error| DownloadError::BrokenOff(error.to_string()))?;
        let Ok(data) = frame.into_data() else { continue };
        done = done.saturating_add(data.len() as u64);
        if done > bytes_max {
            return Err(DownloadError::TooLarge(bytes_max));
        }
        file.write_all(&data)?;
        if !on_progress(done, total) {
            return Err(DownloadError::Stopped);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_the_open_internet_are_public() {
        for address in ["1.1.1.1", "93.184.216.34", "2606:4700::1111"] {
            assert!(is_public(address.parse().unwrap()), "{address}");
        }
        for address in [
            "127.0.0.1",
            "10.1.2.3",
            "192.168.0.1",
            "172.16.0.1",
            "169.254.169.254",
            "100.64.0.1",
            "0.0.0.0",
            "224.0.0.1",
            "255.255.255.255",
            "::1",
            "::ffff:127.0.0.1",
            "fe80::1",
            "fc00::1",
            "2001:db8::1",
            "2002:7f00:1::",
        ] {
            assert!(!is_public(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn private_hosts_must_be_listed() {
        let url: Url = "http://127.0.0.1:9000/a".parse().unwrap();
        assert!(check_literal(&url, is_listed(&url, &[])).is_err());
        assert!(check_literal(&url, is_listed(&url, &["127.0.0.1:9000".to_owned()])).is_ok());
        assert!(check_literal(&url, is_listed(&url, &["127.0.0.1:9001".to_owned()])).is_err());
        assert!(!is_listed(&"http://127.0.0.1.example.com/".parse().unwrap(), &["127.0.0.1".to_owned()]));
    }
}
