//! The state of the server: the browser, and what was told of each caller's pages.

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use capability_browser::{Browser, BrowserContext, ContextKey};
use capability_kit::{Caller, Residence, ResidentCall, ResidentFuture, Trouble};
use parking_lot::Mutex;

use crate::notes::SharedNotes;
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
