//! One object of a file, with what its writer did not do as the standard says.

use std::sync::Arc;

use super::lexer::{Lexer, is_space};
use super::value::{PdfValue, Stream};

/// Something that readers forgive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SyntaxFault {
    XrefBreak,
    XrefHeader,
    OddHex,
    BadHex,
    /// `stream` without a line feed behind it.
    StreamBreak,
    /// `endstream` without a line break before it.
    EndstreamBreak,
    StreamLength,
    /// `1 0 obj` with other spaces than one each.
    ObjectSpaces,
    /// No line break before the number, behind `obj`, or around `endobj`.
    ObjectBreaks,
}

/// An object and its faults.
pub(super) struct ReadObject {
    pub(super) number: u32,
    pub(super) value: PdfValue,
    pub(super) faults: Vec<SyntaxFault>,
}

fn is_break(byte: Option<&u8>) -> bool {
    matches!(byte, Some(b'\n' | b'\r'))
}

/// Reads `1 0 obj … endobj`. `length_of` finds the length of a stream that is an object of its own.
pub(super) fn object_at(
    bytes: &[u8],
    at: usize,
    length_of: &dyn Fn(u32) -> Option<i64>,
) -> Option<ReadObject> {
    let mut lexer = Lexer::of_file(bytes, at);
    lexer.skip_space();
    let from = lexer.at;
    let header = header(&mut lexer)?;
    let mut faults = Vec::new();
    if header.odd_spaces {
        faults.push(SyntaxFault::ObjectSpaces);
    }
    if !is_break(bytes.get(lexer.at)) || (from > 0 && !is_break(bytes.get(from - 1))) {
        faults.push(SyntaxFault::ObjectBreaks);
    }
    let mut value = lexer.value().unwrap_or(PdfValue::Null);
    if let PdfValue::Dict(dict) = &value
        && lexer.take_word(b"stream")
    {
        let length = match dict.get("Length") {
            PdfValue::Ref(number) => length_of(*number),
            given => given.int(),
        };
        let body = stream_body(&mut lexer, length, &mut faults);
        value = PdfValue::Stream(Stream { dict: dict.clone(), body: Arc::from(body) });
    }
    if lexer.odd_hex.is_some() {
        faults.push(SyntaxFault::OddHex);
    }
    if lexer.bad_hex.is_some() {
        faults.push(SyntaxFault::BadHex);
    }
    if lexer.take_word(b"endobj") {
        let start = lexer.at - b"endobj".len();
        if !is_break(bytes.get(start - 1)) || (lexer.at < bytes.len() && !is_break(bytes.get(lexer.at))) {
            faults.push(SyntaxFault::ObjectBreaks);
        }
    }
    Some(ReadObject { number: header.number, value, faults })
}

struct ObjectHeader {
    number: u32,
    odd_spaces: bool,
}

fn header(lexer: &mut Lexer<'_>) -> Option<ObjectHeader> {
    let bytes = lexer.bytes;
    let mut at = lexer.at;
    let mut run = |of: fn(&u8) -> bool| {
        let from = at;
        while bytes.get(at).is_some_and(of) {
            at += 1;
        }
        &bytes[from..at]
    };
    let number = run(u8::is_ascii_digit);
    let first = run(|byte| is_space(*byte));
    let generation = run(u8::is_ascii_digit);
    let second = run(|byte| is_space(*byte));
    if generation.is_empty() || !bytes.get(at..)?.starts_with(b"obj") {
        return None;
    }
    lexer.at = at + 3;
    let number = std::str::from_utf8(number).ok()?.parse().ok()?;
    Some(ObjectHeader { number, odd_spaces: first.len() != 1 || second.len() != 1 })
}

fn stream_body<'a>(lexer: &mut Lexer<'a>, length: Option<i64>, faults: &mut Vec<SyntaxFault>) -> &'a [u8] {
    let bytes = lexer.bytes;
    let start = match bytes.get(lexer.at..lexer.at + 2) {
        Some(b"\r\n") => lexer.at + 2,
        Some([b'\n', _]) => lexer.at + 1,
        Some([b'\r', _]) => {
            faults.push(SyntaxFault::StreamBreak);
            lexer.at + 1
        }
        _ => {
            faults.push(SyntaxFault::StreamBreak);
            lexer.at
        }
    };
    let start = start.min(bytes.len());
    let told = length.and_then(|length| usize::try_from(length).ok()).and_then(|it| start.checked_add(it));
    if let Some((end, next)) = told.and_then(|end| ends_at(bytes, end)) {
        if next == end {
            faults.push(SyntaxFault::EndstreamBreak);
        }
        lexer.at = next + b"endstream".len();
        return &bytes[start..end];
    }
    faults.push(SyntaxFault::StreamLength);
    let found = memchr::memmem::find(&bytes[start..], b"endstream").map(|at| start + at);
    let end = found.unwrap_or(bytes.len());
    lexer.at = found.map_or(bytes.len(), |at| at + b"endstream".len());
    let mut last = end;
    if last > start && bytes[last - 1] == b'\n' {
        last -= 1;
    }
    if last > start && bytes[last - 1] == b'\r' {
        last -= 1;
    }
    &bytes[start..last]
}

/// The place of `endstream` if the stream ends at `end`: there, or behind one line break.
fn ends_at(bytes: &[u8], end: usize) -> Option<(usize, usize)> {
    let rest = bytes.get(end..)?;
    let gap = match rest {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    };
    rest[gap..].starts_with(b"endstream").then_some((end, end + gap))
}
