//! What a gateway leaves on disk: bytes per call, how fast its ledger verifies, and how long the disk takes to sync.

use std::io::{Seek as _, Write as _};
use std::path::Path;
use std::time::Instant;

use anyhow::{Context as _, ensure};
use toolgate_stage::postgres::Database;

use super::kinds::{Kind, Storage};
use super::sides::{EndedGateway, Programs, Running};
use crate::compare::Servers;
use crate::report::{ReportSettings, ReportTarget, Row, median};

pub(super) const CASE: &str = "ledger of plain calls";
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
    pub(super) storage: Storage<'a>,
}

impl PlainCalls<'_> {
    pub(super) fn case(&self) -> String {
        self.storage.named(CASE)
    }

    pub(super) async fn measure(&self, programs: &Programs) -> anyhow::Result<[Row; 2]> {
        let new = self.of(&programs.new).await?;
        let old = match &programs.old {
            Some(program) => Some(self.of(program).await?),
            None => None,
        };
        let case = self.case();
        let row = |what, unit, figure: fn(&KeptLedger) -> f64| {
            Row::new(&case, what, unit).measured(old.as_ref().map(figure), Some(figure(&new)))
        };
        Ok([
            row("bytes per call", "B", |kept| kept.bytes_per_call)
                .judged(Some(ReportTarget::RatioAtMost(0.5))),
            row("verified", "events/s", |kept| kept.verified_per_second)
                .judged(Some(ReportTarget::AtLeast(300_000.0))),
        ])
    }

    async fn of(&self, program: &Path) -> anyhow::Result<KeptLedger> {
        let (settings, database) = self.storage.settings(&self.kind.settings);
        let running = Running::start_on(program, self.servers, &settings, database).await?;
        let before = running.database.as_ref().map(size).transpose()?;
        running.round(self.settings, CONNECTIONS).await?;
        look(&running.ended().await?, before.unwrap_or(0.0)).await
    }
}

/// The bytes of a database on Postgres.
fn size(database: &Database) -> anyhow::Result<f64> {
    database.ask("SELECT pg_database_size(current_database())").parse().context("a size is a number")
}

/// `before` is the size of the database without calls; on SQLite it is next to nothing.
async fn look(ended: &EndedGateway, before: f64) -> anyhow::Result<KeptLedger> {
    let ends = ended.home.run(&ended.program, &["ledger", "export", "--kind", "tool.call.completed"]).await?;
    let calls = ends.iter().filter(|byte| **byte == b'\n').count();
    ensure!(calls > 0, "the ledger has no calls");
    let file = ended.home.data().join(DATABASE);
    let bytes = match &ended.database {
        Some(database) => size(database)? - before,
        None => std::fs::metadata(&file).with_context(|| format!("look at {}", file.display()))?.len() as f64,
    };
    let begun = Instant::now();
    let told = ended.home.run(&ended.program, &["--json", "ledger", "verify"]).await?;
    let seconds = begun.elapsed().as_secs_f64();
    let told: serde_json::Value = serde_json::from_slice(&told).context("read what `ledger verify` says")?;
    let events = told["events"].as_f64().context("`ledger verify` counts no events")?;
    Ok(KeptLedger { bytes_per_call: bytes / calls as f64, verified_per_second: events / seconds })
}
