//! The regression guard of the hot path: instructions the gateway executes per call, counted by callgrind.
//!
//! Lives here: two counted runs, their difference, the comparison with the checked-in number.
//! Does not live here: wall time, which on a shared machine tells too little about one commit.
//!
//! Two runs that differ only in the number of calls cancel out start-up, the first connection and shutdown. Calls that are passed
//! on, reads that are recorded and calls with a durable start are counted, each at one connection.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use serde::{Deserialize, Serialize};

use crate::client::{BenchClient, BenchTarget};
use crate::compare::Behind;
use crate::fast::Fast;
use crate::gateway::{BenchGateway, Home, Launcher, ServerEntry};
use crate::governed::{self, CountedWay};
use crate::server::Eras;
use crate::wire::{BenchEra, ReplyForm, Work};

const FEW_CALLS: u64 = 200;
const MANY_CALLS: u64 = 1200;
const TOLERANCE: f64 = 0.15;
/// One worker, so that no instruction count depends on how threads happened to share work.
const ONE_WORKER: (&str, &str) = ("TOKIO_WORKER_THREADS", "1");

/// The checked-in numbers of instructions.
#[derive(Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Baseline {
    instructions_per_call: u64,
    /// Of a call that only reads, judged and recorded; `None` until `--update` has written it.
    #[serde(default)]
    instructions_per_recorded_read: Option<u64>,
    /// Of a call whose start is on disk before it is sent.
    #[serde(default)]
    instructions_per_durable_start: Option<u64>,
    tolerance: f64,
}

#[derive(Debug, PartialEq, Clone, Copy)]
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

    /// In the order of the ways.
    fn of([passed_on, read, started]: [u64; 3], tolerance: f64) -> Baseline {
        Baseline {
            instructions_per_call: passed_on,
            instructions_per_recorded_read: Some(read),
            instructions_per_durable_start: Some(started),
            tolerance,
        }
    }

    fn counts(&self) -> [Option<u64>; 3] {
        let passed_on = Some(self.instructions_per_call);
        [passed_on, self.instructions_per_recorded_read, self.instructions_per_durable_start]
    }

    fn judge(&self, baseline: u64, measured: u64) -> Verdict {
        let change = measured as f64 / baseline as f64 - 1.0;
        if change > self.tolerance {
            Verdict::Worse
        } else if change < -self.tolerance {
            Verdict::Better
        } else {
            Verdict::Within
        }
    }
}

/// The program whose instructions are counted.
pub(crate) struct Counted {
    pub(crate) program: PathBuf,
    /// The folder for what callgrind writes, if it is to be kept.
    pub(crate) keep: Option<PathBuf>,
}

impl Counted {
    /// Compares with the baseline; returns a report, or an error if it is worse. Only the ways whose names contain `only`.
    pub(crate) async fn check(&self, path: &Path, only: Option<&str>) -> anyhow::Result<String> {
        let baseline = Baseline::read(path)?;
        let (mut lines, mut is_worse) = (Vec::new(), false);
        let ways = governed::counted_ways().into_iter().zip(baseline.counts());
        for (way, noted) in ways.filter(|(way, _)| only.is_none_or(|words| way.name.contains(words))) {
            let measured = self.instructions_per_call(&way).await?;
            let Some(noted) = noted else {
                lines.push(format!(
                    "{}: {measured} instructions per call, for which no number is noted\nhint: --update notes it",
                    way.name
                ));
                continue;
            };
            let verdict = baseline.judge(noted, measured);
            is_worse |= verdict == Verdict::Worse;
            lines.push(format!(
                "{}: {measured} instructions per call, baseline {noted} with a tolerance of {} %: {}",
                way.name,
                baseline.tolerance * 100.0,
                match verdict {
                    Verdict::Within => "pass",
                    Verdict::Better => "pass, and better\nhint: keep the gain with --update",
                    Verdict::Worse => "worse",
                }
            ));
        }
        let report = lines.join("\n");
        if is_worse {
            bail!(
                "{report}\nthe hot path got slower\nhint: if the change is worth it, write the new numbers with --update"
            );
        }
        Ok(report)
    }

    /// Measures and writes the baseline, keeping its tolerance.
    pub(crate) async fn update(&self, path: &Path) -> anyhow::Result<String> {
        let tolerance = if path.exists() { Baseline::read(path)?.tolerance } else { TOLERANCE };
        let (mut counts, mut lines) = ([0; 3], Vec::new());
        for (way, count) in governed::counted_ways().into_iter().zip(&mut counts) {
            *count = self.instructions_per_call(&way).await?;
            lines.push(format!("{}: {count} instructions per call", way.name));
        }
        Baseline::of(counts, tolerance).write(path)?;
        Ok(format!("{}\nwritten to {}", lines.join("\n"), path.display()))
    }

    async fn instructions_per_call(&self, way: &CountedWay) -> anyhow::Result<u64> {
        let fast = Fast::start(Eras::Both).await?;
        let few = self.instructions(way, &fast, FEW_CALLS).await?;
        let many = self.instructions(way, &fast, MANY_CALLS).await?;
        ensure!(many > few, "{MANY_CALLS} calls took fewer instructions than {FEW_CALLS}");
        Ok((many - few) / (MANY_CALLS - FEW_CALLS))
    }

    /// All instructions of one life of the gateway in which it served `calls` calls.
    async fn instructions(&self, way: &CountedWay, fast: &Fast, calls: u64) -> anyhow::Result<u64> {
        let servers = [ServerEntry { name: Behind::Both.server_name().to_owned(), url: fast.url() }];
        let home = Home::with(&servers, &way.settings)?;
        let out = home.path().join("callgrind.out");
        let gateway = BenchGateway::start(&self.program, &home, &callgrind(&out)).await.context(
            "run the gateway under callgrind\nhint: it needs valgrind, on Debian `apt install valgrind`",
        )?;
        let target = gateway.target(&home).await?;
        let tool = Behind::Both.wire_name(Work::Echo);
        gateway.wait_for_tools(&target, std::slice::from_ref(&tool)).await?;
        let streamed = call_in_sequence(&target, &tool, calls).await?;
        if streamed > 0 {
            eprintln!("{streamed} of {calls} calls were answered by a stream, which costs a little more");
        }
        gateway.end().await?;
        let text = fs::read_to_string(&out).context("callgrind left no output")?;
        if let Some(folder) = &self.keep {
            let kept = folder.join(format!("{}-{calls}.callgrind", way.name.replace(' ', "-")));
            fs::create_dir_all(folder)
                .and_then(|()| fs::write(&kept, &text))
                .with_context(|| format!("write {}", kept.display()))?;
        }
        total_in(&text).context("callgrind's output has no totals")
    }
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

/// Returns how many were answered by a stream.
async fn call_in_sequence(target: &BenchTarget, tool: &str, calls: u64) -> anyhow::Result<u64> {
    let mut caller = BenchClient::open(target, BenchEra::Modern).await?.into_caller(Work::Echo, tool);
    let mut streamed = 0;
    for id in 1..=calls {
        let form = caller.echo_in_any_form(id).await.with_context(|| format!("call {id} of {calls}"))?;
        streamed += u64::from(form == ReplyForm::Events);
    }
    Ok(streamed)
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
        let baseline = Baseline::of([100_000; 3], 0.15);
        assert_eq!(baseline.judge(100_000, 100_000), Verdict::Within);
        assert_eq!(baseline.judge(100_000, 114_900), Verdict::Within);
        assert_eq!(baseline.judge(100_000, 116_000), Verdict::Worse);
        assert_eq!(baseline.judge(100_000, 84_000), Verdict::Better);
    }

    #[test]
    fn a_baseline_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("callgrind.json");
        let baseline = Baseline::of([100_000, 200_000, 300_000], 0.15);
        baseline.write(&path).expect("it is written");
        assert_eq!(Baseline::read(&path).expect("it is read"), baseline);
        assert_eq!(baseline.counts(), [Some(100_000), Some(200_000), Some(300_000)]);
        fs::write(&path, r#"{"instructions_per_call": 7, "tolerance": 0.15}"#).expect("it is written");
        assert_eq!(Baseline::read(&path).expect("it is read").counts(), [Some(7), None, None]);
    }
}
