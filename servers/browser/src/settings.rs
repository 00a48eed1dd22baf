//! What an operator may set, as plain data.

use std::path::PathBuf;
use std::time::Duration;

use crate::hosts::HostRules;

#[derive(Clone, Debug)]
pub struct BrowserSettings {
    /// The program; otherwise the first Chromium that is found on `PATH`.
    pub program: Option<PathBuf>,
    /// What may be dialled.
    pub hosts: HostRules,
    pub limits: BrowserLimits,
    /// The folder for profile and downloads. It is made when Chromium starts, and removed at the end.
    pub data: PathBuf,
    pub own_sandbox: ChromiumSandbox,
}

/// Chromium's own sandbox around its renderers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum ChromiumSandbox {
    /// With it where this machine allows it, else without, which the log says.
    #[default]
    Auto,
    /// With it or not at all.
    Required,
    Off,
}

/// Every limit of the browser.
#[derive(Clone, PartialEq, Debug)]
pub struct BrowserLimits {
    /// Callers at a time.
    pub contexts: usize,
    /// Tabs per context.
    pub tabs: usize,
    /// The time of one navigation.
    pub page_time: Duration,
    /// The time of one step in a page, such as a question to its script.
    pub action_time: Duration,
    /// A context that nobody used for so long is closed.
    pub idle: Duration,
    /// The memory of one renderer; a page that exceeds it is closed.
    pub renderer_mib: u64,
    /// The size of one download.
    pub download_bytes: u64,
    /// Downloads of one context that are kept at a time.
    pub downloads: usize,
    /// Dialogs during one action; past that, the page is stopped.
    pub dialogs: usize,
}

impl Default for BrowserLimits {
    fn default() -> Self {
        Self {
            contexts: 32,
            tabs: 8,
            page_time: Duration::from_secs(20),
            action_time: Duration::from_secs(10),
            idle: Duration::from_secs(15 * 60),
            renderer_mib: 1024,
            download_bytes: 64 << 20,
            downloads: 16,
            dialogs: 5,
        }
    }
}

impl Default for BrowserSettings {
    fn default() -> Self {
        Self {
            program: None,
            hosts: HostRules::default(),
            limits: BrowserLimits::default(),
            data: std::env::temp_dir().join(format!("capability-browser-{}", std::process::id())),
            own_sandbox: ChromiumSandbox::default(),
        }
    }
}
