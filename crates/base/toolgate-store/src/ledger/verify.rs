//! Proving the ledger: one pass over the lines of each stream, which are hashed while they are read.

mod walk;

use std::collections::BTreeSet;

use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{FromRow, Row as _};
use toolgate_core::event::HybridTime;

use super::cut::LedgerCut;
use super::head::{HeadTrust, StreamHead};
use super::line::{self, LedgerLine};
use super::row;
use crate::error::doing;
use crate::{Store, StoreError};
pub use walk::Tampering;
use walk::{CheckedRow, End, Found, Place, StoredPart, StreamWalk};

/// The number of lines that are read at once. The next ones are read while these are hashed.
const PAGE: i64 = 4_096;

const HEADS: &str =
    "SELECT stream, number, time, part, hash, seal FROM ledger_heads WHERE tenant = $1 ORDER BY stream";
const HEAD: &str =
    "SELECT stream, number, time, part, hash, seal FROM ledger_heads WHERE tenant = $1 AND stream = $2";
/// The next stream with lines, whatever the heads say.
const NEXT_STREAM: &str =
    "SELECT stream FROM ledger_lines WHERE tenant = $1 AND stream > $2 ORDER BY stream LIMIT 1";
const LINES: &str = "SELECT day, number, time, line FROM ledger_lines WHERE tenant = $1 AND stream = $2 \
     AND (day, number) > ($3, $4) ORDER BY day, number LIMIT $5";
const PARTS: &str = "SELECT first, last, root FROM ledger_blocks WHERE tenant = $1 AND stream = $2 AND last > $3 \
     ORDER BY block, day";

/// The result of a verification.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LedgerVerification {
    /// The number of events that were checked.
    pub events: u64,
    pub streams: usize,
    /// The beginnings of streams whose first days were removed.
    pub cuts: Vec<LedgerCut>,
    /// The first fault.
    pub fault: Option<LedgerFault>,
}

/// One event that differs from what was written.
#[derive(Clone, PartialEq, Eq, Debug, serde::Serialize)]
pub struct LedgerFault {
    pub stream: String,
    pub number: i64,
    pub what: Tampering,
}

impl std::fmt::Display for LedgerFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "event {} of stream {}: {}", self.number, self.stream, self.what)
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
        // Heads first: later events lie beyond them and are left for another time.
        let heads: Vec<SealedHead> = self.db.sql(HEADS).bind(self.tenant).fetch_all().await?;
        let mut streams: BTreeSet<String> = heads.iter().map(|head| head.stream.clone()).collect();
        streams.extend(self.streams_with_lines().await?);
        let cuts = self.cuts(key).await?;
        streams.extend(cuts.iter().map(|cut| cut.stream.clone()));
        let mut verified = LedgerVerification { events: 0, streams: streams.len(), cuts, fault: None };
        for stream in streams {
            let head = heads.iter().find(|head| head.stream == stream);
            let mut on_page = |events| {
                verified.events += events;
                on_progress(verified.events);
            };
            if let Err(fault) = self.verify_whole(key, &stream, head, &mut on_page).await? {
                verified.fault = Some(LedgerFault { stream, number: fault.number, what: fault.what });
                break;
            }
        }
        Ok(verified)
    }

    /// From wherever the stream begins: its first days may be removed in the meantime.
    async fn verify_whole(
        &self,
        key: &[u8; 32],
        stream: &str,
        sealed: Option<&SealedHead>,
        on_page: &mut impl FnMut(u64),
    ) -> Result<Result<(), Found>, sqlx::Error> {
        loop {
            let cut = match self.cut_of(key, stream).await? {
                Ok(cut) => cut,
                Err(number) => return Ok(Err(Found { number, what: Tampering::CutForged })),
            };
            let verified = self.verify_stream(key, (stream, cut.as_ref()), sealed, on_page).await?;
            if verified.is_ok() || self.cut_of(key, stream).await? == Ok(cut) {
                return Ok(verified);
            }
        }
    }

    async fn verify_stream(
        &self,
        key: &[u8; 32],
        (stream, cut): (&str, Option<&LedgerCut>),
        sealed: Option<&SealedHead>,
        on_page: &mut impl FnMut(u64),
    ) -> Result<Result<(), Found>, sqlx::Error> {
        let sealed = match sealed.map(|sealed| sealed.open(key)) {
            Some(Err(found)) => return Ok(Err(found)),
            Some(Ok(end)) => end,
            // A stream that was started meanwhile, unless it still has no head in the end.
            None => End::START,
        };
        let mut walk = match self.walk_from(stream, cut, sealed).await? {
            Ok(walk) => walk,
            Err(found) => return Ok(Err(found)),
        };
        if let Err(found) = self.walk_lines(stream, cut, &mut walk, i64::MAX, on_page).await? {
            return Ok(Err(found));
        }
        // The head again: everything beyond the first one was written since, or written without the key.
        let now: Option<SealedHead> =
            self.db.sql(HEAD).bind(self.tenant).bind(stream).fetch_optional().await?;
        let now = match now.map(|sealed| sealed.open(key)).transpose() {
            Ok(now) => now,
            Err(found) => return Ok(Err(found)),
        };
        Ok(walk.end(now))
    }

    /// Checks what a cut would remove, and says with which number the stream began before.
    pub(super) async fn verify_before(
        &self,
        key: &[u8; 32],
        to: &LedgerCut,
    ) -> Result<Result<i64, LedgerFault>, sqlx::Error> {
        let fault =
            |found: Found| LedgerFault { stream: to.stream.clone(), number: found.number, what: found.what };
        let cut = match self.cut_of(key, &to.stream).await? {
            Ok(cut) => cut,
            Err(number) => return Ok(Err(fault(Found { number, what: Tampering::CutForged }))),
        };
        let before = cut.as_ref().map_or(0, |cut| cut.number);
        if to.number <= before {
            return Ok(Ok(before));
        }
        let verified = self.verify_between(key, cut.as_ref(), to).await?;
        Ok(verified.map(|()| before).map_err(fault))
    }

    async fn verify_between(
        &self,
        key: &[u8; 32],
        cut: Option<&LedgerCut>,
        to: &LedgerCut,
    ) -> Result<Result<(), Found>, sqlx::Error> {
        let head = self.db.sql(HEAD).bind(self.tenant).bind(&*to.stream);
        let head: Option<SealedHead> = head.fetch_optional().await?;
        let head = match head.map(|head| head.open(key)) {
            Some(Ok(head)) if to.number > head.number => {
                return Ok(Err(Found { number: head.number + 1, what: Tampering::Inserted }));
            }
            Some(Ok(head)) => head,
            Some(Err(found)) => return Ok(Err(found)),
            None => return Ok(Err(Found { number: to.number, what: Tampering::HeadForged })),
        };
        let end = End { number: to.number, part: head.part.min(to.number + 1), hash: to.hash };
        let mut walk = match self.walk_from(&to.stream, cut, end).await? {
            Ok(walk) => walk,
            Err(found) => return Ok(Err(found)),
        };
        let walked = self.walk_lines(&to.stream, cut, &mut walk, to.number, &mut |_| ()).await?;
        // Writers go on, and what they add is none of this.
        let now = End { number: i64::MAX, ..head };
        Ok(walked.and_then(|()| walk.end(Some(now))))
    }

    /// A walk that begins where the stream does.
    async fn walk_from(
        &self,
        stream: &str,
        cut: Option<&LedgerCut>,
        sealed: End,
    ) -> Result<Result<StreamWalk, Found>, sqlx::Error> {
        let number = cut.map_or(0, |cut| cut.number);
        if number > sealed.number {
            return Ok(Err(Found { number, what: Tampering::HeadForged }));
        }
        let parts = self.db.sql(PARTS).bind(self.tenant).bind(stream).bind(number);
        let walk = StreamWalk::new(sealed, parts.fetch_all::<StoredPart>().await?);
        Ok(Ok(match cut {
            Some(cut) => walk.after(cut.number, cut.hash),
            None => walk,
        }))
    }

    /// Takes the lines of a stream, at least up to a number. What a cut removed and is still there does not count.
    async fn walk_lines(
        &self,
        stream: &str,
        cut: Option<&LedgerCut>,
        walk: &mut StreamWalk,
        until: i64,
        on_page: &mut impl FnMut(u64),
    ) -> Result<Result<(), Found>, sqlx::Error> {
        let begin = cut.map_or((i64::MIN, i64::MIN), |cut| (cut.day - 1, i64::MAX));
        let mut page = self.page_of_lines(stream, begin).await?;
        while let Some((day, number, ..)) = page.last() {
            let (after, count) = ((*day, *number), page.len() as u64);
            let is_last = *number >= until;
            let (tenant, name) = (self.tenant, stream.to_owned());
            let hashing = tokio::task::spawn_blocking(move || checked(tenant, &name, &page));
            let (hashed, next) = tokio::join!(hashing, self.page_of_lines(stream, after));
            let hashed = hashed.expect("hashing does not panic");
            if let Err(found) = hashed.into_iter().try_for_each(|row| walk.take(row)) {
                return Ok(Err(found));
            }
            on_page(count);
            page = next?;
            if is_last {
                break;
            }
        }
        Ok(Ok(()))
    }

    async fn page_of_lines(&self, stream: &str, after: (i64, i64)) -> Result<Vec<StoredLine>, sqlx::Error> {
        let page = self.db.sql(LINES).bind(self.tenant).bind(stream).bind(after.0).bind(after.1);
        page.bind(PAGE).fetch_all().await
    }

    pub(super) async fn streams_with_lines(&self) -> Result<Vec<String>, sqlx::Error> {
        let (mut streams, mut last): (Vec<String>, String) = (Vec::new(), String::new());
        loop {
            let next = self.db.sql(NEXT_STREAM).bind(self.tenant).bind(last);
            let Some((stream,)) = next.fetch_optional::<(String,)>().await? else { return Ok(streams) };
            last = stream.clone();
            streams.push(stream);
        }
    }
}

/// Day, number, time and line.
type StoredLine = (i64, i64, i64, Vec<u8>);

fn checked(tenant: &str, stream: &str, lines: &[StoredLine]) -> Vec<CheckedRow> {
    let checked = lines.iter().map(|(day, number, time, line)| {
        let time = HybridTime::from_number(*time);
        CheckedRow::of(Place { tenant, stream, day: *day, number: *number, time }, line)
    });
    checked.collect()
}

crate::row::row! {
    struct SealedHead {
        stream: String,
        number: i64,
        time: i64,
        part: i64,
        hash: Vec<u8>,
        seal: Vec<u8>,
    }
}

impl SealedHead {
    /// The end of the stream, if it was sealed with this key.
    fn open(&self, key: &[u8; 32]) -> Result<End, Found> {
        let (number, time, part) = (self.number, HybridTime::from_number(self.time), self.part);
        let hash = row::digest(&self.hash).ok();
        let head = hash.map(|hash| StreamHead { number, time, part, hash, trust: HeadTrust::Sealed });
        let sealed = head.filter(|head| head.is_sealed_by(&self.seal, key, &self.stream));
        let end = sealed.map(|head| End { number, part, hash: head.hash });
        end.ok_or(Found { number, what: Tampering::HeadForged })
    }
}

macro_rules! rows {
    ($row:ty) => {
        impl<'r> FromRow<'r, $row> for StoredPart {
            fn from_row(row: &'r $row) -> Result<Self, sqlx::Error> {
                let root: &[u8] = row.try_get(2)?;
                Ok(StoredPart { first: row.try_get(0)?, last: row.try_get(1)?, root: root.to_owned() })
            }
        }
    };
}

rows!(SqliteRow);
rows!(PgRow);

impl CheckedRow {
    fn of(place: Place<'_>, bytes: &[u8]) -> Self {
        let Place { day, number, .. } = place;
        let fields = LedgerLine::read(bytes);
        let hash = line::hash(bytes);
        let leaf = match &fields {
            Some(LedgerLine { time: None, .. }) => line::leaf(bytes),
            _ => hash,
        };
        let previous = fields.as_ref().map(|fields| fields.previous);
        Self { day, number, what: place.differs(fields.as_ref()), previous, hash, leaf }
    }
}
