//! The bytes of a file: header, trailer, objects, streams, and the limits of numbers.

use crate::cos::{PdfValue, Stream, SyntaxFault};

use super::checker::Checker;

const FILTERS: [&str; 10] = [
    "ASCIIHexDecode",
    "ASCII85Decode",
    "FlateDecode",
    "RunLengthDecode",
    "CCITTFaxDecode",
    "JBIG2Decode",
    "DCTDecode",
    "JPXDecode",
    "Crypt",
    "LZWDecode",
];

pub(super) fn check(c: &mut Checker<'_>) {
    header(c);
    trailer(c);
    for (fault, object) in &c.file.faults {
        let evidence = format!("object {object}");
        match fault {
            SyntaxFault::XrefHeader => c.a("6.1.4-1", "the head of a section"),
            SyntaxFault::XrefBreak => c.a("6.1.4-2", "xref"),
            SyntaxFault::OddHex => c.a("6.1.6-1", evidence),
            SyntaxFault::BadHex => c.a("6.1.6-2", evidence),
            SyntaxFault::StreamLength => c.a("6.1.7.1-1", evidence),
            SyntaxFault::StreamBreak | SyntaxFault::EndstreamBreak => c.a("6.1.7.1-2", evidence),
            SyntaxFault::ObjectSpaces | SyntaxFault::ObjectBreaks => c.a("6.1.9-1", evidence),
        }
    }
    if c.file.objects.len() > 8_388_607 {
        c.a("6.1.13-7", format!("{} objects", c.file.objects.len()));
    }
}

fn header(c: &mut Checker<'_>) {
    let bytes = &c.file.bytes;
    let version = bytes.strip_prefix(b"%PDF-1.").and_then(|rest| rest.first());
    let good = version.is_some_and(|digit| (b'0'..=b'7').contains(digit))
        && matches!(bytes.get(8), Some(b'\r' | b'\n'));
    if !good {
        let line: Vec<u8> = bytes.iter().take(12).copied().take_while(|byte| *byte != b'\n').collect();
        c.a("6.1.2-1", String::from_utf8_lossy(&line));
    }
    let mut at = bytes.iter().position(|byte| *byte == b'\n' || *byte == b'\r').unwrap_or(0);
    while matches!(bytes.get(at), Some(b'\r' | b'\n')) {
        at += 1;
    }
    let marks = bytes.get(at + 1..at + 5).unwrap_or_default();
    let is_comment = bytes.get(at) == Some(&b'%') && marks.len() == 4 && marks.iter().all(|byte| *byte > 127);
    let line = bytes.get(at..).unwrap_or_default().iter().take_while(|byte| !matches!(**byte, b'\r' | b'\n'));
    // A line that goes on into the first object is no comment of its own.
    let runs_on = line.clone().count() > 4
        && memchr::memmem::find(&line.copied().collect::<Vec<u8>>(), b" obj").is_some();
    if !is_comment || runs_on {
        c.a("6.1.2-2", "the second line");
    }
}

fn trailer(c: &mut Checker<'_>) {
    let file = c.file;
    let lacks = |dict: &crate::cos::Dict| !dict.has("ID");
    let first = file.trailers.first().is_none_or(lacks) && file.trailers.last().is_none_or(lacks);
    let is_linear = file.trailers.len() > 1
        && file.bytes[..file.bytes.len().min(1_024)].windows(11).any(|it| it == b"/Linearized");
    if first || (is_linear && file.trailers.iter().any(lacks)) {
        c.a("6.1.3-1", "no ID");
    }
    if file.is_encrypted() {
        c.a("6.1.3-2", "Encrypt");
    }
    let end = memchr::memmem::rfind(&file.bytes, b"%%EOF").map_or(file.bytes.len(), |at| at + 5);
    if !matches!(&file.bytes[end..], b"" | b"\r" | b"\n" | b"\r\n") {
        c.a("6.1.3-3", format!("{} bytes follow", file.bytes.len() - end));
    }
}

/// Limits of one number, string or name.
pub(super) fn limits(c: &mut Checker<'_>, value: &PdfValue) {
    match value {
        PdfValue::Int(number) if !(-2_147_483_648..=2_147_483_647).contains(number) => {
            c.a("6.1.13-1", number.to_string());
        }
        PdfValue::Real(number) if number.abs() > 3.403e38 => c.a("6.1.13-2", number.to_string()),
        PdfValue::Real(number) if *number != 0.0 && number.abs() < 1.175e-38 => {
            c.a("6.1.13-5", number.to_string());
        }
        PdfValue::Text(text) if text.len() > 32_767 => c.a("6.1.13-3", format!("{} bytes", text.len())),
        PdfValue::Name(name) if name.len() > 127 => c.a("6.1.13-4", String::from_utf8_lossy(name)),
        PdfValue::Dict(dict) => {
            for (key, _) in dict.iter().filter(|(key, _)| key.len() > 127) {
                c.a("6.1.13-4", String::from_utf8_lossy(key));
            }
        }
        _ => {}
    }
}

/// Entries of a stream's dictionary.
pub(super) fn stream<'a>(c: &mut Checker<'a>, stream: &'a Stream) {
    let dict = &stream.dict;
    for key in ["F", "FFilter", "FDecodeParms"] {
        if dict.has(key) {
            c.a("6.1.7.1-3", key);
        }
    }
    let filter = c.at(dict, "Filter");
    let names = filter.list().iter().map(|it| c.get(it)).chain(std::iter::once(filter));
    for (index, name) in names.filter_map(PdfValue::name).enumerate().collect::<Vec<_>>() {
        if !FILTERS.contains(&name) || name == "LZWDecode" {
            c.a("6.1.7.2-1", name);
        }
        if name == "Crypt" {
            let parameters = c.at(dict, "DecodeParms");
            let own = parameters.list().get(index).map_or(parameters, |it| c.get(it));
            let kind = own.dict().map(|it| c.at(it, "Name"));
            if kind.is_some_and(|kind| kind != &PdfValue::Null && !kind.is_name("Identity")) {
                c.a("6.1.7.2-2", "a Crypt filter");
            }
        }
    }
}

/// A name that has to be UTF-8.
pub(super) fn utf8_name(c: &mut Checker<'_>, name: &PdfValue) {
    if let PdfValue::Name(bytes) = name
        && std::str::from_utf8(bytes).is_err()
    {
        c.a("6.1.8-1", String::from_utf8_lossy(bytes));
    }
}
