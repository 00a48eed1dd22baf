//! The limit on recorded calls that lead nowhere: a fixed number for each principal and minute, so that a flood of them does
//! not fill the ledger. Those beyond it are counted, and the next one that is recorded says how many.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use toolgate_core::PrincipalId;

const WINDOW: Duration = Duration::from_secs(60);
/// Calls of one principal that are recorded in a window.
const RECORDED_MAX: u32 = 60;
/// Principals that are remembered; those whose window is over are forgotten then.
const PRINCIPALS_MAX: usize = 10_000;

#[derive(Default)]
pub(crate) struct Futile(Mutex<HashMap<PrincipalId, Window>>);

struct Window {
    began: Instant,
    recorded: u32,
    omitted: u64,
}

impl Futile {
    /// Counts a call of a principal. If it is to be recorded: how many before it were not.
    pub(crate) fn count(&self, principal: &PrincipalId, now: Instant) -> Option<u64> {
        let mut windows = self.0.lock();
        if windows.len() >= PRINCIPALS_MAX {
            windows.retain(|_, window| now.duration_since(window.began) < WINDOW);
        }
        if windows.len() >= PRINCIPALS_MAX && !windows.contains_key(principal) {
            return None;
        }
        let new = Window { began: now, recorded: 0, omitted: 0 };
        let window = windows.entry(principal.clone()).or_insert(new);
        if now.duration_since(window.began) >= WINDOW {
            (window.began, window.recorded) = (now, 0);
        }
        if window.recorded >= RECORDED_MAX {
            window.omitted += 1;
            return None;
        }
        window.recorded += 1;
        Some(std::mem::take(&mut window.omitted))
    }

    /// Counts a call that is not recorded for another reason.
    pub(crate) fn omit(&self, principal: &PrincipalId, count: u64) {
        if let Some(window) = self.0.lock().get_mut(principal) {
            window.omitted += count;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_counted_and_told_with_the_next_one() {
        let (futile, begun) = (Futile::default(), Instant::now());
        let (flooder, other) = (PrincipalId::new("flooder"), PrincipalId::new("other"));
        for _ in 0..RECORDED_MAX {
            assert_eq!(futile.count(&flooder, begun), Some(0));
        }
        for _ in 0..1_000 {
            assert_eq!(futile.count(&flooder, begun + WINDOW / 2), None);
        }
        assert_eq!(futile.count(&other, begun), Some(0), "others are recorded");
        futile.omit(&flooder, 1);
        assert_eq!(futile.count(&flooder, begun + WINDOW), Some(1_001));
        assert_eq!(futile.count(&flooder, begun + WINDOW), Some(0), "told once");
    }
}
