//! The use of quotas in this gateway, as people look at it.

use std::sync::Arc;

use super::{DAY_MS, Quota, QuotaHolder, QuotaRule, QuotaTally, Quotas};

/// A holder of a quota, and its usage. Those are known that made a call or opened a stream here.
#[derive(Clone, Debug)]
pub struct QuotaHolding {
    pub holder: QuotaHolder,
    pub quota: Quota,
    /// Calls under way.
    pub running: usize,
    /// Calls that wait for others to end.
    pub waiting: usize,
    /// Open streams.
    pub streams: usize,
    /// Calls of this day, of all gateways. `None` if they are not limited, and so are not counted.
    pub calls_today: Option<u64>,
}

impl Quotas {
    /// The rules in force, in the order of the configuration.
    pub fn rules(&self) -> Arc<Vec<QuotaRule>> {
        self.rules.load_full()
    }

    pub fn holdings(&self, now_ms: i64) -> Vec<QuotaHolding> {
        let day = now_ms.div_euclid(DAY_MS);
        let tallies: Vec<Arc<QuotaTally>> = self.lock().values().cloned().collect();
        tallies.iter().map(|tally| tally.holding(day)).collect()
    }
}

impl QuotaTally {
    fn holding(&self, day: i64) -> QuotaHolding {
        let (running, waiting) = self.line.occupancy();
        let state = self.lock();
        let made = if state.today.day == day { state.today.made() } else { 0 };
        QuotaHolding {
            holder: self.holder.clone(),
            quota: state.quota.clone(),
            running,
            waiting,
            streams: state.streams,
            calls_today: state.quota.calls_per_day.map(|_| made),
        }
    }
}
