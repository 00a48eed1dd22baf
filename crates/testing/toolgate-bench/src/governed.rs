//! `toolgate-bench governed`: the cost of policy, validation and a durable ledger, compared with the same
//! gateway passing calls on.
//!
//! Lives here: the compared kinds of governance, and the order of rounds. Does not live here: one round
//! (`load`).

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;

use crate::client::BenchTarget;
use crate::compare::{Behind, Servers};
use crate::gateway::{self, BenchGateway, Home, Launcher};
use crate::load::{self, Plan, Round};
use crate::proc;
use crate::report::{Machine, Report, ReportSettings, ReportTarget, Rounds, Row, median};
use crate::say::say;
use crate::wire::{BenchEra, Work};

#[derive(clap::Args)]
pub(crate) struct GovernedOptions {
    /// Short rounds: enough to see that all works, too short to trust the figures
    #[arg(long)]
    quick: bool,
    /// Rounds per case and side
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
    /// Also measure with this Postgres database; it must be empty and will be left with the tables of a gateway
    #[arg(long, value_name = "URL", env = "TOOLGATE_BENCH_POSTGRES")]
    postgres: Option<String>,
    /// Also write the report as JSON
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// The gateway binary; the one beside this program by default
    #[arg(long, value_name = "PATH")]
    toolgate: Option<PathBuf>,
}

/// The number of policies about the called tool's arguments, and about other tools.
const POLICIES_ON_IT: usize = 5;
const POLICIES_ELSEWHERE: usize = 45;

/// All kinds of personal data and secrets, in arguments and results.
const FILTERS: &str = "[[filters]]\nname = \"care\"\non = \"both\"\ntools = [\"*\"]\nkinds = [\"personal\", \"secrets\"]\naction = \"mask\"\n";
/// Everything that is counted with a call, never reached.
const QUOTAS: &str =
    "[[quotas]]\nprincipal = \"*\"\ncalls_max = 100000\nrate = \"100000000/m\"\ncalls_per_day = 1000000000\n";

struct Kind {
    name: &'static str,
    settings: String,
    connections: usize,
    ratio_min: Option<f64>,
    cpu_us_max: Option<f64>,
}

fn kinds(postgres: Option<&str>) -> Vec<Kind> {
    let recorded = |effects: &str| {
        format!(
            "[policy]\nguard = '''\n{}'''\n\n[[tools]]\nname = \"*:*\"\neffects = [{effects}]\n",
            policies()
        )
    };
    let (reads, writes) = (recorded("\"read\""), recorded("\"read\", \"write\""));
    let filtered = format!("{reads}\n{FILTERS}");
    let counted = format!("{reads}\n{QUOTAS}");
    let kind = |name, settings: &str, connections| Kind {
        name,
        settings: settings.to_owned(),
        connections,
        ratio_min: None,
        cpu_us_max: None,
    };
    let mut kinds = vec![
        Kind {
            ratio_min: Some(0.6),
            cpu_us_max: Some(110.0),
            ..kind("durable start, SQLite, 64 connections", &writes, 64)
        },
        kind("reads recorded, SQLite, 64 connections", &reads, 64),
        kind("the same with filters, SQLite, 64 connections", &filtered, 64),
        kind("the same with quotas, SQLite, 64 connections", &counted, 64),
        kind("durable start, SQLite, 1 connection", &writes, 1),
        kind("reads recorded, SQLite, 1 connection", &reads, 1),
    ];
    if let Some(url) = postgres {
        let writes = format!("[store]\nurl = {url:?}\n\n{writes}");
        kinds.push(Kind {
            ratio_min: Some(0.4),
            ..kind("durable start, Postgres, 64 connections", &writes, 64)
        });
        kinds.push(kind("durable start, Postgres, 1 connection", &writes, 1));
    }
    kinds
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

/// A gateway that runs, and how to call it.
struct Running {
    gateway: BenchGateway,
    target: BenchTarget,
    _home: Home,
}

impl Running {
    async fn start(program: &Path, servers: &Servers, settings: Option<&str>) -> anyhow::Result<Running> {
        let home = match settings {
            Some(settings) => Home::with(&servers.entries(), settings)?,
            None => Home::new(&servers.entries())?,
        };
        let gateway = BenchGateway::start(program, &home, &Launcher::default()).await?;
        gateway.ready().await?;
        let target = gateway.target(&home).await?;
        gateway.wait_for_tools(&target, &[Behind::Both.wire_name(Work::Echo)]).await?;
        Ok(Running { gateway, target, _home: home })
    }

    async fn round(&self, settings: &ReportSettings, connections: usize) -> anyhow::Result<Round> {
        let plan = Plan {
            target: self.target.clone(),
            era: BenchEra::Modern,
            work: Work::Echo,
            tool: Behind::Both.wire_name(Work::Echo),
            connections,
            threads: settings.generator_threads,
            warm_up: Duration::from_secs_f64(settings.warm_up_seconds),
            window: Duration::from_secs_f64(settings.window_seconds),
        };
        load::run(plan, &[self.gateway.pid()]).await.with_context(|| self.gateway.last_words())
    }
}

pub(crate) async fn run(options: GovernedOptions) -> anyhow::Result<ExitCode> {
    let (rounds, warm_up_seconds, window_seconds) = if options.quick { (2, 0.3, 1.0) } else { (3, 1.0, 2.0) };
    let settings = ReportSettings {
        rounds: options.rounds.map_or(rounds, usize::from),
        warm_up_seconds,
        window_seconds,
        generator_threads: proc::cores(),
        starts: 0,
    };
    let program = gateway::program(options.toolgate.clone())?;
    let servers = Servers::start().await?;
    let passing = Running::start(&program, &servers, None).await?;
    let mut report = Report {
        machine: Machine { cpu: proc::cpu_model(), cores: proc::cores(), other_load_cores_max: 0.0 },
        settings: settings.clone(),
        rows: Vec::new(),
        rounds: Vec::new(),
        calls: 0,
        errors: 0,
    };
    for kind in kinds(options.postgres.as_deref()) {
        eprintln!("{}", kind.name);
        let governed = Running::start(&program, &servers, Some(&kind.settings)).await?;
        compare(&kind, &settings, &passing, &governed, &mut report).await.context(kind.name)?;
        governed.gateway.end().await?;
    }
    passing.gateway.end().await?;
    say(&report.table())?;
    say("\n`direct` is the same gateway passing calls on: no policy, nothing recorded.")?;
    if let Some(path) = &options.json {
        let json = serde_json::to_string_pretty(&report).context("write the report as JSON")?;
        std::fs::write(path, json + "\n").with_context(|| format!("write {}", path.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}

/// Passing on, governed, passing on, governed, …, so that other load on the machine affects both alike.
async fn compare(
    kind: &Kind,
    settings: &ReportSettings,
    passing: &Running,
    governed: &Running,
    report: &mut Report,
) -> anyhow::Result<()> {
    let (mut plain, mut full) = (Vec::new(), Vec::new());
    for _ in 0..settings.rounds {
        plain.push(passing.round(settings, kind.connections).await?);
        full.push(governed.round(settings, kind.connections).await?);
    }
    let row = |what, unit, figure: fn(&Round) -> f64| {
        let of = |rounds: &[Round]| Some(median(rounds.iter().map(figure)));
        Row::new(kind.name, what, unit).measured(of(&plain), of(&full))
    };
    report.rows.extend([
        row("throughput", "calls/s", |round| round.calls_per_second)
            .judged(kind.ratio_min.map(ReportTarget::RatioAtLeast)),
        row("p50", "µs", |round| round.p50_us),
        row("p99", "µs", |round| round.p99_us),
        row("gateway CPU per call", "µs", |round| round.cpu_us[0])
            .judged(kind.cpu_us_max.map(ReportTarget::AtMost)),
    ]);
    let throughputs = |rounds: &[Round]| rounds.iter().map(|round| round.calls_per_second).collect();
    report.rounds.push(Rounds {
        case: kind.name.to_owned(),
        direct: throughputs(&plain),
        gateway: throughputs(&full),
    });
    for round in plain.iter().chain(&full) {
        report.calls += round.calls;
        let other = &mut report.machine.other_load_cores_max;
        *other = other.max(round.other_load_cores);
    }
    Ok(())
}
