//! The doctor's findings about the machine and the program: its version, the clock, the disk space, the
//! policy in force.

use std::path::Path;

use toolgate_core::decision::Policy as _;
use toolgate_core::event::EventFilter;
use toolgate_core::moment::rfc3339;
use toolgate_policy::PolicyEngine;
use toolgate_store::{LedgerOrder, Store, StoredGateway};
use toolgate_wire::ProtocolVersion;

use super::finding::{DoctorFinding, fine, wrong};
use crate::claim;
use crate::command::policy::PoliciesInForce;
use crate::command::shown::{now_ms, several};
use crate::config::Config;
use crate::failure;
use crate::governance::written_sources;

/// Below this, writes will soon fail.
const ROOM_BYTES_MIN: u64 = 256 << 20;
/// Below this, a warning is due.
const ROOM_BYTES_FEW: u64 = 2 << 30;
/// Other gateways' clocks may be ahead by a little.
const CLOCK_BEHIND_MS_MAX: i64 = 60_000;

pub(super) fn version() -> DoctorFinding {
    let newest = ProtocolVersion::LATEST_MODERN.as_str();
    fine("version", format!("Toolgate {}, MCP up to {newest}", env!("CARGO_PKG_VERSION")))
}

pub(super) async fn check(config: &Config, store: &Store) -> Vec<DoctorFinding> {
    let mut findings = vec![clock(store).await, room(&config.data), policy(config, store).await];
    if store.is_shared() {
        findings.push(stream(config, store).await);
    }
    findings
}

/// A clock that is behind the last recorded event was set back, and tokens, leases and certificates depend on
/// it.
async fn clock(store: &Store) -> DoctorFinding {
    let newest = store.ledger_page(&EventFilter::default(), None, 1, LedgerOrder::NewestFirst).await;
    let (now, newest) = match newest {
        // Its place in the order: the dates of what came after the clock was set back are as wrong as the clock.
        Ok(newest) => (now_ms(), newest.first().map(|one| one.time.ms())),
        Err(error) => return wrong("clock", error.to_string(), None),
    };
    match newest.filter(|newest| newest - now > CLOCK_BEHIND_MS_MAX) {
        Some(newest) => wrong(
            "clock",
            format!("it is {} here, and the ledger has an event of {}", rfc3339(now), rfc3339(newest)),
            Some("set the clock of this machine; certificates and the end of tokens go by it".into()),
        ),
        None => fine("clock", rfc3339(now)),
    }
}

/// The gateways on the same database, and whether one of them writes the stream that this one would.
async fn stream(config: &Config, store: &Store) -> DoctorFinding {
    let own = &config.store.stream;
    let (place, gateways) = match (claim::place(&config.data), store.read_gateways().await) {
        (Ok(place), Ok(gateways)) => (place, gateways),
        (Err(error), _) => return wrong("stream", error.to_string(), None),
        (_, Err(error)) => return wrong("stream", error.to_string(), None),
    };
    let seen = |one: &StoredGateway| format!("{} (last seen {})", one.shown, rfc3339(one.seen_ms));
    let (same, others): (Vec<_>, Vec<_>) =
        gateways.iter().filter(|one| one.place != place).partition(|one| one.stream == *own);
    if let Some(other) = same.first() {
        let hint = "give each gateway on a database a name of its own: `stream` in `[store]`";
        return wrong("stream", format!("{own:?} is written by {}", seen(other)), Some(hint.into()));
    }
    let beside: Vec<String> = others.iter().map(|one| format!("{:?} by {}", one.stream, seen(one))).collect();
    let beside =
        if beside.is_empty() { String::new() } else { format!("; others write {}", beside.join(", ")) };
    fine("stream", format!("{own:?}{beside}"))
}

fn room(data: &Path) -> DoctorFinding {
    let free = match rustix::fs::statvfs(data) {
        Ok(disk) => disk.f_bavail.saturating_mul(disk.f_frsize),
        Err(error) => return wrong("disk", format!("{}: {error}", data.display()), None),
    };
    let says = format!("{} free for the data folder", told_bytes(free));
    let hint = "make room: a full disk stops every call that has to be recorded".to_owned();
    match free {
        0..ROOM_BYTES_MIN => wrong("disk", says, Some(hint)),
        ROOM_BYTES_MIN..ROOM_BYTES_FEW => DoctorFinding { hint: Some(hint), ..fine("disk", says) },
        _ => fine("disk", says),
    }
}

fn told_bytes(bytes: u64) -> String {
    match bytes {
        0..0x4000_0000 => format!("{} MiB", bytes >> 20),
        _ => format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30)),
    }
}

/// The written policies, and whether the running gateway uses them.
async fn policy(config: &Config, store: &Store) -> DoctorFinding {
    let place = match &config.policy.folder {
        Some(folder) => folder.display().to_string(),
        None => "no folder of your own".into(),
    };
    let in_force = PoliciesInForce::of(config).await;
    let written = written_sources(config, store).await;
    let engine = match written.and_then(|sources| Ok(PolicyEngine::load(sources)?)) {
        Ok(engine) => engine,
        Err(error) => {
            let decides =
                in_force.version().map(|version| format!("; the running gateway decides by {version}"));
            let says = format!("{}{}", failure::render(&error), decides.unwrap_or_default());
            return wrong("policy", says, Some("`toolgate policy check` says where".to_owned()));
        }
    };
    let told = in_force.told(Some(engine.version()));
    let (told, hint) = match told.split_once("\nhint: ") {
        Some((told, hint)) => (told, Some(hint.to_owned())),
        None => (told.as_str(), None),
    };
    let says = format!("{} written; {place}; {told}", several(engine.rules().len() as u64, "rule"));
    DoctorFinding { ok: in_force.is_by(engine.version()), hint, ..fine("policy", says) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_room_on_a_disk_is_told_in_units_people_use() {
        assert_eq!(told_bytes(300 << 20), "300 MiB");
        assert_eq!(told_bytes(5 << 30), "5.0 GiB");
    }
}
