//! The leases of runs, looked at past the gateways: when were those of a gateway that died taken up?

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use toolgate_stage::postgres::Database;

use crate::governed::bank::Bank;

const POLL: Duration = Duration::from_millis(20);

/// The database of a gateway.
#[derive(Clone)]
pub(super) enum LeaseTable {
    Sqlite(PathBuf),
    Postgres(Arc<Database>),
}

impl LeaseTable {
    pub(super) fn of(bank: &Bank) -> Self {
        match bank.backing().database() {
            Some(database) => Self::Postgres(database.clone()),
            None => Self::Sqlite(bank.gateway.data().join("toolgate.db")),
        }
    }

    fn read(&self, statement: &str) -> String {
        match self {
            LeaseTable::Postgres(database) => database.read(statement),
            LeaseTable::Sqlite(path) => {
                let script = "import sqlite3, sys\ndb = sqlite3.connect(sys.argv[1], timeout=30)\n\
                    for row in db.execute(sys.argv[2]): print('|'.join(map(str, row)))";
                let output = Command::new("python3").args(["-c", script]).arg(path).arg(statement).output();
                let output = output.expect("Python is there");
                assert!(output.status.success(), "{output:?}");
                String::from_utf8(output.stdout).expect("names and numbers")
            }
        }
    }

    /// The numbers of the leases that are held by others than this gateway, by run.
    fn held_by_others(&self, stream: &str) -> BTreeMap<String, u64> {
        let rows = self.read(&format!(
            "SELECT run, fence FROM run_loops WHERE owner IS NOT NULL AND owner <> '{stream}' AND state = 'ready'"
        ));
        rows.lines().map(read_row).collect()
    }

    fn numbers(&self) -> BTreeMap<String, u64> {
        self.read("SELECT run, fence FROM run_loops").lines().map(read_row).collect()
    }

    /// Watches how the leases of a gateway that has just been killed are taken up: each has a higher number then. `survivor` is the stream
    /// of a gateway that lives. Returns the time of each since the kill; those that are never taken up have the whole patience.
    pub(super) fn watch(&self, survivor: &str, killed: Instant, patience: Duration) -> LeaseWatch {
        let (table, mut waiting) = (self.clone(), self.held_by_others(survivor));
        LeaseWatch(std::thread::spawn(move || {
            let mut times = Vec::new();
            while !waiting.is_empty() && killed.elapsed() < patience {
                let now = table.numbers();
                let before = waiting.len();
                waiting.retain(|run, fence| now.get(run).is_none_or(|number| number <= fence));
                times.extend(std::iter::repeat_n(killed.elapsed(), before - waiting.len()));
                std::thread::sleep(POLL);
            }
            times.extend(std::iter::repeat_n(patience, waiting.len()));
            times
        }))
    }
}

fn read_row(line: &str) -> (String, u64) {
    let (run, fence) = line.split_once('|').expect("two columns");
    (run.to_owned(), fence.parse().expect("a number"))
}

pub(super) struct LeaseWatch(JoinHandle<Vec<Duration>>);

impl LeaseWatch {
    /// The times until the leases were taken up.
    pub(super) fn times(self) -> Vec<Duration> {
        self.0.join().expect("the watch does not panic")
    }
}
