//! Proving the ledger: one pass over all events in the order of their numbers, with the state of every stream at hand.

use std::collections::BTreeMap;

use super::append::COLUMNS;
use super::head::{HeadTrust, StreamHead};
use super::row::{self, CheckedRow};
use crate::error::doing;
use crate::{Store, StoreError};

/// The number of rows that are read at once. They are hashed while they are read and contain no text except
/// the name of their stream.
const PAGE: i64 = 8_192;

const HEADS: &str = "SELECT stream, stream_seq, hash, seal FROM ledger_heads ORDER BY stream";
const FIRST_FROM: &str = "SELECT stream_seq, seq FROM ledger_events WHERE stream = $1 AND stream_seq >= $2 \
     ORDER BY stream_seq LIMIT 1";

/// The result of a verification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LedgerVerification {
    /// The number of events that were checked.
    pub events: u64,
    pub streams: usize,
    /// The first fault.
    pub fault: Option<LedgerFault>,
}

/// One event that differs from what was written.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct LedgerFault {
    pub stream: String,
    pub stream_seq: i64,
    /// Its number in the whole ledger, if the event exists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seq: Option<i64>,
    pub what: Tampering,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, serde::Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum Tampering {
    #[error("it was changed after it was written")]
    Edited,
    #[error("it was written and is not there")]
    Dropped,
    /// It is, or names a predecessor, at a place where it was not written.
    #[error("it is not in its place")]
    Reordered,
    #[error("it was not written by a gateway")]
    Inserted,
    /// The sealed end of the stream was made without the key, or is missing.
    #[error("the sealed end of its stream is missing or forged")]
    HeadForged,
}

impl std::fmt::Display for LedgerFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "event {} of stream {}", self.stream_seq, self.stream)?;
        if let Some(seq) = self.seq {
            write!(f, " (number {seq})")?;
        }
        write!(f, ": {}", self.what)
    }
}

impl Store {
    /// Checks the whole ledger and stops at the first event that was edited, dropped, reordered or inserted.
    /// `on_progress` gets the number of events checked, every few thousand. Writers continue meanwhile.
    ///
    /// No check inside the database can notice that all of it, including its heads, was restored to an
    /// earlier state.
    pub async fn verify_ledger(
        &self,
        on_progress: impl FnMut(u64),
    ) -> Result<LedgerVerification, StoreError> {
        let key = self.sealing_key().await?;
        self.verify_with(&key, on_progress).await.map_err(doing("verify the ledger"))
    }

    async fn verify_with(
        &self,
        key: &[u8; 32],
        mut on_progress: impl FnMut(u64),
    ) -> Result<LedgerVerification, sqlx::Error> {
        let mut check = LedgerCheck::default();
        // Heads first: later events lie beyond them and are left for another time.
        for sealed in self.heads().await? {
            if let Err(fault) = check.expect(&sealed, key) {
                return Ok(check.verified(Some(fault)));
            }
        }
        let text = format!("SELECT {COLUMNS} FROM ledger_events WHERE seq > $1 ORDER BY seq LIMIT {PAGE}");
        let mut last = i64::MIN;
        loop {
            let page = self.db.sql(sqlx::AssertSqlSafe(text.clone())).bind(last);
            let page: Vec<CheckedRow> = page.fetch_all().await?;
            let Some(end) = page.last() else { break };
            last = end.seq;
            for row in &page {
                if let Err(fault) = check.event(row) {
                    return Ok(check.verified(Some(fault)));
                }
            }
            on_progress(check.events);
        }
        // Heads again: everything beyond the first ones was written since, or written without the key.
        let fault = check.end(&self.heads().await?, key).err();
        let fault = match fault {
            Some(fault) if fault.what == Tampering::Inserted => Some(self.first_inserted(fault).await?),
            fault => fault,
        };
        Ok(check.verified(fault))
    }

    async fn first_inserted(&self, fault: LedgerFault) -> Result<LedgerFault, sqlx::Error> {
        let find = self.db.sql(FIRST_FROM).bind(fault.stream.clone()).bind(fault.stream_seq);
        let found: Option<(i64, i64)> = find.fetch_optional().await?;
        Ok(found
            .map(|(stream_seq, seq)| LedgerFault { stream_seq, seq: Some(seq), ..fault.clone() })
            .unwrap_or(fault))
    }

    async fn heads(&self) -> Result<Vec<SealedHead>, sqlx::Error> {
        let rows: Vec<(String, i64, Vec<u8>, Vec<u8>)> = self.db.sql(HEADS).fetch_all().await?;
        Ok(rows
            .into_iter()
            .map(|row| SealedHead { stream: row.0, stream_seq: row.1, hash: row.2, seal: row.3 })
            .collect())
    }
}

pub(super) struct SealedHead {
    pub(super) stream: String,
    pub(super) stream_seq: i64,
    pub(super) hash: Vec<u8>,
    pub(super) seal: Vec<u8>,
}

impl SealedHead {
    /// The head, if it was sealed with this key.
    fn open(&self, key: &[u8; 32]) -> Result<StreamHead, LedgerFault> {
        let hash = row::digest(&self.hash).ok();
        let head =
            hash.map(|hash| StreamHead { stream_seq: self.stream_seq, hash, trust: HeadTrust::Sealed });
        head.filter(|head| head.is_sealed_by(&self.seal, key, &self.stream)).ok_or_else(|| LedgerFault {
            stream: self.stream.clone(),
            stream_seq: self.stream_seq,
            seq: None,
            what: Tampering::HeadForged,
        })
    }
}

/// The position in one stream.
struct StreamWalk {
    /// The last event that fitted.
    at: StreamHead,
    seq: Option<i64>,
    /// The sealed head, as it was at the start.
    sealed: StreamHead,
    /// The furthest event that lies beyond it.
    beyond: Option<i64>,
}

#[derive(Default)]
pub(super) struct LedgerCheck {
    streams: BTreeMap<String, StreamWalk>,
    events: u64,
}

impl LedgerCheck {
    pub(super) fn expect(&mut self, sealed: &SealedHead, key: &[u8; 32]) -> Result<(), LedgerFault> {
        let walk = StreamWalk { at: StreamHead::start(), seq: None, sealed: sealed.open(key)?, beyond: None };
        self.streams.insert(sealed.stream.clone(), walk);
        Ok(())
    }

    /// Takes the next event by number.
    pub(super) fn event(&mut self, row: &CheckedRow) -> Result<(), LedgerFault> {
        self.events += 1;
        let walk = match self.streams.get_mut(&row.stream) {
            Some(walk) => walk,
            // A stream that was started meanwhile, unless it still has no head in the end.
            None => self.streams.entry(row.stream.clone()).or_insert(StreamWalk {
                at: StreamHead::start(),
                seq: None,
                sealed: StreamHead::start(),
                beyond: None,
            }),
        };
        walk.take(row)
    }

    /// Every stream must have reached its head, and nothing may lie beyond the current heads.
    pub(super) fn end(&self, now: &[SealedHead], key: &[u8; 32]) -> Result<(), LedgerFault> {
        let mut heads = BTreeMap::new();
        for sealed in now {
            heads.insert(sealed.stream.as_str(), sealed.open(key)?);
        }
        for (stream, walk) in &self.streams {
            walk.end(stream, heads.get(stream.as_str()).copied())?;
        }
        Ok(())
    }

    fn verified(&self, fault: Option<LedgerFault>) -> LedgerVerification {
        LedgerVerification { events: self.events, streams: self.streams.len(), fault }
    }
}

impl StreamWalk {
    fn take(&mut self, row: &CheckedRow) -> Result<(), LedgerFault> {
        let Some(hashes) = row.hashes else { return Err(fault(row, Tampering::Edited)) };
        if hashes.stored != hashes.computed {
            let in_place = hashes.previous == self.at.hash || row.stream_seq > self.sealed.stream_seq;
            return Err(fault(row, if in_place { Tampering::Edited } else { Tampering::Reordered }));
        }
        if row.stream_seq > self.sealed.stream_seq {
            self.beyond = self.beyond.max(Some(row.stream_seq));
            return Ok(());
        }
        let expected = self.at.stream_seq + 1;
        if row.stream_seq > expected {
            let (stream, stream_seq) = (row.stream.clone(), expected);
            return Err(LedgerFault { stream, stream_seq, seq: None, what: Tampering::Dropped });
        }
        // Its number is under its hash, so it is not one of ours that was moved.
        if row.stream_seq < expected {
            return Err(fault(row, Tampering::Inserted));
        }
        if hashes.previous != self.at.hash {
            return Err(self.not_followed(row));
        }
        // It is consistent with its predecessor and itself, but is not the sealed one.
        if row.stream_seq == self.sealed.stream_seq && hashes.stored != self.sealed.hash {
            return Err(fault(row, Tampering::Edited));
        }
        self.at = StreamHead { stream_seq: row.stream_seq, hash: hashes.stored, trust: HeadTrust::Sealed };
        self.seq = Some(row.seq);
        Ok(())
    }

    /// This event matches its own hash and names another predecessor than the existing one: that one was
    /// exchanged.
    fn not_followed(&self, row: &CheckedRow) -> LedgerFault {
        let Some(seq) = self.seq else {
            // The first event names no predecessor.
            return fault(row, Tampering::Edited);
        };
        let (stream, stream_seq) = (row.stream.clone(), self.at.stream_seq);
        LedgerFault { stream, stream_seq, seq: Some(seq), what: Tampering::Edited }
    }

    fn end(&self, stream: &str, now: Option<StreamHead>) -> Result<(), LedgerFault> {
        let fault = |stream_seq, what| LedgerFault { stream: stream.into(), stream_seq, seq: None, what };
        if self.at.stream_seq < self.sealed.stream_seq {
            return Err(fault(self.at.stream_seq + 1, Tampering::Dropped));
        }
        let Some(now) = now else {
            return Err(fault(self.beyond.unwrap_or(self.at.stream_seq), Tampering::HeadForged));
        };
        match self.beyond {
            Some(beyond) if beyond > now.stream_seq => Err(fault(now.stream_seq + 1, Tampering::Inserted)),
            _ => Ok(()),
        }
    }
}

fn fault(row: &CheckedRow, what: Tampering) -> LedgerFault {
    LedgerFault { stream: row.stream.clone(), stream_seq: row.stream_seq, seq: Some(row.seq), what }
}

#[cfg(test)]
mod tests;
