//! The days of the ledger on Postgres: lines have a partition for each day, blocks and terms one for each 32 days, since a
//! search goes through all of those.
//!
//! Partitions are made some days ahead. There is none for whatever is left over: a writer that finds one missing makes it
//! in its own transaction, so nothing is lost and nothing must be moved later. A partition is attached to its table, which,
//! unlike creating it there, neither waits for readers and writers nor makes them wait.

use std::collections::BTreeSet;

use toolgate_core::event::{Durability, HybridTime};

use crate::clock::now_ms;
use crate::db::{DbLock, Dialect, Transaction};
use crate::error::doing;
use crate::{Store, StoreError};

/// The tables with days, and how many days a partition of each has.
const TABLES: [(&str, i64); 3] = [("ledger_lines", 1), ("ledger_blocks", 32), ("ledger_terms", 32)];
/// An event is at most a day ahead of the clock of its gateway, and follows others that are at most two days ahead.
const AHEAD_DAYS: i64 = 3;

/// Partitions are looked up in the catalogue itself: `to_regclass` may still say within one transaction that there is none
/// when another process has just made it.
const MISSING: &str = "SELECT wanted.name FROM unnest($1::TEXT[], $2::TEXT[]) AS wanted (name, parent) \
     WHERE NOT EXISTS (SELECT 1 FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid \
     WHERE child.relname = wanted.name AND inhparent = to_regclass(wanted.parent))";
const ALL: &str = "SELECT child.relname::TEXT FROM pg_inherits JOIN pg_class child ON child.oid = inhrelid \
     WHERE inhparent = ANY (ARRAY[to_regclass('ledger_lines'), to_regclass('ledger_blocks'), \
     to_regclass('ledger_terms')]::OID[]) ORDER BY child.relname";

/// A partition of one of the tables.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct DayPartition {
    table: &'static str,
    first: i64,
    width: i64,
}

impl DayPartition {
    /// Those in which a day lies.
    fn of_day(day: i64) -> impl Iterator<Item = Self> {
        TABLES.into_iter().map(move |(table, width)| Self {
            table,
            first: day.div_euclid(width) * width,
            width,
        })
    }

    /// The one that a name stands for.
    fn named(name: &str) -> Option<Self> {
        let (table, first) = name.rsplit_once('_')?;
        let (table, width) = TABLES.into_iter().find(|(known, _)| *known == table)?;
        let first = match first.strip_prefix('b') {
            Some(before) => before.parse::<i64>().ok()?.checked_neg()?,
            None => first.parse().ok()?,
        };
        Some(Self { table, first, width })
    }

    /// With the number of its first day since 1970; `b` stands before days earlier than that.
    fn name(self) -> String {
        let sign = if self.first < 0 { "b" } else { "" };
        format!("{}_{sign}{}", self.table, self.first.unsigned_abs())
    }

    /// After its last day.
    fn end(self) -> i64 {
        self.first + self.width
    }

    fn make(self) -> String {
        let (name, Self { table, first, .. }, end) = (self.name(), self, self.end());
        format!(
            "CREATE TABLE {name} (LIKE {table} INCLUDING ALL); \
             ALTER TABLE {table} ATTACH PARTITION {name} FOR VALUES FROM ({first}) TO ({end}); "
        )
    }

    fn remove(self) -> String {
        let (name, table) = (self.name(), self.table);
        format!("ALTER TABLE {table} DETACH PARTITION {name}; DROP TABLE {name}; ")
    }
}

impl Store {
    /// Makes the partitions of today and the next days, unless they are there. SQLite has none.
    pub async fn make_ledger_days(&self) -> Result<usize, StoreError> {
        if self.db.dialect() == Dialect::Sqlite {
            return Ok(0);
        }
        let today = HybridTime::of_ms(now_ms()).day();
        let days = today..=today + AHEAD_DAYS;
        let made = self.make_days(days.clone()).await;
        let made = made.map_err(doing("make the partitions of the ledger for the next days"))?;
        self.db.days().note(days);
        Ok(made)
    }

    /// Makes the partitions for rows of a table with these days, if it has any.
    pub(crate) async fn make_days_for(
        &self,
        table: &str,
        days: impl IntoIterator<Item = i64>,
    ) -> Result<(), sqlx::Error> {
        if TABLES.iter().all(|(name, _)| *name != table) {
            return Ok(());
        }
        let days = self.db.days().unknown(days);
        if !days.is_empty() {
            self.make_days(days).await?;
        }
        Ok(())
    }

    async fn make_days(&self, days: impl IntoIterator<Item = i64>) -> Result<usize, sqlx::Error> {
        let mut tx = self.db.begin(Durability::OnDisk).await?;
        let made = make_missing(&mut tx, days).await?;
        tx.commit().await?;
        Ok(made)
    }
}

/// Makes the partitions of these days that are not there, and says how many it made. Take other locks first.
pub(super) async fn make_missing(
    tx: &mut Transaction,
    days: impl IntoIterator<Item = i64>,
) -> Result<usize, sqlx::Error> {
    if tx.dialect() == Dialect::Sqlite {
        return Ok(0);
    }
    let days = tx.days().unknown(days);
    if days.is_empty() || missing(tx, &days).await?.is_empty() {
        tx.days().note(days);
        return Ok(0);
    }
    tx.alone(DbLock::LedgerDays).await?;
    // Another process may have made them in the meantime. These here are not known to be there before they are committed.
    let missing = missing(tx, &days).await?;
    let text = missing.iter().map(|partition| partition.make()).collect();
    run_all(tx, text).await?;
    Ok(missing.len())
}

/// All partitions that have only days before this one.
pub(super) async fn before(tx: &mut Transaction, day: i64) -> Result<Vec<DayPartition>, sqlx::Error> {
    let names: Vec<(String,)> = tx.sql(ALL).fetch_all().await?;
    let all = names.iter().filter_map(|(name,)| DayPartition::named(name));
    Ok(all.filter(|partition| partition.end() <= day).collect())
}

/// Removes partitions with everything in them.
pub(super) async fn remove(tx: &mut Transaction, partitions: &[DayPartition]) -> Result<(), sqlx::Error> {
    tx.days().forget();
    run_all(tx, partitions.iter().map(|partition| partition.remove()).collect()).await
}

async fn missing(tx: &mut Transaction, days: &BTreeSet<i64>) -> Result<Vec<DayPartition>, sqlx::Error> {
    let (names, tables) = wanted(days.clone());
    let mut look = tx.sql(MISSING);
    look.push_list(names);
    look.push_list(tables);
    let names: Vec<(String,)> = look.fetch_all().await?;
    Ok(names.iter().filter_map(|(name,)| DayPartition::named(name)).collect())
}

/// The names of the partitions of some days, and of their tables.
fn wanted(days: BTreeSet<i64>) -> (Vec<String>, Vec<String>) {
    let partitions: BTreeSet<DayPartition> = days.into_iter().flat_map(DayPartition::of_day).collect();
    partitions.into_iter().map(|partition| (partition.name(), partition.table.to_owned())).unzip()
}

/// Several statements in one round trip. They are made of constants and numbers.
async fn run_all(tx: &mut Transaction, statements: String) -> Result<(), sqlx::Error> {
    if statements.is_empty() {
        return Ok(());
    }
    tx.sql(sqlx::AssertSqlSafe(format!("DO $days$ BEGIN {statements} END $days$"))).execute().await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_stands_for_its_partition() {
        for day in [-70, -33, -32, -1, 0, 1, 31, 32, 20_774, 106_751_991] {
            for partition in DayPartition::of_day(day) {
                assert!((partition.first..partition.end()).contains(&day), "{day}: {partition:?}");
                assert_eq!(DayPartition::named(&partition.name()), Some(partition), "{day}");
            }
        }
        for name in ["ledger_lines", "ledger_lines_", "ledger_lines_x", "ledger_heads_1", "runs_1"] {
            assert_eq!(DayPartition::named(name), None, "{name}");
        }
    }

    #[test]
    fn lines_have_a_partition_for_each_day_and_blocks_for_32() {
        let of_both: BTreeSet<DayPartition> = [64, 95].into_iter().flat_map(DayPartition::of_day).collect();
        let names: Vec<String> = of_both.into_iter().map(DayPartition::name).collect();
        assert_eq!(names, ["ledger_blocks_64", "ledger_lines_64", "ledger_lines_95", "ledger_terms_64"]);
    }
}
