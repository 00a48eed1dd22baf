//! `toolgate-bench console`: every page of the console, opened many times over a store with many recorded calls.
//!
//! Lives here: options, bounds, visits, the table. Does not live here: the recorded calls (`filling`), the gateway over them (`site`),
//! the pages and what they are about (`pages`).

mod filling;
mod pages;
mod site;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context as _, ensure};
use http::{Method, StatusCode};

use self::filling::{CallRecord, Filling};
use self::pages::MeasuredPage;
use self::site::ConsoleSite;
use crate::agents::ScriptedProcess;
use crate::client::BenchClient;
use crate::gateway;
use crate::proc;
use crate::report::{median, p95};
use crate::say::say;

/// The project's promises.
const PAGE_MS_MAX: f64 = 50.0;
const METRICS_MS_MAX: f64 = 200.0;
const PAGE_BYTES_MAX: usize = 100 << 10;

const CALLS_DAYS: u32 = 30;
const METRICS_DAYS: u32 = 90;

#[derive(clap::Args)]
pub(crate) struct ConsoleOptions {
    /// Few calls and visits: enough to see that all works, too few to trust the figures
    #[arg(long)]
    quick: bool,
    /// Recorded calls in the store whose pages are opened; a million by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    calls: Option<u64>,
    /// Calls that the metrics of 90 days count; ten million by default, and 0 leaves those metrics out
    #[arg(long, value_name = "N")]
    counted: Option<u64>,
    /// Visits to each page; 40 by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    visits: Option<u16>,
    /// Also measure on this Postgres server; databases are made there, and dropped in the end
    #[arg(long, value_name = "URL", env = "TOOLGATE_BENCH_POSTGRES")]
    postgres: Option<String>,
    /// The gateway binary; the one beside this program by default
    #[arg(long, value_name = "PATH")]
    toolgate: Option<PathBuf>,
    /// The scripted model of the testkit; the one beside this program by default
    #[arg(long, value_name = "PATH")]
    model: Option<PathBuf>,
    /// Exit with 1 when a page is too slow or too large, or is not shown
    #[arg(long)]
    strict: bool,
}

pub(crate) async fn run(options: ConsoleOptions) -> anyhow::Result<ExitCode> {
    let (calls, counted, visits) =
        if options.quick { (5_000, 20_000, 5) } else { (1_000_000, 10_000_000, 40) };
    let (calls, counted) = (options.calls.unwrap_or(calls), options.counted.unwrap_or(counted));
    let program = gateway::program(options.toolgate)?;
    let model = ScriptedProcess::start(options.model).await?;
    let mut misses = 0;
    for postgres in [None].into_iter().chain(options.postgres.as_deref().map(Some)) {
        let visits = options.visits.unwrap_or(visits);
        let bench = ConsoleBench { program: &program, model: &model, postgres, visits };
        misses += bench.every_page(calls).await?;
        if counted > 0 {
            misses += bench.metrics(counted).await?;
        }
    }
    model.end().await?;
    say(&format!("\n{} cores, {}", proc::cores(), proc::cpu_model()))?;
    if misses > 0 {
        eprintln!("{misses} page(s) missed a target");
    }
    Ok(if misses > 0 && options.strict { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// What is measured on one database.
struct ConsoleBench<'a> {
    program: &'a Path,
    model: &'a ScriptedProcess,
    /// The server; SQLite without one.
    postgres: Option<&'a str>,
    visits: u16,
}

impl ConsoleBench<'_> {
    /// Returns how many pages missed a target.
    async fn every_page(&self, calls: u64) -> anyhow::Result<usize> {
        let site = self.open(Filling { calls, days: CALLS_DAYS, record: CallRecord::Whole }).await?;
        let pages = pages::every(&site.admin, &site.agent, calls).await;
        let pages = pages.with_context(|| site.last_words())?;
        let misses = self.visit(&site, &pages, PAGE_MS_MAX).await.with_context(|| site.last_words())?;
        site.close().await?;
        Ok(misses)
    }

    /// The same for the metrics of 90 days alone, where the ends of all calls were counted.
    async fn metrics(&self, calls: u64) -> anyhow::Result<usize> {
        let site = self.open(Filling { calls, days: METRICS_DAYS, record: CallRecord::End }).await?;
        let visited = self.visit(&site, &pages::metrics(), METRICS_MS_MAX).await;
        let misses = visited.with_context(|| site.last_words())?;
        site.close().await?;
        Ok(misses)
    }

    async fn open(&self, filling: Filling) -> anyhow::Result<ConsoleSite> {
        let database = if self.postgres.is_some() { "Postgres" } else { "SQLite" };
        say(&format!("\n{} calls in {} days, {database}", filling.calls, filling.days))?;
        ConsoleSite::open(self.program, self.model, self.postgres, &filling).await
    }

    /// Visits pages as one person with one connection, and says what each takes.
    async fn visit(&self, site: &ConsoleSite, pages: &[MeasuredPage], ms_max: f64) -> anyhow::Result<usize> {
        let mut person = BenchClient::log_in(&site.admin).await?;
        say(&line(["page", "p50 ms", "p95 ms", "bytes", ""]))?;
        let mut misses = 0;
        for page in pages {
            let figures = self.figures(&mut person, page).await?;
            let faults = figures.faults(ms_max);
            misses += usize::from(!faults.is_empty());
            say(&figures.line(&page.name, &faults))?;
        }
        let kept = kept_bytes(&mut person).await?;
        say(&format!(
            "Targets: {ms_max} ms, {PAGE_BYTES_MAX} bytes as they are sent. Browsers keep the style sheet and scripts: {kept} bytes."
        ))?;
        Ok(misses)
    }

    async fn figures(&self, person: &mut BenchClient, page: &MeasuredPage) -> anyhow::Result<PageFigures> {
        let (status, bytes) = person.visit(&page.path).await?;
        let mut took_ms = Vec::new();
        for _ in 0..self.visits {
            let begun = Instant::now();
            let (again, _) = person.visit(&page.path).await?;
            took_ms.push(begun.elapsed().as_secs_f64() * 1e3);
            ensure!(again == status, "{} was answered {status}, and then {again}", page.path);
        }
        let p50_ms = median(took_ms.iter().copied());
        Ok(PageFigures { status, p50_ms, p95_ms: p95(took_ms), bytes })
    }
}

/// What the visits to one page took. The first one is not among them.
struct PageFigures {
    status: StatusCode,
    p50_ms: f64,
    p95_ms: f64,
    bytes: usize,
}

impl PageFigures {
    fn faults(&self, ms_max: f64) -> String {
        let mut faults = Vec::new();
        if self.status != StatusCode::OK {
            faults.push(format!("NOT SHOWN ({})", self.status.as_u16()));
        }
        if self.p95_ms > ms_max {
            faults.push("SLOW".to_owned());
        }
        if self.bytes > PAGE_BYTES_MAX {
            faults.push("LARGE".to_owned());
        }
        faults.join(", ")
    }

    fn line(&self, name: &str, faults: &str) -> String {
        let ms = |value: f64| format!("{value:.1}");
        line([name, &ms(self.p50_ms), &ms(self.p95_ms), &self.bytes.to_string(), faults])
    }
}

/// A line of the table, which is printed while it grows.
fn line([name, p50, p95, bytes, faults]: [&str; 5]) -> String {
    format!("  {name:<24}{p50:>9}{p95:>9}{bytes:>9}  {faults}").trim_end().to_owned()
}

/// The bytes of what pages load besides, without pictures.
async fn kept_bytes(person: &mut BenchClient) -> anyhow::Result<usize> {
    let (_, page) = person.rest(Method::GET, "/", "").await?;
    let page = String::from_utf8_lossy(&page);
    let loaded = page.split('"').filter(|one| one.starts_with("/console/assets/") && !one.ends_with(".svg"));
    let mut bytes = 0;
    for path in loaded.collect::<BTreeSet<_>>() {
        let (status, asset) = person.rest(Method::GET, path, "").await?;
        ensure!(status == StatusCode::OK, "{path} was answered {status}");
        bytes += asset.len();
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_that_misses_a_target_is_marked() {
        let figures = PageFigures { status: StatusCode::OK, p50_ms: 4.0, p95_ms: 51.26, bytes: 102_401 };
        assert_eq!(figures.faults(PAGE_MS_MAX), "SLOW, LARGE");
        assert_eq!(figures.faults(METRICS_MS_MAX), "LARGE");
        let lost = PageFigures { status: StatusCode::NOT_FOUND, bytes: 1, ..figures };
        assert_eq!(lost.faults(METRICS_MS_MAX), "NOT SHOWN (404)");
        let row = lost.line("claim", "SLOW");
        assert_eq!(row, "  claim                         4.0     51.3        1  SLOW");
    }
}
