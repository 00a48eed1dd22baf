#![doc = include_str!("../README.md")]

// Rules that need nothing.
mod checks;
mod manner;
mod packing;
mod refusal;
mod selection;
mod sentences;
mod words;

// Ports, and the state of the tools.
mod bases;
mod ports;

// Answers.
mod asking;
mod citing;
mod research;
mod writing;

mod tools;

#[cfg(test)]
mod tests;

pub use bases::{AnswerModel, KnowledgeBases, KnowledgeSetup};
pub use ports::{
    CitationSource, FoundPassage, FoundPassages, OfferedQuote, PassageRequest, PassageSource, SearchedIndex,
};
pub use tools::domain;
