//! A document for further reading: one text, and its lines with their looks. Inside the program offsets are
//! bytes; the output counts characters, so that any language can cut the same pieces out.

use serde::{Deserialize, Serialize};

/// A range in the text, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct ByteSpan {
    pub start: usize,
    pub end: usize,
}

impl ByteSpan {
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end }
    }

    pub fn of(self, text: &str) -> &str {
        &text[self.start..self.end]
    }

    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }

    pub fn contains(self, other: ByteSpan) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// From the beginning of the one to the end of the other.
    pub fn to(self, other: ByteSpan) -> ByteSpan {
        ByteSpan::new(self.start.min(other.start), self.end.max(other.end))
    }

    /// Without white space at its ends.
    pub fn trimmed(self, text: &str) -> ByteSpan {
        self.stripped(text, &[])
    }

    /// Without white space and `marks` at its ends.
    pub fn stripped(self, text: &str, marks: &[char]) -> ByteSpan {
        let skip = |character: char| character.is_whitespace() || marks.contains(&character);
        let piece = self.of(text);
        let start = self.start + piece.len() - piece.trim_start_matches(skip).len();
        let end = start + text[start..self.end].trim_end_matches(skip).len();
        ByteSpan::new(start, end)
    }
}

/// A line with its looks.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct TextLine {
    #[serde(flatten)]
    pub span: ByteSpan,
    /// From 1.
    pub page: u32,
    /// In points; zero where the format does not say.
    #[serde(default)]
    pub size: f32,
    #[serde(default)]
    pub bold: bool,
    /// Points from the left and the top of the page; zero if lines have no position.
    #[serde(default)]
    pub left: f32,
    #[serde(default)]
    pub top: f32,
    #[serde(default)]
    pub bottom: f32,
    #[serde(default)]
    pub right: f32,
    /// The level of a heading, if the format declares it as one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub heading: Option<u8>,
    /// Begins a point of a list. The marker is not part of `span`.
    #[serde(default)]
    pub item: bool,
    /// Stands apart from the line before.
    #[serde(default)]
    pub apart: bool,
}

/// A document that was read.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ParsedDocument {
    pub text: String,
    pub lines: Vec<TextLine>,
    pub page_count: usize,
    /// ISO 639-1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    #[serde(default)]
    pub warnings: Vec<String>,
}

impl ParsedDocument {
    /// Marks the stored form, so that a ref of another kind is not mistaken for it.
    pub const MEDIA_TYPE: &'static str = "application/vnd.capability.parsed-document+json";

    pub fn line(&self, index: usize) -> &str {
        self.lines[index].span.of(&self.text)
    }

    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// The kept form: offsets in characters.
    pub fn to_json(&self) -> Vec<u8> {
        let characters = Characters::of(&self.text);
        let mut kept = self.clone();
        for line in &mut kept.lines {
            line.span = ByteSpan::new(characters.at(line.span.start), characters.at(line.span.end));
        }
        serde_json::to_vec(&kept).expect("strings and numbers can always be written")
    }

    pub fn from_json(bytes: &[u8]) -> Option<Self> {
        let mut parsed: ParsedDocument = serde_json::from_slice(bytes).ok()?;
        let bytes_of: Vec<usize> =
            parsed.text.char_indices().map(|(at, _)| at).chain([parsed.text.len()]).collect();
        for line in &mut parsed.lines {
            line.span = ByteSpan::new(*bytes_of.get(line.span.start)?, *bytes_of.get(line.span.end)?);
        }
        Some(parsed)
    }
}

/// Bytes to characters.
pub struct Characters<'a> {
    text: &'a str,
    /// The number of characters before every 256th byte.
    marks: Vec<usize>,
}

impl<'a> Characters<'a> {
    const STEP: usize = 256;

    pub fn of(text: &'a str) -> Self {
        let mut marks = vec![0];
        let mut count = 0;
        for (at, byte) in text.bytes().enumerate() {
            if at > 0 && at % Self::STEP == 0 {
                marks.push(count);
            }
            count += usize::from(byte & 0xC0 != 0x80);
        }
        Self { text, marks }
    }

    /// The number of characters before this byte.
    pub fn at(&self, byte: usize) -> usize {
        let mark = (byte / Self::STEP).min(self.marks.len() - 1);
        let rest = &self.text.as_bytes()[mark * Self::STEP..byte];
        self.marks[mark] + rest.iter().filter(|byte| **byte & 0xC0 != 0x80).count()
    }
}

/// Puts a text together line by line.
#[derive(Default)]
pub(crate) struct ParsedBuilder {
    parsed: ParsedDocument,
}

impl ParsedBuilder {
    /// Marks that begin points of lists.
    pub(crate) const BULLETS: [char; 18] =
        ['•', '●', '○', '▪', '■', '◦', '‣', '·', '∙', '►', '▸', '➢', '✓', '◆', '❖', '*', '\u{f0b7}', '➤'];

    /// Adds a line; `looks` is everything except its text. A blank one is skipped, but sets the next apart.
    pub(crate) fn line(&mut self, text: &str, looks: TextLine) {
        let written = text.trim();
        if written.is_empty() {
            return;
        }
        let (marker, body) = split_marker(written);
        if looks.apart && !self.parsed.text.is_empty() {
            self.parsed.text.push('\n');
        }
        let begin = self.parsed.text.len();
        self.parsed.text.push_str(written);
        let start = begin + (body.as_ptr() as usize - written.as_ptr() as usize);
        let span = ByteSpan::new(start, self.parsed.text.len());
        self.parsed.text.push('\n');
        self.parsed.lines.push(TextLine { span, item: looks.item || marker, ..looks });
    }

    pub(crate) fn last(&mut self) -> Option<&mut TextLine> {
        self.parsed.lines.last_mut()
    }

    pub(crate) fn finish(self) -> ParsedDocument {
        self.parsed
    }
}

/// True if it begins with the mark of a point, and the rest.
fn split_marker(text: &str) -> (bool, &str) {
    let mut rest = text.chars();
    let Some(first) = rest.next() else { return (false, text) };
    let body = rest.as_str();
    let spaced = body.starts_with(char::is_whitespace);
    let dash = matches!(first, '-' | '–' | '—') && spaced;
    let bullet = ParsedBuilder::BULLETS.contains(&first) && (spaced || !matches!(first, '*' | '·'));
    match (dash || bullet) && body.chars().any(char::is_alphanumeric) {
        true => (true, body.trim_start()),
        false => (false, text),
    }
}
