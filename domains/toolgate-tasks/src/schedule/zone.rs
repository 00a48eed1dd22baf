//! Time zones by their IANA names. Their rules are part of the program, and not those of the machine: gateways that work together
//! must agree on every instant.

use std::sync::LazyLock;

use jiff::tz::{TimeZone, TimeZoneDatabase};

use super::BadSchedule;

/// Names that are suggested for one that does not exist.
const NEAREST_MAX: usize = 3;
/// The likeness from which a name is worth suggesting.
const ALIKE: f64 = 0.8;

static ZONES: LazyLock<TimeZoneDatabase> = LazyLock::new(TimeZoneDatabase::bundled);

pub(super) fn find(name: &str) -> Result<TimeZone, BadSchedule> {
    if name == "UTC" {
        return Ok(TimeZone::UTC);
    }
    // `Etc/Unknown` is a name for none.
    let found = ZONES.get(name).ok().filter(|zone| !zone.is_unknown());
    found.ok_or_else(|| BadSchedule::Zone { name: name.to_owned(), nearest: nearest(name) })
}

/// The names most like one, by the whole name or by the place in it.
fn nearest(name: &str) -> Vec<String> {
    let wanted = name.to_lowercase();
    let place = |text: &str| text.rsplit('/').next().unwrap_or_default().to_owned();
    let likeness = |known: &str| {
        let known = known.to_lowercase();
        strsim::jaro_winkler(&wanted, &known).max(strsim::jaro_winkler(&place(&wanted), &place(&known)))
    };
    let mut near: Vec<(f64, String)> = ZONES
        .available()
        .map(|known| (likeness(known.as_str()), known.as_str().to_owned()))
        .filter(|(likeness, _)| *likeness > ALIKE)
        .collect();
    near.sort_by(|one, other| other.0.total_cmp(&one.0).then_with(|| one.1.cmp(&other.1)));
    near.into_iter().take(NEAREST_MAX).map(|(_, name)| name).collect()
}
