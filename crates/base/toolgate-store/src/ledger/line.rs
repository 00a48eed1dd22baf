//! An event as one line: the bytes that are stored, hashed and kept for good.
//!
//! A line is one byte, the form; then, as `code.rs` writes them: tenant, stream, number, the hash of the
//! event before it, hybrid time, kind, how much earlier it happened, principal, a number whose bits say which
//! further fields there are, and these in the order of [`Field`]. Lengths come first and the order is fixed,
//! so no two events have the same line, and an absent text differs from an empty one.
//!
//! The hash is SHA-256 over a zero byte and the line: the leaf hash of RFC 6962. So the hashes of a stream
//! are the leaves of a Merkle tree. Lines of the first form (`first.rs`) have the hash that they were written
//! with.

use toolgate_core::Digest;
use toolgate_core::event::{Event, HybridTime};
use toolgate_proof::tree;

use super::code::{self, FieldReader};
use super::first;
use super::text::Text;

/// Change it together with the encoding, and teach reading both. A field that is added at the end changes no line without it.
const FORM: u8 = 2;
/// Most lines fit.
const BYTES_USUAL: usize = 384;

/// The hash before the first event of a stream.
pub(super) fn no_hash() -> Digest {
    Digest::from_bytes([0; 32])
}

/// The hash of a stored line, which the next line of its stream names.
pub(super) fn hash(line: &[u8]) -> Digest {
    match line.first() {
        Some(&first::FORM) => Digest::of(line),
        _ => leaf(line),
    }
}

/// The hash of a stored line in the Merkle tree of its stream.
pub(super) fn leaf(line: &[u8]) -> Digest {
    tree::leaf(line)
}

/// The fields of one event, borrowed from an event or from its line.
#[derive(Clone, Copy, Debug)]
pub(super) struct LedgerLine<'a> {
    pub(super) tenant: &'a str,
    pub(super) stream: &'a str,
    pub(super) number: i64,
    pub(super) previous: Digest,
    /// A line of the first form has none.
    pub(super) time: Option<HybridTime>,
    pub(super) kind: Text<'a>,
    pub(super) at_ms: i64,
    pub(super) principal: Text<'a>,
    pub(super) session: Option<Text<'a>>,
    pub(super) run: Option<Text<'a>>,
    pub(super) task: Option<Text<'a>>,
    pub(super) call: Option<Text<'a>>,
    pub(super) tool: Option<Text<'a>>,
    pub(super) server: Option<Text<'a>>,
    pub(super) tool_version: Option<Digest>,
    pub(super) trace: Option<Text<'a>>,
    pub(super) approval: Option<Text<'a>>,
    pub(super) policy_version: Option<Digest>,
    pub(super) decision: Option<Text<'a>>,
    pub(super) outcome: Option<Text<'a>>,
    pub(super) duration_us: Option<i64>,
    pub(super) input: Option<Digest>,
    pub(super) output: Option<Digest>,
    pub(super) meta: Option<Digest>,
    pub(super) detail: Option<&'a str>,
    /// A line of the first form does not say.
    pub(super) kept: Option<KeptBodies>,
}

/// The bodies of an event that are stored, and the full days after it for which all of them are.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct KeptBodies {
    pub(super) input: bool,
    pub(super) output: bool,
    pub(super) meta: bool,
    pub(super) days: u32,
}

impl KeptBodies {
    /// Without `meta`, which has a bit of the line.
    fn number(self) -> u64 {
        u64::from(self.days) << 2 | u64::from(self.output) << 1 | u64::from(self.input)
    }

    fn of_number(number: u64) -> Option<Self> {
        let days = u32::try_from(number >> 2).ok()?;
        Some(Self { input: number & 1 != 0, output: number & 2 != 0, meta: false, days })
    }
}

/// The fields that may be absent, each with a bit of its own.
#[derive(Clone, Copy)]
enum Field {
    Session,
    Run,
    Task,
    Call,
    Tool,
    /// The server, where the tool's name does not begin with it.
    Server,
    /// The server whose name the tool's begins with.
    OwnServer,
    ToolVersion,
    Trace,
    Approval,
    PolicyVersion,
    Decision,
    Outcome,
    Duration,
    Input,
    Output,
    Detail,
    Kept,
    Meta,
    /// What `meta` names is among the bodies that are stored.
    MetaKept,
}

impl Field {
    fn bit(self, is_there: bool) -> u64 {
        u64::from(is_there) << self as u32
    }

    fn is_in(self, bits: u64) -> bool {
        bits & self.bit(true) != 0
    }
}

/// The place of an event.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventPosition<'a> {
    pub(super) tenant: &'a str,
    pub(super) stream: &'a str,
    pub(super) number: i64,
    pub(super) time: HybridTime,
    pub(super) previous: Digest,
}

impl<'a> LedgerLine<'a> {
    pub(super) fn of(place: EventPosition<'a>, event: &'a Event) -> Self {
        let about = &*event.about;
        LedgerLine {
            tenant: place.tenant,
            stream: place.stream,
            number: place.number,
            previous: place.previous,
            time: Some(place.time),
            kind: Text::of(event.kind.as_str()),
            at_ms: event.at_ms,
            principal: Text::of_id(event.principal.as_str()),
            session: about.session.as_ref().map(|id| Text::of_id(id.as_str())),
            run: about.run.as_ref().map(|id| Text::of_id(id.as_str())),
            task: about.task.as_deref().map(Text::of),
            call: about.call.as_ref().map(|id| Text::of_id(id.as_str())),
            tool: about.tool.as_ref().map(|name| Text::of(name.as_str())),
            server: about.server.as_ref().map(|name| Text::of(name.as_str())),
            tool_version: about.tool_version,
            trace: about.trace.as_deref().map(Text::of),
            approval: event.approval.as_ref().map(|id| Text::of_id(id.as_str())),
            policy_version: event.policy_version,
            decision: event.decision.map(|decision| Text::of(decision.as_str())),
            outcome: event.outcome.map(|outcome| Text::of(outcome.as_str())),
            duration_us: event.duration_us,
            input: event.input,
            output: event.output,
            meta: event.meta,
            detail: event.detail.as_ref().map(|json| json.as_str()),
            kept: None,
        }
    }

    /// Reads a stored line of either form.
    pub(super) fn read(line: &'a [u8]) -> Option<Self> {
        match line.split_first()? {
            (&first::FORM, rest) => first::read(rest),
            (&FORM, rest) => Self::read_fields(FieldReader(rest)),
            _ => None,
        }
    }

    /// The line, for a place with a time.
    pub(super) fn encoded(&self, time: HybridTime) -> Vec<u8> {
        let mut to = Vec::with_capacity(BYTES_USUAL);
        to.push(FORM);
        code::put_plain(&mut to, self.tenant);
        code::put_plain(&mut to, self.stream);
        code::put_number(&mut to, self.number.unsigned_abs());
        code::put_digest(&mut to, self.previous);
        code::put_number(&mut to, time.number().unsigned_abs());
        code::put_word(&mut to, &self.kind.read());
        code::put_signed(&mut to, time.ms().wrapping_sub(self.at_ms));
        code::put_text(&mut to, self.principal);
        self.put_optional(&mut to);
        to
    }

    fn put_optional(&self, to: &mut Vec<u8>) {
        let server = self.server.filter(|_| !self.has_own_server());
        code::put_number(to, self.bits());
        for text in [self.session, self.run, self.task, self.call, self.tool, server].into_iter().flatten() {
            code::put_text(to, text);
        }
        self.tool_version.into_iter().for_each(|digest| code::put_digest(to, digest));
        for text in [self.trace, self.approval].into_iter().flatten() {
            code::put_text(to, text);
        }
        self.policy_version.into_iter().for_each(|digest| code::put_digest(to, digest));
        for word in [self.decision, self.outcome].into_iter().flatten() {
            code::put_word(to, &word.read());
        }
        self.duration_us.into_iter().for_each(|us| code::put_signed(to, us));
        for digest in [self.input, self.output].into_iter().flatten() {
            code::put_digest(to, digest);
        }
        self.detail.into_iter().for_each(|json| code::put_plain(to, json));
        self.kept.into_iter().for_each(|kept| code::put_number(to, kept.number()));
        self.meta.into_iter().for_each(|digest| code::put_digest(to, digest));
    }

    fn bits(&self) -> u64 {
        let own = self.has_own_server();
        let there = [
            Field::Session.bit(self.session.is_some()),
            Field::Run.bit(self.run.is_some()),
            Field::Task.bit(self.task.is_some()),
            Field::Call.bit(self.call.is_some()),
            Field::Tool.bit(self.tool.is_some()),
            Field::Server.bit(self.server.is_some() && !own),
            Field::OwnServer.bit(own),
            Field::ToolVersion.bit(self.tool_version.is_some()),
            Field::Trace.bit(self.trace.is_some()),
            Field::Approval.bit(self.approval.is_some()),
            Field::PolicyVersion.bit(self.policy_version.is_some()),
            Field::Decision.bit(self.decision.is_some()),
            Field::Outcome.bit(self.outcome.is_some()),
            Field::Duration.bit(self.duration_us.is_some()),
            Field::Input.bit(self.input.is_some()),
            Field::Output.bit(self.output.is_some()),
            Field::Detail.bit(self.detail.is_some()),
            Field::Kept.bit(self.kept.is_some()),
            Field::Meta.bit(self.meta.is_some()),
            Field::MetaKept.bit(self.kept.is_some_and(|kept| kept.meta)),
        ];
        there.into_iter().sum()
    }

    /// True if the server is the first part of the tool's name.
    fn has_own_server(&self) -> bool {
        let (Some(tool), Some(server)) = (self.tool, self.server) else { return false };
        own_server(tool).is_some_and(|own| server == *own)
    }

    fn read_fields(mut rest: FieldReader<'a>) -> Option<Self> {
        let rest = &mut rest;
        let (tenant, stream) = (rest.plain()?, rest.plain()?);
        let (number, previous) = (i64::try_from(rest.number()?).ok()?, rest.digest()?);
        let time = HybridTime::from_number(i64::try_from(rest.number()?).ok()?);
        let kind = rest.word()?;
        let at_ms = time.ms().wrapping_sub(rest.signed()?);
        let principal = rest.text()?;
        let bits = rest.number()?;
        let text = |field: Field, rest: &mut FieldReader<'a>| optional(field, bits, || rest.text());
        let session = text(Field::Session, rest)?;
        let run = text(Field::Run, rest)?;
        let task = text(Field::Task, rest)?;
        let call = text(Field::Call, rest)?;
        let tool = text(Field::Tool, rest)?;
        let server = match text(Field::Server, rest)? {
            None if Field::OwnServer.is_in(bits) => Some(Text::of(tool.and_then(own_server)?)),
            server => server,
        };
        let tool_version = optional(Field::ToolVersion, bits, || rest.digest())?;
        let (trace, approval) = (text(Field::Trace, rest)?, text(Field::Approval, rest)?);
        let policy_version = optional(Field::PolicyVersion, bits, || rest.digest())?;
        let decision = optional(Field::Decision, bits, || rest.word())?;
        let outcome = optional(Field::Outcome, bits, || rest.word())?;
        let duration_us = optional(Field::Duration, bits, || rest.signed())?;
        let input = optional(Field::Input, bits, || rest.digest())?;
        let output = optional(Field::Output, bits, || rest.digest())?;
        let detail = optional(Field::Detail, bits, || rest.plain())?;
        let kept = optional(Field::Kept, bits, || KeptBodies::of_number(rest.number()?))?;
        let meta = optional(Field::Meta, bits, || rest.digest())?;
        let kept = match Field::MetaKept.is_in(bits) {
            true => Some(KeptBodies { meta: true, ..kept? }),
            false => kept,
        };
        let time = Some(time);
        let line = LedgerLine {
            tenant,
            stream,
            number,
            previous,
            time,
            kind,
            at_ms,
            principal,
            session,
            run,
            task,
            call,
            tool,
            server,
            tool_version,
            trace,
            approval,
            policy_version,
            decision,
            outcome,
            duration_us,
            input,
            output,
            meta,
            detail,
            kept,
        };
        rest.0.is_empty().then_some(line)
    }
}

/// `None` if it should be there and is not.
fn optional<T>(field: Field, bits: u64, mut read: impl FnMut() -> Option<T>) -> Option<Option<T>> {
    if field.is_in(bits) { read().map(Some) } else { Some(None) }
}

/// The first part of a canonical name, unless the name looks like an id.
fn own_server(tool: Text<'_>) -> Option<&str> {
    tool.plain_part().split_once(':').map(|(server, _)| server)
}

#[cfg(test)]
mod tests;
