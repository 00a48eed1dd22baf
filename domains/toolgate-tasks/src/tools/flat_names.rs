//! The end of the names without dots, under which other programs know these tools.

use toolgate_domain::midnight_ms;

pub(super) const FLAT_NAMES_END_MS: i64 = midnight_ms(2027, 12, 1);
