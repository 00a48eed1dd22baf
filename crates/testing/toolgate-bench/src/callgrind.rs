//! The regression guard of the hot path: instructions the gateway executes per call, counted by callgrind.
//!
//! Lives here: two counted runs, their difference, the comparison with the checked-in number.
//! Does not live here: wall time, which on a shared machine tells too little about one commit.
//!
//! Two runs that differ only in the number of calls cancel out start-up, the first connection and shutdown.

use std::ffi::OsString;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::client::{BenchClient, BenchTarget};
use crate::compare::Behind;
use crate::fast::Fast;
use crate::gateway::{BenchGateway, Home, Launcher, ServerEntry};
use crate::server::Eras;
use crate::wire::{BenchEra, Work};

const FEW_CALLS: u64 = 200;
const MANY_CALLS: u64 = 1200;
const TOLERANCE: f64 = 0.15;
/// One worker, so that no instruction count depends on how threads happened to share work.
const ONE_WORKER: (&str, &str) = ("TOKIO_WORKER_THREADS", "1");

#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Baseline {
    instructions_per_call: u64,
    tolerance: f64,
}

#[derive(Debug, PartialEq)]
enum Verdict {
    Within,
    /// More than the tolerance allows.
    Worse,
    /// So far below the checked-in number that it no longer detects regressions.
    Better,
}

impl Baseline {
    fn read(path: &Path) -> anyhow::Result<Baseline> {
        let text = fs::read_to_string(path)
            .with_context(|| format!("read {}\nhint: --update writes it", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is not a baseline", path.display()))
    }

    fn write(&self, path: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self).context("write the baseline as JSON")?;
        fs::write(path, text + "\n").with_context(|| format!("write {}", path.display()))
    }

    fn judge(&self, instructions_per_call: u64) -> Verdict {
        let change = instructions_per_call as f64 / self.instructions_per_call as f64 - 1.0;
        if change > self.tolerance {
            Verdict::Worse
        } else if change < -self.tolerance {
            Verdict::Better
        } else {
            Verdict::Within
        }
    }
}

/// Compares with the baseline; returns a report, or an error if it is worse.
pub(crate) async fn check(program: &Path, path: &Path) -> anyhow::Result<String> {
    let baseline = Baseline::read(path)?;
    let measured = instructions_per_call(program).await?;
    let figures = format!(
        "{measured} instructions per call, baseline {} with a tolerance of {} %",
        baseline.instructions_per_call,
        baseline.tolerance * 100.0
    );
    match baseline.judge(measured) {
        Verdict::Within => Ok(format!("{figures}: pass")),
        Verdict::Better => Ok(format!("{figures}: pass, and better\nhint: keep the gain with --update")),
        Verdict::Worse => bail!(
            "{figures}: the hot path got slower\nhint: if the change is worth it, write the new number with --update"
        ),
    }
}

/// Measures and writes the baseline, keeping its tolerance.
pub(crate) async fn update(program: &Path, path: &Path) -> anyhow::Result<String> {
    let tolerance = if path.exists() { Baseline::read(path)?.tolerance } else { TOLERANCE };
    let instructions_per_call = instructions_per_call(program).await?;
    Baseline { instructions_per_call, tolerance }.write(path)?;
    Ok(format!("{instructions_per_call} instructions per call, written to {}", path.display()))
}

async fn instructions_per_call(program: &Path) -> anyhow::Result<u64> {
    let fast = Fast::start(Eras::Both).await?;
    let few = instructions(program, &fast, FEW_CALLS).await?;
    let many = instructions(program, &fast, MANY_CALLS).await?;
    ensure!(many > few, "{MANY_CALLS} calls took fewer instructions than {FEW_CALLS}");
    Ok((many - few) / (MANY_CALLS - FEW_CALLS))
}

/// All instructions of one life of the gateway in which it served `calls` calls.
async fn instructions(program: &Path, fast: &Fast, calls: u64) -> anyhow::Result<u64> {
    let home = Home::new(&[ServerEntry { name: Behind::Both.server_name().to_owned(), url: fast.url() }])?;
    let out = home.path().join("callgrind.out");
    let gateway = BenchGateway::start(program, &home, &callgrind(&out)).await.context(
        "run the gateway under callgrind\nhint: it needs valgrind, on Debian `apt install valgrind`",
    )?;
    let target = gateway.target(&home).await?;
    let tool = Behind::Both.wire_name(Work::Echo);
    gateway.wait_for_tools(&target, std::slice::from_ref(&tool)).await?;
    call_in_sequence(&target, &tool, calls).await?;
    gateway.end().await?;
    let text = fs::read_to_string(&out).context("callgrind left no output")?;
    total_in(&text).context("callgrind's output has no totals")
}

fn callgrind(out: &Path) -> Launcher {
    let mut out_file = OsString::from("--callgrind-out-file=");
    out_file.push(out);
    let fixed = ["valgrind", "--tool=callgrind", "--instr-atstart=yes"].map(OsString::from);
    Launcher {
        program_and_arguments: fixed.into_iter().chain([out_file]).collect(),
        environment: vec![ONE_WORKER],
    }
}

async fn call_in_sequence(target: &BenchTarget, tool: &str, calls: u64) -> anyhow::Result<()> {
    let mut caller = BenchClient::open(target, BenchEra::Modern).await?.into_caller(Work::Echo, tool);
    for id in 1..=calls {
        caller.call(id).await.with_context(|| format!("call {id} of {calls}"))?;
    }
    Ok(())
}

fn total_in(callgrind_out: &str) -> Option<u64> {
    let line = callgrind_out.lines().find_map(|line| line.strip_prefix("totals:"))?;
    line.split_ascii_whitespace().next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_stands_at_the_end_of_the_output() {
        let text =
            "# callgrind format\nversion: 1\nevents: Ir\nsummary: 7\n\nfn=(1) main\n1 7\n\ntotals: 123456\n";
        assert_eq!(total_in(text), Some(123_456));
        assert_eq!(total_in("events: Ir\n"), None);
    }

    #[test]
    fn a_change_is_judged_by_the_tolerance() {
        let baseline = Baseline { instructions_per_call: 100_000, tolerance: 0.15 };
        assert_eq!(baseline.judge(100_000), Verdict::Within);
        assert_eq!(baseline.judge(114_900), Verdict::Within);
        assert_eq!(baseline.judge(116_000), Verdict::Worse);
        assert_eq!(baseline.judge(84_000), Verdict::Better);
    }

    #[test]
    fn a_baseline_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("callgrind.json");
        let baseline = Baseline { instructions_per_call: 100_000, tolerance: 0.15 };
        baseline.write(&path).expect("it is written");
        assert_eq!(Baseline::read(&path).expect("it is read"), baseline);
    }
}
