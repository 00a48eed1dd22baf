//! The silence of each instance, by a monotonic clock. Pure: the time is a parameter.
//!
//! The store has a counter per instance that every heartbeat increments, and no time: the clocks of two
//! machines are not comparable. Each gateway measures for itself how long a counter has stood still.

use std::collections::BTreeMap;
use std::time::Duration;

use toolgate_core::ServerName;
use toolgate_core::server::InstanceId;

/// The interval between checks of leases.
pub(crate) const LOOK_EVERY: Duration = Duration::from_secs(1);

/// The maximum gap between two checks; a longer one is a pause of this machine or of the store, in which no
/// heartbeat could arrive.
const GAP_MAX: Duration = Duration::from_millis(2500);

pub(crate) type InstanceKey = (ServerName, InstanceId);

/// Times are those of one clock with any origin.
#[derive(Default, Debug)]
pub(crate) struct Leases {
    held: BTreeMap<InstanceKey, HeldLease>,
    looked_at: Option<Duration>,
}

#[derive(Clone, Copy, Debug)]
struct HeldLease {
    beat: u64,
    lease: Duration,
    heard_at: Duration,
}

/// A lease that ran out, unless another gateway has heard of the instance: `beat` is the last one known here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct RunOut {
    pub(crate) place: InstanceKey,
    pub(crate) beat: u64,
}

impl Leases {
    /// Takes the current state of the store. A counter that moved, and an unknown instance, begin a full
    /// lease; removed instances are forgotten.
    pub(crate) fn see(
        &mut self,
        beats: impl IntoIterator<Item = (InstanceKey, u64, Duration)>,
        now: Duration,
    ) {
        self.looked_at.get_or_insert(now);
        let mut before = std::mem::take(&mut self.held);
        for (place, beat, lease) in beats {
            let heard_at =
                before.remove(&place).filter(|held| held.beat == beat).map_or(now, |held| held.heard_at);
            self.held.insert(place, HeldLease { beat, lease, heard_at });
        }
    }

    /// A heartbeat to this very process.
    pub(crate) fn heard(&mut self, place: InstanceKey, beat: u64, lease: Duration, now: Duration) {
        self.held.insert(place, HeldLease { beat, lease, heard_at: now });
    }

    pub(crate) fn forget(&mut self, place: &InstanceKey) {
        self.held.remove(place);
    }

    /// The leases that have run out. Called only right after the store was read: while it is down no
    /// heartbeat can arrive, through no fault of the instances.
    pub(crate) fn look(&mut self, now: Duration) -> Vec<RunOut> {
        let gap = self.looked_at.map_or(Duration::ZERO, |last| now.saturating_sub(last));
        self.looked_at = Some(now);
        if gap > GAP_MAX {
            self.forgive(gap, now);
        }
        let run_out = self.held.iter().filter(|(_, held)| now.saturating_sub(held.heard_at) > held.lease);
        run_out.map(|(place, held)| RunOut { place: place.clone(), beat: held.beat }).collect()
    }

    /// The rest of a lease.
    pub(crate) fn left(&self, place: &InstanceKey, now: Duration) -> Option<Duration> {
        let held = self.held.get(place)?;
        Some(held.lease.saturating_sub(now.saturating_sub(held.heard_at)))
    }

    /// A pause does not count: otherwise every instance would be removed at its end and come back a moment
    /// later.
    fn forgive(&mut self, gap: Duration, now: Duration) {
        for held in self.held.values_mut() {
            held.heard_at = (held.heard_at + gap).min(now);
        }
    }
}

#[cfg(test)]
mod tests;
