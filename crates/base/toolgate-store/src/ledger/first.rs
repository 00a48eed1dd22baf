//! Lines of the first form, which had a number across all streams and no hybrid time.
//!
//! A line is one byte, the form; then the fields in this order: the number across all streams, tenant,
//! stream, number in the stream, the hash before, kind, time, principal, session, run, task, call, tool,
//! server, tool version, trace, approval, policy version, decision, outcome, duration, input, output, detail.
//! A text or digest is its length plus one as 4 bytes and then its bytes, a number is a 1 and then 8 bytes,
//! both with the lowest byte first; an absent field is encoded with zeros for the length or the 1, and
//! nothing after it. The hash is SHA-256 over the line.

use toolgate_core::Digest;

use super::line::LedgerLine;
use super::text::Text;

pub(super) const FORM: u8 = 1;

/// A field of a row of the first form.
pub(super) enum Value<'a> {
    Number(Option<i64>),
    Bytes(Option<&'a [u8]>),
}

/// The line of a row: its values in the order of the fields.
pub(super) fn encoded<'a>(values: impl IntoIterator<Item = Value<'a>>) -> Vec<u8> {
    let mut to = vec![FORM];
    for value in values {
        match value {
            Value::Number(Some(number)) => {
                to.push(1);
                to.extend_from_slice(&number.to_le_bytes());
            }
            Value::Number(None) => to.push(0),
            Value::Bytes(Some(bytes)) => {
                let length = u32::try_from(bytes.len() + 1).expect("no database takes a text of 4 GiB");
                to.extend_from_slice(&length.to_le_bytes());
                to.extend_from_slice(bytes);
            }
            Value::Bytes(None) => to.extend_from_slice(&0u32.to_le_bytes()),
        }
    }
    to
}

/// Reads a line without the byte for its form.
pub(super) fn read(line: &[u8]) -> Option<LedgerLine<'_>> {
    let mut rest = FirstFieldReader(line);
    rest.number()?;
    let (tenant, stream) = (rest.text()??, rest.text()??);
    let number = rest.number()??;
    let previous = rest.digest()??;
    let (kind, at_ms, principal) = (Text::of(rest.text()??), rest.number()??, Text::of(rest.text()??));
    let mut texts = [None; 6];
    for text in &mut texts {
        *text = rest.text()?.map(Text::of);
    }
    let [session, run, task, call, tool, server] = texts;
    let tool_version = rest.digest()?;
    let (trace, approval) = (rest.text()?.map(Text::of), rest.text()?.map(Text::of));
    let policy_version = rest.digest()?;
    let (decision, outcome) = (rest.text()?.map(Text::of), rest.text()?.map(Text::of));
    let duration_us = rest.number()?;
    let (input, output, detail) = (rest.digest()?, rest.digest()?, rest.text()?);
    let (time, meta, kept) = (None, None, None);
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

/// Each part is `None` if the line is no line, and `Some(None)` if the field is absent.
struct FirstFieldReader<'a>(&'a [u8]);

impl<'a> FirstFieldReader<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (bytes, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*bytes)
    }

    fn number(&mut self) -> Option<Option<i64>> {
        match self.take()? {
            [0] => Some(None),
            [1] => Some(Some(i64::from_le_bytes(self.take()?))),
            _ => None,
        }
    }

    fn bytes(&mut self) -> Option<Option<&'a [u8]>> {
        let Some(length) = u32::from_le_bytes(self.take()?).checked_sub(1) else { return Some(None) };
        let (bytes, rest) = self.0.split_at_checked(usize::try_from(length).ok()?)?;
        self.0 = rest;
        Some(Some(bytes))
    }

    fn text(&mut self) -> Option<Option<&'a str>> {
        match self.bytes()? {
            Some(bytes) => std::str::from_utf8(bytes).ok().map(Some),
            None => Some(None),
        }
    }

    fn digest(&mut self) -> Option<Option<Digest>> {
        match self.bytes()? {
            Some(bytes) => bytes.try_into().ok().map(Digest::from_bytes).map(Some),
            None => Some(None),
        }
    }
}
