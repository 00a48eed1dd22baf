//! What the server remembers of a context.

use std::collections::HashMap;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use capability_browser::Download;
use capability_browser::page::SnapshotLines;
use parking_lot::Mutex;
use tempfile::TempDir;

/// What is remembered of one context beside what the browser itself knows; gone with the context.
#[derive(Default)]
pub(crate) struct ContextNotes {
    /// What its agent was last told of each tab, by the tab's name.
    pub(crate) seen: HashMap<String, SnapshotLines>,
    /// The address that its agent was last told of each tab, by the tab's name.
    pub(crate) addresses: HashMap<String, String>,
    /// Files that were given to pages, which read them when a form is sent.
    pub(crate) uploads: Option<TempDir>,
    /// Downloads that did not fit into an answer.
    pub(crate) waiting: Vec<Download>,
}

pub(crate) type SharedNotes = Arc<Mutex<ContextNotes>>;

impl ContextNotes {
    /// The path for a file that lives as long as the context. `name` is what the page sees.
    pub(crate) fn upload(&mut self, name: &str) -> io::Result<PathBuf> {
        if self.uploads.is_none() {
            self.uploads = Some(tempfile::Builder::new().prefix("browser-upload-").tempdir()?);
        }
        let Some(folder) = &self.uploads else { return Err(io::ErrorKind::NotFound.into()) };
        // Each in a folder of its own, so that two may have one name.
        let own = tempfile::Builder::new().prefix("file-").tempdir_in(folder.path())?.keep();
        Ok(own.join(name))
    }
}
