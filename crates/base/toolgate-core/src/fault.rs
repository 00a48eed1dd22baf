//! Failures between the gateway and a server, in words that name the culprit and help.

use std::fmt;
use std::net::{IpAddr, SocketAddr};
use std::time::Duration;

use crate::ServerName;
use crate::blame::Blame;
use crate::codes::{self, Code};

/// A request that got no answer from its server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub server: ServerName,
    pub kind: FaultKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// The server is not connected. Nothing was sent.
    Down { reason: String },
    /// No answer within the server's time-out.
    TimedOut { after: Duration },
    /// The connection ended after the request was sent; whether the tool ran is not known.
    Lost { reason: String },
    /// The answer is larger than the limit.
    TooLarge { limit_bytes: usize },
    /// The server broke the protocol.
    Garbled { what: String },
    /// The server answered HTTP with a status that is not an answer.
    Refused { status: u16, body: String },
    /// The server, or this tool of it, has reached its limit of concurrent calls.
    Busy { limit: usize },
    /// More calls came than the operator allows. Nothing was sent.
    RateLimited { retry_after: Duration },
    /// It failed so often in a row that it is paused. Nothing was sent.
    Resting { reason: String, retry_after: Duration },
    /// It wants a credential that the gateway does not have. Nothing was done.
    Unauthorized { reason: String },
    /// Content for the request could not be read completely, so the request was never complete. Nothing ran.
    Unread { reason: String },
}

impl FaultKind {
    pub fn code(&self) -> &'static Code {
        match self {
            FaultKind::Down { .. } => &codes::SERVER_DOWN,
            FaultKind::TimedOut { .. } => &codes::SERVER_TIMEOUT,
            FaultKind::Lost { .. } => &codes::SERVER_LOST,
            FaultKind::TooLarge { .. } => &codes::RESULT_TOO_LARGE,
            FaultKind::Garbled { .. } => &codes::SERVER_GARBLED,
            FaultKind::Refused { .. } => &codes::SERVER_REFUSED,
            FaultKind::Busy { .. } => &codes::SERVER_BUSY,
            FaultKind::RateLimited { .. } => &codes::RATE_LIMITED,
            FaultKind::Resting { .. } => &codes::SERVER_RESTING,
            FaultKind::Unauthorized { .. } => &codes::SERVER_UNAUTHORIZED,
            FaultKind::Unread { .. } => &codes::CONTENT_UNREAD,
        }
    }

    /// True if the same request may be sent again without the risk that it runs twice.
    pub fn safe_to_retry(&self) -> bool {
        matches!(
            self,
            FaultKind::Down { .. }
                | FaultKind::Busy { .. }
                | FaultKind::RateLimited { .. }
                | FaultKind::Resting { .. }
                | FaultKind::Unauthorized { .. }
                | FaultKind::Unread { .. }
        )
    }
}

/// The text that callers see instead of an address.
const ITS_ADDRESS: &str = "its address";

impl Fault {
    /// The message for the caller, which names the server. The server's address is for operators, who find it
    /// in the ledger and with `toolgate servers show`.
    pub fn told(&self) -> String {
        let told = |text: String| without_addresses(&text, &self.server);
        let kind = match self.kind.clone() {
            FaultKind::Down { reason } => FaultKind::Down { reason: told(reason) },
            FaultKind::Lost { reason } => FaultKind::Lost { reason: told(reason) },
            FaultKind::Garbled { what } => FaultKind::Garbled { what: told(what) },
            FaultKind::Refused { status, body } => FaultKind::Refused { status, body: told(body) },
            FaultKind::Resting { reason, retry_after } => {
                FaultKind::Resting { reason: told(reason), retry_after }
            }
            FaultKind::Unauthorized { reason } => FaultKind::Unauthorized { reason: told(reason) },
            other => other,
        };
        Fault { server: self.server.clone(), kind }.to_string()
    }

    pub fn new(server: &ServerName, kind: FaultKind) -> Self {
        Self { server: server.clone(), kind }
    }

    pub fn blame(&self) -> Blame {
        match self.kind {
            FaultKind::Busy { .. } | FaultKind::RateLimited { .. } => Blame::Caller,
            FaultKind::Unauthorized { .. } | FaultKind::Unread { .. } => Blame::Gateway,
            _ => Blame::Server,
        }
    }

    pub fn hint(&self) -> String {
        let server = &self.server;
        match &self.kind {
            FaultKind::Down { .. } => {
                format!("`toolgate servers show {server}` says why; other servers are not affected")
            }
            FaultKind::TimedOut { .. } => {
                format!(
                    "the tool may still be running; raise `timeout_seconds` of server \"{server}\" if it needs longer"
                )
            }
            FaultKind::Lost { .. } => {
                "check whether the call took effect before you repeat it; the server is being restarted"
                    .into()
            }
            FaultKind::TooLarge { .. } => {
                "ask for less (a filter, a page, a range) or raise `limits.result_bytes_max`".into()
            }
            FaultKind::Garbled { .. } | FaultKind::Refused { .. } => {
                format!("`toolgate servers test {server}` shows what the server answers")
            }
            FaultKind::Busy { .. } => "repeat the call when others have finished".into(),
            FaultKind::RateLimited { retry_after } | FaultKind::Resting { retry_after, .. } => {
                format!("repeat the call in {:.1} s", retry_after.as_secs_f32().max(0.1))
            }
            FaultKind::Unauthorized { .. } => {
                format!(
                    "the operator can sign in with `toolgate servers login {server}` or store a secret with `toolgate secrets set {server} NAME`"
                )
            }
            FaultKind::Unread { .. } => {
                "the tool did not run; repeat the call, and upload the content again if it fails again".into()
            }
        }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let server = &self.server;
        match &self.kind {
            FaultKind::Down { reason } => write!(f, "server \"{server}\" is not available: {reason}"),
            FaultKind::TimedOut { after } => {
                write!(f, "server \"{server}\" did not answer within {} s", after.as_secs_f32())
            }
            FaultKind::Lost { reason } => {
                write!(f, "the connection to server \"{server}\" was lost during the call: {reason}")
            }
            FaultKind::TooLarge { limit_bytes } => {
                write!(f, "server \"{server}\" sent more than the limit of {limit_bytes} bytes")
            }
            FaultKind::Garbled { what } => write!(f, "server \"{server}\" broke the protocol: {what}"),
            FaultKind::Refused { status, body } if body.is_empty() => {
                write!(f, "server \"{server}\" answered with HTTP status {status}")
            }
            FaultKind::Refused { status, body } => {
                write!(f, "server \"{server}\" answered with HTTP status {status}: {body}")
            }
            FaultKind::Busy { limit } => write!(f, "server \"{server}\" already has {limit} calls under way"),
            FaultKind::RateLimited { .. } => {
                write!(f, "more calls to server \"{server}\" came than its rate allows")
            }
            FaultKind::Resting { reason, .. } => {
                write!(f, "server \"{server}\" is paused for a while because it failed repeatedly: {reason}")
            }
            FaultKind::Unauthorized { reason } => {
                write!(f, "server \"{server}\" wants a credential that the gateway does not have: {reason}")
            }
            FaultKind::Unread { reason } => f.write_str(reason),
        }
    }
}

impl std::error::Error for Fault {}

/// The text without addresses: URLs, IP addresses, hosts with a port, names of hosts in quotes. A server's name may look
/// like that of a host.
fn without_addresses(text: &str, server: &ServerName) -> String {
    let mut left = String::with_capacity(text.len());
    let mut before = None;
    for word in text.split_inclusive(separates) {
        let end = word.chars().next_back().filter(|last| separates(*last));
        let bare = &word[..word.len() - end.map_or(0, char::len_utf8)];
        let plain = bare.trim_end_matches([':', '.']);
        let is_quoted = before == end && matches!(end, Some('"' | '\'' | '`'));
        let is_host = is_quoted && plain.contains('.') && plain != server.as_str();
        match is_address(plain) || is_host {
            true => left.push_str(ITS_ADDRESS),
            false => left.push_str(plain),
        }
        left.push_str(&bare[plain.len()..]);
        left.extend(end);
        before = end;
    }
    left
}

fn separates(c: char) -> bool {
    c.is_whitespace() || matches!(c, '"' | '\'' | '`' | '(' | ')' | ',' | ';' | '<' | '>' | '=')
}

fn is_address(word: &str) -> bool {
    let with_port = |(host, port): (&str, &str)| {
        let of_host = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
        port.parse::<u16>().is_ok() && !host.is_empty() && host.chars().all(of_host)
    };
    word.contains("://")
        || word.parse::<IpAddr>().is_ok()
        || word.parse::<SocketAddr>().is_ok()
        || word.rsplit_once(':').is_some_and(with_port)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn callers_are_not_told_where_a_server_is() {
        let server = ServerName::new("files.v2").expect("a name");
        for (reason, told) in [
            (
                "could not connect to 127.0.0.1:8901: connection refused",
                "could not connect to its address: connection refused",
            ),
            ("could not connect to files-svc:8080: timed out", "could not connect to its address: timed out"),
            ("a: http://10.0.0.7/mcp. b: [::1]:80, fe80::1;", "a: its address. b: its address, its address;"),
            (
                "\"mcp.internal\" may not be dialled: 10.1.2.3 is private",
                "\"its address\" may not be dialled: its address is private",
            ),
            ("\"files.v2\" has no secret", "\"files.v2\" has no secret"),
            ("not valid for DnsName(\"a.b\")", "not valid for DnsName(\"its address\")"),
            (
                "exited with status 1: it's 3.5 s late, say \"sorry\"",
                "exited with status 1: it's 3.5 s late, say \"sorry\"",
            ),
        ] {
            let fault = Fault::new(&server, FaultKind::Down { reason: reason.to_owned() });
            assert_eq!(fault.told(), format!("server \"files.v2\" is not available: {told}"));
            assert!(fault.to_string().ends_with(reason), "operators read all of it");
        }
    }
}
