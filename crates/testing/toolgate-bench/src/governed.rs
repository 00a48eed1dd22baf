//! `toolgate-bench governed`: the cost of policy, validation and a durable ledger, of one program or of an older and a newer
//! one in the same run.
//!
//! Lives here: the options and the order of rounds. Does not live here: one round (`load`), the kinds of governance
//! (`governed/kinds.rs`), the ledger at rest (`governed/kept.rs`, `governed/pages.rs`).

mod kept;
mod kinds;
mod pages;
mod sides;
mod statements;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;
use toolgate_stage::postgres::Database;

use crate::compare::Servers;
use crate::gateway;
use crate::load::Round;
use crate::proc;
use crate::report::{Machine, Report, ReportSettings, ReportTarget, Rounds, Row, median};
use crate::say::say;
use kinds::{CaseTargets, Kind, Storage};
use sides::{Programs, Running};
use statements::StatementCounter;

/// The time after which a round that counts calls ends all the same.
const CALLS_SECONDS_MAX: f64 = 120.0;
/// For one batch: one or two, and now and then the end of a block.
const STATEMENTS_MAX: f64 = 2.5;

#[derive(clap::Args)]
pub(crate) struct GovernedOptions {
    /// Short rounds: enough to see that all works, too short to trust the figures
    #[arg(long)]
    quick: bool,
    /// Rounds per case and side
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
    /// Also measure on this Postgres server; databases are made there, and dropped in the end
    #[arg(long, value_name = "URL", env = "TOOLGATE_BENCH_POSTGRES")]
    postgres: Option<String>,
    /// Also write the report as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The gateway binary; the one beside this program by default
    #[arg(long, value_name = "PATH")]
    toolgate: Option<PathBuf>,
    /// The binary of an earlier version: what it passes on is what shares are of
    #[arg(long, value_name = "PATH")]
    old: Option<PathBuf>,
    /// Measure only the cases whose names contain this, such as "durable start, SQLite, 64"; may be given more than once
    #[arg(long, value_name = "WORDS")]
    cases: Vec<String>,
    /// End each round after so many calls, not after two seconds: CPU per call needs no quiet machine
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    calls: Option<u64>,
    /// Also fill a ledger with this many events, and time pages of it and its verification
    #[arg(long, value_name = "N")]
    events: Option<u64>,
}

impl GovernedOptions {
    fn settings(&self) -> ReportSettings {
        let (rounds, warm_up_seconds, seconds) = if self.quick { (1, 0.1, 0.2) } else { (5, 1.0, 2.0) };
        ReportSettings {
            rounds: self.rounds.map_or(rounds, usize::from),
            warm_up_seconds,
            window_seconds: if self.calls.is_some() { CALLS_SECONDS_MAX } else { seconds },
            window_calls: self.calls,
            generator_threads: proc::cores(),
            starts: 0,
        }
    }
}

/// A way of a call whose instructions are counted.
pub(crate) struct CountedWay {
    pub(crate) name: &'static str,
    pub(crate) settings: String,
}

/// Passing on, a recorded read and a durable start, on SQLite.
pub(crate) fn counted_ways() -> [CountedWay; 3] {
    kinds::promised().map(|kind| CountedWay { name: kind.name, settings: kind.settings })
}

pub(crate) async fn run(options: GovernedOptions) -> anyhow::Result<ExitCode> {
    let settings = options.settings();
    let cases = CaseNames(options.cases.clone());
    let programs = Programs { new: gateway::program(options.toolgate.clone())?, old: options.old.clone() };
    let servers = Servers::start().await?;
    // Shares are of this one, which runs all the time.
    let passing = Running::start(programs.first(), &servers, kinds::PASSING_ON).await?;
    let mut report = empty_report(&settings);
    let sync_us = kept::sync_us()?;
    for storage in Storage::all(options.postgres.as_deref()) {
        for kind in kinds::all(storage) {
            let bench = KindBench {
                kind: &kind,
                storage,
                settings: &settings,
                servers: &servers,
                passing: &passing,
                sync_us,
                cases: &cases,
            };
            bench.run(&programs, &mut report).await.with_context(|| kind.name_on(storage))?;
        }
    }
    passing.gateway.end().await?;
    if let Some(events) = options.events {
        eprintln!("a ledger of {events} events");
        add(&mut report, pages::measure(events, options.postgres.as_deref()).await?)?;
    }
    say(&report.table_of([if programs.old.is_some() { "old" } else { "" }, "new"]))?;
    say(&format!(
        "\n`of passing on` is the share of what the {} program passes on without policy and record; `p50 added` is over a direct call. \
         A sync of this disk takes {sync_us:.0} µs.",
        if programs.old.is_some() { "old" } else { "same" }
    ))?;
    if let Some(server) = options.postgres.as_deref() {
        say(&statements::about(&Database::create(server)).join("\n"))?;
    }
    if let Some(path) = &options.json {
        let json = serde_json::to_string_pretty(&report).context("write the report as JSON")?;
        std::fs::write(path, json + "\n").with_context(|| format!("write {}", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// A run takes long, and one that is ended early has still said what it found.
fn add(report: &mut Report, rows: impl IntoIterator<Item = Row>) -> anyhow::Result<()> {
    for row in rows {
        say(&row.line())?;
        report.rows.push(row);
    }
    Ok(())
}

/// The cases that are wanted, by words of their names; all if there are none.
struct CaseNames(Vec<String>);

impl CaseNames {
    fn has(&self, case: &str) -> bool {
        self.0.is_empty() || self.0.iter().any(|words| case.contains(&**words))
    }
}

fn empty_report(settings: &ReportSettings) -> Report {
    Report {
        machine: Machine { cpu: proc::cpu_model(), cores: proc::cores(), other_load_cores_max: 0.0 },
        settings: settings.clone(),
        rows: Vec::new(),
        rounds: Vec::new(),
        calls: 0,
        errors: 0,
    }
}

/// One kind of governance on one database.
struct KindBench<'a> {
    kind: &'a Kind,
    storage: Storage<'a>,
    settings: &'a ReportSettings,
    servers: &'a Servers,
    passing: &'a Running,
    sync_us: f64,
    cases: &'a CaseNames,
}

/// The rounds of one number of connections.
#[derive(Default)]
struct CaseRounds {
    direct: Vec<Round>,
    passing: Vec<Round>,
    old: Vec<Round>,
    new: Vec<Round>,
}

impl KindBench<'_> {
    async fn run(&self, programs: &Programs, report: &mut Report) -> anyhow::Result<()> {
        let name = |connections: usize| format!("{}, {}", self.kind.name_on(self.storage), told(connections));
        let connections = self.kind.connections.iter().filter(|count| self.cases.has(&name(**count)));
        let connections: Vec<usize> = connections.copied().collect();
        if !connections.is_empty() {
            let new = self.start(&programs.new).await?;
            let old = match &programs.old {
                Some(program) => Some(self.start(program).await?),
                None => None,
            };
            for connections in connections {
                let counter = new.database.as_ref().and_then(StatementCounter::begin);
                let rounds = self.rounds(connections, old.as_ref(), &new).await?;
                let targets = self.kind.targets(self.storage, connections, self.sync_us);
                let rows = rounds.rows(&name(connections), targets);
                add(report, rows)?;
                if let Some(per_batch) = counter.map(|counter| counter.per_batch()).transpose()?.flatten() {
                    add(report, [asked(&name(connections), per_batch)])?;
                }
                rounds.count(&name(connections), report);
            }
            new.gateway.end().await?;
            if let Some(old) = old {
                old.gateway.end().await?;
            }
        }
        let plain = kept::PlainCalls {
            settings: self.settings,
            servers: self.servers,
            kind: self.kind,
            storage: self.storage,
        };
        if self.kind.is_plain && self.cases.has(&plain.case()) {
            add(report, plain.measure(programs).await?)?;
        }
        Ok(())
    }

    async fn start(&self, program: &Path) -> anyhow::Result<Running> {
        let (settings, database) = self.storage.settings(&self.kind.settings);
        Running::start_on(program, self.servers, &settings, database).await
    }

    /// Direct, passing on, old, new, direct, …, so that other load on the machine affects all alike.
    async fn rounds(
        &self,
        connections: usize,
        old: Option<&Running>,
        new: &Running,
    ) -> anyhow::Result<CaseRounds> {
        let mut rounds = CaseRounds::default();
        for _ in 0..self.settings.rounds {
            rounds.direct.push(sides::direct(self.settings, self.servers, self.passing, connections).await?);
            rounds.passing.push(self.passing.round(self.settings, connections).await?);
            if let Some(old) = old {
                rounds.old.push(old.round(self.settings, connections).await?);
            }
            rounds.new.push(new.round(self.settings, connections).await?);
        }
        Ok(rounds)
    }
}

/// Statements that reach Postgres for one batch, each of them a round trip.
fn asked(case: &str, per_batch: f64) -> Row {
    let row = Row::new(case, "statements and round trips per batch", "");
    row.measured(None, Some(per_batch)).judged(Some(ReportTarget::AtMost(STATEMENTS_MAX)))
}

fn told(connections: usize) -> String {
    format!("{connections} connection{}", if connections == 1 { "" } else { "s" })
}

fn median_of(rounds: &[Round], figure: impl Fn(&Round) -> f64) -> Option<f64> {
    if rounds.is_empty() { None } else { Some(median(rounds.iter().map(figure))) }
}

impl CaseRounds {
    fn rows(&self, case: &str, targets: CaseTargets) -> [Row; 4] {
        let row = |what, unit, figure: &dyn Fn(&Round) -> f64| {
            Row::new(case, what, unit).measured(median_of(&self.old, figure), median_of(&self.new, figure))
        };
        let passed_on = median_of(&self.passing, |round| round.calls_per_second).unwrap_or(f64::NAN);
        let direct_us = median_of(&self.direct, |round| round.p50_us).unwrap_or(f64::NAN);
        [
            row("of passing on", "", &|round| round.calls_per_second / passed_on)
                .judged(targets.share_min.map(ReportTarget::AtLeast)),
            row("gateway CPU per call", "µs", &|round| round.cpu_us[0])
                .judged(targets.cpu_us_max.map(ReportTarget::AtMost)),
            row("p50 added", "µs", &|round| round.p50_us - direct_us)
                .judged(targets.added_us_max.map(ReportTarget::AtMost)),
            row("throughput", "calls/s", &|round| round.calls_per_second),
        ]
    }

    fn count(&self, case: &str, report: &mut Report) {
        let throughputs = |rounds: &[Round]| rounds.iter().map(|round| round.calls_per_second).collect();
        let (direct, gateway) = (throughputs(&self.passing), throughputs(&self.new));
        report.rounds.push(Rounds { case: case.to_owned(), direct, gateway });
        for round in [&self.direct, &self.passing, &self.old, &self.new].into_iter().flatten() {
            report.calls += round.calls;
            let other = &mut report.machine.other_load_cores_max;
            *other = other.max(round.other_load_cores);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn round(calls_per_second: f64, p50_us: f64) -> Round {
        Round {
            calls: 1,
            calls_per_second,
            p50_us,
            p99_us: 2.0,
            generator_cpu_us: 3.0,
            cpu_us: vec![80.0],
            other_load_cores: 0.2,
        }
    }

    #[test]
    fn shares_are_of_what_is_passed_on_and_latency_is_over_a_direct_call() {
        let rounds = CaseRounds {
            direct: vec![round(900.0, 50.0)],
            passing: vec![round(100.0, 90.0), round(200.0, 90.0), round(200.0, 90.0)],
            old: vec![round(50.0, 350.0)],
            new: vec![round(140.0, 150.0)],
        };
        let mut report = empty_report(&ReportSettings {
            rounds: 1,
            warm_up_seconds: 0.1,
            window_seconds: 0.2,
            window_calls: None,
            generator_threads: 1,
            starts: 0,
        });
        let targets =
            CaseTargets { share_min: Some(0.65), cpu_us_max: Some(75.0), added_us_max: Some(100.0) };
        rounds.count("a case", &mut report);
        let rows = rounds.rows("a case", targets);
        let figures: Vec<_> = rows.iter().map(|row| (row.direct, row.gateway, row.pass)).collect();
        assert_eq!(figures[0], (Some(0.25), Some(0.7), Some(true)));
        assert_eq!(figures[1], (Some(80.0), Some(80.0), Some(false)));
        assert_eq!(figures[2], (Some(300.0), Some(100.0), Some(true)));
        assert_eq!(report.calls, 6);
    }

    #[test]
    fn cases_are_named_by_any_of_their_words() {
        let names = CaseNames(vec!["start, SQLite, 64".to_owned(), kept::CASE.to_owned()]);
        assert!(
            names.has("durable start, SQLite, 64 connections")
                && names.has("ledger of plain calls, Postgres")
        );
        assert!(!names.has("durable start, SQLite, 16 connections"));
        assert!(CaseNames(Vec::new()).has("anything"));
    }
}
