#![doc = include_str!("../README.md")]

mod acting;
mod choosing;
mod definition;
mod elements;
mod entering;
mod guard;
mod notes;
mod options;
mod room;
mod search;
mod telling;
mod tools;
mod visit;

pub use options::BrowserOptions;
pub use tools::capability;
