//! Messages against the ledger, which has their digests and tells which of them stand for others. A row may be changed together with
//! its own digest; the ledger may not.

use toolgate_core::Digest;
use toolgate_core::event::{EventFilter, EventKind};
use toolgate_core::id::RunId;
use toolgate_core::run::Run;

use super::error::LoopError;
use super::read::LOOP_MESSAGES_PAGE_MAX;
use crate::error::doing;
use crate::ledger::LedgerOrder;
use crate::run::RunError;
use crate::{Store, StoreError};

const DOING: &str = "check the messages of a run";
const LOOPS: &str = "SELECT run FROM run_loops WHERE tenant = $1 AND run > $2 ORDER BY run LIMIT $3";
/// The number of runs that are read at once.
const LOOPS_PAGE: i64 = 500;
/// The maximum number of runs with changed messages that are named.
pub const CHANGED_RUNS_MAX: usize = 100;

/// The messages of all driven runs, against the ledger.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MessageVerification {
    pub runs: u64,
    /// Those of the runs that are as they were written.
    pub messages: u64,
    /// The runs that are not, and the number of the first changed message of each.
    pub changed: Vec<(RunId, u64)>,
}

/// The digests of a run's rows, in their order from 1.
#[derive(Default)]
struct CheckedRows {
    digests: Vec<Digest>,
    folded_into: Vec<Option<u64>>,
    /// The number of the first that was erased.
    erased: Option<u64>,
}

impl Store {
    /// Checks the messages of all runs that gateways drive or drove.
    pub async fn verify_all_messages(&self) -> Result<MessageVerification, LoopError> {
        let (mut verified, mut after) = (MessageVerification::default(), String::new());
        loop {
            let page = self.db.sql(LOOPS).bind(self.tenant).bind(&*after).bind(LOOPS_PAGE);
            let page: Vec<(String,)> = page.fetch_all().await.map_err(doing(DOING))?;
            let Some((last,)) = page.last() else { return Ok(verified) };
            after.clone_from(last);
            for (run,) in page {
                verified.runs += 1;
                match self.verify_messages(&RunId::new(run)).await {
                    Ok(count) => verified.messages += count,
                    Err(LoopError::Tampered { run, number }) => verified.changed.push((run, number)),
                    Err(error) => return Err(error),
                }
                if verified.changed.len() == CHANGED_RUNS_MAX {
                    return Ok(verified);
                }
            }
        }
    }

    /// Checks that the messages of a run are those that the ledger tells of, and returns how many there are. The first that was
    /// changed, removed, put in, or taken out of what is sent is named.
    pub async fn verify_messages(&self, id: &RunId) -> Result<u64, LoopError> {
        match self.compare_messages(id).await {
            // A fold changes rows that were read a moment before: the second look decides.
            Err(LoopError::Tampered { .. }) => self.compare_messages(id).await,
            compared => compared,
        }
    }

    async fn compare_messages(&self, id: &RunId) -> Result<u64, LoopError> {
        let run = self.run(id).await?.ok_or_else(|| RunError::UnknownRun(id.clone()))?;
        let tampered = |number| LoopError::Tampered { run: id.clone(), number };
        let mut rows = CheckedRows::default();
        self.check_rows(id, &mut rows).await?;
        let told = self.told_history(id).await?;
        // The first may be cut off; never one after them.
        let first = told.first();
        let is_cut = self.is_ledger_cut().await?;
        for (digest, number) in rows.digests.iter().zip(1..) {
            let is_told = told.digests.get(&number) == Some(digest);
            if !(is_told || is_cut && number < first) {
                return Err(tampered(number));
            }
        }
        if let Some(number) = told.misfolded(&rows.folded_into, is_cut) {
            return Err(tampered(number));
        }
        // Written since the rows were read, or missing.
        self.check_rows(id, &mut rows).await?;
        let count = rows.digests.len() as u64;
        if let Some((missing, _)) = told.digests.range(count + 1..).next() {
            return Err(tampered(*missing));
        }
        match rows.erased {
            Some(number) if !self.was_erased(&run).await? => Err(tampered(number)),
            _ => Ok(count),
        }
    }

    /// Reads the rows after those that were read before.
    async fn check_rows(&self, id: &RunId, read: &mut CheckedRows) -> Result<(), LoopError> {
        loop {
            let after = read.digests.len() as u64;
            let rows = self.message_rows(id, after, LOOP_MESSAGES_PAGE_MAX).await?;
            if rows.is_empty() {
                return Ok(());
            }
            for (row, expected) in rows.into_iter().zip(after + 1..) {
                if row.number() != expected {
                    return Err(LoopError::Tampered { run: id.clone(), number: expected });
                }
                if row.is_erased() {
                    read.erased.get_or_insert(expected);
                }
                let message = row.read(id, DOING)?;
                read.digests.push(message.digest);
                read.folded_into.push(message.folded_into);
            }
        }
    }

    async fn is_ledger_cut(&self) -> Result<bool, StoreError> {
        let filter = EventFilter { kind: Some(EventKind::LedgerCut), ..EventFilter::default() };
        let cuts = self.ledger_page(&filter, None, 1, LedgerOrder::NewestFirst).await?;
        Ok(!cuts.is_empty())
    }

    /// True if the ledger tells of an erasure that concerns the run.
    async fn was_erased(&self, run: &Run) -> Result<bool, StoreError> {
        let erasures = self.erasures().await.map_err(doing(DOING))?;
        Ok(erasures.iter().any(|erasure| {
            erasure.principal == run.principal
                && erasure.call.is_none()
                && erasure.session.as_ref().is_none_or(|session| run.session.as_ref() == Some(session))
        }))
    }
}
