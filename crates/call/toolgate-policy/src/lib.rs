#![doc = include_str!("../README.md")]

mod annotation;
mod check;
mod compiled;
mod discovery;
mod engine;
mod entity;
mod explain;
#[cfg(test)]
mod fixture;
mod glance;
mod level;
mod listing;
mod number;
mod plan;
mod problem;
mod rule;
mod schema;
mod scope;
mod shape;
mod source;
mod table;
mod template;
mod traits;
mod trial;
mod usage;
mod value;
mod verdict;
mod visibility;

pub use check::{PolicyReport, check};
pub use discovery::{DESCRIBE_TOOL, SEARCH_TOOL};
pub use engine::PolicyEngine;
pub use explain::{FailedPolicy, MatchedPolicy, PolicyExplanation, ShadowVerdict, VerdictKind};
pub use listing::ListedRule;
pub use problem::{PolicyError, PolicyProblem, TextPosition};
pub use schema::{GeneratedSchema, schema_for};
pub use source::{PolicyPurpose, Sources};
pub use table::{TableCell, TableRow, decisions, table};
pub use toolgate_core::decision::PolicyTemplate;
pub use trial::{TEST_SUFFIX, TestFailure, TestOutcome, run_tests};
