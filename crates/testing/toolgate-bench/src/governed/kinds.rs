//! The kinds of governance that are measured, on which database, and what is promised for each.

use std::fmt::Write as _;

use toolgate_stage::postgres::Database;

use crate::gateway::PASS_ON;

pub(super) const PASSING_ON: &str = PASS_ON;

/// The number of policies about the called tool's arguments, and about other tools.
const POLICIES_ON_IT: usize = 5;
const POLICIES_ELSEWHERE: usize = 45;

/// All kinds of personal data and secrets, in arguments and results.
const FILTERS: &str = "[[filters]]\nname = \"care\"\non = \"both\"\ntools = [\"*\"]\nkinds = [\"personal\", \"secrets\"]\naction = \"mask\"\n";
/// Everything that is counted with a call, never reached.
const QUOTAS: &str =
    "[[quotas]]\nprincipal = \"*\"\ncalls_max = 100000\nrate = \"100000000/m\"\ncalls_per_day = 1000000000\n";

/// What one call may add to the time that the disk takes, in microseconds.
const ADDED_US_MAX: f64 = 150.0;

/// The database of the measured gateways.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Storage<'a> {
    Sqlite,
    /// The URL of a server.
    Postgres(&'a str),
}

impl<'a> Storage<'a> {
    pub(super) fn all(postgres: Option<&'a str>) -> Vec<Self> {
        [Storage::Sqlite].into_iter().chain(postgres.map(Storage::Postgres)).collect()
    }

    fn name(self) -> &'static str {
        match self {
            Storage::Sqlite => "SQLite",
            Storage::Postgres(_) => "Postgres",
        }
    }

    /// A case on this database.
    pub(super) fn named(self, case: &str) -> String {
        format!("{case}, {}", self.name())
    }

    /// The settings of one gateway, with a database of its own.
    pub(super) fn settings(self, settings: &str) -> (String, Option<Database>) {
        match self {
            Storage::Sqlite => (settings.to_owned(), None),
            Storage::Postgres(server) => {
                let database = Database::create(server);
                (format!("[store]\nurl = {:?}\n\n{settings}", database.url), Some(database))
            }
        }
    }
}

pub(super) struct Kind {
    pub(super) name: &'static str,
    pub(super) settings: String,
    pub(super) connections: &'static [usize],
    /// Nothing but its record: by it, bytes are counted.
    pub(super) is_plain: bool,
    promise: Promise,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Promise {
    PassingOn,
    Reads,
    DurableStart,
    None,
}

/// The promises for one case.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct CaseTargets {
    pub(super) share_min: Option<f64>,
    pub(super) cpu_us_max: Option<f64>,
    pub(super) added_us_max: Option<f64>,
}

impl Kind {
    fn new(name: &'static str, settings: String, promise: Promise) -> Self {
        Self { name, settings, connections: &[1, 16, 64], is_plain: promise == Promise::Reads, promise }
    }

    pub(super) fn name_on(&self, storage: Storage<'_>) -> String {
        storage.named(self.name)
    }

    pub(super) fn targets(&self, storage: Storage<'_>, connections: usize, sync_us: f64) -> CaseTargets {
        let none = CaseTargets::default();
        match (self.promise, storage, connections) {
            (Promise::PassingOn, Storage::Sqlite, 64) => CaseTargets { cpu_us_max: Some(45.0), ..none },
            (Promise::Reads, Storage::Sqlite, 64) => {
                CaseTargets { share_min: Some(0.75), cpu_us_max: Some(75.0), ..none }
            }
            (Promise::DurableStart, Storage::Sqlite, 64) => {
                CaseTargets { share_min: Some(0.65), cpu_us_max: Some(90.0), ..none }
            }
            (Promise::DurableStart, Storage::Sqlite, 1) => {
                CaseTargets { cpu_us_max: Some(250.0), added_us_max: Some(sync_us + ADDED_US_MAX), ..none }
            }
            (Promise::DurableStart, Storage::Postgres(_), 64) => {
                CaseTargets { share_min: Some(0.45), ..none }
            }
            _ => none,
        }
    }
}

/// The kinds for which something is promised.
pub(super) fn promised() -> [Kind; 3] {
    [
        Kind::new("passing on", PASSING_ON.to_owned(), Promise::PassingOn),
        Kind::new("reads recorded", recorded("\"read\""), Promise::Reads),
        Kind::new("durable start", recorded("\"read\", \"write\""), Promise::DurableStart),
    ]
}

/// Filters and quotas do not depend on the database.
pub(super) fn all(storage: Storage<'_>) -> Vec<Kind> {
    let mut kinds = Vec::from(promised());
    if storage == Storage::Sqlite {
        let reads = recorded("\"read\"");
        let crowded =
            |name, settings| Kind { connections: &[64], ..Kind::new(name, settings, Promise::None) };
        kinds.extend([
            crowded("reads recorded and filtered", format!("{reads}\n{FILTERS}")),
            crowded("reads recorded and counted by quotas", format!("{reads}\n{QUOTAS}")),
        ]);
    }
    kinds
}

fn recorded(effects: &str) -> String {
    format!("[policy]\nguard = '''\n{}'''\n\n[[tools]]\nname = \"*:*\"\neffects = [{effects}]\n", policies())
}

fn policies() -> String {
    let mut text = String::from("permit(principal, action, resource);\n");
    for number in 0..POLICIES_ON_IT {
        writeln!(
            text,
            "forbid(principal, action == Action::\"fast:echo\", resource) when {{ context.input.text like \"*forbidden {number}*\" }};"
        )
        .expect("a String grows");
    }
    for number in 0..POLICIES_ELSEWHERE {
        writeln!(
            text,
            "forbid(principal, action == Action::\"other:tool{number}\", resource) when {{ context.input.amount > {number} }};"
        )
        .expect("a String grows");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_database_is_measured_at_each_number_of_connections() {
        let kinds = all(Storage::Postgres("postgres://nowhere"));
        assert!(kinds.iter().all(|kind| kind.connections == [1, 16, 64]));
        assert_eq!(kinds.len(), 3);
        assert_eq!(all(Storage::Sqlite).iter().filter(|kind| kind.is_plain).count(), 1);
    }

    #[test]
    fn the_latency_of_a_durable_start_is_promised_over_that_of_the_disk() {
        let kinds = all(Storage::Sqlite);
        let durable =
            kinds.iter().find(|kind| kind.promise == Promise::DurableStart).expect("it is measured");
        assert_eq!(durable.targets(Storage::Sqlite, 1, 800.0).added_us_max, Some(950.0));
        assert_eq!(durable.targets(Storage::Sqlite, 16, 800.0), CaseTargets::default());
    }
}
