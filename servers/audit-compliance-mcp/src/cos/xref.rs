//! The index of a file: where each object is, by its tables or by a search for objects.

use std::collections::{BTreeMap, BTreeSet};

use super::lexer::{Lexer, is_space};
use super::objects::{self, SyntaxFault};
use super::value::{Dict, PdfValue};

/// Objects that a file may have.
pub(super) const OBJECTS_MAX: usize = 1_000_000;
/// Updates of a file, one after the other.
const SECTIONS_MAX: usize = 256;

/// The place of an object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum ObjectPlace {
    At(usize),
    /// The number of its object stream.
    Inside(u32),
    Free,
}

/// All places, and the trailers, newest first.
#[derive(Default)]
pub(super) struct XrefIndex {
    pub(super) places: BTreeMap<u32, ObjectPlace>,
    pub(super) trailers: Vec<Dict>,
    pub(super) faults: Vec<(SyntaxFault, usize)>,
}

impl XrefIndex {
    /// By the tables that the end of the file points to.
    pub(super) fn by_tables(bytes: &[u8]) -> Option<Self> {
        let end = rfind(bytes, b"startxref")?;
        let mut next = Lexer::of_file(bytes, end + b"startxref".len()).value()?.int();
        let mut index = Self::default();
        let mut visited = BTreeSet::new();
        while let Some(at) = next.and_then(|at| usize::try_from(at).ok()) {
            if !visited.insert(at) || visited.len() > SECTIONS_MAX {
                break;
            }
            let trailer = index.section(bytes, at)?;
            if let Some(hybrid) = trailer.get("XRefStm").int().and_then(|at| usize::try_from(at).ok()) {
                drop(index.stream(bytes, hybrid));
            }
            next = trailer.get("Prev").int();
            index.trailers.push(trailer);
        }
        let has_root = index.trailers.iter().any(|trailer| trailer.has("Root"));
        has_root.then_some(index)
    }

    fn section(&mut self, bytes: &[u8], at: usize) -> Option<Dict> {
        let mut lexer = Lexer::of_file(bytes, at);
        if lexer.take_word(b"xref") { self.table(&mut lexer) } else { self.stream(bytes, at) }
    }

    fn table(&mut self, lexer: &mut Lexer<'_>) -> Option<Dict> {
        let gap = spaces(lexer);
        if !matches!(gap.as_slice(), b"\r\n" | b"\n" | b"\r") {
            self.faults.push((SyntaxFault::XrefBreak, lexer.at));
        }
        loop {
            lexer.skip_space();
            if lexer.take_word(b"trailer") {
                break;
            }
            let from = lexer.at;
            let first = digits(lexer)?;
            let gap = spaces(lexer);
            let count = digits(lexer)?;
            if gap != b" " {
                self.faults.push((SyntaxFault::XrefHeader, from));
            }
            for number in first..first.saturating_add(count) {
                let (offset, _) = (Self::entry_number(lexer)?, Self::entry_number(lexer)?);
                let place = if lexer.take_word(b"n") {
                    ObjectPlace::At(offset as usize)
                } else if lexer.take_word(b"f") {
                    ObjectPlace::Free
                } else {
                    return None;
                };
                self.add(number, place);
            }
        }
        lexer.value()?.dict().cloned()
    }

    fn entry_number(lexer: &mut Lexer<'_>) -> Option<u64> {
        lexer.skip_space();
        digits(lexer)
    }

    fn stream(&mut self, bytes: &[u8], at: usize) -> Option<Dict> {
        let object = objects::object_at(bytes, at, &|_| None)?;
        let stream = object.value.stream()?;
        if !stream.dict.get("Type").is_name("XRef") {
            return None;
        }
        let widths: Vec<usize> =
            stream.dict.get("W").list().iter().map(|it| it.int().unwrap_or(0).clamp(0, 8) as usize).collect();
        let [kind, second, third] = widths[..] else { return None };
        let unpacked = super::filters::decoded(&super::file::PdfFile::empty(), stream);
        let size = stream.dict.get("Size").int().unwrap_or(0);
        let whole = [PdfValue::Int(0), PdfValue::Int(size)];
        let ranges = match stream.dict.get("Index").list() {
            [] => &whole[..],
            given => given,
        };
        let mut rows = unpacked.chunks_exact((kind + second + third).max(1));
        for range in ranges.chunks_exact(2) {
            let (first, count) = (range[0].int()?.max(0) as u64, range[1].int()?.max(0) as u64);
            for number in first..first.saturating_add(count) {
                let Some(row) = rows.next() else { break };
                let field = |from: usize, length: usize| {
                    row[from..from + length].iter().fold(0u64, |sum, byte| (sum << 8) | u64::from(*byte))
                };
                let value = field(kind, second);
                let place = match if kind == 0 { 1 } else { field(0, kind) } {
                    1 => ObjectPlace::At(value as usize),
                    2 => ObjectPlace::Inside(value as u32),
                    _ => ObjectPlace::Free,
                };
                self.add(number, place);
            }
        }
        Some(stream.dict.clone())
    }

    /// The newest section was read first.
    fn add(&mut self, number: u64, place: ObjectPlace) {
        if let Ok(number) = u32::try_from(number)
            && self.places.len() < OBJECTS_MAX
        {
            self.places.entry(number).or_insert(place);
        }
    }

    /// By the words `1 0 obj` anywhere in the file; the last of a number counts.
    pub(super) fn by_search(bytes: &[u8]) -> Self {
        let mut index = Self::default();
        for at in memchr::memmem::find_iter(bytes, b" obj") {
            if let Some((number, from)) = header_before(bytes, at)
                && index.places.len() < OBJECTS_MAX
            {
                index.places.insert(number, ObjectPlace::At(from));
            }
        }
        for at in memchr::memmem::rfind_iter(bytes, b"trailer") {
            if let Some(PdfValue::Dict(trailer)) = Lexer::of_file(bytes, at + b"trailer".len()).value() {
                index.trailers.push(trailer);
            }
        }
        index
    }
}

/// The number of the object whose header ends with ` obj` at `at`, and its first byte.
fn header_before(bytes: &[u8], at: usize) -> Option<(u32, usize)> {
    let run =
        |end: usize| bytes[..end].iter().rev().take(10).take_while(|byte| byte.is_ascii_digit()).count();
    let generation = run(at);
    let gap = at.checked_sub(generation + 1)?;
    if generation == 0 || !is_space(bytes[gap]) {
        return None;
    }
    let number = run(gap);
    let from = gap.checked_sub(number)?;
    Some((std::str::from_utf8(&bytes[from..gap]).ok()?.parse().ok()?, from))
}

fn rfind(bytes: &[u8], word: &[u8]) -> Option<usize> {
    memchr::memmem::rfind(bytes, word)
}

fn spaces(lexer: &mut Lexer<'_>) -> Vec<u8> {
    let from = lexer.at;
    while lexer.peek().is_some_and(is_space) {
        lexer.at += 1;
    }
    lexer.bytes[from..lexer.at].to_vec()
}

fn digits(lexer: &mut Lexer<'_>) -> Option<u64> {
    let from = lexer.at;
    while lexer.peek().is_some_and(|byte| byte.is_ascii_digit()) {
        lexer.at += 1;
    }
    std::str::from_utf8(&lexer.bytes[from..lexer.at]).ok()?.parse().ok()
}
