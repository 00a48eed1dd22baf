//! One call in a caller's context: it looks at the page before and after, and tells the difference.

use std::sync::Arc;
use std::time::Duration;

use capability_browser::page::{self, Snapshot, SnapshotWish};
use capability_browser::{ActionGuard, BrowserContext, Navigated, Tab};
use capability_kit::{ResidentAnswer, Trouble};

use crate::notes::{ContextNotes, SharedNotes};
use crate::telling;

/// Tokens of what an action answers about the page.
const CHANGE_TOKENS: usize = 600;
/// Tokens of a snapshot, unless the caller says more.
pub(crate) const SNAPSHOT_TOKENS: usize = 2_000;
/// After an action, the page is looked at when nothing has happened for so long.
const QUIET: Duration = Duration::from_millis(60);
/// It is looked at then even if something still happens.
const SETTLE_MAX: Duration = Duration::from_millis(1_500);

pub(crate) struct Visit {
    pub(crate) context: Arc<BrowserContext>,
    notes: SharedNotes,
    /// No other call of this caller acts meanwhile.
    _acting: ActionGuard,
}

impl Visit {
    pub(crate) fn new(context: Arc<BrowserContext>, notes: SharedNotes, acting: ActionGuard) -> Self {
        Self { context, notes, _acting: acting }
    }

    /// The active tab, with something to compare it with later.
    pub(crate) async fn tab(&self) -> Result<Arc<Tab>, Trouble> {
        let tab = self.context.tab().await?;
        if !self.with_notes(|notes| notes.seen.contains_key(tab.id())) {
            // A page that cannot be read yet is described when it has changed.
            drop(self.look(&tab, &SnapshotWish::default()).await);
        }
        Ok(tab)
    }

    /// A snapshot. One of the whole page is what later differences are from.
    pub(crate) async fn look(&self, tab: &Tab, wish: &SnapshotWish) -> Result<Snapshot, Trouble> {
        let snapshot = page::snapshot(tab, &self.context, wish).await?;
        if wish.target.is_none() && wish.query.is_none() {
            let lines = snapshot.digest.clone();
            self.with_notes(|notes| notes.seen.insert(tab.id().to_owned(), lines));
        }
        Ok(snapshot)
    }

    /// The address of a tab as its agent was last told it.
    pub(crate) fn told_address(&self, tab: &Tab) -> Option<String> {
        self.with_notes(|notes| notes.addresses.get(tab.id()).cloned())
    }

    /// Remembers the address of a tab if the first line of a page says it in an answer.
    pub(crate) fn note_address(&self, tab: &Tab, address: &str, answer: &str) {
        let mut heads = answer.lines().filter_map(|line| line.strip_prefix("Page: "));
        if heads.any(|head| head == address || head.ends_with(&format!(" ({address})"))) {
            self.with_notes(|notes| notes.addresses.insert(tab.id().to_owned(), address.to_owned()));
        }
    }

    pub(crate) fn with_notes<T>(&self, with: impl FnOnce(&mut ContextNotes) -> T) -> T {
        with(&mut self.notes.lock())
    }

    /// The answer of an action: the sentence, the news, and what changed.
    pub(crate) async fn acted(
        self,
        tab: &Tab,
        done: Result<String, Trouble>,
    ) -> Result<ResidentAnswer, Trouble> {
        let sentence = done.map_err(|trouble| self.trouble(trouble))?;
        tab.settle(QUIET, SETTLE_MAX).await;
        let changed = self.changed(tab).await;
        Ok(self.told(&sentence, &changed))
    }

    /// The answer of a navigation: the beginning of the new page.
    pub(crate) async fn arrived(
        self,
        tab: &Tab,
        done: Result<Navigated, Trouble>,
        max_tokens: usize,
    ) -> Result<ResidentAnswer, Trouble> {
        let navigated = done.map_err(|trouble| self.trouble(trouble))?;
        let wish = SnapshotWish { max_tokens, ..SnapshotWish::default() };
        let shown = match self.look(tab, &wish).await {
            Ok(snapshot) => {
                self.note_address(tab, &snapshot.url, &snapshot.text);
                snapshot.text
            }
            Err(trouble) => format!("{}\n{}", navigated.url, unread(&trouble)),
        };
        Ok(self.told(&arrival(&navigated), &shown))
    }

    /// The answer of a look: only words, nothing was done.
    pub(crate) fn said(self, text: &str) -> ResidentAnswer {
        self.told(text, "")
    }

    /// Everything that leaves goes through here or through `trouble`: secrets are masked.
    fn told(&self, sentence: &str, page: &str) -> ResidentAnswer {
        let mut lines = vec![sentence.to_owned()];
        lines.extend(self.news());
        if !page.is_empty() {
            lines.push(page.to_owned());
        }
        ResidentAnswer::text(self.context.mask(lines.join("\n")))
    }

    /// Trouble with the news that may explain it.
    pub(crate) fn trouble(&self, trouble: Trouble) -> Trouble {
        let mut lines = vec![trouble.message];
        lines.extend(self.news());
        Trouble {
            code: trouble.code,
            message: self.context.mask(lines.join("\n")),
            hint: trouble.hint.map(|hint| self.context.mask(hint)),
        }
    }

    fn news(&self) -> Vec<String> {
        telling::news(&self.context.news(), |text| self.context.mask(text))
    }

    async fn changed(&self, tab: &Tab) -> String {
        let before = self.with_notes(|notes| notes.seen.get(tab.id()).cloned());
        let tabs = self.context.tabs().await;
        let is_open = |id: &String| tabs.iter().any(|one| one.id == *id);
        self.with_notes(|notes| {
            notes.seen.retain(|id, _| is_open(id));
            notes.addresses.retain(|id, _| is_open(id));
        });
        if !tabs.iter().any(|one| one.id == tab.id()) {
            return self.elsewhere().await;
        }
        match self.look(tab, &SnapshotWish::default()).await {
            Ok(after) => {
                let told = match before {
                    Some(before) => page::difference(&before, &after, CHANGE_TOKENS),
                    None => after.text,
                };
                self.note_address(tab, &after.url, &told);
                told
            }
            Err(trouble) => unread(&trouble),
        }
    }

    /// The tab has closed itself.
    async fn elsewhere(&self) -> String {
        let Ok(tab) = self.context.tab().await else { return "No tab is left.".to_owned() };
        let wish = SnapshotWish { max_tokens: CHANGE_TOKENS, ..SnapshotWish::default() };
        match self.look(&tab, &wish).await {
            Ok(snapshot) => {
                self.note_address(&tab, &snapshot.url, &snapshot.text);
                format!("That tab is gone; the active one is {}.\n{}", tab.id(), snapshot.text)
            }
            Err(trouble) => unread(&trouble),
        }
    }
}

fn unread(trouble: &Trouble) -> String {
    format!("The page could not be read afterwards: {}", trouble.message)
}

/// The page's own first line has its address.
fn arrival(navigated: &Navigated) -> String {
    let status = match navigated.status {
        Some(status) if !(200..300).contains(&status) => {
            format!(" The server answered with status {status}.")
        }
        _ => String::new(),
    };
    let loading = if navigated.loaded { "" } else { " It is still loading." };
    format!("Opened.{status}{loading}")
}
