//! Filters: data that the operator does not want to leave in arguments or to arrive in results, found by a
//! regular expression or by its kind. Each filter masks the data, blocks the call, or asks a person.
//!
//! Lives here: the definition of filters, the search, and the masking of a JSON text. A step decides when to
//! apply them and with which consequence. Unlike redaction, which changes what is stored, filters change what
//! is sent.

mod kind;
mod personal;
mod search;
mod sieve;
#[cfg(test)]
mod tests;

use std::fmt;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};

use regex::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};
use serde::Serialize;
use toolgate_core::Digest;
use toolgate_core::decision::{ApprovalRequirement, OnTimeout, PolicyRef};
use wildmatch::WildMatch;

pub use kind::{DataKind, known_kinds};
pub use sieve::{FilterFindings, FilterMatch};

use crate::redact;
use search::{FilterSearch, FilterSet};
use sieve::Sieve;

/// The maximum number of filters.
pub const FILTERS_MAX: usize = 100;
pub const NAME_CHARS_MAX: usize = 64;
pub const PATTERN_CHARS_MAX: usize = 1_000;
/// The maximum compiled size of one regular expression; `\d{1000}` takes more than one would think.
const PATTERN_BYTES_MAX: usize = 1 << 20;
/// The name of a filter's own expression beside the names of kinds.
const OWN_PATTERN: &str = "match";

/// The operator's definition of one filter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FilterRule {
    pub name: String,
    pub on: FilteredTraffic,
    /// Canonical names, with `*` and `?`.
    pub tools: Vec<String>,
    /// A regular expression.
    pub pattern: Option<String>,
    pub kinds: Vec<DataKind>,
    pub action: FilterAction,
    /// The groups that must agree, if a person is asked; without groups, anyone with the right to approve.
    pub approvers: Vec<String>,
}

/// The traffic that a filter inspects.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FilteredTraffic {
    Arguments,
    Results,
    Both,
}

impl FilteredTraffic {
    pub const ALL: [FilteredTraffic; 3] =
        [FilteredTraffic::Arguments, FilteredTraffic::Results, FilteredTraffic::Both];

    pub fn as_str(self) -> &'static str {
        match self {
            FilteredTraffic::Arguments => "arguments",
            FilteredTraffic::Results => "results",
            FilteredTraffic::Both => "both",
        }
    }

    fn covers(self, side: FilterSide) -> bool {
        matches!(
            (self, side),
            (FilteredTraffic::Both, _)
                | (FilteredTraffic::Arguments, FilterSide::Arguments)
                | (FilteredTraffic::Results, FilterSide::Results)
        )
    }
}

/// The side that is inspected.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FilterSide {
    Arguments,
    Results,
}

/// The action on a match.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FilterAction {
    Mask,
    Block,
    Ask,
}

impl FilterAction {
    pub const ALL: [FilterAction; 3] = [FilterAction::Mask, FilterAction::Block, FilterAction::Ask];

    pub fn as_str(self) -> &'static str {
        match self {
            FilterAction::Mask => "mask",
            FilterAction::Block => "block",
            FilterAction::Ask => "ask",
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadFilter {
    #[error("filter {name:?} asks a person about results; a call that has run cannot be asked about")]
    AsksAboutResults { name: String },
    #[error("filter {name:?} has neither `match` nor `kinds`")]
    FindsNothing { name: String },
    #[error("the regular expression of filter {name:?} does not work: {problem}")]
    Pattern { name: String, problem: BadExpression },
    #[error("there are {0} filters; at most {FILTERS_MAX} are taken")]
    TooMany(usize),
}

/// The reason why a regular expression is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadExpression {
    #[error("{0}")]
    Syntax(String),
    #[error("it matches the empty text, so it would fire everywhere")]
    MatchesNothing,
    #[error("it is longer than {PATTERN_CHARS_MAX} characters")]
    TooLong,
    #[error("it takes more than {} KiB once it is compiled", PATTERN_BYTES_MAX >> 10)]
    TooLarge,
}

/// Compiles an operator's expression. Matching time is linear in the length of the text.
pub fn expression(pattern: &str) -> Result<Regex, BadExpression> {
    if pattern.chars().count() > PATTERN_CHARS_MAX {
        return Err(BadExpression::TooLong);
    }
    let compiled = RegexBuilder::new(pattern).size_limit(PATTERN_BYTES_MAX).build();
    match compiled {
        Ok(regex) if regex.is_match("") => Err(BadExpression::MatchesNothing),
        Ok(regex) => Ok(regex),
        Err(regex::Error::CompiledTooBig(_)) => Err(BadExpression::TooLarge),
        Err(error) => Err(BadExpression::Syntax(error.to_string())),
    }
}

/// All filters, compiled.
#[derive(Debug)]
pub struct Filters {
    filters: Vec<CompiledFilter>,
    /// Says which of the searches find anything at all, in one pass over a text.
    any: RegexSet,
    searches: Vec<FilterSearch>,
    /// The kinds of credentials to look for, with the filters that want them.
    looks: Vec<(&'static str, &'static str, FilterSet)>,
}

#[derive(Debug)]
struct CompiledFilter {
    rule: FilterRule,
    tools: Vec<WildMatch>,
    /// Stands for all that the operator said of it.
    definition: Digest,
    /// The number of matches so far.
    matched: AtomicU64,
}

/// A match of a filter.
#[derive(Clone, PartialEq, Eq, Debug)]
struct FilterHit {
    place: Range<usize>,
    filter: usize,
    kind: &'static str,
}

impl Filters {
    pub fn new(rules: &[FilterRule]) -> Result<Filters, BadFilter> {
        if rules.len() > FILTERS_MAX {
            return Err(BadFilter::TooMany(rules.len()));
        }
        let mut searches = Vec::new();
        let mut looks = Vec::new();
        for (place, rule) in rules.iter().enumerate() {
            if rule.pattern.is_none() && rule.kinds.is_empty() {
                return Err(BadFilter::FindsNothing { name: rule.name.clone() });
            }
            if rule.action == FilterAction::Ask && rule.on != FilteredTraffic::Arguments {
                return Err(BadFilter::AsksAboutResults { name: rule.name.clone() });
            }
            if let Some(pattern) = &rule.pattern {
                let name = rule.name.clone();
                let regex = expression(pattern).map_err(|problem| BadFilter::Pattern { name, problem })?;
                searches.push(FilterSearch { regex, check: None, kind: OWN_PATTERN, wanted_by: 1 << place });
            }
            for kind in kind::flattened(&rule.kinds) {
                kind.want(1 << place, &mut searches, &mut looks);
            }
        }
        let patterns = searches.iter().map(|search| search.regex.as_str());
        let any = RegexSetBuilder::new(patterns).size_limit(PATTERN_BYTES_MAX * (searches.len() + 1)).build();
        let any = any.expect("each of them compiles, within its own share of the limit");
        Ok(Filters { filters: rules.iter().map(CompiledFilter::new).collect(), any, searches, looks })
    }

    pub fn is_empty(&self) -> bool {
        self.filters.is_empty()
    }

    /// The operator's definition of each filter, and its number of matches so far.
    pub fn in_force(&self) -> impl Iterator<Item = (&FilterRule, u64)> {
        self.filters.iter().map(|filter| (&filter.rule, filter.matched.load(Ordering::Relaxed)))
    }

    /// Counts the filters that matched, once each.
    pub(crate) fn count(&self, fired: &[FilterMatch<'_>]) {
        let found = |filter: &&CompiledFilter| fired.iter().any(|one| one.filter == filter.rule.name);
        for filter in self.filters.iter().filter(found) {
            filter.matched.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// The filters for the arguments or results of a tool, if any.
    pub fn on(&self, side: FilterSide, tool: &str) -> Option<FilterWatch<'_>> {
        let concerns = |filter: &CompiledFilter| {
            filter.rule.on.covers(side) && filter.tools.iter().any(|tools| tools.matches(tool))
        };
        let concerned = self.filters.iter().enumerate().filter(|(_, filter)| concerns(filter));
        let places = concerned.fold(0, |places: FilterSet, (place, _)| places | 1 << place);
        (places != 0).then_some(FilterWatch { filters: self, places })
    }

    /// Everything in a text that these filters look for, from its start to its end.
    fn hits(&self, places: FilterSet, text: &str) -> Vec<FilterHit> {
        let mut hits = Vec::new();
        for index in self.any.matches(text) {
            let search = &self.searches[index];
            let wanted_by = search.wanted_by & places;
            if wanted_by == 0 {
                continue;
            }
            for found in search.regex.find_iter(text).filter(|found| !found.is_empty()) {
                let place = match search.check {
                    None => Some(found.range()),
                    Some(check) => check(text, found.range()),
                };
                if let Some(place) = place {
                    each(wanted_by, |filter| {
                        hits.push(FilterHit { place: place.clone(), filter, kind: search.kind });
                    });
                }
            }
        }
        if self.looks.iter().any(|(.., wanted_by)| wanted_by & places != 0) {
            for seen in redact::credentials(text) {
                for (_, kind, wanted_by) in self.looks.iter().filter(|(look, ..)| *look == seen.kind) {
                    each(wanted_by & places, |filter| {
                        hits.push(FilterHit { place: seen.place.clone(), filter, kind });
                    });
                }
            }
        }
        hits.sort_by_key(|hit| (hit.place.start, hit.place.end, hit.filter));
        hits
    }
}

fn each(places: FilterSet, mut see: impl FnMut(usize)) {
    (0..FILTERS_MAX).filter(|place| places & (1 << place) != 0).for_each(&mut see);
}

impl CompiledFilter {
    fn new(rule: &FilterRule) -> Self {
        Self {
            tools: rule.tools.iter().map(|tools| WildMatch::new(tools)).collect(),
            definition: Digest::of(format!("{rule:?}")),
            matched: AtomicU64::default(),
            rule: rule.clone(),
        }
    }
}

/// The filters that concern the inspected content.
#[derive(Clone, Copy, Debug)]
pub struct FilterWatch<'f> {
    filters: &'f Filters,
    places: FilterSet,
}

impl<'f> FilterWatch<'f> {
    /// Looks through one JSON value.
    pub fn sift(&self, json: &str) -> FilterFindings<'f> {
        Sieve::new(self.filters, self.places).sift(json, "")
    }

    /// The same for content at a position below another.
    pub(crate) fn sift_below(&self, above: &str, json: &str) -> FilterFindings<'f> {
        Sieve::new(self.filters, self.places).sift(json, above)
    }

    /// True if one of these filters looks for data that redaction removes from everything that is stored.
    pub fn seeks_redacted(&self, name: &str) -> bool {
        let place = self.filters.filters.iter().position(|filter| filter.rule.name == name);
        let of = |place: usize| {
            self.filters.looks.iter().any(|(.., wanted_by)| wanted_by & self.places & (1 << place) != 0)
        };
        place.is_some_and(of)
    }
}

impl FilterMatch<'_> {
    fn gate(&self) -> PolicyRef {
        let reason = format!("filter {:?} found {self}", self.filter);
        PolicyRef { id: format!("filter:{}", self.filter), reason: Some(reason), text: self.definition }
    }

    fn requirement(&self) -> ApprovalRequirement {
        ApprovalRequirement {
            gates: vec![self.gate()],
            approvers: if self.approvers.is_empty() { Vec::new() } else { vec![self.approvers.to_vec()] },
            quorum: 1,
            timeout_seconds: None,
            on_timeout: OnTimeout::Deny,
            editable: true,
            unattended: false,
            excluded: Vec::new(),
        }
    }
}

/// `2 × card at /note, /items/0`
impl fmt::Display for FilterMatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.count > 1 {
            write!(f, "{} × ", self.count)?;
        }
        let kind = if self.kind == OWN_PATTERN { "what it looks for" } else { self.kind };
        write!(f, "{kind} at {}", self.paths.join(", "))?;
        if self.count > self.paths.len() { f.write_str(" and elsewhere") } else { Ok(()) }
    }
}

/// The approval that these filters require, if any.
pub(crate) fn asks(fired: &[FilterMatch<'_>]) -> Option<ApprovalRequirement> {
    let asking = fired.iter().filter(|one| one.action == FilterAction::Ask);
    asking.map(FilterMatch::requirement).reduce(ApprovalRequirement::merged)
}
