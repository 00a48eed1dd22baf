//! Everything that is printed passes here: data to standard output, talk to standard error.
//!
//! A reader that has gone is no reason to panic. Commands end quietly with it, as they do in any pipe.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};

/// A line of data on standard output.
macro_rules! say {
    ($($text:tt)*) => { $crate::output::write(format_args!("{}\n", format_args!($($text)*))) };
}

/// Data on standard output, which brings its own line breaks.
macro_rules! put {
    ($($text:tt)*) => { $crate::output::write(format_args!($($text)*)) };
}

/// A line for people on standard error.
macro_rules! talk {
    ($($text:tt)*) => { $crate::output::write_talk(format_args!("{}\n", format_args!($($text)*))) };
}

pub(crate) use {put, say, talk};

/// Writes to standard output. If nobody reads any more, the process ends here.
pub(crate) fn write(text: Arguments<'_>) {
    match try_write(text) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(0),
        Err(error) => {
            talk!("error: could not write to standard output: {error}");
            std::process::exit(1)
        }
    }
}

/// The same for whoever has something to do where it fails.
pub(crate) fn try_write(text: Arguments<'_>) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_fmt(text)?;
    stdout.flush()
}

/// Data that is no text.
pub(crate) fn try_write_bytes(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}

/// Writes to standard error; if that cannot be written to, there is nobody left to tell.
pub(crate) fn write_talk(text: Arguments<'_>) {
    drop(io::stderr().lock().write_fmt(text));
}

/// Text of a server for a person to read: without control characters, which could repaint the terminal, but for line
/// breaks and tabs.
pub(crate) fn printable(text: &str) -> String {
    text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_text_keeps_lines_and_tabs_and_no_other_control_character() {
        assert_eq!(printable("a\u{1b}]0;title\u{7}b\r\n\tc\u{9b}31m\u{7f}ß"), "a]0;titleb\n\tc31mß");
    }
}
