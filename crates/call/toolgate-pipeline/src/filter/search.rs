//! One search through a text, and the filters that want it.

use regex::Regex;

use super::personal::MatchCheck;

/// Some of the filters, by their places.
pub(super) type FilterSet = u128;

/// One expression to search for, shared by all filters that use it.
#[derive(Debug)]
pub(super) struct FilterSearch {
    pub(super) regex: Regex,
    /// Narrows a match to the relevant part, or discards it.
    pub(super) check: Option<MatchCheck>,
    pub(super) kind: &'static str,
    pub(super) wanted_by: FilterSet,
}
