//! Blocks that are older than the figures, and rows whose time is over.

use toolgate_core::event::Durability;

use super::super::block::{BLOCK, Part};
use super::super::head::LedgerStream;
use super::super::line::LedgerLine;
use super::super::row::LineRow;
use super::super::scan;
use super::events::PartFigures;
use super::kinds::{FigureBy, FigureSpan};
use super::known::{self, KnownFigures};
use crate::db::{DbLock, Transaction};
use crate::error::doing;
use crate::{Store, StoreError};

/// Blocks that are counted in one transaction: on SQLite calls wait meanwhile.
const BLOCKS_AT_ONCE: i64 = 8;
/// The stream of what was counted later.
const LATER: &str = "";
const DAY_MS: i64 = FigureSpan::Day.ms();

const ADD_DUE: &str = "INSERT INTO figures_due (tenant, stream, block, day) VALUES ($1, $2, $3, $4)";
/// The latest first: these are looked at most.
const DUE: &str =
    "SELECT stream, block, day FROM figures_due WHERE tenant = $1 ORDER BY day DESC, stream, block LIMIT $2";
const BLOCK_OF: &str =
    "SELECT first, last FROM ledger_blocks WHERE tenant = $1 AND stream = $2 AND block = $3 AND day = $4";
const DONE: &str = "DELETE FROM figures_due WHERE tenant = $1 AND stream = $2 AND block = $3 AND day = $4";
const COUNT_DUE: &str = "SELECT COUNT(*) FROM figures_due WHERE tenant = $1";
const DELETE_OLD: &str = "DELETE FROM figures WHERE tenant = $1 AND span = $2 AND property = $3 AND at < $4";

impl Store {
    /// Counts some blocks that have no figures yet, and returns how many: 0 when all have.
    pub async fn count_due_figures(&self) -> Result<usize, StoreError> {
        self.count_some().await.map_err(doing("count events of an older ledger"))
    }

    async fn count_some(&self) -> Result<usize, sqlx::Error> {
        let is_due = self.db.sql(DUE).bind(self.tenant).bind(1_i64);
        if is_due.fetch_optional::<(String, i64, i64)>().await?.is_none() {
            return Ok(0);
        }
        let mut tx = self.db.begin(Durability::Written).await?;
        tx.alone(DbLock::Figures).await?;
        let due: Vec<(String, i64, i64)> =
            tx.sql(DUE).bind(self.tenant).bind(BLOCKS_AT_ONCE).fetch_all().await?;
        let mut sums = PartFigures::default();
        for (stream, block, day) in &due {
            add_block(&mut tx, self.tenant, (stream.as_str(), *block, *day), &mut sums).await?;
            tx.sql(DONE).bind(self.tenant).bind(&**stream).bind(*block).bind(*day).execute().await?;
        }
        known::add(&mut tx, (self.tenant, LATER), &mut KnownFigures::default(), &[&sums]).await?;
        tx.commit().await?;
        Ok(due.len())
    }

    /// The number of blocks that have no figures yet.
    pub async fn figures_due(&self) -> Result<u64, StoreError> {
        let counted = self.db.sql(COUNT_DUE).bind(self.tenant).fetch_one::<(i64,)>().await;
        let (count,) = counted.map_err(doing("count what is not counted yet"))?;
        Ok(count.unsigned_abs())
    }

    /// Deletes the rows of short spans whose time is over. Days stay.
    pub async fn delete_old_figures(&self, now_ms: i64) -> Result<u64, StoreError> {
        let mut deleted = 0;
        for (span, days) in FigureSpan::ALL.into_iter().filter_map(|span| Some((span, span.days_kept()?))) {
            let first = (now_ms - days * DAY_MS).div_euclid(span.ms());
            for by in FigureBy::ALL {
                let delete = self.db.sql(DELETE_OLD).bind(self.tenant).bind(span as i64);
                let delete = delete.bind(i64::from(by as u8)).bind(first).execute().await;
                deleted += delete.map_err(doing("delete old figures"))?;
            }
        }
        Ok(deleted)
    }
}

/// Nothing is left of a block that was removed meanwhile.
async fn add_block(
    tx: &mut Transaction,
    tenant: &'static str,
    (stream, block, day): (&str, i64, i64),
    sums: &mut PartFigures,
) -> Result<(), sqlx::Error> {
    let range = tx.sql(BLOCK_OF).bind(tenant).bind(stream).bind(block).bind(day);
    let Some((first, last)) = range.fetch_optional::<(i64, i64)>().await? else { return Ok(()) };
    let lines = tx.sql(scan::LINES).bind(tenant).bind(stream).bind(day).bind(first).bind(last);
    let rows: Vec<LineRow> = lines.bind(BLOCK).fetch_all().await?;
    // Verification names lines that are damaged.
    rows.iter().filter_map(|(.., bytes)| LedgerLine::read(bytes)).for_each(|line| sums.add(&line));
    Ok(())
}

/// Leaves complete parts to be counted in the background.
pub(in crate::ledger) async fn count_later(
    tx: &mut Transaction,
    pen: &LedgerStream,
    parts: &[Part],
) -> Result<(), sqlx::Error> {
    for part in parts {
        let add = tx.sql(ADD_DUE).bind(pen.tenant).bind(&*pen.stream);
        add.bind(part.block).bind(part.day).execute().await?;
    }
    Ok(())
}
