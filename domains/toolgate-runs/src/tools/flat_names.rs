//! The end of the names from before names were dotted.

use toolgate_domain::midnight_ms;

pub(super) const FLAT_NAMES_END_MS: i64 = midnight_ms(2027, 12, 1);
