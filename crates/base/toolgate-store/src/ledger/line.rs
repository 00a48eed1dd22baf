//! An event as it is hashed and stored.
//!
//! The hash is SHA-256 over: one byte, the version of this encoding; then the fields in the order of
//! [`LedgerLine`]. A text or digest is its length plus one as 4 bytes and then its bytes, a number is a 1 and then
//! 8 bytes, both with the lowest byte first; an absent field is encoded with zeros for the length or the 1,
//! and nothing after it. Lengths come first and the order is fixed, so no two events have the same encoding,
//! and an absent text differs from an empty one.

use toolgate_core::Digest;
use toolgate_core::event::Event;

/// Change it together with the encoding, and teach verification both.
const ENCODING_VERSION: u8 = 1;
/// Most events fit.
const ENCODED_BYTES_USUAL: usize = 640;

/// The hash before the first event of a stream.
pub(super) fn no_hash() -> Digest {
    Digest::from_bytes([0; 32])
}

/// The fields of one row, borrowed from an event or from the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LedgerLine<'a> {
    pub(super) seq: i64,
    pub(super) tenant: &'a str,
    pub(super) stream: &'a str,
    pub(super) stream_seq: i64,
    pub(super) previous: Digest,
    pub(super) kind: &'a str,
    pub(super) at_ms: i64,
    pub(super) principal: &'a str,
    pub(super) session: Option<&'a str>,
    pub(super) run: Option<&'a str>,
    pub(super) task: Option<&'a str>,
    pub(super) call: Option<&'a str>,
    pub(super) tool: Option<&'a str>,
    pub(super) server: Option<&'a str>,
    pub(super) tool_version: Option<&'a [u8]>,
    pub(super) trace: Option<&'a str>,
    pub(super) approval: Option<&'a str>,
    pub(super) policy_version: Option<&'a [u8]>,
    pub(super) decision: Option<&'a str>,
    pub(super) outcome: Option<&'a str>,
    pub(super) duration_us: Option<i64>,
    pub(super) input: Option<&'a [u8]>,
    pub(super) output: Option<&'a [u8]>,
    pub(super) detail: Option<&'a str>,
}

/// The position of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventPosition<'a> {
    pub(super) tenant: &'a str,
    pub(super) stream: &'a str,
    pub(super) seq: i64,
    pub(super) stream_seq: i64,
    pub(super) previous: Digest,
}

impl<'a> LedgerLine<'a> {
    pub(super) fn of(place: EventPosition<'a>, event: &'a Event) -> Self {
        let about = &*event.about;
        LedgerLine {
            seq: place.seq,
            tenant: place.tenant,
            stream: place.stream,
            stream_seq: place.stream_seq,
            previous: place.previous,
            kind: event.kind.as_str(),
            at_ms: event.at_ms,
            principal: event.principal.as_str(),
            session: about.session.as_ref().map(|id| id.as_str()),
            run: about.run.as_ref().map(|id| id.as_str()),
            task: about.task.as_deref(),
            call: about.call.as_ref().map(|id| id.as_str()),
            tool: about.tool.as_ref().map(|name| name.as_str()),
            server: about.server.as_ref().map(|name| name.as_str()),
            tool_version: digest(&about.tool_version),
            trace: about.trace.as_deref(),
            approval: event.approval.as_ref().map(|id| id.as_str()),
            policy_version: digest(&event.policy_version),
            decision: event.decision.map(|decision| decision.as_str()),
            outcome: event.outcome.map(|outcome| outcome.as_str()),
            duration_us: event.duration_us,
            input: digest(&event.input),
            output: digest(&event.output),
            detail: event.detail.as_ref().map(|json| json.as_str()),
        }
    }

    pub(super) fn hash(&self) -> Digest {
        Digest::of(self.encoded())
    }

    fn encoded(&self) -> Vec<u8> {
        let mut to = Vec::with_capacity(ENCODED_BYTES_USUAL);
        to.push(ENCODING_VERSION);
        put_number(&mut to, Some(self.seq));
        put(&mut to, Some(self.tenant));
        put(&mut to, Some(self.stream));
        put_number(&mut to, Some(self.stream_seq));
        put(&mut to, Some(self.previous.as_bytes()));
        put(&mut to, Some(self.kind));
        put_number(&mut to, Some(self.at_ms));
        put(&mut to, Some(self.principal));
        for text in [self.session, self.run, self.task, self.call, self.tool, self.server] {
            put(&mut to, text);
        }
        put(&mut to, self.tool_version);
        put(&mut to, self.trace);
        put(&mut to, self.approval);
        put(&mut to, self.policy_version);
        put(&mut to, self.decision);
        put(&mut to, self.outcome);
        put_number(&mut to, self.duration_us);
        put(&mut to, self.input);
        put(&mut to, self.output);
        put(&mut to, self.detail);
        to
    }
}

fn digest(digest: &Option<Digest>) -> Option<&[u8]> {
    digest.as_ref().map(|digest| &digest.as_bytes()[..])
}

fn put(to: &mut Vec<u8>, bytes: Option<impl AsRef<[u8]>>) {
    let Some(bytes) = bytes else { return to.extend_from_slice(&0u32.to_le_bytes()) };
    let bytes = bytes.as_ref();
    let length = u32::try_from(bytes.len() + 1).expect("no database takes a text of 4 GiB");
    to.extend_from_slice(&length.to_le_bytes());
    to.extend_from_slice(bytes);
}

fn put_number(to: &mut Vec<u8>, number: Option<i64>) {
    let Some(number) = number else { return to.push(0) };
    to.push(1);
    to.extend_from_slice(&number.to_le_bytes());
}

#[cfg(test)]
mod tests;
