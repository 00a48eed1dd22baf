//! Reading figures: the rows of a range, and the events that lie in no complete block.

use std::collections::BTreeMap;

use super::super::block::BLOCK;
use super::super::line::LedgerLine;
use super::super::read::LedgerOrder;
use super::super::scan::Horizon;
use super::events::PartFigures;
use super::kinds::{FigureBy, FigureSpan};
use super::sums::FigureSums;
use crate::error::doing;
use crate::{Store, StoreError};

/// Attempts to read rows and open parts at one moment, while blocks are completed.
const ATTEMPTS_MAX: usize = 4;

const READ: &str = "SELECT at, name, sums FROM figures WHERE tenant = $1 AND span = $2 AND property = $3 \
     AND at >= $4 AND at < $5";
const READ_ONE: &str = "SELECT at, name, sums FROM figures WHERE tenant = $1 AND span = $2 AND property = $3 \
     AND at >= $4 AND at < $5 AND name = $6";

/// The figures to read. The range and the step are whole numbers of the step's span.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FigureQuery {
    pub by: FigureBy,
    /// Only this name.
    pub name: Option<String>,
    pub from_ms: i64,
    /// Exclusive.
    pub until_ms: i64,
    pub step_ms: i64,
}

/// Sums by name and by the time at which a step begins, in milliseconds. Empty steps are absent.
pub type FigureSeries = BTreeMap<String, BTreeMap<i64, FigureSums>>;

impl FigureQuery {
    /// The longest span of which the step and the range are whole numbers.
    fn span(&self) -> FigureSpan {
        let is_whole = |span: &FigureSpan| {
            [self.step_ms, self.from_ms, self.until_ms].iter().all(|ms| ms.rem_euclid(span.ms()) == 0)
        };
        FigureSpan::ALL.into_iter().rev().find(is_whole).unwrap_or(FigureSpan::Minute)
    }

    fn step_of(&self, at_ms: i64) -> i64 {
        self.from_ms + (at_ms - self.from_ms).div_euclid(self.step_ms.max(1)) * self.step_ms
    }
}

impl Store {
    pub async fn figures(&self, query: &FigureQuery) -> Result<FigureSeries, StoreError> {
        const DOING: &str = "read figures";
        let mut before = self.horizon().await.map_err(doing(DOING))?;
        for attempt in 1.. {
            let mut series = self.rows_of(query).await.map_err(doing(DOING))?;
            let now = self.horizon().await.map_err(doing(DOING))?;
            // Under heavy load the last attempt may miss the events of a block that was completed meanwhile.
            if attempt == ATTEMPTS_MAX || opens(&before).eq(opens(&now)) {
                self.add_open(query, &now, &mut series).await.map_err(doing(DOING))?;
                return Ok(series);
            }
            before = now;
        }
        Ok(FigureSeries::new())
    }

    async fn rows_of(&self, query: &FigureQuery) -> Result<FigureSeries, sqlx::Error> {
        let span = query.span();
        let text = if query.name.is_some() { READ_ONE } else { READ };
        let mut read = self.db.sql(text).bind(self.tenant).bind(span as i64);
        read.push(i64::from(query.by as u8));
        read.push(query.from_ms.div_euclid(span.ms()));
        read.push(query.until_ms.div_euclid(span.ms()));
        query.name.iter().for_each(|name| read.push(name.clone()));
        let rows: Vec<(i64, String, Vec<u8>)> = read.fetch_all().await?;
        let mut series = FigureSeries::new();
        for (at, name, sums) in rows {
            let steps = series.entry(name).or_default();
            let sums = FigureSums::read(&sums).unwrap_or_default();
            steps.entry(query.step_of(at * span.ms())).or_default().add_all(&sums);
        }
        Ok(series)
    }

    /// Adds the events of parts that are not complete.
    async fn add_open(
        &self,
        query: &FigureQuery,
        horizon: &[Horizon],
        series: &mut FigureSeries,
    ) -> Result<(), sqlx::Error> {
        let mut open = PartFigures::default();
        for head in horizon.iter().filter(|head| head.time.ms() >= query.from_ms) {
            let Some(range) = head.open() else { continue };
            let lines = self.lines(&head.stream, &range, LedgerOrder::OldestFirst, BLOCK).await?;
            let lines = lines.iter().filter_map(|(.., line)| LedgerLine::read(line));
            lines.for_each(|line| open.add(&line));
        }
        for (minute, by, name, sums) in open.iter() {
            let at_ms = minute * FigureSpan::Minute.ms();
            let is_wanted = by == query.by
                && (query.from_ms..query.until_ms).contains(&at_ms)
                && query.name.as_deref().is_none_or(|wanted| wanted == name);
            if is_wanted {
                let steps = series.entry(name.to_owned()).or_default();
                steps.entry(query.step_of(at_ms)).or_default().add_all(sums);
            }
        }
        Ok(())
    }
}

/// Where the open part of each stream begins.
fn opens(horizon: &[Horizon]) -> impl Iterator<Item = (&str, i64)> {
    horizon.iter().map(|head| (&*head.stream, head.part))
}
