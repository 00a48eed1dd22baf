//! `toolgate-bench run`: all measurements of one sitting, in one report.
//!
//! Lives here: options, the order of steps, the output. Does not live here: any measurement itself.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context as _;

use crate::client::BenchTarget;
use crate::compare::{self, Behind, CASES, Case, Outcome, Servers, Through};
use crate::gateway::{self, BenchGateway, Home, Launcher};
use crate::proc;
use crate::report::{Machine, Report, ReportSettings, Row};
use crate::say::say;
use crate::start::{self, at_rest, mib, resident_mib_at_rest};
use crate::wire::Work;

#[derive(clap::Args)]
pub(crate) struct RunOptions {
    /// Short rounds: enough to see that all works, too short to trust the figures
    #[arg(long)]
    quick: bool,
    /// Only measure the fast server itself, without a gateway
    #[arg(long)]
    direct_only: bool,
    /// Only the cases whose name contains this text
    #[arg(long, value_name = "TEXT", default_value = "")]
    only: String,
    /// Rounds per case and side
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
    /// Measured seconds per round
    #[arg(long, value_name = "S", value_parser = clap::value_parser!(u16).range(1..))]
    seconds: Option<u16>,
    /// Threads of the load generator; one per core by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Also write the report as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The gateway binary; the one beside this program by default
    #[arg(long, value_name = "PATH")]
    toolgate: Option<PathBuf>,
    /// Exit with 1 when a target is missed
    #[arg(long)]
    strict: bool,
}

impl RunOptions {
    fn settings(&self) -> ReportSettings {
        let (rounds, warm_up_seconds, window_seconds, starts) =
            if self.quick { (3, 0.3, 1.0, 3) } else { (5, 1.0, 3.0, 5) };
        ReportSettings {
            rounds: self.rounds.map_or(rounds, usize::from),
            warm_up_seconds,
            window_seconds: self.seconds.map_or(window_seconds, f64::from),
            window_calls: None,
            generator_threads: self.threads.map_or_else(proc::cores, usize::from),
            starts,
        }
    }

    fn cases(&self) -> impl Iterator<Item = &'static Case> {
        CASES.iter().filter(|case| case.name.contains(&self.only))
    }
}

pub(crate) async fn run(options: RunOptions) -> anyhow::Result<ExitCode> {
    let settings = options.settings();
    let report = if options.direct_only {
        direct_only(&options, settings).await?
    } else {
        let program = gateway::program(options.toolgate.clone())?;
        with_gateway(&options, settings, &program).await?
    };
    say(&report.table())?;
    if let Some(path) = &options.json {
        write_json(&report, path)?;
    }
    match report.misses() {
        0 => Ok(ExitCode::SUCCESS),
        misses => {
            eprintln!("{misses} target(s) missed");
            Ok(if options.strict { ExitCode::FAILURE } else { ExitCode::SUCCESS })
        }
    }
}

fn write_json(report: &Report, path: &Path) -> anyhow::Result<()> {
    let json = serde_json::to_string_pretty(report).context("write the report as JSON")?;
    std::fs::write(path, json + "\n").with_context(|| format!("write {}", path.display()))
}

async fn direct_only(options: &RunOptions, settings: ReportSettings) -> anyhow::Result<Report> {
    let servers = Servers::start().await?;
    let outcomes = run_cases(options, &settings, &servers, None).await?;
    Ok(report(settings, outcomes, Vec::new()))
}

async fn with_gateway(
    options: &RunOptions,
    settings: ReportSettings,
    program: &Path,
) -> anyhow::Result<Report> {
    eprintln!("starting the gateway {} times with no servers", 2 * settings.starts);
    let mut rest = start::measure(program, settings.starts).await?;

    let servers = Servers::start().await?;
    let home = Home::new(&servers.entries())?;
    let gateway = BenchGateway::start(program, &home, &Launcher::default()).await?;
    gateway.ready().await?;
    let target = gateway.target(&home).await?;
    gateway
        .wait_for_tools(&target, &[Behind::Both, Behind::Legacy].map(|behind| behind.wire_name(Work::Echo)))
        .await?;
    let idle_mib = resident_mib_at_rest(gateway.pid()).await?;
    rest.push(at_rest("resident, idle, two servers", "MiB", Some(idle_mib), None));

    let outcomes = run_cases(options, &settings, &servers, Some((&gateway, &target))).await?;
    let peak_mib = mib(proc::memory(gateway.pid())?.peak_bytes);
    rest.push(at_rest("resident, peak under load", "MiB", Some(peak_mib), None));
    let rested_mib = resident_mib_at_rest(gateway.pid()).await?;
    rest.push(at_rest("resident, after load", "MiB", Some(rested_mib), None));
    gateway.end().await?;
    Ok(report(settings, outcomes, rest))
}

async fn run_cases(
    options: &RunOptions,
    settings: &ReportSettings,
    servers: &Servers,
    through: Option<(&BenchGateway, &BenchTarget)>,
) -> anyhow::Result<Vec<Outcome>> {
    let through = through.map(|(gateway, target)| Through { gateway, target });
    let mut outcomes = Vec::new();
    for case in options.cases() {
        eprintln!("{}", case.name);
        outcomes.push(compare::run(case, settings, servers, through.as_ref()).await?);
    }
    Ok(outcomes)
}

fn report(settings: ReportSettings, outcomes: Vec<Outcome>, rest: Vec<Row>) -> Report {
    let other_load_cores_max =
        outcomes.iter().map(|outcome| outcome.other_load_cores_max).fold(0.0, f64::max);
    let machine = Machine { cpu: proc::cpu_model(), cores: proc::cores(), other_load_cores_max };
    let calls = outcomes.iter().map(|outcome| outcome.calls).sum();
    let (mut rows, mut rounds) = (Vec::new(), Vec::new());
    for outcome in outcomes {
        rows.extend(outcome.rows);
        rounds.push(outcome.rounds);
    }
    rows.extend(rest);
    Report { machine, settings, rows, rounds, calls, errors: 0 }
}
