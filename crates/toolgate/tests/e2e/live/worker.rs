//! A worker of the test kit as a separate process.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use serde_json::Value;
use toolgate_testkit::gateway::{signal, until};

use crate::doors::WAIT;
use crate::testkit;

/// Runs until it is dropped. A dropped worker is killed without a farewell.
pub(crate) struct Worker {
    process: Child,
    pub(crate) url: String,
}

impl Worker {
    /// A worker that must start.
    pub(crate) fn start(args: &[&str]) -> Self {
        Self::try_start(args).unwrap_or_else(|said| panic!("the worker did not start: {said}"))
    }

    /// Its output if it did not start.
    pub(crate) fn try_start(args: &[&str]) -> Result<Self, String> {
        let mut process = Command::new(testkit("worker"))
            .args(args)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut line = String::new();
        let mut stdout = BufReader::new(process.stdout.take().expect("stdout is piped"));
        stdout.read_line(&mut line).expect("stdout can be read");
        let said: Value = serde_json::from_str(&line).unwrap_or_default();
        match said["url"].as_str() {
            Some(url) => Ok(Self { process, url: url.to_owned() }),
            None => Err(last_words(process)),
        }
    }

    /// At once, without a farewell: `kill -9`.
    pub(crate) fn kill(&mut self) {
        // It may have ended by itself.
        drop(self.process.kill());
        drop(self.process.wait());
    }

    /// Suspends it: it answers nothing and sends no heartbeat, and its connections stay open.
    pub(crate) fn pause(&self) {
        signal("-STOP", self.process.id());
    }

    pub(crate) fn go_on(&self) {
        signal("-CONT", self.process.id());
    }

    /// Asks it to end; it returns its lease and finishes its work.
    pub(crate) fn end(&mut self) {
        signal("-TERM", self.process.id());
        let ended = until(WAIT, || self.process.try_wait().expect("it is a child of ours"));
        assert!(ended.is_some_and(|status| status.success()), "a worker ends by itself: {ended:?}");
    }
}

fn last_words(mut process: Child) -> String {
    let mut said = String::new();
    let stderr = process.stderr.take().map(|mut stderr| stderr.read_to_string(&mut said));
    drop(process.wait());
    format!("{stderr:?}: {said}")
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.kill();
    }
}
