//! The meaning of a new version of a schema for data and readers of an earlier one.

use serde_json::Value;

use crate::inclusion::{Counterexample, Inclusion, inclusion};
use crate::prove::ProofGap;

/// A promise between an earlier version and a new one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CompatibilityRule {
    /// Data of the earlier version fits the new one.
    Backward,
    /// Data of the new version fits the earlier one.
    Forward,
    /// Both.
    Full,
}

/// The data that a finding is about.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DataDirection {
    EarlierData,
    NewData,
}

#[derive(Clone, PartialEq, Debug)]
pub enum CompatibilityFinding {
    Compatible,
    Incompatible(DataDirection, Counterexample),
    /// Nobody knows.
    Unproven(DataDirection, ProofGap),
}

impl CompatibilityFinding {
    /// One sentence.
    pub fn words(&self) -> String {
        match self {
            CompatibilityFinding::Compatible => "it is compatible".to_owned(),
            CompatibilityFinding::Incompatible(DataDirection::EarlierData, found) => {
                format!("data of the earlier version does not fit the new one: {}", found.words())
            }
            CompatibilityFinding::Incompatible(DataDirection::NewData, found) => {
                format!("data of the new version does not fit the earlier one: {}", found.words())
            }
            CompatibilityFinding::Unproven(DataDirection::EarlierData, gap) => {
                format!(
                    "it cannot be proved that data of the earlier version fits the new one: {}",
                    gap.words()
                )
            }
            CompatibilityFinding::Unproven(DataDirection::NewData, gap) => {
                format!(
                    "it cannot be proved that data of the new version fits the earlier one: {}",
                    gap.words()
                )
            }
        }
    }
}

/// Holds a new version against an earlier one.
pub fn compatibility(rule: CompatibilityRule, earlier: &Value, new: &Value) -> CompatibilityFinding {
    let backward = || found(DataDirection::EarlierData, inclusion(earlier, new));
    let forward = || found(DataDirection::NewData, inclusion(new, earlier));
    match rule {
        CompatibilityRule::Backward => backward(),
        CompatibilityRule::Forward => forward(),
        CompatibilityRule::Full => match (backward(), forward()) {
            (CompatibilityFinding::Compatible, other) => other,
            // What is known to be wrong is worth more than what is not known.
            (CompatibilityFinding::Unproven(..), wrong @ CompatibilityFinding::Incompatible(..)) => wrong,
            (one, _) => one,
        },
    }
}

fn found(direction: DataDirection, answer: Inclusion) -> CompatibilityFinding {
    match answer {
        Inclusion::Proven => CompatibilityFinding::Compatible,
        Inclusion::Refuted(example) => CompatibilityFinding::Incompatible(direction, example),
        Inclusion::Open(gap) => CompatibilityFinding::Unproven(direction, gap),
    }
}
