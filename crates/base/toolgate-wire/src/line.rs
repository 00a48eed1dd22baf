//! Messages that are lines, as stdio frames them, in bounded memory. Reading the stream is the caller's part.

use bytes::{Bytes, BytesMut};

/// The part of either end of an overlong line that is kept, for its diagnosis and for the id in it.
const KEPT_BYTES: usize = 4 << 10;

/// A line without its break; it may be empty.
#[derive(Debug, PartialEq, Eq)]
pub enum WireLine {
    Whole(Bytes),
    /// Over the limit: only its ends were kept.
    TooLong {
        head: Bytes,
        tail: Bytes,
    },
}

/// Cuts a stream into lines. A line that never ends is skipped, not collected.
#[derive(Debug)]
pub struct Framer {
    buffer: BytesMut,
    /// The number of bytes of the buffer that are known to have no line break.
    scanned: usize,
    /// The beginning of a line that turned out too long and is being skipped.
    skipped_head: Option<Bytes>,
    bytes_max: usize,
}

impl Framer {
    pub fn new(bytes_max: usize) -> Self {
        Self { buffer: BytesMut::new(), scanned: 0, skipped_head: None, bytes_max }
    }

    /// Takes the next bytes of the stream.
    pub fn push(&mut self, chunk: &[u8]) {
        self.buffer.extend_from_slice(chunk);
    }

    /// The place for so many of the next bytes of the stream, for a reader that saves the copy.
    pub fn room(&mut self, bytes: usize) -> &mut BytesMut {
        self.buffer.reserve(bytes);
        &mut self.buffer
    }

    /// The next line that is complete, or `None` if more must be read first.
    pub fn next_line(&mut self) -> Option<WireLine> {
        let Some(offset) = memchr::memchr(b'\n', &self.buffer[self.scanned..]) else {
            self.scanned = self.buffer.len();
            self.bound();
            return None;
        };
        let end = self.scanned + offset;
        let mut line = self.buffer.split_to(end + 1);
        line.truncate(end);
        self.scanned = 0;
        Some(self.complete(line))
    }

    /// The text after the last break, once the stream has ended and all lines were taken.
    pub fn rest(&mut self) -> Option<WireLine> {
        if self.is_between_lines() {
            return None;
        }
        self.scanned = 0;
        let line = self.buffer.split();
        Some(self.complete(line))
    }

    /// True if the stream may end here: no line has begun.
    pub fn is_between_lines(&self) -> bool {
        self.buffer.is_empty() && self.skipped_head.is_none()
    }

    fn complete(&mut self, line: BytesMut) -> WireLine {
        let head = match self.skipped_head.take() {
            Some(head) => head,
            None if line.len() > self.bytes_max => head_of(&line),
            None => return WireLine::Whole(line.freeze()),
        };
        WireLine::TooLong { head, tail: Bytes::copy_from_slice(tail_of(&line)) }
    }

    /// Lets go of the middle of a line that has grown too long.
    fn bound(&mut self) {
        let is_over = match self.skipped_head {
            None => self.buffer.len() > self.bytes_max,
            Some(_) => self.buffer.len() > 2 * KEPT_BYTES,
        };
        if !is_over {
            return;
        }
        if self.skipped_head.is_none() {
            self.skipped_head = Some(head_of(&self.buffer));
        }
        self.buffer = BytesMut::from(tail_of(&self.buffer));
        self.scanned = self.buffer.len();
    }
}

fn head_of(line: &[u8]) -> Bytes {
    Bytes::copy_from_slice(&line[..line.len().min(KEPT_BYTES)])
}

fn tail_of(line: &[u8]) -> &[u8] {
    &line[line.len().saturating_sub(KEPT_BYTES)..]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The lines of a stream that comes in these chunks, and the rest of it.
    fn lines(chunks: &[&[u8]], bytes_max: usize) -> Vec<WireLine> {
        let mut framer = Framer::new(bytes_max);
        let mut lines = Vec::new();
        for chunk in chunks {
            framer.push(chunk);
            lines.extend(std::iter::from_fn(|| framer.next_line()));
        }
        lines.extend(framer.rest());
        assert!(framer.is_between_lines());
        lines
    }

    fn whole(text: &'static str) -> WireLine {
        WireLine::Whole(Bytes::from_static(text.as_bytes()))
    }

    #[test]
    fn lines_survive_any_cut() {
        let text = b"{\"a\":1}\n\n{\"b\":2}\r\nhalf";
        for cut in 0..text.len() {
            assert_eq!(
                lines(&[&text[..cut], &text[cut..]], 100),
                [whole("{\"a\":1}"), whole(""), whole("{\"b\":2}\r"), whole("half")],
                "cut at {cut}"
            );
        }
        assert_eq!(lines(&[b""], 10), []);
    }

    #[test]
    fn a_line_that_has_begun_is_no_place_to_end() {
        let mut framer = Framer::new(2);
        for begun in [b"a".as_slice(), b"bcdef"] {
            framer.push(begun);
            assert_eq!(framer.next_line(), None);
            assert!(!framer.is_between_lines());
        }
        framer.push(b"\n");
        assert!(matches!(framer.next_line(), Some(WireLine::TooLong { .. })));
        assert!(framer.is_between_lines());
    }

    #[test]
    fn a_line_over_the_limit_leaves_its_ends_and_the_next_line() {
        let mut input = b"head".to_vec();
        input.resize(300_000, b'x');
        input.extend_from_slice(b"tail\nnext\n");
        for size in [1_000, 16 << 10, input.len()] {
            let chunks: Vec<&[u8]> = input.chunks(size).collect();
            let all = lines(&chunks, 50_000);
            let WireLine::TooLong { head, tail } = &all[0] else { panic!("too long") };
            assert!(head.starts_with(b"head") && head.len() <= KEPT_BYTES);
            assert!(tail.ends_with(b"xtail") && tail.len() <= KEPT_BYTES);
            assert_eq!(all[1..], [whole("next")]);
        }
    }

    #[test]
    fn the_limit_holds_exactly() {
        assert_eq!(lines(&[b"12345\n"], 5), [whole("12345")]);
        assert!(matches!(lines(&[b"123456\n"], 5)[..], [WireLine::TooLong { .. }]));
    }
}
