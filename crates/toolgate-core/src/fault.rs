//! What went wrong between the gateway and a server, in words that name the culprit and help.

use std::fmt;
use std::time::Duration;

use crate::ServerName;

/// Whose fault a failure is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Blame {
    Caller,
    Server,
    Gateway,
}

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
    /// The server, or this tool of it, has as many calls under way as it may.
    Busy { limit: usize },
    /// More calls came than the operator allows. Nothing was sent.
    RateLimited { retry_after: Duration },
    /// It failed so often in a row that it is left alone for a while. Nothing was sent.
    Resting { reason: String, retry_after: Duration },
    /// It wants a credential that the gateway does not have. Nothing was done.
    Unauthorized { reason: String },
    /// Content that belongs into the request could not be read to its end, so the request never was whole. Nothing ran.
    Unread { reason: String },
}

impl FaultKind {
    pub fn code(&self) -> &'static str {
        match self {
            FaultKind::Down { .. } => "server_down",
            FaultKind::TimedOut { .. } => "server_timeout",
            FaultKind::Lost { .. } => "server_lost",
            FaultKind::TooLarge { .. } => "result_too_large",
            FaultKind::Garbled { .. } => "server_garbled",
            FaultKind::Refused { .. } => "server_refused",
            FaultKind::Busy { .. } => "server_busy",
            FaultKind::RateLimited { .. } => "rate_limited",
            FaultKind::Resting { .. } => "server_resting",
            FaultKind::Unauthorized { .. } => "server_unauthorized",
            FaultKind::Unread { .. } => "content_unread",
        }
    }

    /// Whether the same request may be sent again without the danger that it runs twice.
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

impl Fault {
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
                "the tool did not run; repeat the call, and hand in the content anew if it fails again".into()
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
                write!(f, "more calls to server \"{server}\" came than it is allowed to get")
            }
            FaultKind::Resting { reason, .. } => {
                write!(
                    f,
                    "server \"{server}\" is left alone for a while because it failed repeatedly: {reason}"
                )
            }
            FaultKind::Unauthorized { reason } => {
                write!(f, "server \"{server}\" wants a credential that the gateway does not have: {reason}")
            }
            FaultKind::Unread { reason } => f.write_str(reason),
        }
    }
}

impl std::error::Error for Fault {}
