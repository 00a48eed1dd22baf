//! The rows of the current spans, as their writer knows them, and the writing of complete parts.
//!
//! A stream has one writer at a time: whoever holds the lock on its head. So rows are read once and then
//! overwritten. They are known only as long as nobody else completed a part of the stream.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use super::super::block::Part;
use super::super::head::LedgerStream;
use super::events::PartFigures;
use super::kinds::{FigureBy, FigureSpan, NAMES_MAX, OTHER_NAMES};
use super::rows::{COLUMNS, FigureRow, SELECT_SPAN, SpanKey, UPSERT};
use super::sums::FigureSums;
use crate::db::Transaction;
use crate::rows::MultiRowInsert;

/// Spans of each length that stay known.
const SPANS_KNOWN: i64 = 3;

static WRITE: LazyLock<MultiRowInsert> = LazyLock::new(|| {
    let columns = COLUMNS.split(',').count();
    MultiRowInsert::new(&format!("INSERT INTO figures ({COLUMNS}) VALUES "), columns, UPSERT)
});

type SpanSums = BTreeMap<(FigureBy, Box<str>), FigureSums>;

/// Rows as they are in the database.
#[derive(Default)]
pub(in crate::ledger) struct KnownFigures {
    /// The first number of the part that was not complete when these were written.
    part: i64,
    spans: BTreeMap<SpanKey, SpanSums>,
    touched: BTreeSet<(SpanKey, FigureBy, Box<str>)>,
}

impl KnownFigures {
    /// Prepares for a batch after the head whose open part begins with this number.
    pub(in crate::ledger) fn begin(&mut self, part: i64) {
        if self.part != part {
            self.spans.clear();
        }
        self.touched.clear();
    }

    /// The spans of these sums whose rows are not known.
    pub(in crate::ledger) fn missing(&self, sums: &[&PartFigures]) -> Vec<SpanKey> {
        let minutes: BTreeSet<i64> =
            sums.iter().flat_map(|one| one.iter()).map(|(minute, ..)| minute).collect();
        let spans: BTreeSet<SpanKey> = minutes.into_iter().flat_map(spans_of).collect();
        spans.into_iter().filter(|key| !self.spans.contains_key(key)).collect()
    }

    /// Takes the rows of a span: property, name and sums.
    pub(in crate::ledger) fn know(&mut self, key: SpanKey, rows: Vec<(i64, String, Vec<u8>)>) {
        let sums = rows.into_iter().filter_map(|(by, name, sums)| {
            Some(((FigureBy::of_number(by)?, name.into()), FigureSums::read(&sums).unwrap_or_default()))
        });
        self.spans.insert(key, sums.collect());
    }

    /// All their spans are known.
    pub(in crate::ledger) fn add(&mut self, sums: &[&PartFigures]) {
        for (minute, by, name, sums) in sums.iter().flat_map(|one| one.iter()) {
            for key in spans_of(minute) {
                self.add_to(key, by, name, sums);
            }
        }
    }

    fn add_to(&mut self, key: SpanKey, by: FigureBy, name: &str, sums: &FigureSums) {
        let known = self.spans.entry(key).or_default();
        let mut id: (FigureBy, Box<str>) = (by, name.into());
        if !known.contains_key(&id) && known.keys().filter(|(one, _)| *one == by).count() >= NAMES_MAX {
            id.1 = OTHER_NAMES.into();
        }
        self.touched.insert((key, id.0, id.1.clone()));
        known.entry(id).or_default().add_all(sums);
    }

    /// The rows to write.
    pub(in crate::ledger) fn rows(&self) -> Vec<FigureRow<'_>> {
        let rows = self.touched.iter().filter_map(|(key, by, name)| {
            let sums = self.spans.get(key)?.get(&(*by, name.clone()))?;
            Some(FigureRow::of(*key, *by, name, sums))
        });
        rows.collect()
    }

    /// The rows are written, up to the part that begins with this number. Old spans are forgotten.
    pub(in crate::ledger) fn end(&mut self, part: i64) {
        self.part = part;
        self.touched.clear();
        for span in FigureSpan::ALL {
            let latest = self.spans.keys().filter(|key| key.span == span).map(|key| key.at).max();
            let first = latest.unwrap_or_default() - SPANS_KNOWN;
            self.spans.retain(|key, _| key.span != span || key.at > first);
        }
    }
}

fn spans_of(minute: i64) -> [SpanKey; 3] {
    FigureSpan::ALL.map(|span| SpanKey { span, at: minute.div_euclid(span.ms() / FigureSpan::Minute.ms()) })
}

/// Adds complete parts to the rows of their stream. `open` is the first number of the part that was open before, and
/// of the one that is open afterwards.
pub(in crate::ledger) async fn write(
    tx: &mut Transaction,
    pen: &LedgerStream,
    known: &mut KnownFigures,
    parts: &[Part],
    open: (i64, i64),
) -> Result<(), sqlx::Error> {
    if parts.is_empty() {
        return Ok(());
    }
    known.begin(open.0);
    let sums: Vec<&PartFigures> = parts.iter().map(|part| &part.figures).collect();
    add(tx, (pen.tenant, &*pen.stream), known, &sums).await?;
    known.end(open.1);
    Ok(())
}

/// Adds sums to the rows of a stream, which nobody else writes meanwhile.
pub(super) async fn add(
    tx: &mut Transaction,
    (tenant, stream): (&'static str, &str),
    known: &mut KnownFigures,
    sums: &[&PartFigures],
) -> Result<(), sqlx::Error> {
    for key in known.missing(sums) {
        let read = tx.sql(SELECT_SPAN).bind(tenant).bind(key.span as i64).bind(key.at).bind(stream);
        let rows = read.fetch_all().await?;
        known.know(key, rows);
    }
    known.add(sums);
    let rows = known.rows();
    WRITE
        .execute(tx, &rows, |to, row| {
            to.push(tenant);
            to.push(row.key.span as i64);
            to.push(i64::from(row.by as u8));
            to.push(row.key.at);
            to.push(row.name.to_owned());
            to.push(stream.to_owned());
            to.push(row.sums.clone());
        })
        .await
}
