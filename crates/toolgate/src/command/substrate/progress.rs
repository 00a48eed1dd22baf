//! The progress of an export or import, for a person at a terminal.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use crate::command::shown::{count, size};
use crate::output::write_talk;

const PAUSE: Duration = Duration::from_millis(200);

/// A line on standard error that is written over and over. Elsewhere nothing is shown: a log is not a terminal.
pub(super) struct FilesProgress {
    what: &'static str,
    total: Option<u64>,
    pub(super) files: u64,
    pub(super) bytes: u64,
    told_at: Option<Instant>,
    is_watched: bool,
}

impl FilesProgress {
    /// `what` is done with the files, such as `fetched`; `total` is their number, if it is known.
    pub(super) fn new(what: &'static str, total: Option<u64>) -> Self {
        let is_watched = std::io::stderr().is_terminal();
        Self { what, total, files: 0, bytes: 0, told_at: None, is_watched }
    }

    /// One more file.
    pub(super) fn add(&mut self, bytes: u64) {
        self.files += 1;
        self.bytes = self.bytes.saturating_add(bytes);
        let is_time = self.told_at.is_none_or(|at| at.elapsed() >= PAUSE);
        if self.is_watched && is_time {
            self.told_at = Some(Instant::now());
            write_talk(format_args!("\r\u{1b}[K{}", self.line()));
        }
    }

    fn line(&self) -> String {
        let of = self.total.map(|total| format!(" of {}", count(total))).unwrap_or_default();
        format!("{} {}{of}, {}", self.what, count(self.files), size(self.bytes))
    }
}

/// Clears the line, however it ended.
impl Drop for FilesProgress {
    fn drop(&mut self) {
        if self.told_at.is_some() {
            write_talk(format_args!("\r\u{1b}[K"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_has_the_number_of_files_and_their_size() {
        let mut progress = FilesProgress::new("read", Some(1_200));
        progress.add(1 << 20);
        assert_eq!(progress.line(), "read 1 of 1,200, 1.0 MiB");
        assert_eq!(FilesProgress::new("fetched", None).line(), "fetched 0, 0 B");
    }
}
