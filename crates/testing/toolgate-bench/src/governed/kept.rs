//! What a gateway leaves on disk: bytes per call, how fast its ledger verifies, and how long the disk takes to sync.

use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, ensure};

use super::kinds::Kind;
use super::sides::{EndedGateway, Programs, Running};
use crate::compare::Servers;
use crate::report::{ReportSettings, ReportTarget, Row, median};

pub(super) const CASE: &str = "ledger of plain calls, SQLite";
const DATABASE: &str = "toolgate.db";
const CONNECTIONS: usize = 16;
const SYNCS: usize = 50;
/// A page of SQLite.
const PAGE_BYTES: usize = 4_096;

/// How long a write of one page takes until it is on disk.
pub(super) fn sync_us() -> anyhow::Result<f64> {
    let mut file = tempfile::tempfile().context("make a temporary file")?;
    let mut took = Vec::with_capacity(SYNCS);
    for _ in 0..SYNCS {
        let begun = Instant::now();
        file.rewind()?;
        file.write_all(&[7; PAGE_BYTES])?;
        file.sync_data().context("sync a file")?;
        took.push(begun.elapsed().as_secs_f64() * 1e6);
    }
    Ok(median(took))
}

struct KeptLedger {
    bytes_per_call: f64,
    verified_per_second: f64,
}

/// One round of calls at a gateway of its own: enough to count, and not too many to list.
pub(super) struct PlainCalls<'a> {
    pub(super) settings: &'a ReportSettings,
    pub(super) servers: &'a Servers,
    pub(super) kind: &'a Kind,
}

impl PlainCalls<'_> {
    pub(super) async fn measure(&self, programs: &Programs) -> anyhow::Result<[Row; 2]> {
        let new = self.of(&programs.new).await?;
        let old = match &programs.old {
            Some(program) => Some(self.of(program).await?),
            None => None,
        };
        let row = |what, unit, figure: fn(&KeptLedger) -> f64| {
            Row::new(CASE, what, unit).measured(old.as_ref().map(figure), Some(figure(&new)))
        };
        Ok([
            row("bytes per call", "B", |kept| kept.bytes_per_call)
                .judged(Some(ReportTarget::RatioAtMost(0.5))),
            row("verified", "events/s", |kept| kept.verified_per_second)
                .judged(Some(ReportTarget::AtLeast(300_000.0))),
        ])
    }

    async fn of(&self, program: &Path) -> anyhow::Result<KeptLedger> {
        let running = Running::start(program, self.servers, &self.kind.settings).await?;
        running.round(self.settings, CONNECTIONS).await?;
        look(&running.ended().await?).await
    }
}

async fn look(ended: &EndedGateway) -> anyhow::Result<KeptLedger> {
    let ends = ended.home.run(&ended.program, &["ledger", "export", "--kind", "tool.call.completed"]).await?;
    let calls = ends.iter().filter(|byte| **byte == b'\n').count();
    ensure!(calls > 0, "the ledger has no calls");
    let file = ended.home.data().join(DATABASE);
    let bytes = std::fs::metadata(&file).with_context(|| format!("look at {}", file.display()))?.len();
    let begun = Instant::now();
    let told = ended.home.run(&ended.program, &["--json", "ledger", "verify"]).await?;
    let seconds = begun.elapsed().as_secs_f64();
    let told: serde_json::Value = serde_json::from_slice(&told).context("read what `ledger verify` says")?;
    let events = told["events"].as_f64().context("`ledger verify` counts no events")?;
    Ok(KeptLedger { bytes_per_call: bytes as f64 / calls as f64, verified_per_second: events / seconds })
}
