//! The settings of pointers.

use std::time::Duration;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PointerSettings {
    /// The time for which a pointer can be reverted to a manifest that it left.
    pub moves_kept: Duration,
}

impl Default for PointerSettings {
    fn default() -> Self {
        Self { moves_kept: 90 * DAY }
    }
}

impl PointerSettings {
    /// Moves before this moment are not retained.
    pub(super) fn retained_since_ms(self, now_ms: i64) -> i64 {
        now_ms.saturating_sub(i64::try_from(self.moves_kept.as_millis()).unwrap_or(i64::MAX))
    }

    /// The time for people.
    pub(super) fn told(self) -> String {
        let (seconds, day) = (self.moves_kept.as_secs(), DAY.as_secs());
        match seconds > 0 && seconds % day == 0 {
            true => format!("{} days", seconds / day),
            false => format!("{seconds} seconds"),
        }
    }
}
