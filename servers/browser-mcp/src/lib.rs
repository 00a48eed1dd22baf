#![doc = include_str!("../README.md")]

mod action;
mod fields;
mod fill;
mod options;
mod pointing;
mod room;
mod search;
mod telling;
mod tools;
mod visit;

pub use options::BrowserOptions;
pub use tools::capability;
