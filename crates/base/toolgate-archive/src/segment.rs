//! A segment: lines of one stream and one day, without a gap, and the facts about them.

use serde::{Deserialize, Serialize};
use toolgate_core::Digest;
use toolgate_store::{ArchivalLine, LineFields, LinePlace, ledger_root};

use crate::day::day_text;

/// The form of segments. Change it together with the columns or the facts.
pub(crate) const FORM: u32 = 1;
pub(crate) const SEGMENT_ENDING: &str = ".parquet";

/// The facts about the lines of a segment, as its metadata has them.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct SegmentFacts {
    pub form: u32,
    pub tenant: String,
    pub stream: String,
    /// Days since 1970, in UTC, of the lines' hybrid time.
    pub day: i64,
    pub first: i64,
    pub last: i64,
    pub lines: u64,
    /// When the earliest and the latest of its events happened, in milliseconds since 1970.
    pub at_min: i64,
    pub at_max: i64,
    /// The hash of the line before the first one.
    pub before: Digest,
    /// The hash of the last line.
    pub hash: Digest,
    /// The Merkle tree hash (RFC 6962) of these lines.
    pub root: Digest,
}

impl SegmentFacts {
    /// The name of the segment with this digest.
    pub fn name(&self, digest: Digest) -> String {
        let digest = digest.to_string();
        let (_, hex) = digest.split_once(':').expect("a digest says how it was made");
        format!("{}/{}/{hex}{SEGMENT_ENDING}", folder(&self.tenant), day_text(self.day))
    }

    /// The place of its last line.
    pub fn end(&self) -> LinePlace {
        LinePlace { day: self.day, number: self.last }
    }
}

/// The folder of a tenant's archive.
pub(crate) fn folder(tenant: &str) -> String {
    format!("ledger/{tenant}")
}

/// The name of a tenant's index.
pub(crate) fn index_name(tenant: &str) -> String {
    format!("{}/index.json", folder(tenant))
}

/// Lines that become a segment. Each fits the one before it.
pub(crate) struct SegmentLines {
    tenant: String,
    stream: String,
    day: i64,
    before: Digest,
    hash: Digest,
    lines: Vec<ArchivalLine>,
    leaves: Vec<Digest>,
    at_min: i64,
    at_max: i64,
    bytes: usize,
}

/// A line that does not fit.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Misfit {
    pub(crate) number: i64,
}

impl SegmentLines {
    /// For the lines after the one with this hash. The day is that of the first line.
    pub(crate) fn after(tenant: &str, stream: &str, before: Digest, day: i64) -> Self {
        Self {
            tenant: tenant.to_owned(),
            stream: stream.to_owned(),
            day,
            before,
            hash: before,
            lines: Vec::new(),
            leaves: Vec::new(),
            at_min: i64::MAX,
            at_max: i64::MIN,
            bytes: 0,
        }
    }

    pub(crate) fn add(&mut self, line: ArchivalLine) -> Result<(), Misfit> {
        let misfit = Misfit { number: line.number };
        let fields = LineFields::read(&line.bytes).ok_or(misfit)?;
        let is_next = self.lines.last().is_none_or(|last| last.number + 1 == line.number);
        let is_here = fields.tenant == self.tenant
            && fields.stream == self.stream
            && fields.number == line.number
            && fields.time.is_none_or(|time| time == line.time)
            && line.time.day() == self.day;
        if !is_next || !is_here || fields.previous != self.hash {
            return Err(misfit);
        }
        self.hash = fields.hash;
        self.leaves.push(fields.leaf);
        self.at_min = self.at_min.min(fields.at_ms);
        self.at_max = self.at_max.max(fields.at_ms);
        self.bytes += line.bytes.len();
        self.lines.push(line);
        Ok(())
    }

    pub(crate) fn lines(&self) -> &[ArchivalLine] {
        &self.lines
    }

    /// The size of its lines.
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// `None` without lines.
    pub(crate) fn facts(&self) -> Option<SegmentFacts> {
        Some(SegmentFacts {
            form: FORM,
            tenant: self.tenant.clone(),
            stream: self.stream.clone(),
            day: self.day,
            first: self.lines.first()?.number,
            last: self.lines.last()?.number,
            lines: self.lines.len() as u64,
            at_min: self.at_min,
            at_max: self.at_max,
            before: self.before,
            hash: self.hash,
            root: ledger_root(&self.leaves),
        })
    }
}
