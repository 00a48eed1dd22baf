//! The settings of pointers, as the gateway has them.

use super::settings::PointerSettings;
use crate::state::Substrate;

impl Substrate {
    /// Sets how long moves are retained. Only the first call counts.
    pub fn set_pointers(&self, settings: PointerSettings) {
        let is_first = self.pointers.set(settings).is_ok();
        debug_assert!(is_first, "the settings of pointers are told once");
    }

    pub(super) fn pointer_settings(&self) -> PointerSettings {
        self.pointers.get().copied().unwrap_or_default()
    }
}
