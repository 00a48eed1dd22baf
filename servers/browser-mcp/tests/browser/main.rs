//! The program, driven by a client over stdin and stdout, with a real Chromium and a site of its own on loopback.
#![expect(clippy::unwrap_used, reason = "a test ends where it fails")]

mod actions;
mod callers;
mod drive;
mod faults;
mod files;
mod forms;
mod hosts;
mod list;
mod looking;
mod pages;
mod secrets;
mod site;
