//! Progress of a long check, for a person at a terminal.

use std::io::IsTerminal;

use crate::command::shown::several;
use crate::output::write_talk;

/// A progress line on the terminal that overwrites itself. Nothing is shown elsewhere: a log is not a
/// terminal.
pub(super) struct ProgressLine {
    on_terminal: bool,
}

impl ProgressLine {
    pub(super) fn new() -> Self {
        Self { on_terminal: std::io::stderr().is_terminal() }
    }

    pub(super) fn tell(&mut self, events: u64) {
        if self.on_terminal {
            write_talk(format_args!("\r{} …", several(events, "event")));
        }
    }

    pub(super) fn clear(&self) {
        if self.on_terminal {
            write_talk(format_args!("\r\u{1b}[K"));
        }
    }
}
