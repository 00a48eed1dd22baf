//! Requests from stdin: lines of a bounded length.

use std::io::{self, BufRead, BufReader, Read};
use std::thread;

use engine_protocol::{EngineErrorCode, EngineFault, RequestLine};
use serde::Deserialize;
use tokio::sync::mpsc;

use crate::fault::{hinted, too_large};

/// The longest line.
const LINE_BYTES_MAX: usize = 64 << 20;
/// Lines that were read and not yet taken.
const WAITING_MAX: usize = 64;
/// The beginning of a line that is too long, in which its number is looked for.
const BEGINNING_BYTES: usize = 256;

pub(super) enum InputLine {
    Whole(Vec<u8>),
    /// Only its beginning.
    TooLong(Vec<u8>),
}

/// Reads lines on a thread until the end. Nothing interrupts a read of stdin; the thread ends with the process.
pub(super) fn start(from: impl Read + Send + 'static) -> io::Result<mpsc::Receiver<InputLine>> {
    let (sender, receiver) = mpsc::channel(WAITING_MAX);
    let reader = thread::Builder::new().name("input".to_owned());
    reader.spawn(move || {
        let mut from = BufReader::new(from);
        let failed = loop {
            match next_line(&mut from, LINE_BYTES_MAX) {
                Ok(Some(line)) => {
                    if sender.blocking_send(line).is_err() {
                        return;
                    }
                }
                Ok(None) => return,
                Err(error) => break error,
            }
        };
        tracing::error!(error = %failed, "the requests cannot be read");
    })?;
    Ok(receiver)
}

/// The next line that is not empty, without its end.
fn next_line(from: &mut impl BufRead, bytes_max: usize) -> io::Result<Option<InputLine>> {
    loop {
        let mut line = Vec::new();
        // One byte more than fits tells a line that fits from a longer one.
        let read = from.by_ref().take(bytes_max as u64 + 1).read_until(b'\n', &mut line)?;
        if read == 0 {
            return Ok(None);
        }
        if line.last() != Some(&b'\n') && line.len() > bytes_max {
            line.truncate(BEGINNING_BYTES);
            skip_line(from)?;
            return Ok(Some(InputLine::TooLong(line)));
        }
        let length = line.trim_ascii_end().len();
        line.truncate(length);
        if !line.is_empty() {
            return Ok(Some(InputLine::Whole(line)));
        }
    }
}

fn skip_line(from: &mut impl BufRead) -> io::Result<()> {
    loop {
        let piece = from.fill_buf()?;
        if piece.is_empty() {
            return Ok(());
        }
        let end = piece.iter().position(|byte| *byte == b'\n');
        let length = end.map_or(piece.len(), |at| at + 1);
        from.consume(length);
        if end.is_some() {
            return Ok(());
        }
    }
}

/// The request of a line; else its number, or 0 where it has none, and the fault.
pub(super) fn read(line: InputLine) -> Result<RequestLine, (u64, EngineFault)> {
    let line = match line {
        InputLine::Whole(line) => line,
        InputLine::TooLong(beginning) => {
            let message = format!("a line has more than {} MiB", LINE_BYTES_MAX >> 20);
            return Err((number_in(&beginning), too_large(message, "send fewer documents in one request")));
        }
    };
    serde_json::from_slice(&line).map_err(|error| {
        let message = format!("a line is no request: {error}");
        let hint = "a line is {\"id\": 1, \"method\": \"hello\"}, or has params, too";
        let id = serde_json::from_slice(&line).map_or(0, |numbered: NumberedLine| numbered.id);
        (id, hinted(EngineErrorCode::BadRequest, message, hint))
    })
}

#[derive(Deserialize)]
struct NumberedLine {
    id: u64,
}

/// The number in the beginning of a line that begins with it, as those of the gateway do.
fn number_in(beginning: &[u8]) -> u64 {
    let text = String::from_utf8_lossy(beginning);
    let Some(rest) = text.trim_start().strip_prefix("{\"id\":") else { return 0 };
    let rest = rest.trim_start();
    let end = rest.find(|one: char| !one.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str, bytes_max: usize) -> Vec<String> {
        let mut from = text.as_bytes();
        let mut found = Vec::new();
        while let Some(line) = next_line(&mut from, bytes_max).unwrap() {
            found.push(match line {
                InputLine::Whole(line) => String::from_utf8(line).unwrap(),
                InputLine::TooLong(beginning) => format!("{} …", String::from_utf8(beginning).unwrap()),
            });
        }
        found
    }

    #[test]
    fn lines_are_read_to_the_last_and_a_long_one_is_skipped() {
        assert_eq!(lines("one\n\n two \r\nthree", 8), ["one", " two", "three"]);
        assert_eq!(lines("12345\n123456\n1\n", 5), ["12345", "123456 …", "1"]);
        assert_eq!(lines("1234567", 5), ["123456 …"]);
    }

    #[test]
    fn a_line_that_is_no_request_is_refused_under_its_number() {
        for (line, id) in
            [("{\"id\":7,\"method\":\"dance\"}", 7), ("{\"id\":-1}", 0), ("hello", 0), ("[]", 0)]
        {
            let (number, fault) = read(InputLine::Whole(line.as_bytes().to_vec())).unwrap_err();
            assert_eq!((number, fault.code), (id, EngineErrorCode::BadRequest), "{line}");
        }
        let long = b"{\"id\": 12,\"method\":\"search\"".to_vec();
        assert_eq!(read(InputLine::TooLong(long)).unwrap_err().0, 12);
    }
}
