#![doc = include_str!("../README.md")]

mod desk;
mod formats;
mod hint;
mod http;
mod report;
mod stream;
mod tally;

#[cfg(test)]
mod tests;

pub use desk::{ModelDesk, ModelDeskSetup, ModelKeys, ModelSource};
pub use tally::ModelTally;
