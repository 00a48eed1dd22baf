#![doc = include_str!("../README.md")]

// The entrance.
mod discovery;

// Views.
mod cells;
mod explain;
mod view;
mod viewer;

// Lists and their cost.
mod cards;
mod cost;
mod list;
mod surface;
mod tally;

// Search.
mod finder;
mod lookup;

// The gateway's own tools.
mod built_in;
mod own;

#[cfg(test)]
mod tests;

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
