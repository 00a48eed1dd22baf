//! The DevTools protocol over a pipe, as raw JSON: commands with answers, and events. Names of domains and methods are left to
//! the callers, so a new Chromium breaks nothing here.

mod client;
mod frames;

pub(crate) use client::{Cdp, CdpError, CdpEvent, Session};
