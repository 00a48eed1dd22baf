#![doc = include_str!("../README.md")]

mod asking;
mod building;
mod contents;
mod documents;
mod link;
mod places;
mod process;
mod program;
mod reading;
mod refusal;
mod searching;
mod settings;
mod supervision;
mod talk;
#[cfg(test)]
mod tests;
mod waiting;

pub use building::IndexBuild;
pub use link::{EngineLink, EngineSetup};
pub use settings::{EngineLimits, EngineSettings};
pub use supervision::EngineState;
