#![doc = include_str!("../README.md")]

mod built_in;
mod cards;
mod cells;
mod cost;
mod discovery;
mod explain;
mod finder;
mod list;
mod lookup;
mod own;
mod surface;
mod tally;
#[cfg(test)]
mod tests;
mod view;
mod viewer;

pub use built_in::BuiltIn;
pub use cost::{ServerBill, TokenBill, ToolBill};
pub use discovery::Discovery;
pub use explain::{ScopeExplanation, UnmatchedRule};
pub use list::{APPROVAL_ANNOTATION, APPROVAL_META};
pub use lookup::{
    DESCRIBED_MAX, HITS_MAX, RankedTool, SearchMatches, SearchRequest, described, exact_schema,
};
pub use surface::{SearchSurface, Surface};
pub use tally::CostTally;
pub use view::View;
