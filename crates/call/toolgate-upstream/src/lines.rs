//! A byte stream cut into lines, in bounded memory.

use bytes::{Bytes, BytesMut};
use tokio::io::{AsyncRead, AsyncReadExt};

const READ_BYTES: usize = 16 << 10;
/// The part of either end of an overlong line that is kept.
const KEPT_BYTES: usize = 4 << 10;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    Whole(Bytes),
    /// Too long: only its ends were kept.
    TooLong {
        head: Bytes,
        tail: Bytes,
    },
}

pub(crate) struct Lines<R> {
    input: R,
    buffer: BytesMut,
    /// The number of bytes of the buffer that are known to have no line break.
    scanned: usize,
    /// The beginning of a line that turned out too long and is being skipped.
    skipped_head: Option<Bytes>,
    bytes_max: usize,
    over: bool,
}

impl<R: AsyncRead + Unpin> Lines<R> {
    pub(crate) fn new(input: R, bytes_max: usize) -> Self {
        Self { input, buffer: BytesMut::new(), scanned: 0, skipped_head: None, bytes_max, over: false }
    }

    /// The next line without its break, or `None` at the end. The text after the last break counts as a line.
    pub(crate) async fn next(&mut self) -> std::io::Result<Option<Line>> {
        // A server that floods us is always ready: without this, nothing else on the thread would get its turn.
        tokio::task::coop::consume_budget().await;
        loop {
            if let Some(offset) = memchr::memchr(b'\n', &self.buffer[self.scanned..]) {
                let end = self.scanned + offset;
                let mut line = self.buffer.split_to(end + 1);
                line.truncate(end);
                self.scanned = 0;
                return Ok(Some(self.complete(line)));
            }
            self.scanned = self.buffer.len();
            self.bound();
            self.buffer.reserve(READ_BYTES);
            if self.input.read_buf(&mut self.buffer).await? == 0 {
                if self.buffer.is_empty() && self.skipped_head.is_none() {
                    return Ok(None);
                }
                let line = self.buffer.split();
                self.scanned = 0;
                self.over = true;
                return Ok(Some(self.complete(line)));
            }
        }
    }

    /// True if the input has ended, with the last line lacking a line break.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }

    fn complete(&mut self, line: BytesMut) -> Line {
        let head = match self.skipped_head.take() {
            Some(head) => head,
            None if line.len() > self.bytes_max => {
                Bytes::copy_from_slice(&line[..line.len().min(KEPT_BYTES)])
            }
            None => return Line::Whole(line.freeze()),
        };
        Line::TooLong { head, tail: Bytes::copy_from_slice(&line[line.len().saturating_sub(KEPT_BYTES)..]) }
    }

    /// Lets go of the middle of a line that has grown too long.
    fn bound(&mut self) {
        let over = match self.skipped_head {
            None => self.buffer.len() > self.bytes_max,
            Some(_) => self.buffer.len() > 2 * KEPT_BYTES,
        };
        if !over {
            return;
        }
        if self.skipped_head.is_none() {
            self.skipped_head =
                Some(Bytes::copy_from_slice(&self.buffer[..self.buffer.len().min(KEPT_BYTES)]));
        }
        let tail = BytesMut::from(&self.buffer[self.buffer.len().saturating_sub(KEPT_BYTES)..]);
        self.buffer = tail;
        self.scanned = self.buffer.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn lines(input: &[u8], bytes_max: usize) -> Vec<Line> {
        let mut lines = Lines::new(input, bytes_max);
        let mut all = Vec::new();
        while let Some(line) = lines.next().await.expect("no error") {
            all.push(line);
        }
        all
    }

    fn whole(text: &'static str) -> Line {
        Line::Whole(Bytes::from_static(text.as_bytes()))
    }

    #[tokio::test]
    async fn lines_are_cut_at_breaks_and_the_rest_is_a_line() {
        assert_eq!(lines(b"a\n\nbc\nd", 10).await, [whole("a"), whole(""), whole("bc"), whole("d")]);
        assert_eq!(lines(b"", 10).await, []);
    }

    #[tokio::test]
    async fn a_line_that_is_too_long_leaves_its_ends_and_the_next_line() {
        let mut input = b"head".to_vec();
        input.resize(300_000, b'x');
        input.extend_from_slice(b"tail\nnext\n");
        let all = lines(&input, 50_000).await;
        let Line::TooLong { head, tail } = &all[0] else { panic!("too long") };
        assert!(head.starts_with(b"head") && head.len() <= KEPT_BYTES);
        assert!(tail.ends_with(b"xtail"));
        assert_eq!(all[1], whole("next"));
    }

    #[tokio::test]
    async fn the_limit_holds_exactly() {
        assert_eq!(lines(b"12345\n", 5).await, [whole("12345")]);
        assert!(matches!(lines(b"123456\n", 5).await[0], Line::TooLong { .. }));
    }
}
