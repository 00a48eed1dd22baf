//! Messages that are lines, as stdio frames them. Bounded: a line that never ends is skipped, not collected.

use bytes::{Bytes, BytesMut};

#[derive(Debug, PartialEq, Eq)]
pub enum Line {
    Message(Bytes),
    /// A line over the limit; its beginning, for the diagnosis.
    TooLong(Bytes),
}

/// Turns chunks of a stream into lines. Empty lines are passed over.
#[derive(Debug)]
pub struct Decoder {
    buffer: BytesMut,
    /// The rest of an oversized line is being dropped.
    skipping: bool,
    bytes_max: usize,
}

/// The part of an oversized line that is kept for its diagnosis.
const HEAD_BYTES: usize = 512;

impl Decoder {
    pub fn new(bytes_max: usize) -> Self {
        Self { buffer: BytesMut::new(), skipping: false, bytes_max }
    }

    pub fn push(&mut self, mut chunk: &[u8], mut on_line: impl FnMut(Line)) {
        while let Some(end) = memchr::memchr(b'\n', chunk) {
            self.take(&chunk[..end], &mut on_line);
            chunk = &chunk[end + 1..];
            let line = self.buffer.split().freeze();
            if !std::mem::take(&mut self.skipping) && !line.trim_ascii().is_empty() {
                on_line(Line::Message(line));
            }
        }
        self.take(chunk, &mut on_line);
    }

    /// True if the stream may end here: no line has begun.
    pub fn is_between_lines(&self) -> bool {
        self.buffer.is_empty() && !self.skipping
    }

    fn take(&mut self, part: &[u8], on_line: &mut impl FnMut(Line)) {
        if self.skipping {
            return;
        }
        if self.buffer.len() + part.len() <= self.bytes_max {
            self.buffer.extend_from_slice(part);
            return;
        }
        let missing = HEAD_BYTES.saturating_sub(self.buffer.len()).min(part.len());
        self.buffer.extend_from_slice(&part[..missing]);
        self.buffer.truncate(HEAD_BYTES);
        on_line(Line::TooLong(std::mem::take(&mut self.buffer).freeze()));
        self.skipping = true;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(chunks: &[&str], bytes_max: usize) -> Vec<String> {
        let mut decoder = Decoder::new(bytes_max);
        let mut lines = Vec::new();
        for chunk in chunks {
            decoder.push(chunk.as_bytes(), |line| {
                lines.push(match line {
                    Line::Message(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
                    Line::TooLong(_) => "too long".to_owned(),
                });
            });
        }
        lines
    }

    #[test]
    fn lines_survive_any_cut() {
        let text = "{\"a\":1}\n\n{\"b\":2}\r\nhalf";
        for cut in 0..text.len() {
            assert_eq!(
                lines(&[&text[..cut], &text[cut..]], 100),
                ["{\"a\":1}", "{\"b\":2}\r"],
                "cut at {cut}"
            );
        }
    }

    #[test]
    fn a_line_over_the_limit_is_skipped_and_the_next_is_read() {
        assert_eq!(lines(&["0123", "456789", "more\nok\n"], 8), ["too long", "ok"]);
    }
}
