//! The file `toolgate.json` of a version: what its other files do not say.

use engine_protocol::{EngineFault, Profile, Stemming};
use serde::{Deserialize, Serialize};

use super::faults::{damaged, outdated};

/// The form of index files that this program writes and reads.
pub(crate) const FORMAT: u32 = 1;
pub(super) const FACTS_FILE: &str = "toolgate.json";

#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub(super) struct IndexFacts {
    pub(super) format: u32,
    /// `name@version` of the profile.
    pub(super) profile: String,
    pub(super) stemming: Stemming,
    pub(super) documents: u64,
    /// The number that the next passage gets. No number is given twice.
    pub(super) next_ord: u64,
    /// The numbers of the vectors, none if there are no vectors.
    pub(super) dimensions: Option<u32>,
    /// Files of vectors, the oldest first.
    pub(super) vectors: Vec<String>,
    /// The number in the name of the next file of vectors.
    pub(super) next_file: u64,
}

impl IndexFacts {
    /// Those of an index without documents.
    pub(super) fn empty(profile: &Profile) -> Self {
        Self {
            format: FORMAT,
            profile: profile_name(profile),
            stemming: profile.words.stemming,
            documents: 0,
            next_ord: 0,
            dimensions: None,
            vectors: Vec::new(),
            next_file: 0,
        }
    }

    pub(super) fn read(bytes: &[u8]) -> Result<Self, EngineFault> {
        let facts: Self = serde_json::from_slice(bytes).map_err(|error| damaged(FACTS_FILE, error))?;
        check_format(facts.format)?;
        Ok(facts)
    }

    pub(super) fn write(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("facts are plain values")
    }

    /// A name that no file of this index ever had.
    pub(super) fn new_vector_file(&mut self) -> String {
        self.next_file += 1;
        format!("vectors.{}.bin", self.next_file)
    }
}

pub(super) fn profile_name(profile: &Profile) -> String {
    format!("{}@{}", profile.name, profile.version)
}

pub(super) fn check_format(format: u32) -> Result<(), EngineFault> {
    match format {
        FORMAT => Ok(()),
        other => Err(outdated(format!("the index has form {other}; this engine reads form {FORMAT}"))),
    }
}
