//! The received applications: a line of JSON each, on disk before anybody is answered.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use serde::{Deserialize, Serialize};

/// An application as the site stored it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct ReceivedApplication {
    /// The vacancy: `form/48213`.
    pub job: String,
    pub name: String,
    pub email: String,
    /// The name and the size of the uploaded file, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document: Option<(String, usize)>,
}

pub(super) struct ApplicationBooks {
    file: File,
    received: Vec<ReceivedApplication>,
}

impl ApplicationBooks {
    /// Reads what a process before has written. A line without an end was never answered, and is dropped.
    pub(super) fn open(path: &Path) -> std::io::Result<Self> {
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path)?;
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        let whole = text.rfind('\n').map_or(0, |end| end + 1);
        file.set_len(whole as u64)?;
        file.seek(SeekFrom::End(0))?;
        let lines = text[..whole].lines().map(serde_json::from_str);
        Ok(Self { file, received: lines.collect::<Result<_, _>>()? })
    }

    /// Stores an application. It is on disk when this returns.
    pub(super) fn add(&mut self, one: ReceivedApplication) -> std::io::Result<()> {
        let line = serde_json::to_string(&one)? + "\n";
        self.file.write_all(line.as_bytes())?;
        self.file.sync_data()?;
        self.received.push(one);
        Ok(())
    }

    pub(super) fn all(&self) -> &[ReceivedApplication] {
        &self.received
    }

    pub(super) fn has(&self, job: &str, email: &str) -> bool {
        self.received.iter().any(|one| one.job == job && one.email == email)
    }
}
