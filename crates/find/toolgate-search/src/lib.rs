#![doc = include_str!("../README.md")]

mod answer;
mod cost;
mod diet;
mod document;
mod index;
pub mod meaning;
pub mod meta_tools;
mod names;
mod plain;
mod signature;
pub mod tokens;
mod words;

pub use answer::{
    AnswerBudget, DETAILED_MAX, DetailLevel, LINES_ALONE_MAX, LINES_MAX, SearchItem, ShownForm, ShownTool,
    ToolCard, ToolSearchAnswer,
};
pub use cost::{TokenCost, listed};
pub use diet::diet;
pub use document::{ToolArgument, ToolDocument};
pub use index::{FUSED_MAX, Index, Indexer, MatchKind, SearchHit, Subset};
pub use signature::{one_line, signature};
