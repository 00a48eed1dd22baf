#![doc = include_str!("../README.md")]

// The policies in force.
mod compiled;
mod engine;
mod level;
mod source;
mod template;

// One policy, as it is written.
mod annotation;
mod problem;
mod rule;
mod scope;
mod usage;

// A call, as policies see it.
mod entity;
mod number;
mod plan;
mod shape;
mod traits;
mod value;

// Decisions.
mod glance;
mod verdict;
mod visibility;

// The gateway's own tools.
mod discovery;

// Reading, checking and testing policies.
mod check;
mod draft;
mod explain;
mod listing;
mod schema;
mod table;
mod trial;

#[cfg(test)]
mod fixture;

pub use check::{PolicyReport, check};
pub use discovery::{DESCRIBE_TOOL, SEARCH_TOOL};
pub use draft::{DraftedDecision, DraftedPolicies, PolicyDraft};
pub use engine::PolicyEngine;
pub use explain::{FailedPolicy, MatchedPolicy, PolicyExplanation, ShadowVerdict, VerdictKind};
pub use listing::ListedRule;
pub use problem::{PolicyError, PolicyProblem, TextPosition};
pub use schema::{GeneratedSchema, schema_for};
pub use source::{NamedPolicies, PolicyPurpose, Sources};
pub use table::{TableCell, TableLevels, TableRow, table};
pub use toolgate_core::decision::PolicyTemplate;
pub use trial::{TEST_SUFFIX, TestFailure, TestOutcome, run_tests};
