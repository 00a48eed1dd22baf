#![doc = include_str!("../README.md")]

mod answer;
mod engine;
mod input;
mod options;
mod tools;

pub use options::TextAnalysisOptions;
pub use tools::capability;
