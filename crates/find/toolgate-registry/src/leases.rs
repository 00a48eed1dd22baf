//! How long each instance has not been heard of, by a clock that never goes back. Pure: the moment is given.
//!
//! The store holds a counter per instance that every heartbeat moves, and no moment: what one machine calls three o'clock
//! says nothing to another. Each gateway measures for itself how long a counter has stood still.

use std::collections::BTreeMap;
use std::time::Duration;

use toolgate_core::ServerName;
use toolgate_core::server::InstanceId;

/// How often leases are looked at.
pub(crate) const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Between two looks; a longer gap is a pause of this machine or of the store, in which nobody could be heard.
const GAP_MAX: Duration = Duration::from_millis(2500);

pub(crate) type Place = (ServerName, InstanceId);

/// The moments are those of one clock since whatever its beginning was.
#[derive(Default, Debug)]
pub(crate) struct Leases {
    held: BTreeMap<Place, Held>,
    looked_at: Option<Duration>,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    beat: u64,
    lease: Duration,
    heard_at: Duration,
}

/// A lease that ran out, if nobody has heard of the instance elsewhere: `beat` is the last one known here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RunOut {
    pub(crate) place: Place,
    pub(crate) beat: u64,
}

impl Leases {
    /// What the store holds now. A counter that moved, and an instance that was not known, begin a full lease; what is no
    /// longer there is forgotten.
    pub(crate) fn see(&mut self, beats: impl IntoIterator<Item = (Place, u64, Duration)>, now: Duration) {
        self.looked_at.get_or_insert(now);
        let mut before = std::mem::take(&mut self.held);
        for (place, beat, lease) in beats {
            let heard_at =
                before.remove(&place).filter(|held| held.beat == beat).map_or(now, |held| held.heard_at);
            self.held.insert(place, Held { beat, lease, heard_at });
        }
    }

    /// A heartbeat that came to this very process.
    pub(crate) fn heard(&mut self, place: Place, beat: u64, lease: Duration, now: Duration) {
        self.held.insert(place, Held { beat, lease, heard_at: now });
    }

    pub(crate) fn forget(&mut self, place: &Place) {
        self.held.remove(place);
    }

    /// The leases that have run out. Called only when the store has just been read: while it is away nobody is heard, and
    /// that is nobody's fault.
    pub(crate) fn look(&mut self, now: Duration) -> Vec<RunOut> {
        let gap = self.looked_at.map_or(Duration::ZERO, |last| now.saturating_sub(last));
        self.looked_at = Some(now);
        if gap > GAP_MAX {
            self.forgive(gap, now);
        }
        let run_out = self.held.iter().filter(|(_, held)| now.saturating_sub(held.heard_at) > held.lease);
        run_out.map(|(place, held)| RunOut { place: place.clone(), beat: held.beat }).collect()
    }

    /// What is left of a lease.
    pub(crate) fn left(&self, place: &Place, now: Duration) -> Option<Duration> {
        let held = self.held.get(place)?;
        Some(held.lease.saturating_sub(now.saturating_sub(held.heard_at)))
    }

    /// Nobody pays for a pause: without this, everything would be taken out at its end and come back a moment later.
    fn forgive(&mut self, gap: Duration, now: Duration) {
        for held in self.held.values_mut() {
            held.heard_at = (held.heard_at + gap).min(now);
        }
    }
}

#[cfg(test)]
mod tests;
