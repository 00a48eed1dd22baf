//! A Chromium for agents: one process for all callers, a context of its own for each, tabs and pages in it.
//!
//! [`Browser`] starts Chromium at the first need and speaks the DevTools protocol with it over a pipe. A [`BrowserContext`] has
//! its own cookies, proxy, downloads and secrets, and lives as long as its caller. A [`Tab`] is a page that can be steered.
//! [`page`] is everything that is seen of one. All traffic takes a proxy of ours, which checks every connection when it is
//! dialled.

// What an operator may set.
mod hosts;
mod settings;

// What callers are given.
mod context;
mod download;
mod frame;
mod input;
mod key;
mod news;
mod shot;
mod tab;

// A context's memory.
mod journal;
mod secrets;
mod shelf;

// The browser itself.
mod browser;
mod cdp;
mod chromium;
mod engine;
mod proxy;
mod router;

pub mod page;

pub use browser::{Browser, BrowserFacts, ContextKey};
pub use context::{ActionGuard, BrowserContext, TabInfo};
pub use download::Download;
pub use frame::{Frame, FrameId};
pub use hosts::{HostPattern, HostRules};
pub use input::{HeldKeys, MouseButton, MouseEvent, MouseKind};
pub use key::KeyChord;
pub use news::{DialogAnswer, DialogKind, News};
pub use settings::{BrowserLimits, BrowserSettings, ChromiumSandbox};
pub use shot::{Rect, Shot, ShotFormat};
pub use tab::{Navigated, Tab};
