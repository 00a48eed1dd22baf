//! Carrying a whole store from SQLite to Postgres: `toolgate store migrate`.
//!
//! Every table of the source is copied in the order of its key, a statement for each batch, so the target itself says how
//! far it has come: a run that was interrupted goes on after the last row of each table (`mark.rs` says whose rows they
//! are). In the end both are read side by side and both ledgers are verified. Keys are rows like others, so the
//! seals of the ledger hold.

mod cells;
mod error;
mod mark;
mod tables;

use toolgate_core::{Digest, stop_point};

use crate::error::doing;
use crate::{LedgerVerification, Store};
use cells::Cells;
pub use error::TransferError;
use mark::TransferMark;
pub use mark::TransferOutset;
use tables::StoreTable;

/// Rows of the first page of a table.
const ROWS_FIRST: usize = 64;
const ROWS_MAX: usize = 4_096;
/// A page has about this many bytes, unless a single row has more.
const PAGE_BYTES: usize = 2 << 20;

const COPYING: &str = "copy the store";
const COMPARING: &str = "compare the copy of the store";
const HEADS: &str = "SELECT stream, number, hash FROM ledger_heads ORDER BY tenant, stream";

/// The work that a transfer is doing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TransferPhase {
    /// The ledger of the source is verified.
    Verifying,
    Copying,
    /// Source and target are read side by side.
    Comparing,
    /// The ledger of the target is verified.
    VerifyingCopy,
}

/// A sign of progress.
#[derive(Clone, Copy, Debug)]
pub struct CopyProgress<'a> {
    pub phase: TransferPhase,
    /// Empty while a ledger is verified.
    pub table: &'a str,
    /// Rows of the table, or events of the ledger, up to now.
    pub rows: u64,
}

/// The result of a transfer, or of a rehearsal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TransferReport {
    /// The rows of each table that is not empty.
    pub tables: Vec<(String, u64)>,
    pub ledger: LedgerVerification,
    pub start: TransferOutset,
}

impl TransferReport {
    pub fn rows(&self) -> u64 {
        self.tables.iter().map(|(_, rows)| rows).sum()
    }
}

/// A source, which nothing else writes to meanwhile, and the target.
pub struct StoreTransfer<'a> {
    source: &'a Store,
    target: &'a Store,
    tables: Vec<StoreTable>,
}

impl<'a> StoreTransfer<'a> {
    /// Compares the tables of both. `target` was opened by [`Store::open_target`].
    pub async fn new(source: &'a Store, target: &'a Store) -> Result<Self, TransferError> {
        let tables = tables::read(source, target).await?;
        Ok(Self { source, target, tables })
    }

    /// The names of the tables that are carried over.
    pub fn tables(&self) -> impl Iterator<Item = &str> {
        self.tables.iter().map(|table| &*table.name)
    }

    /// Reads every row, and writes nothing.
    pub async fn rehearse(
        &self,
        mut on_progress: impl FnMut(CopyProgress<'_>),
    ) -> Result<TransferReport, TransferError> {
        let (ledger, mark) = self.look_at_source(&mut on_progress).await?;
        let start = mark.look(self.target, &self.tables).await?;
        let mut tables = Vec::new();
        for table in &self.tables {
            let (mut rows, mut pages) = (0, TablePages::after(None));
            while let Some(page) = pages.next(self.source, table).await.map_err(doing(COPYING))? {
                rows += page.len() as u64;
                on_progress(CopyProgress { phase: TransferPhase::Copying, table: &table.name, rows });
            }
            tables.push((table.name.clone(), rows));
        }
        tables.retain(|(_, rows)| *rows > 0);
        Ok(TransferReport { tables, ledger, start })
    }

    /// Copies what is missing, and checks all of it.
    pub async fn run(
        &self,
        mut on_progress: impl FnMut(CopyProgress<'_>),
    ) -> Result<TransferReport, TransferError> {
        let (ledger, mark) = self.look_at_source(&mut on_progress).await?;
        let start = mark.begin(self.target, &self.tables).await?;
        for table in &self.tables {
            self.copy(table, start, &mut on_progress).await?;
        }
        let checked = self.check(&ledger, &mut on_progress).await;
        if checked.as_ref().is_err_and(TransferError::is_difference) {
            mark.forget_progress(self.target).await?;
        }
        let tables = checked?;
        mark.end(self.target).await?;
        Ok(TransferReport { tables, ledger, start })
    }

    async fn look_at_source(
        &self,
        on_progress: &mut impl FnMut(CopyProgress<'_>),
    ) -> Result<(LedgerVerification, TransferMark), TransferError> {
        // Verification makes the sealing key where there is none, so that the key is carried over as well.
        let verified = verified(self.source, TransferPhase::Verifying, on_progress).await?;
        let key = self.source.sealing_key().await?;
        Ok((verified, TransferMark::new(&key, &self.fingerprint().await?)))
    }

    /// Differs once the source was written to: the last key of each table, and the heads of the ledger. A change that it
    /// misses is found when both are compared.
    async fn fingerprint(&self) -> Result<Digest, TransferError> {
        let heads: Vec<(String, i64, Vec<u8>)> =
            self.source.db.sql(HEADS).fetch_all().await.map_err(doing(COPYING))?;
        let mut told = vec![format!("{heads:?}")];
        for table in &self.tables {
            let last = table.last_key(self.source).await.map_err(doing(COPYING))?;
            told.push(format!("{} {last:?}", table.name));
        }
        Ok(Digest::of(told.concat()))
    }

    async fn copy(
        &self,
        table: &StoreTable,
        start: TransferOutset,
        on_progress: &mut impl FnMut(CopyProgress<'_>),
    ) -> Result<(), TransferError> {
        let last = match start {
            TransferOutset::Resumed => table.last_key(self.target).await.map_err(doing(COPYING))?,
            _ => None,
        };
        let (mut rows, mut pages) = (0, TablePages::after(last));
        while let Some(page) = pages.next(self.source, table).await.map_err(doing(COPYING))? {
            table.insert(self.target, &page).await.map_err(doing(COPYING))?;
            stop_point::reach(&format!("copied {}", table.name));
            rows += page.len() as u64;
            on_progress(CopyProgress { phase: TransferPhase::Copying, table: &table.name, rows });
        }
        Ok(())
    }

    async fn check(
        &self,
        ledger: &LedgerVerification,
        on_progress: &mut impl FnMut(CopyProgress<'_>),
    ) -> Result<Vec<(String, u64)>, TransferError> {
        let mut tables = Vec::new();
        for table in &self.tables {
            tables.push((table.name.clone(), self.compare(table, on_progress).await?));
        }
        tables.retain(|(_, rows)| *rows > 0);
        let copied = verified(self.target, TransferPhase::VerifyingCopy, on_progress).await?;
        if copied != *ledger {
            let (before, after) = (Box::new(ledger.clone()), Box::new(copied));
            return Err(TransferError::LedgerDiffers { before, after });
        }
        Ok(tables)
    }

    /// The number of rows, if they are the same.
    async fn compare(
        &self,
        table: &StoreTable,
        on_progress: &mut impl FnMut(CopyProgress<'_>),
    ) -> Result<u64, TransferError> {
        let (mut rows, mut pages) = (0, TablePages::after(None));
        loop {
            let before = pages.clone();
            let (here, there) = tokio::join!(pages.next(self.source, table), before.peek(self.target, table));
            let (here, there) = (here.map_err(doing(COMPARING))?, there.map_err(doing(COMPARING))?);
            let here = here.unwrap_or_default();
            if here != there {
                let same = here.iter().zip(&there).take_while(|(one, other)| one == other).count();
                return Err(TransferError::Differs {
                    table: table.name.clone(),
                    row: rows + same as u64 + 1,
                });
            }
            if here.is_empty() {
                return Ok(rows);
            }
            rows += here.len() as u64;
            on_progress(CopyProgress { phase: TransferPhase::Comparing, table: &table.name, rows });
        }
    }
}

async fn verified(
    store: &Store,
    phase: TransferPhase,
    on_progress: &mut impl FnMut(CopyProgress<'_>),
) -> Result<LedgerVerification, TransferError> {
    let verified = store.verify_ledger(|rows| on_progress(CopyProgress { phase, table: "", rows }));
    Ok(verified.await?)
}

/// The pages of a table, one after the other.
#[derive(Clone)]
struct TablePages {
    after: Option<Cells>,
    limit: usize,
}

impl TablePages {
    fn after(key: Option<Cells>) -> Self {
        Self { after: key, limit: ROWS_FIRST }
    }

    async fn peek(&self, store: &Store, table: &StoreTable) -> Result<Vec<Cells>, sqlx::Error> {
        table.page(store, self.after.as_ref(), self.limit).await
    }

    async fn next(&mut self, store: &Store, table: &StoreTable) -> Result<Option<Vec<Cells>>, sqlx::Error> {
        let page = self.peek(store, table).await?;
        let Some(last) = page.last() else { return Ok(None) };
        self.after = Some(table.key_of(last));
        let bytes = page.iter().map(Cells::bytes).sum::<usize>() / page.len();
        self.limit = (PAGE_BYTES / bytes.max(1)).clamp(1, ROWS_MAX).min(self.limit * 4);
        Ok(Some(page))
    }
}
