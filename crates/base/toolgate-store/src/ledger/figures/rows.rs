//! The rows of figures, and their statements.

use super::kinds::{FigureBy, FigureSpan};
use super::sums::FigureSums;

pub(in crate::ledger) const COLUMNS: &str = "tenant, span, property, at, name, stream, sums";
/// After the values.
pub(in crate::ledger) const UPSERT: &str =
    " ON CONFLICT (tenant, span, property, at, name, stream) DO UPDATE SET sums = excluded.sums";
/// Every row of one stream in one span.
pub(in crate::ledger) const SELECT_SPAN: &str = "SELECT property, name, sums FROM figures WHERE tenant = $1 AND span = $2 \
     AND property IN (0, 1, 2, 3, 4, 5) AND at = $3 AND stream = $4";

/// One span of time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(in crate::ledger) struct SpanKey {
    pub(in crate::ledger) span: FigureSpan,
    pub(in crate::ledger) at: i64,
}

/// A row to write.
pub(in crate::ledger) struct FigureRow<'a> {
    pub(in crate::ledger) key: SpanKey,
    pub(in crate::ledger) by: FigureBy,
    pub(in crate::ledger) name: &'a str,
    pub(in crate::ledger) sums: Vec<u8>,
}

impl<'a> FigureRow<'a> {
    pub(super) fn of(key: SpanKey, by: FigureBy, name: &'a str, sums: &FigureSums) -> Self {
        Self { key, by, name, sums: sums.encoded() }
    }
}
