//! A caller's part of the browser: its own cookies, proxy, downloads and secrets.

use std::future::Future;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use capability_kit::{Secret, Trouble, TroubleCode};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::{Mutex as AsyncMutex, Notify, OwnedMutexGuard};
use tokio::time::timeout;

use crate::cdp::{CdpError, Session};
use crate::download::Download;
use crate::journal::Journal;
use crate::news::{DialogAnswer, News};
use crate::proxy::EgressProxy;
use crate::secrets::SecretMemory;
use crate::shelf::DownloadShelf;
use crate::tab::{PageStop, Tab, TabShared, trouble_of};

/// From the wish for a tab to its being there. A machine may be busy.
const OPEN_LIMIT: Duration = Duration::from_secs(20);
/// Windows that one action may try in vain; past that, the page is stopped.
const POPUPS_REFUSED_MAX: usize = 10;

pub struct BrowserContext {
    /// Chromium's name of it.
    id: String,
    shared: TabShared,
    secrets: SecretMemory,
    shelf: DownloadShelf,
    tabs: Mutex<TabRow>,
    /// Told when a tab comes or goes.
    changed: Notify,
    turn: Arc<AsyncMutex<()>>,
    last_used: Mutex<Instant>,
    ended: AtomicBool,
    _proxy: EgressProxy,
}

#[derive(Default)]
struct TabRow {
    tabs: Vec<Arc<Tab>>,
    active: Option<String>,
    /// Tabs so far, for their names.
    count: usize,
    /// Tabs that we asked for and that are not there yet.
    expected: usize,
}

/// One action at a time: held while it lasts. Dialogs are counted anew with each.
pub struct ActionGuard {
    _turn: OwnedMutexGuard<()>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TabInfo {
    /// `t1`, `t2`.
    pub id: String,
    pub url: String,
    pub title: String,
    pub active: bool,
}

impl BrowserContext {
    pub(crate) fn new(id: String, shared: TabShared, shelf: DownloadShelf, proxy: EgressProxy) -> Arc<Self> {
        Arc::new(Self {
            id,
            shared,
            secrets: SecretMemory::default(),
            shelf,
            tabs: Mutex::default(),
            changed: Notify::new(),
            turn: Arc::default(),
            last_used: Mutex::new(Instant::now()),
            ended: AtomicBool::new(false),
            _proxy: proxy,
        })
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    pub(crate) fn shelf(&self) -> &DownloadShelf {
        &self.shelf
    }

    pub(crate) fn journal(&self) -> &Journal {
        &self.shared.journal
    }

    /// The active tab; an empty one is made if there is none.
    pub async fn tab(&self) -> Result<Arc<Tab>, Trouble> {
        self.use_now();
        let active = {
            let row = self.tabs.lock();
            row.active
                .as_ref()
                .and_then(|id| row.tabs.iter().find(|tab| tab.id() == id && !tab.is_ended()))
                .cloned()
        };
        match active {
            Some(tab) => tab.prepared().await.map(|()| tab),
            None => self.open().await,
        }
    }

    /// A new active tab; refused past the limit.
    pub async fn open(&self) -> Result<Arc<Tab>, Trouble> {
        self.use_now();
        self.expect_one()?;
        let made = self.make_target().await;
        self.tabs.lock().expected -= 1;
        let tab = made?;
        self.tabs.lock().active = Some(tab.id().to_owned());
        Ok(tab)
    }

    fn expect_one(&self) -> Result<(), Trouble> {
        let limit = self.shared.limits.tabs;
        let mut row = self.tabs.lock();
        if self.ended.load(Ordering::Relaxed) {
            return Err(trouble_of(&CdpError::Gone, "opening a tab"));
        }
        if row.tabs.len() + row.expected >= limit {
            let message = format!("{limit} tabs are open, and no more are allowed");
            return Err(Trouble::new(TroubleCode::Busy, message).hint("close one of them first"));
        }
        row.expected += 1;
        Ok(())
    }

    async fn make_target(&self) -> Result<Arc<Tab>, Trouble> {
        let params = json!({ "url": "about:blank", "browserContextId": self.id });
        let made = self.browser_call("Target.createTarget", params).await?;
        let target = made["targetId"].as_str().unwrap_or_default().to_owned();
        let slow = || Trouble::new(TroubleCode::TimedOut, "the browser did not open a tab in time");
        let tab = timeout(OPEN_LIMIT, self.tab_of(&target)).await.map_err(|_| slow())??;
        timeout(OPEN_LIMIT, tab.prepared()).await.map_err(|_| slow())??;
        Ok(tab)
    }

    /// Waits for the event that brings it.
    async fn tab_of(&self, target: &str) -> Result<Arc<Tab>, Trouble> {
        loop {
            let changed = self.changed.notified();
            tokio::pin!(changed);
            changed.as_mut().enable();
            let found = self.tabs.lock().tabs.iter().find(|tab| tab.target() == target).cloned();
            if let Some(tab) = found {
                return Ok(tab);
            }
            tokio::select! {
                () = changed => {}
                () = self.shared.cdp.gone() => return Err(trouble_of(&CdpError::Gone, "opening a tab")),
            }
        }
    }

    /// A page has appeared in this context. `None` if it is refused, since there are enough.
    pub(crate) fn adopt(&self, target: &str, session: &Session, opener: Option<&str>) -> Option<Arc<Tab>> {
        let opener = opener.and_then(|opener| self.tab_with(opener));
        let url = opener.as_ref().map(|opener| opener.wanted_window()).unwrap_or_default();
        let tab = {
            let mut row = self.tabs.lock();
            let is_ours = opener.is_none() && row.expected > 0;
            let room = self.shared.limits.tabs.saturating_sub(if is_ours { 0 } else { row.expected });
            if row.tabs.len() < room {
                row.count += 1;
                let tab = Tab::new(
                    format!("t{}", row.count),
                    target.to_owned(),
                    session.clone(),
                    self.shared.clone(),
                );
                row.tabs.push(Arc::clone(&tab));
                Some((tab, is_ours))
            } else {
                None
            }
        };
        let Some((tab, is_ours)) = tab else {
            self.refuse_popup(&url, opener.as_deref());
            return None;
        };
        if !is_ours {
            self.shared
                .journal
                .push(News::Popup { tab: tab.id().to_owned(), url: crate::journal::cut(&url) });
        }
        self.changed.notify_waiters();
        Some(tab)
    }

    fn refuse_popup(&self, url: &str, opener: Option<&Tab>) {
        let count = self.shared.journal.popup_refused(url);
        if count > POPUPS_REFUSED_MAX
            && let Some(opener) = opener
        {
            opener.stop(PageStop::Empty, "it opened too many windows");
        }
    }

    fn tab_with(&self, target: &str) -> Option<Arc<Tab>> {
        self.tabs.lock().tabs.iter().find(|tab| tab.target() == target).cloned()
    }

    pub(crate) fn has_frame(&self, frame: &str) -> bool {
        self.tabs.lock().tabs.iter().any(|tab| tab.has_frame(frame))
    }

    /// A page is gone. The tab before it becomes the active one.
    pub(crate) fn drop_tab(&self, tab: &Tab, why: &'static str) {
        let was_known = {
            let mut row = self.tabs.lock();
            let before = row.tabs.len();
            row.tabs.retain(|one| one.id() != tab.id());
            if row.active.as_deref() == Some(tab.id()) {
                row.active = row.tabs.last().map(|last| last.id().to_owned());
            }
            row.tabs.len() < before
        };
        tab.end(why);
        if was_known && !self.ended.load(Ordering::Relaxed) {
            let news = News::TabClosed { tab: tab.id().to_owned(), why: why.to_owned() };
            self.shared.journal.push(news);
        }
        self.changed.notify_waiters();
    }

    /// Makes a tab the active one.
    pub async fn select(&self, tab: &str) -> Result<Arc<Tab>, Trouble> {
        self.use_now();
        let found = self.named(tab)?;
        self.tabs.lock().active = Some(found.id().to_owned());
        found.prepared().await?;
        Ok(found)
    }

    fn named(&self, tab: &str) -> Result<Arc<Tab>, Trouble> {
        let row = self.tabs.lock();
        row.tabs.iter().find(|one| one.id() == tab).cloned().ok_or_else(|| {
            let open: Vec<&str> = row.tabs.iter().map(|one| one.id()).collect();
            let open = if open.is_empty() { "none".to_owned() } else { open.join(", ") };
            Trouble::bad_arguments(format!("there is no tab {tab:?}")).hint(format!("open tabs: {open}"))
        })
    }

    pub async fn close_tab(&self, tab: &str) -> Result<(), Trouble> {
        self.use_now();
        let tab = self.named(tab)?;
        {
            let mut row = self.tabs.lock();
            row.tabs.retain(|one| one.id() != tab.id());
            if row.active.as_deref() == Some(tab.id()) {
                row.active = row.tabs.last().map(|last| last.id().to_owned());
            }
        }
        tab.end("it was closed");
        self.browser_call("Target.closeTarget", json!({ "targetId": tab.target() })).await.map(drop)
    }

    pub async fn tabs(&self) -> Vec<TabInfo> {
        self.use_now();
        let (tabs, active) = {
            let row = self.tabs.lock();
            (row.tabs.clone(), row.active.clone())
        };
        let mut infos = Vec::with_capacity(tabs.len());
        for tab in tabs {
            infos.push(TabInfo {
                id: tab.id().to_owned(),
                url: tab.url().await,
                title: tab.title().await,
                active: active.as_deref() == Some(tab.id()),
            });
        }
        infos
    }

    /// Since the last call, oldest first; only so many are kept.
    pub fn news(&self) -> Vec<News> {
        self.shared.journal.take()
    }

    /// Those that ended since the last call.
    pub fn take_downloads(&self) -> Vec<Download> {
        self.shelf.take()
    }

    /// Downloads under way, by name.
    pub fn downloading(&self) -> Vec<String> {
        self.shelf.running()
    }

    /// For the next dialog that asks something; without it, such a dialog is dismissed.
    pub fn answer_dialog(&self, answer: DialogAnswer) {
        self.shared.journal.set_answer(answer);
    }

    /// Waits for the action before.
    pub fn act(&self) -> impl Future<Output = ActionGuard> + Send {
        let turn = Arc::clone(&self.turn);
        async move {
            let turn = turn.lock_owned().await;
            self.use_now();
            self.shared.journal.begin_action();
            ActionGuard { _turn: turn }
        }
    }

    /// From now on its value is masked in everything that this context answers.
    pub fn remember_secret(&self, secret: &Secret) {
        self.secrets.remember(secret);
    }

    /// The text with `[secret cred_….password]` in place of each remembered value.
    pub fn mask(&self, text: String) -> String {
        self.secrets.mask(text)
    }

    /// The values, for blurring. They go into arguments of the page script and nowhere else.
    pub fn secrets(&self) -> Vec<String> {
        self.secrets.values()
    }

    fn use_now(&self) {
        *self.last_used.lock() = Instant::now();
    }

    /// True if nobody used it for so long, and nobody does.
    pub(crate) fn is_idle(&self, limit: Duration) -> bool {
        self.last_used.lock().elapsed() >= limit && self.turn.try_lock().is_ok()
    }

    pub(crate) fn is_ended(&self) -> bool {
        self.ended.load(Ordering::Relaxed) || self.shared.cdp.is_gone()
    }

    /// Pages, cookies and downloads are gone.
    pub(crate) async fn end(&self) {
        self.ended.store(true, Ordering::Relaxed);
        let tabs = std::mem::take(&mut self.tabs.lock().tabs);
        tabs.iter().for_each(|tab| tab.end("its context has ended"));
        let params = json!({ "browserContextId": self.id });
        if let Err(trouble) = self.browser_call("Target.disposeBrowserContext", params).await {
            tracing::debug!(%trouble, "a context could not be disposed of");
        }
        // Nothing may ever have been downloaded.
        drop(tokio::fs::remove_dir_all(self.shelf.folder()).await);
    }

    async fn browser_call(&self, method: &str, params: Value) -> Result<Value, Trouble> {
        let limit = self.shared.limits.action_time;
        let answer = self.shared.cdp.call(&Session::default(), method, params, limit).await;
        answer.map_err(|error| trouble_of(&error, method))
    }
}
