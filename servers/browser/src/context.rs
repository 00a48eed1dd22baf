//! A caller's part of the browser: its own cookies, proxy, downloads and secrets.

use std::future::Future;
use std::sync::Arc;

use capability_kit::{Secret, Trouble};

use crate::download::Download;
use crate::news::{DialogAnswer, News};
use crate::tab::Tab;

pub struct BrowserContext {}

/// One action at a time: held while it lasts. Dialogs are counted anew with each.
pub struct ActionGuard {}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TabInfo {
    /// `t1`, `t2`.
    pub id: String,
    pub url: String,
    pub title: String,
    pub active: bool,
}

impl BrowserContext {
    /// The active tab; an empty one is made if there is none.
    pub async fn tab(&self) -> Result<Arc<Tab>, Trouble> {
        todo!()
    }

    /// A new active tab; refused past the limit.
    pub async fn open(&self) -> Result<Arc<Tab>, Trouble> {
        todo!()
    }

    /// Makes a tab the active one.
    pub async fn select(&self, _tab: &str) -> Result<Arc<Tab>, Trouble> {
        todo!()
    }

    pub async fn close_tab(&self, _tab: &str) -> Result<(), Trouble> {
        todo!()
    }

    pub async fn tabs(&self) -> Vec<TabInfo> {
        todo!()
    }

    /// Since the last call, oldest first; only so many are kept.
    pub fn news(&self) -> Vec<News> {
        todo!()
    }

    /// Those that ended since the last call.
    pub fn take_downloads(&self) -> Vec<Download> {
        todo!()
    }

    /// Downloads under way, by name.
    pub fn downloading(&self) -> Vec<String> {
        todo!()
    }

    /// For the next dialog that asks something; without it, such a dialog is dismissed.
    pub fn answer_dialog(&self, _answer: DialogAnswer) {
        todo!()
    }

    pub fn act(&self) -> impl Future<Output = ActionGuard> + Send {
        async { todo!() }
    }

    /// From now on its value is masked in everything that this context answers.
    pub fn remember_secret(&self, _secret: &Secret) {
        todo!()
    }

    /// The text with `[secret cred_….password]` in place of each remembered value.
    pub fn mask(&self, _text: String) -> String {
        todo!()
    }

    /// The values, for blurring. They go into arguments of the page script and nowhere else.
    pub fn secrets(&self) -> Vec<String> {
        todo!()
    }
}
