//! The lines of a byte stream, as they come.

use tokio::io::{AsyncRead, AsyncReadExt};
use toolgate_wire::line::{Framer, WireLine};

const READ_BYTES: usize = 16 << 10;

pub(crate) struct LineReader<R> {
    input: R,
    framer: Framer,
    over: bool,
}

impl<R: AsyncRead + Unpin> LineReader<R> {
    pub(crate) fn new(input: R, bytes_max: usize) -> Self {
        Self { input, framer: Framer::new(bytes_max), over: false }
    }

    /// The next line without its break, or `None` at the end. The text after the last break counts as a line.
    pub(crate) async fn next(&mut self) -> std::io::Result<Option<WireLine>> {
        // A server that floods us is always ready: without this, nothing else on the thread would get its turn.
        tokio::task::coop::consume_budget().await;
        loop {
            if let Some(line) = self.framer.next_line() {
                return Ok(Some(line));
            }
            if self.input.read_buf(self.framer.room(READ_BYTES)).await? == 0 {
                self.over = true;
                return Ok(self.framer.rest());
            }
        }
    }

    /// True if the input has ended, with the last line lacking a line break.
    pub(crate) fn is_over(&self) -> bool {
        self.over
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_line_without_a_break_is_the_last() {
        let mut lines = LineReader::new(&b"a\n\nbc"[..], 10);
        for (expected, is_over) in [("a", false), ("", false), ("bc", true)] {
            assert_eq!(lines.next().await.expect("no error"), Some(WireLine::Whole(expected.into())));
            assert_eq!(lines.is_over(), is_over, "{expected}");
        }
        assert_eq!(lines.next().await.expect("no error"), None);
    }
}
