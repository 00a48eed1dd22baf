//! The faults that verification finds in the archive, each with advice.

use serde::Serialize;

use crate::day::day_text;
use crate::segment::{SegmentFacts, index_name};

/// A segment or an index that is not as it was written.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, thiserror::Error)]
#[error("{name}{}: {what}", shown(.lines.as_ref()))]
pub struct ArchiveFault {
    /// The name of the file beside the files.
    pub name: String,
    /// The lines that it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lines: Option<FaultyLines>,
    pub what: SegmentTrouble,
}

/// The lines of a faulty segment.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct FaultyLines {
    pub stream: String,
    pub day: String,
    pub first: i64,
    pub last: i64,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum SegmentTrouble {
    #[error("it is not there")]
    Missing,
    #[error("its bytes were changed or cut off")]
    Changed,
    #[error("it is no segment of the ledger's archive")]
    Unreadable,
    #[error("it was written by a newer version of Toolgate")]
    Newer,
    #[error("its lines are not those that the index names")]
    OtherLines,
    #[error("it does not follow the segment before it")]
    Gap,
    #[error("the database has other lines in its place")]
    OtherThanDatabase,
    #[error("lines between it and where its stream begins in the database are missing")]
    Behind,
    #[error("the index of the archive is damaged")]
    IndexDamaged,
    #[error("the index of the archive is not there, though there are segments")]
    IndexMissing,
}

impl SegmentTrouble {
    /// The advice for an operator.
    pub fn hint(self) -> &'static str {
        match self {
            SegmentTrouble::Missing
            | SegmentTrouble::Changed
            | SegmentTrouble::Unreadable
            | SegmentTrouble::OtherLines => {
                "restore this file from a backup of the bucket or folder; if the database still has its lines, \
                 `toolgate ledger archive repair` writes it again"
            }
            SegmentTrouble::Newer => "read it with that version",
            SegmentTrouble::Gap | SegmentTrouble::Behind => {
                "the index may be an older one: `toolgate ledger archive reindex` makes it from the segments that \
                 are there; what is still missing has to come from a backup"
            }
            SegmentTrouble::OtherThanDatabase => {
                "one of the two was changed: `toolgate ledger verify` says whether it was the database; compare with \
                 a backup"
            }
            SegmentTrouble::IndexDamaged | SegmentTrouble::IndexMissing => {
                "`toolgate ledger archive reindex` makes it from the segments that are there"
            }
        }
    }
}

impl ArchiveFault {
    pub(crate) fn of_index(tenant: &str, what: SegmentTrouble) -> Self {
        Self { name: index_name(tenant), lines: None, what }
    }

    pub(crate) fn of(name: String, facts: &SegmentFacts, what: SegmentTrouble) -> Self {
        let lines = FaultyLines {
            stream: facts.stream.clone(),
            day: day_text(facts.day),
            first: facts.first,
            last: facts.last,
        };
        Self { name, lines: Some(lines), what }
    }
}

fn shown(lines: Option<&FaultyLines>) -> String {
    let Some(FaultyLines { stream, day, first, last }) = lines else { return String::new() };
    format!(" (lines {first} to {last} of stream {stream}, {day})")
}
