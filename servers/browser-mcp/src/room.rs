//! The state of the server: the browser, and what was told of each caller's pages.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Weak};

use capability_browser::page::SnapshotLines;
use capability_browser::{Browser, BrowserContext, ContextKey, Download};
use capability_kit::{Caller, Residence, ResidentCall, ResidentFuture, Trouble};
use parking_lot::Mutex;
use tempfile::TempDir;

use crate::options::BrowserOptions;
use crate::search::SearchEngine;
use crate::visit::Visit;

/// Shared by all tools.
pub(crate) struct BrowserRoom {
    pub(crate) browser: Arc<Browser>,
    pub(crate) search: Option<SearchEngine>,
    pub(crate) form_guard: FormGuard,
    notes: Mutex<HashMap<ContextKey, NotedContext>>,
}

/// The rule for clicks and keys that send a form.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum FormGuard {
    Off,
    /// They are refused unless the call says `submit`.
    On,
}

/// What is remembered of one context beside what the browser itself knows; gone with the context.
#[derive(Default)]
pub(crate) struct ContextNotes {
    /// What its agent was last told of each tab, by the tab's name.
    pub(crate) seen: HashMap<String, SnapshotLines>,
    /// Files that were given to pages, which read them when a form is sent.
    pub(crate) uploads: Option<TempDir>,
    /// Downloads that did not fit into an answer.
    pub(crate) waiting: Vec<Download>,
}

pub(crate) type SharedNotes = Arc<Mutex<ContextNotes>>;

struct NotedContext {
    context: Weak<BrowserContext>,
    notes: SharedNotes,
}

impl BrowserRoom {
    pub(crate) fn new(options: &BrowserOptions) -> Arc<Self> {
        Arc::new(Self {
            browser: Browser::new(options.settings()),
            search: SearchEngine::of(&options.search),
            form_guard: if options.guard_forms { FormGuard::On } else { FormGuard::Off },
            notes: Mutex::default(),
        })
    }

    /// The caller's context, for one call at a time.
    pub(crate) async fn enter(&self, call: &ResidentCall) -> Result<Visit, Trouble> {
        let key = ContextKey::of(&call.caller);
        let context = self.browser.context(&key).await?;
        let acting = context.act().await;
        let notes = self.notes_of(key, &context);
        Ok(Visit::new(context, notes, acting))
    }

    pub(crate) async fn leave(&self, call: &ResidentCall) {
        let key = ContextKey::of(&call.caller);
        self.browser.end(&key).await;
        self.notes.lock().remove(&key);
    }

    /// A context that was made anew starts with nothing; notes of those that are gone are dropped.
    fn notes_of(&self, key: ContextKey, context: &Arc<BrowserContext>) -> SharedNotes {
        let mut all = self.notes.lock();
        all.retain(|_, noted| noted.context.strong_count() > 0);
        let weak = Arc::downgrade(context);
        match all.get(&key).filter(|noted| noted.context.ptr_eq(&weak)) {
            Some(noted) => Arc::clone(&noted.notes),
            None => {
                let notes = SharedNotes::default();
                all.insert(key, NotedContext { context: weak, notes: Arc::clone(&notes) });
                notes
            }
        }
    }
}

/// The same room, as the kit tells it of callers.
pub(crate) struct RoomKeeper(pub(crate) Arc<BrowserRoom>);

impl Residence for RoomKeeper {
    fn ended(&self, caller: Caller) -> ResidentFuture<()> {
        let room = Arc::clone(&self.0);
        Box::pin(async move { room.browser.end_of(&caller).await })
    }

    fn close(&self) -> ResidentFuture<()> {
        let room = Arc::clone(&self.0);
        Box::pin(async move { room.browser.close().await })
    }
}

impl ContextNotes {
    /// A new file with these bytes, which lives as long as the context. `name` is what the page sees.
    pub(crate) fn upload(&mut self, name: &str) -> std::io::Result<PathBuf> {
        let folder = match &self.uploads {
            Some(folder) => folder.path().to_owned(),
            None => self.uploads.insert(tempfile::Builder::new().prefix("browser-upload-").tempdir()?).path().to_owned(),
        };
        // Each in a folder of its own, so that two may have one name.
        let own = tempfile::Builder::new().prefix("file-").tempdir_in(folder)?.keep();
        Ok(own.join(name))
    }
}
