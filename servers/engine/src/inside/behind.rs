//! Reading files behind the searches that use them: those that an earlier engine has found whole.

use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread::{Builder, JoinHandle};

use engine_protocol::ContentId;

use super::verified::VerifiedFiles;
use crate::contents::Contents;

const THREAD: &str = "reading behind";
/// Files that wait. Further ones are not read behind: they were found whole once.
const QUEUE_MAX: usize = 10_000;

/// A thread that reads one file after the other.
pub(super) struct BehindReader {
    queue: Option<SyncSender<ContentId>>,
    thread: Option<JoinHandle<()>>,
}

impl BehindReader {
    /// `close` closes the versions that are open, where one of their files turns out to be damaged.
    pub(super) fn start(
        contents: Arc<Contents>,
        verified: Arc<VerifiedFiles>,
        close: impl Fn() + Send + 'static,
    ) -> Self {
        let (queue, inbox) = mpsc::sync_channel(QUEUE_MAX);
        let read = move || read_all(&inbox, &contents, &verified, &close);
        let thread = Builder::new().name(THREAD.to_owned()).spawn(read);
        let thread = thread.inspect_err(|error| tracing::warn!(%error, "files are not read behind searches"));
        Self { queue: Some(queue), thread: thread.ok() }
    }

    pub(super) fn read<'a>(&self, ids: impl IntoIterator<Item = &'a ContentId>) {
        let Some(queue) = &self.queue else { return };
        for id in ids {
            queue.try_send(id.clone()).unwrap_or(());
        }
    }
}

impl Drop for BehindReader {
    fn drop(&mut self) {
        drop(self.queue.take());
        if let Some(thread) = self.thread.take() {
            // A thread that panicked has said so.
            thread.join().unwrap_or(());
        }
    }
}

fn read_all(inbox: &Receiver<ContentId>, contents: &Contents, verified: &VerifiedFiles, close: &impl Fn()) {
    while let Ok(id) = inbox.recv() {
        if contents.path(&id).is_none() {
            // It made room for others, and is read when it is back.
            continue;
        }
        // A damaged one is removed with this.
        if contents.verify([&id]).is_ok() {
            verified.note([&id]);
            continue;
        }
        tracing::error!(
            content = id.as_str(),
            "an index file was damaged since it was read last: it is brought anew"
        );
        verified.forget(&id);
        close();
    }
}
