//! All output passes here: data to standard output, messages to standard error.
//!
//! A closed reader is no reason to panic. Commands end quietly with it, as in any pipe.

use std::fmt::Arguments;
use std::io::{self, ErrorKind, Write};

/// A line of data on standard output.
macro_rules! say {
    ($($text:tt)*) => { $crate::output::write(format_args!("{}\n", format_args!($($text)*))) };
}

/// Data on standard output, with its own line breaks.
macro_rules! put {
    ($($text:tt)*) => { $crate::output::write(format_args!($($text)*)) };
}

/// A line for people on standard error.
macro_rules! talk {
    ($($text:tt)*) => { $crate::output::write_talk(format_args!("{}\n", format_args!($($text)*))) };
}

pub(crate) use {put, say, talk};

/// Writes to standard output. If the reader is gone, the process ends here.
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

/// The same for callers that handle a failure.
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

/// Writes to standard error; if that fails, there is nothing left to do.
pub(crate) fn write_talk(text: Arguments<'_>) {
    drop(io::stderr().lock().write_fmt(text));
}

/// A server's text for a person: without control characters, which could repaint the terminal, except line
/// breaks and tabs. Characters that reverse or hide text are written as escapes.
pub(crate) fn printable(text: &str) -> String {
    let plain: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
    written_out(plain)
}

/// The text with `\u{202e}` in place of invisible characters that change the appearance of others.
pub(crate) fn written_out(text: String) -> String {
    if text.is_ascii() || !text.contains(is_deceitful) {
        return text;
    }
    let mut whole = String::with_capacity(text.len());
    for c in text.chars() {
        match is_deceitful(c) {
            true => whole.extend(c.escape_unicode()),
            false => whole.push(c),
        }
    }
    whole
}

/// Direction marks, zero-width spaces, tags. Joiners of letters belong to writing, and are not included.
fn is_deceitful(c: char) -> bool {
    matches!(
        c,
        '\u{61c}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{fff9}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

/// Standard error for the log, which includes foreign text.
pub(crate) struct LogOutput;

impl Write for LogOutput {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if bytes.is_ascii() {
            return io::stderr().lock().write(bytes);
        }
        let line = written_out(String::from_utf8_lossy(bytes).into_owned());
        io::stderr().lock().write_all(line.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().lock().flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_text_keeps_lines_and_tabs_and_no_other_control_character() {
        assert_eq!(printable("a\u{1b}]0;title\u{7}b\r\n\tc\u{9b}31m\u{7f}ß"), "a]0;titleb\n\tc31mß");
    }

    #[test]
    fn printable_text_is_not_turned_round_and_keeps_what_joins_letters() {
        assert_eq!(printable("a\u{202e}gnp.exe\u{200b}c\u{e0041}"), r"a\u{202e}gnp.exe\u{200b}c\u{e0041}");
        let family = "👩\u{200d}👧 می\u{200c}خواهم";
        assert_eq!(printable(family), family);
    }
}
