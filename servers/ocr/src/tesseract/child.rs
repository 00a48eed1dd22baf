//! A child process that gets its whole input at once and must answer within limits.

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use crate::error::OcrError;

/// A dense page takes ten seconds on a slow machine.
const TIME_MAX: Duration = Duration::from_secs(100);
/// A page of ten thousand words is a table of one megabyte.
const ANSWER_BYTES_MAX: u64 = 16 << 20;
/// The number of last characters of its error output.
const COMPLAINT_CHARS_MAX: usize = 300;

/// Its output, after a successful end. The child never outlives the call.
pub(super) fn run(program: &Path, arguments: &[&str], input: Vec<u8>) -> Result<String, OcrError> {
    let mut child = Command::new(program)
        .args(arguments)
        // One page is one thread's work; more threads of Tesseract wait for each other.
        .env("OMP_THREAD_LIMIT", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|source| OcrError::StartTesseract { program: program.to_owned(), source })?;
    let answer = talk(&mut child, input);
    if answer.is_err() {
        // It may have ended by itself; then there is nothing left to end.
        child.kill().ok();
    }
    let status = child.wait().map_err(|error| OcrError::Tesseract { said: error.to_string() })?;
    let (answer, complaint) = answer?;
    if !status.success() {
        return Err(OcrError::Tesseract { said: complaint_of(&complaint, &status.to_string()) });
    }
    Ok(answer)
}

/// Input, answer and complaints each have a thread, so that no pipe fills up while another is waited for.
fn talk(child: &mut Child, input: Vec<u8>) -> Result<(String, String), OcrError> {
    let mut stdin = child.stdin.take().expect("it was started with a pipe");
    let stdout = child.stdout.take().expect("it was started with a pipe");
    let stderr = child.stderr.take().expect("it was started with a pipe");
    thread::spawn(move || {
        // If it does not read all of its input, its exit code tells why.
        stdin.write_all(&input).ok();
    });
    let answer = in_thread(stdout);
    let complaint = in_thread(stderr);
    let late = |error: RecvTimeoutError| match error {
        RecvTimeoutError::Timeout => OcrError::TesseractTimedOut { seconds: TIME_MAX.as_secs() },
        RecvTimeoutError::Disconnected => OcrError::Tesseract { said: "its answer could not be read".into() },
    };
    Ok((answer.recv_timeout(TIME_MAX).map_err(late)?, complaint.recv_timeout(TIME_MAX).map_err(late)?))
}

fn in_thread(pipe: impl Read + Send + 'static) -> std::sync::mpsc::Receiver<String> {
    let (sender, receiver) = sync_channel(1);
    thread::spawn(move || {
        let mut bytes = Vec::new();
        if pipe.take(ANSWER_BYTES_MAX).read_to_end(&mut bytes).is_ok() {
            // After a timeout there is no receiver.
            sender.send(String::from_utf8_lossy(&bytes).into_owned()).ok();
        }
    });
    receiver
}

fn complaint_of(said: &str, status: &str) -> String {
    let said = said.trim();
    let skipped = said.chars().count().saturating_sub(COMPLAINT_CHARS_MAX);
    let end: String = said.chars().skip(skipped).collect();
    if end.is_empty() { status.to_owned() } else { end }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_child_says_comes_back() {
        let said = run(Path::new("/bin/cat"), &[], b"a page".to_vec()).unwrap();
        assert_eq!(said, "a page");
    }

    #[test]
    fn a_child_that_fails_says_why() {
        let error =
            run(Path::new("/bin/sh"), &["-c", "echo no such language >&2; exit 3"], Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "Tesseract failed: no such language");
        let error = run(Path::new("/bin/sh"), &["-c", "exit 3"], Vec::new()).unwrap_err();
        assert!(error.to_string().contains('3'), "{error}");
    }

    #[test]
    fn a_child_that_does_not_want_its_input_is_no_trouble() {
        let said = run(Path::new("/bin/echo"), &["done"], vec![0; 4 << 20]).unwrap();
        assert_eq!(said.trim(), "done");
    }

    #[test]
    fn a_program_that_is_not_there_cannot_be_started() {
        let error = run(Path::new("/nowhere/tesseract"), &[], Vec::new()).unwrap_err();
        assert!(matches!(error, OcrError::StartTesseract { .. }), "{error:?}");
    }
}
