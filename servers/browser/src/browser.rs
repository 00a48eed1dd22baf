//! The one Chromium of a server, started at the first need and again after a crash.

use std::sync::Arc;

use capability_kit::{Caller, Trouble};

use crate::context::BrowserContext;
use crate::settings::BrowserSettings;

/// Whose context it is: a run's, else a session's, else that of the only client.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ContextKey(String);

/// For people: which browser this is, and what confines it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BrowserFacts {
    pub version: String,
    /// A sentence about Chromium's own sandbox.
    pub sandbox: String,
}

pub struct Browser {
    settings: BrowserSettings,
}

impl ContextKey {
    pub fn of(_caller: &Caller) -> Self {
        todo!()
    }
}

impl Browser {
    /// Starts nothing yet.
    pub fn new(settings: BrowserSettings) -> Arc<Self> {
        Arc::new(Self { settings })
    }

    /// The trouble if there is no Chromium, with what to install.
    pub fn missing(&self) -> Option<Trouble> {
        todo!()
    }

    /// `None` before the first start.
    pub fn facts(&self) -> Option<BrowserFacts> {
        todo!()
    }

    /// The caller's context, made at the first call.
    pub async fn context(self: &Arc<Self>, _key: &ContextKey) -> Result<Arc<BrowserContext>, Trouble> {
        todo!()
    }

    /// Pages, cookies and downloads are gone.
    pub async fn end(&self, _key: &ContextKey) {
        todo!()
    }

    /// A session or a run has ended.
    pub async fn end_of(&self, _caller: &Caller) {
        todo!()
    }

    /// The memory of all its processes, in bytes.
    pub async fn memory(&self) -> u64 {
        todo!()
    }

    pub async fn close(&self) {
        todo!()
    }
}
