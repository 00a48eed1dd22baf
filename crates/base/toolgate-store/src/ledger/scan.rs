//! The ledger's rows as readers find them: heads, parts of blocks, and lines.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};

use toolgate_core::event::HybridTime;

use super::block::{self, Part, Places};
use super::head::{LedgerStream, StreamHead};
use super::line::LedgerLine;
use super::read::LedgerOrder;
use super::row::LineRow;
use super::terms::{BlockMark, FORM_1, LineFilter, Term};
use crate::Store;
use crate::db::Transaction;

const HEADS: &str = "SELECT stream, number, time, part FROM ledger_heads WHERE tenant = $1 ORDER BY stream";
pub(super) const LINES: &str = "SELECT number, time, line FROM ledger_lines WHERE tenant = $1 AND stream = $2 \
     AND day = $3 AND number >= $4 AND number <= $5 ORDER BY number LIMIT $6";
/// As the index of these blocks has it.
static OF_FORM_1: LazyLock<String> = LazyLock::new(|| format!(" AND part.form = {FORM_1}"));
const LINES_BACKWARDS: &str = "SELECT number, time, line FROM ledger_lines WHERE tenant = $1 AND stream = $2 \
     AND day = $3 AND number >= $4 AND number <= $5 ORDER BY number DESC LIMIT $6";

/// The committed end of a stream: nothing beyond it is read.
#[derive(Clone, Debug)]
pub(super) struct Horizon {
    pub(super) stream: Arc<str>,
    pub(super) number: i64,
    pub(super) time: HybridTime,
    /// The first number of the part that is not complete.
    pub(super) part: i64,
}

/// A range of numbers in one day, or only some of them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Range {
    pub(super) first: i64,
    pub(super) last: i64,
    pub(super) day: i64,
    /// Empty for all of them.
    pub(super) only: Vec<i64>,
}

impl Range {
    /// Takes more numbers of the same part; none are all of it.
    fn add(&mut self, only: Vec<i64>) {
        if self.only.is_empty() || only.is_empty() {
            self.only.clear();
        } else {
            self.only.extend(only);
            self.only.sort_unstable();
            self.only.dedup();
        }
    }
}

impl Horizon {
    /// The numbers that lie in no complete part.
    pub(super) fn open(&self) -> Option<Range> {
        let day = self.time.day();
        (self.part <= self.number).then_some(Range {
            first: self.part,
            last: self.number,
            day,
            only: Vec::new(),
        })
    }
}

/// The parts of a stream to look for.
pub(super) struct Search<'a> {
    pub(super) stream: &'a str,
    pub(super) first: i64,
    pub(super) last: i64,
    /// Only parts with events of this time or later, or earlier.
    pub(super) since: Option<HybridTime>,
    pub(super) until: Option<HybridTime>,
    pub(super) wanted: &'a LineFilter,
    /// Only parts with all of these terms.
    pub(super) terms: &'a [Term],
    /// And with one of these, unless there are none.
    pub(super) either: &'a [BlockMark],
}

impl Store {
    pub(super) async fn horizon(&self) -> Result<Vec<Horizon>, sqlx::Error> {
        let heads: Vec<(String, i64, i64, i64)> = self.db.sql(HEADS).bind(self.tenant).fetch_all().await?;
        let horizon = heads.into_iter().map(|(stream, number, time, part)| Horizon {
            stream: stream.into(),
            number,
            time: HybridTime::from_number(time),
            part,
        });
        Ok(horizon.collect())
    }

    /// Complete parts in which there may be events that are wanted.
    pub(super) async fn parts(
        &self,
        search: &Search<'_>,
        order: LedgerOrder,
        limit: i64,
    ) -> Result<Vec<Range>, sqlx::Error> {
        if search.either.is_empty() {
            return self.parts_with(search, None, order, limit).await;
        }
        // The first parts with any of the marks are among the first ones with each.
        let mut found = EitherParts::default();
        for mark in search.either {
            found.add(self.parts_with(search, Some(*mark), order, limit).await?);
        }
        Ok(found.first(order, usize::try_from(limit).unwrap_or_default()))
    }

    /// The same for parts with a mark, too.
    async fn parts_with(
        &self,
        search: &Search<'_>,
        mark: Option<BlockMark>,
        order: LedgerOrder,
        limit: i64,
    ) -> Result<Vec<Range>, sqlx::Error> {
        let mut terms = search.terms.to_vec();
        let mut form = "";
        match mark {
            Some(BlockMark::Term(term)) => terms.push(term),
            Some(BlockMark::FirstForm) => form = &OF_FORM_1,
            None => {}
        }
        let mut statement = self.db.sql(sqlx::AssertSqlSafe(parts_text(search, terms.len(), form, order)));
        statement.push(self.tenant);
        statement.push(search.stream);
        statement.push(block::of_number(search.first));
        statement.push(block::of_number(search.last));
        statement.push(search.first);
        statement.push(search.last);
        statement.push(limit);
        terms.iter().for_each(|term| statement.push(term.as_bytes()));
        bounds(search).for_each(|(_, value)| statement.push(value));
        let rows: Vec<(i64, i64, i64, Vec<u8>)> = statement.fetch_all().await?;
        let range = |(day, first, last, places): (i64, i64, i64, Vec<u8>)| {
            let only = if terms.is_empty() { Vec::new() } else { Places::numbers(&places, first).collect() };
            Range { first, last, day, only }
        };
        Ok(rows.into_iter().map(range).collect())
    }

    pub(super) async fn lines(
        &self,
        stream: &str,
        range: &Range,
        order: LedgerOrder,
        limit: i64,
    ) -> Result<Vec<LineRow>, sqlx::Error> {
        if let Some(last) = range.only.last() {
            // Few different texts, so that they stay prepared.
            let count = range.only.len().next_power_of_two();
            let mut lines = self.db.sql(sqlx::AssertSqlSafe(some_lines_text(count, order)));
            lines.push(self.tenant);
            lines.push(stream);
            lines.push(range.day);
            let padded = range.only.iter().chain(std::iter::repeat(last)).take(count);
            padded.for_each(|number| lines.push(*number));
            return lines.fetch_all().await;
        }
        let text = match order {
            LedgerOrder::OldestFirst => LINES,
            LedgerOrder::NewestFirst => LINES_BACKWARDS,
        };
        let lines = self.db.sql(text).bind(self.tenant).bind(stream).bind(range.day);
        lines.bind(range.first).bind(range.last).bind(limit).fetch_all().await
    }
}

/// Parts with one term or another, by their first numbers.
#[derive(Default)]
struct EitherParts(BTreeMap<i64, Range>);

impl EitherParts {
    fn add(&mut self, parts: Vec<Range>) {
        for part in parts {
            match self.0.entry(part.first) {
                Entry::Vacant(entry) => drop(entry.insert(part)),
                Entry::Occupied(mut entry) => entry.get_mut().add(part.only),
            }
        }
    }

    fn first(self, order: LedgerOrder, limit: usize) -> Vec<Range> {
        let parts = self.0.into_values();
        match order {
            LedgerOrder::OldestFirst => parts.take(limit).collect(),
            LedgerOrder::NewestFirst => parts.rev().take(limit).collect(),
        }
    }
}

/// Parameters: tenant, stream, day, and `count` numbers.
fn some_lines_text(count: usize, order: LedgerOrder) -> String {
    let places = (4..4 + count).map(|place| format!("${place}")).collect::<Vec<_>>().join(", ");
    format!(
        "SELECT number, time, line FROM ledger_lines WHERE tenant = $1 AND stream = $2 AND day = $3 \
         AND number IN ({places}) ORDER BY number {}",
        direction(order)
    )
}

fn direction(order: LedgerOrder) -> &'static str {
    match order {
        LedgerOrder::NewestFirst => "DESC",
        LedgerOrder::OldestFirst => "ASC",
    }
}

/// The part of a stream that is not complete at its head.
pub(super) async fn open_part(
    tx: &mut Transaction,
    pen: &LedgerStream,
    head: &StreamHead,
) -> Result<Part, sqlx::Error> {
    let day = head.time.day();
    let lines = tx.sql(LINES).bind(pen.tenant).bind(&*pen.stream).bind(day);
    let rows: Vec<LineRow> = lines.bind(head.part).bind(head.number).bind(block::BLOCK).fetch_all().await?;
    let mut part: Option<Part> = None;
    for (_, time, bytes) in &rows {
        let (Some(line), time) = (LedgerLine::read(bytes), HybridTime::from_number(*time)) else { continue };
        match &mut part {
            Some(part) => part.add(&line, time, bytes),
            None => part = Some(Part::of(&line, time, bytes)),
        }
    }
    // Where lines are missing or differ from the head, writing goes on all the same; verification names them.
    let numbers = (head.part, head.number);
    let part = part.unwrap_or_else(|| Part::without_lines(numbers, head.time));
    Ok(part.standing_for(numbers, head.hash))
}

/// Conditions on the times of a part, with their values.
fn bounds(search: &Search<'_>) -> impl Iterator<Item = (&'static str, i64)> {
    let bounds = [
        ("part.until >=", search.since.map(HybridTime::number)),
        ("part.since <=", search.until.map(HybridTime::number)),
        ("part.at_max >=", search.wanted.from_ms),
        ("part.at_min <", search.wanted.until_ms),
    ];
    bounds.into_iter().filter_map(|(condition, value)| Some((condition, value?)))
}

/// Parameters: tenant, stream, the first and the last block, the first and the last number, how many, the
/// terms, and the values of `bounds`. `form` is a condition.
fn parts_text(search: &Search<'_>, terms: usize, form: &str, order: LedgerOrder) -> String {
    let mut text = "SELECT part.day, part.first, part.last, ".to_owned();
    text.push_str(if terms == 0 {
        // The last column is not used.
        "part.root FROM ledger_blocks part WHERE part.tenant = $1 AND part.stream = $2"
    } else {
        // The rows of the first term come first: it is likely to have the fewest.
        "term.places FROM ledger_terms term CROSS JOIN ledger_blocks part WHERE term.tenant = $1 AND term.stream = $2 \
         AND term.term = $8 AND part.tenant = $1 AND part.stream = $2 AND part.block = term.block AND part.day = term.day"
    });
    let of = if terms == 0 { "part" } else { "term" };
    write(
        &mut text,
        format_args!(" AND {of}.block >= $3 AND {of}.block <= $4 AND part.last >= $5 AND part.first <= $6"),
    );
    for place in 9..8 + terms {
        write(
            &mut text,
            format_args!(
                " AND EXISTS (SELECT 1 FROM ledger_terms other WHERE other.tenant = $1 AND other.term = ${place} \
                 AND other.stream = $2 AND other.block = term.block AND other.day = term.day)"
            ),
        );
    }
    for (place, (condition, _)) in (8 + terms..).zip(bounds(search)) {
        write(&mut text, format_args!(" AND {condition} ${place}"));
    }
    text.push_str(form);
    let direction = direction(order);
    write(&mut text, format_args!(" ORDER BY {of}.block {direction}, {of}.day {direction} LIMIT $7"));
    text
}

fn write(text: &mut String, more: std::fmt::Arguments<'_>) {
    text.write_fmt(more).expect("writing to a string does not fail");
}
