//! `toolgate-bench catalogue`: 500 servers register with 10,000 tools; the times and the memory then.
//!
//! Lives here: options, the order of steps, targets, rows. Does not live here: the servers (`crowd`), the
//! gateway that they register with (`site`), the measurements (`measures`), one round of load (`load`).

mod measures;
mod site;

use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::Context as _;

use self::measures::{Repeated, Restart};
use self::site::{ACCEPTED, ALONE, QUARANTINED, SERVERS_MIN, Site, THREEFOLD, server_name, wire_name};
use crate::load::{self, Plan, Round};
use crate::report::{Machine, Report, ReportSettings, ReportTarget, Rounds, Row, median, p99};
use crate::say::say;
use crate::start::{mib, resident_mib_at_rest};
use crate::wire::{BenchEra, Work};
use crate::{gateway, proc};

#[derive(clap::Args)]
pub(crate) struct CatalogueOptions {
    /// Short rounds: enough to see that all works, too short to trust the figures
    #[arg(long)]
    quick: bool,
    /// Servers that register, with twenty tools each
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = servers)]
    servers: usize,
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

const SERVERS_MAX: usize = 1000;

fn servers(text: &str) -> Result<usize, String> {
    let count = text.parse::<usize>().map_err(|error| error.to_string())?;
    let fits = (SERVERS_MIN..=SERVERS_MAX).contains(&count);
    fits.then_some(count).ok_or_else(|| format!("{SERVERS_MIN} to {SERVERS_MAX} servers can be measured"))
}

/// The project's promises for this many servers and tools.
const READY_MS_MAX: f64 = 5000.0;
const LIST_MS_MAX: f64 = 10.0;
const CHANGE_MS_MAX: f64 = 1000.0;

/// Every new connection reads its tools a second time after two seconds; that is not part of idling.
const SETTLE: Duration = Duration::from_secs(4);
/// The pause that keeps two changes from being combined into one.
const BETWEEN_CHANGES: Duration = Duration::from_millis(500);
const CONNECTIONS: usize = 64;
const INSTANCES: usize = 3;

/// The number of repetitions of each step.
struct Effort {
    lists: usize,
    full_lists: usize,
    changes: usize,
    restarts: usize,
}

impl CatalogueOptions {
    fn effort(&self) -> Effort {
        if self.quick {
            Effort { lists: 50, full_lists: 5, changes: 3, restarts: 1 }
        } else {
            Effort { lists: 300, full_lists: 30, changes: ACCEPTED.len(), restarts: 3 }
        }
    }

    fn settings(&self) -> ReportSettings {
        let (rounds, warm_up_seconds, window_seconds) =
            if self.quick { (2, 0.3, 1.0) } else { (5, 1.0, 2.0) };
        let starts = self.effort().restarts;
        ReportSettings {
            rounds,
            warm_up_seconds,
            window_seconds,
            window_calls: None,
            generator_threads: proc::cores(),
            starts,
        }
    }
}

pub(crate) async fn run(options: CatalogueOptions) -> anyhow::Result<ExitCode> {
    let program = gateway::program(options.toolgate.clone())?;
    let effort = options.effort();
    let mut report = Report {
        machine: Machine { cpu: proc::cpu_model(), cores: proc::cores(), other_load_cores_max: 0.0 },
        settings: options.settings(),
        rows: Vec::new(),
        rounds: Vec::new(),
        calls: 0,
        errors: 0,
    };
    let site = Site::open(&program, options.servers).await?;
    let empty_mib = resident_mib_at_rest(site.gateway.pid()).await?;
    register(&site, &mut report).await.with_context(|| site.gateway.last_words())?;
    tokio::time::sleep(SETTLE).await;
    weigh(&site, "memory, registered", empty_mib, &mut report).await?;
    let site = restarts(site, &effort, &mut report).await?;
    weigh(&site, "memory, after a restart", empty_mib, &mut report).await?;
    lists(&site, &effort, &mut report).await?;
    // Last, since from then on some tools are withheld.
    changes(&site, &effort, &mut report).await.with_context(|| site.gateway.last_words())?;
    instances(&site, &mut report).await.with_context(|| site.gateway.last_words())?;
    site.close().await?;
    tell(&options, &report)
}

fn tell(options: &CatalogueOptions, report: &Report) -> anyhow::Result<ExitCode> {
    say(&report.table_of(["compared with", "catalogue"]))?;
    say(
        "\nMemory is compared with the same gateway before anything had registered, three instances with one instance.",
    )?;
    if let Some(path) = &options.json {
        let json = serde_json::to_string_pretty(report).context("write the report as JSON")?;
        std::fs::write(path, json + "\n").with_context(|| format!("write {}", path.display()))?;
    }
    match report.misses() {
        0 => Ok(ExitCode::SUCCESS),
        misses => {
            eprintln!("{misses} target(s) missed");
            Ok(if options.strict { ExitCode::FAILURE } else { ExitCode::SUCCESS })
        }
    }
}

fn row(case: &str, what: &'static str, unit: &'static str, figure: f64) -> Row {
    Row::new(case, what, unit).measured(None, Some(figure))
}

async fn register(site: &Site, report: &mut Report) -> anyhow::Result<()> {
    let case = "registering all servers";
    eprintln!("{case}");
    let (begun, cpu_before) = (Instant::now(), proc::cpu_time(site.gateway.pid())?);
    let answered = async {
        site.register_all().await?;
        anyhow::Ok(measures::ms(begun.elapsed()))
    };
    let listed = measures::all_listed(&site.crowd, &site.agent, begun);
    let (answered_ms, listed_ms) = tokio::try_join!(answered, listed)?;
    let callable_ms = measures::all_callable(&site.agent, 0..site.crowd.servers, begun).await?;
    let cpu = proc::cpu_time(site.gateway.pid())?.saturating_sub(cpu_before);
    report.rows.extend([
        row(case, "every registration answered", "ms", answered_ms),
        row(case, "every tool listed", "ms", listed_ms),
        row(case, "every server called once", "ms", callable_ms),
        row(case, "gateway CPU", "ms", measures::ms(cpu)),
    ]);
    Ok(())
}

async fn weigh(site: &Site, case: &str, empty_mib: f64, report: &mut Report) -> anyhow::Result<()> {
    let idle_mib = resident_mib_at_rest(site.gateway.pid()).await?;
    let peak_mib = mib(proc::memory(site.gateway.pid())?.peak_bytes);
    report.rows.extend([
        Row::new(case, "resident, idle", "MiB").measured(Some(empty_mib), Some(idle_mib)),
        row(case, "resident, peak so far", "MiB", peak_mib),
    ]);
    Ok(())
}

async fn lists(site: &Site, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    eprintln!("lists");
    let one_server = format!("/tools?server={}", server_name(THREEFOLD));
    let asked = [
        ("tools/list, first page", Some(LIST_MS_MAX), measures::first_page(&site.agent, effort.lists).await?),
        ("tools/list, all pages", None, measures::all_pages(&site.agent, effort.full_lists).await?),
        ("GET /tools?limit=100", None, measures::rest(&site.agent, "/tools?limit=100", effort.lists).await?),
        (
            "GET /tools of one server",
            Some(LIST_MS_MAX),
            measures::rest(&site.agent, &one_server, effort.lists).await?,
        ),
    ];
    for (case, below_ms, Repeated { took_ms, bytes, requests }) in asked {
        report.rows.extend([
            row(case, "p50", "ms", median(took_ms.iter().copied())),
            row(case, "p99", "ms", p99(took_ms)).judged(below_ms.map(ReportTarget::Below)),
            row(case, "length", "KiB", bytes as f64 / 1024.0),
        ]);
        if requests > 1 {
            report.rows.push(row(case, "requests", "", requests as f64));
        }
    }
    Ok(())
}

async fn changes(site: &Site, effort: &Effort, report: &mut Report) -> anyhow::Result<()> {
    eprintln!("changes");
    let (mut listed, mut heard, mut refused) = (Vec::new(), Vec::new(), Vec::new());
    for (accepted, quarantined) in ACCEPTED.zip(QUARANTINED).take(effort.changes) {
        let change = measures::change(site, accepted).await?;
        listed.push(change.listed_ms);
        heard.push(change.heard_ms);
        tokio::time::sleep(BETWEEN_CHANGES).await;
        refused.push(measures::quarantine(site, quarantined).await?);
        tokio::time::sleep(BETWEEN_CHANGES).await;
    }
    let cases = [
        ("a changed definition, in the list", listed),
        ("a changed definition, list_changed heard", heard),
        ("a changed definition, quarantined: calls refused", refused),
    ];
    for (case, took_ms) in cases {
        report.rows.extend([
            row(case, "p50", "ms", median(took_ms.iter().copied())),
            row(case, "longest", "ms", p99(took_ms)).judged(Some(ReportTarget::Below(CHANGE_MS_MAX))),
        ]);
    }
    Ok(())
}

/// One instance, three, one, three, …, so that other load on the machine affects both alike.
async fn instances(site: &Site, report: &mut Report) -> anyhow::Result<()> {
    let case = "calls to a server with three instances, 64 connections";
    eprintln!("{case}");
    site.scale(THREEFOLD, INSTANCES).await?;
    tokio::time::sleep(SETTLE).await;
    let (mut one, mut three) = (Vec::new(), Vec::new());
    for _ in 0..report.settings.rounds {
        one.push(round(site, ALONE, &report.settings).await?);
        three.push(round(site, THREEFOLD, &report.settings).await?);
    }
    let row = |what, unit, figure: fn(&Round) -> f64| {
        let of = |rounds: &[Round]| Some(median(rounds.iter().map(figure)));
        Row::new(case, what, unit).measured(of(&one), of(&three))
    };
    report.rows.extend([
        row("throughput", "calls/s", |round| round.calls_per_second),
        row("p50", "µs", |round| round.p50_us),
        row("p99", "µs", |round| round.p99_us),
        row("gateway CPU per call", "µs", |round| round.cpu_us[0]),
    ]);
    for round in one.iter().chain(&three) {
        report.calls += round.calls;
        let other = &mut report.machine.other_load_cores_max;
        *other = other.max(round.other_load_cores);
    }
    let throughputs = |rounds: &[Round]| rounds.iter().map(|round| round.calls_per_second).collect();
    let (direct, gateway) = (throughputs(&one), throughputs(&three));
    report.rounds.push(Rounds { case: case.to_owned(), direct, gateway });
    Ok(())
}

async fn round(site: &Site, server: usize, settings: &ReportSettings) -> anyhow::Result<Round> {
    let plan = Plan {
        target: site.agent.clone(),
        era: BenchEra::Modern,
        work: Work::Echo,
        tool: wire_name(server, 0),
        connections: CONNECTIONS,
        threads: settings.generator_threads,
        warm_up: Duration::from_secs_f64(settings.warm_up_seconds),
        window: Duration::from_secs_f64(settings.window_seconds),
        calls_max: settings.window_calls,
    };
    load::run(plan, &[site.gateway.pid(), site.crowd.pid()]).await
}

async fn restarts(mut site: Site, effort: &Effort, report: &mut Report) -> anyhow::Result<Site> {
    let case = "killed and started again";
    eprintln!("{case}");
    let mut restarts = Vec::new();
    for _ in 0..effort.restarts {
        let restart;
        (site, restart) = measures::restart(site).await?;
        restarts.push(restart);
        tokio::time::sleep(SETTLE).await;
    }
    let row = |what, figure: fn(&Restart) -> f64| row(case, what, "ms", median(restarts.iter().map(figure)));
    let ready = Some(ReportTarget::Below(READY_MS_MAX));
    report.rows.extend([
        row("ready", |restart| restart.ready_ms).judged(ready),
        row("first call answered", |restart| restart.first_call_ms),
        row("every tool listed", |restart| restart.all_listed_ms).judged(ready),
        row("every server called once", |restart| restart.all_callable_ms).judged(ready),
    ]);
    Ok(site)
}
