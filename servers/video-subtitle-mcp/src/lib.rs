#![doc = include_str!("../README.md")]

mod align;
mod check;
mod convert;
mod extract;
mod input;
mod jobs;
mod options;
mod output;
mod preview;
mod shift;
mod speech;
mod split_merge;
mod tools;
mod transcript;
mod trouble;

pub use options::VideoSubtitleOptions;
pub use tools::capability;
