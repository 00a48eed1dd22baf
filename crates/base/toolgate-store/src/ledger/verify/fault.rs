//! The fault that a verification names.

use toolgate_core::Digest;

use super::bodies::NamedBody;
use super::walk::Tampering;

/// One event that differs from what was written, or a body of none.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct LedgerFault {
    pub stream: String,
    pub number: i64,
    pub what: Tampering,
    /// The body that is not what the event says, if the event itself is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<FaultyBody>,
}

/// A body of an event.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct FaultyBody {
    /// As the event names it.
    pub digest: Digest,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub call: Option<String>,
}

impl LedgerFault {
    /// A fault of the event itself.
    pub fn of_event(stream: &str, number: i64, what: Tampering) -> Self {
        Self { stream: stream.to_owned(), number, what, body: None }
    }

    pub(super) fn of_body((stream, body): (String, NamedBody)) -> Self {
        let NamedBody { number, digest, call, what, .. } = body;
        Self { stream, number, what, body: Some(FaultyBody { digest, call }) }
    }

    /// A row among the bodies that belongs to no event.
    pub(super) fn of_unnamed(digest: Digest) -> Self {
        let body = Some(FaultyBody { digest, call: None });
        Self { body, ..Self::of_event("", 0, Tampering::BodyForged) }
    }
}

impl std::fmt::Display for LedgerFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.what != Tampering::BodyForged {
            write!(f, "event {} of stream {}: ", self.number, self.stream)?;
        }
        write!(f, "{}", self.what)?;
        let Some(FaultyBody { digest, call }) = &self.body else { return Ok(()) };
        match call {
            Some(call) => write!(f, " (call {call}, body {digest})"),
            None => write!(f, " (body {digest})"),
        }
    }
}
