//! The progress of a large file, for the user.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use crate::command::shown::size;
use crate::output::write_talk;

/// Smaller ones are done before a user wonders.
const BYTES_MIN: u64 = 8 << 20;
pub(super) const PAUSE: Duration = Duration::from_millis(200);

/// A line on standard error that is written over and over.
pub(super) struct TransferProgress {
    bytes: Option<u64>,
    told_at: Option<Instant>,
    is_watched: bool,
}

impl TransferProgress {
    /// `bytes` is the total number, if known.
    pub(super) fn new(bytes: Option<u64>) -> Self {
        let is_large = bytes.is_none_or(|bytes| bytes >= BYTES_MIN);
        Self { bytes, told_at: None, is_watched: is_large && std::io::stderr().is_terminal() }
    }

    /// Tells it now and then.
    pub(super) fn at(&mut self, passed: u64) {
        let is_time = self.told_at.is_none_or(|at| at.elapsed() >= PAUSE);
        if self.is_watched && is_time && passed > 0 {
            self.told_at = Some(Instant::now());
            write_talk(format_args!("\r\u{1b}[K{}", line(passed, self.bytes)));
        }
    }
}

/// Clears the line, however it ended.
impl Drop for TransferProgress {
    fn drop(&mut self) {
        if self.told_at.is_some() {
            write_talk(format_args!("\r\u{1b}[K"));
        }
    }
}

fn line(passed: u64, bytes: Option<u64>) -> String {
    match bytes {
        Some(bytes) if bytes > 0 => {
            let percent = u128::from(passed) * 100 / u128::from(bytes);
            format!("{percent:>3} %  {} of {}", size(passed), size(bytes))
        }
        _ => size(passed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_has_a_share_where_the_whole_is_known() {
        assert_eq!(line(1 << 20, Some(3 << 20)), " 33 %  1.0 MiB of 3.0 MiB");
        assert_eq!(line(1 << 20, None), "1.0 MiB");
        assert_eq!(line(7, Some(0)), "7 B");
    }
}
