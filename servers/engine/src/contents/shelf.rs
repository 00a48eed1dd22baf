//! The order in which contents were used, and the choice of those that leave.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use engine_protocol::ContentId;

/// A content that was used so recently stays: the gateway or a request is about to read it.
const FRESH: Duration = Duration::from_secs(120);

pub(super) struct Shelf {
    bytes_max: u64,
    bytes: u64,
    /// Counts uses.
    now: u64,
    uses: HashMap<ContentId, ContentUse>,
    pins: HashMap<ContentId, u32>,
}

struct ContentUse {
    bytes: u64,
    last: u64,
    /// None if nobody used it since the start.
    at: Option<Instant>,
}

impl Shelf {
    pub(super) fn new(bytes_max: u64) -> Self {
        Self { bytes_max, bytes: 0, now: 0, uses: HashMap::new(), pins: HashMap::new() }
    }

    /// A content that was here before the start.
    pub(super) fn note_old(&mut self, id: ContentId, bytes: u64) {
        self.now += 1;
        self.bytes += bytes;
        self.uses.insert(id, ContentUse { bytes, last: self.now, at: None });
    }

    /// A use of a content, which may be new; and the contents that leave for it.
    pub(super) fn note(&mut self, id: &ContentId, bytes: u64) -> Vec<ContentId> {
        self.forget(id);
        self.now += 1;
        self.bytes += bytes;
        self.uses.insert(id.clone(), ContentUse { bytes, last: self.now, at: Some(Instant::now()) });
        if self.bytes > self.bytes_max { self.make_room() } else { Vec::new() }
    }

    pub(super) fn forget(&mut self, id: &ContentId) {
        if let Some(gone) = self.uses.remove(id) {
            self.bytes -= gone.bytes;
        }
    }

    pub(super) fn pin(&mut self, id: &ContentId) {
        *self.pins.entry(id.clone()).or_default() += 1;
    }

    pub(super) fn unpin(&mut self, id: &ContentId) {
        if let Some(pins) = self.pins.get_mut(id) {
            *pins -= 1;
            if *pins == 0 {
                self.pins.remove(id);
            }
        }
    }

    /// Down to nine tenths, so that not every use has to make room.
    fn make_room(&mut self) -> Vec<ContentId> {
        let mut idle: Vec<(u64, ContentId)> = self
            .uses
            .iter()
            .filter(|(id, content)| !self.pins.contains_key(*id) && !content.is_fresh())
            .map(|(id, content)| (content.last, id.clone()))
            .collect();
        idle.sort_unstable();
        let enough = self.bytes_max / 10 * 9;
        let mut leaving = Vec::new();
        for (_, id) in idle {
            if self.bytes <= enough {
                break;
            }
            self.forget(&id);
            leaving.push(id);
        }
        leaving
    }
}

impl ContentUse {
    fn is_fresh(&self) -> bool {
        self.at.is_some_and(|at| at.elapsed() < FRESH)
    }
}
