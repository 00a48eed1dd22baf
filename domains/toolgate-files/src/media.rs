//! The media type of bytes, detected from their content. The sender's claim is ignored; the file name counts
//! only for the kind of a text.

mod zip;

use std::ops::Range;

use crate::text;

pub(crate) const UNKNOWN: &str = "application/octet-stream";
const TEXT: &str = "text/plain";
/// The part of the end that shows the content of an archive, or of an old office document.
const TAIL_BYTES: u64 = 64 << 10;

const ZIP_MAGIC: &[u8] = b"PK\x03\x04";
const OLE_MAGIC: &[u8] = &[0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1];

/// The known parts of some bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ByteSample<'a> {
    pub(crate) head: &'a [u8],
    /// Empty if it was not requested.
    pub(crate) tail: &'a [u8],
    /// The total number of bytes.
    pub(crate) bytes: u64,
}

impl<'a> ByteSample<'a> {
    /// Bytes that are all in memory.
    pub(crate) fn whole(bytes: &'a [u8]) -> Self {
        let length = u64::try_from(bytes.len()).expect("a length fits into 64 bits");
        let tail = bytes.len().saturating_sub(usize::try_from(TAIL_BYTES).expect("it is small"));
        Self { head: bytes, tail: &bytes[tail..], bytes: length }
    }

    fn is_whole(&self) -> bool {
        u64::try_from(self.head.len()) == Ok(self.bytes)
    }
}

/// The additional range that is needed if the beginning is not enough.
pub(crate) fn wants_tail(head: &[u8], bytes: u64) -> Option<Range<u64>> {
    let is_container = head.starts_with(ZIP_MAGIC) || head.starts_with(OLE_MAGIC);
    is_container.then(|| bytes.saturating_sub(TAIL_BYTES)..bytes)
}

/// The media type, without parameters.
pub(crate) fn sniff(sample: &ByteSample<'_>, name: Option<&str>) -> &'static str {
    let head = sample.head;
    if let Some(written) = written_as_text(head) {
        return written;
    }
    if text::begins_as_unicode(head) {
        return kind_of_text(sample, name);
    }
    if head.starts_with(ZIP_MAGIC) {
        return zip::kind(sample);
    }
    if head.starts_with(OLE_MAGIC) {
        return kind_of_ole(sample);
    }
    match infer::get(head) {
        Some(found) if !is_weak(&found) => found.mime_type(),
        _ if text::begins_as_legacy(head) => kind_of_text(sample, name),
        _ => UNKNOWN,
    }
}

/// Documents that may consist of letters alone.
fn written_as_text(head: &[u8]) -> Option<&'static str> {
    let marks: [(&[u8], &str); 3] =
        [(b"%PDF-", "application/pdf"), (b"{\\rtf", "application/rtf"), (b"%!PS", "application/postscript")];
    marks.into_iter().find(|(mark, _)| head.starts_with(mark)).map(|(_, kind)| kind)
}

/// True for a type that is recognised by only two or three common bytes, or that is text after all.
fn is_weak(found: &infer::Type) -> bool {
    found.matcher_type() == infer::MatcherType::Text
        || matches!(found.extension(), "obj" | "pem" | "der" | "mobi")
}

/// Text is text; the name may say which kind, if the content does not speak against it.
fn kind_of_text(sample: &ByteSample<'_>, name: Option<&str>) -> &'static str {
    let extension =
        name.and_then(|name| name.rsplit_once('.')).map(|(_, extension)| extension.to_ascii_lowercase());
    let start = TextStart::of(sample);
    match extension.as_deref() {
        Some("md" | "markdown") => "text/markdown",
        Some("csv") => "text/csv",
        Some("tsv") => "text/tab-separated-values",
        Some("json") if start.may_be_json() => "application/json",
        Some("htm" | "html") if start.has("<") => "text/html",
        Some("svg") if start.is_svg() => "image/svg+xml",
        Some("xml") if start.has("<") => "application/xml",
        None if start.is_json(sample) => "application/json",
        None | Some("htm" | "html") if start.is_html() => "text/html",
        None if start.is_svg() => "image/svg+xml",
        None if start.has("<?xml") => "application/xml",
        _ => TEXT,
    }
}

/// The beginning of a text, without leading blanks.
struct TextStart(String);

impl TextStart {
    fn of(sample: &ByteSample<'_>) -> Self {
        let text = match sample.is_whole() {
            true => text::decode(sample.head).unwrap_or_default(),
            false => String::from_utf8_lossy(sample.head).into_owned(),
        };
        Self(text.trim_start_matches(|c: char| c == '\u{feff}' || c.is_whitespace()).to_owned())
    }

    fn has(&self, mark: &str) -> bool {
        self.0.get(..mark.len()).is_some_and(|start| start.eq_ignore_ascii_case(mark))
    }

    fn may_be_json(&self) -> bool {
        self.0.starts_with(['{', '[', '"', '-', 't', 'f', 'n'])
            || self.0.starts_with(|c: char| c.is_ascii_digit())
    }

    /// Without a matching file name, it has to be valid JSON to its end.
    fn is_json(&self, sample: &ByteSample<'_>) -> bool {
        let is_structure = self.0.starts_with(['{', '[']);
        is_structure && sample.is_whole() && serde_json::from_str::<serde::de::IgnoredAny>(&self.0).is_ok()
    }

    fn is_html(&self) -> bool {
        self.has("<!doctype html") || self.has("<html")
    }

    fn is_svg(&self) -> bool {
        self.has("<svg") || ((self.has("<?xml") || self.has("<!doctype svg")) && self.0.contains("<svg"))
    }
}

/// The old office formats name their streams in UTF-16, wherever their directory happens to lie.
fn kind_of_ole(sample: &ByteSample<'_>) -> &'static str {
    let names = [
        ("WordDocument", "application/msword"),
        ("Workbook", "application/vnd.ms-excel"),
        ("PowerPoint Document", "application/vnd.ms-powerpoint"),
    ];
    let holds = |name: &str| {
        let wanted: Vec<u8> = name.encode_utf16().flat_map(u16::to_le_bytes).collect();
        [sample.head, sample.tail]
            .into_iter()
            .any(|part| part.windows(wanted.len()).any(|window| window == wanted))
    };
    names.into_iter().find(|(name, _)| holds(name)).map_or("application/x-ole-storage", |(_, kind)| kind)
}

#[cfg(test)]
mod tests;
