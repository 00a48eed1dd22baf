//! Many rows in few statements. A statement for each row would cost a change of threads on SQLite and a round
//! trip on Postgres; a text for each number of rows would never be prepared twice. So there are texts for 1,
//! 2, 4, … rows.

use std::fmt::Write as _;
use std::ops::Range;
use std::sync::Arc;

use crate::db::{Dialect, SqlStatement, Transaction};

/// The largest text has 2 to the power of this many rows.
const LARGEST_POWER: usize = 6;

/// One statement with room for several rows of values.
pub(crate) struct MultiRowInsert {
    sqlite: [Arc<str>; LARGEST_POWER + 1],
    postgres: [Arc<str>; LARGEST_POWER + 1],
}

impl MultiRowInsert {
    /// `{before}($1, $2, …), ($3, $4, …), …{after}`
    pub(crate) fn new(before: &str, columns: usize, after: &str) -> Self {
        let text = |dialect| {
            std::array::from_fn(|power| {
                format!("{before}{}{after}", placeholders(dialect, 1 << power, columns)).into()
            })
        };
        Self { sqlite: text(Dialect::Sqlite), postgres: text(Dialect::Postgres) }
    }

    /// Runs it for all `values`, largest texts first.
    pub(crate) async fn execute<T>(
        &self,
        tx: &mut Transaction,
        values: &[T],
        push: impl Fn(&mut SqlStatement<'_>, &T),
    ) -> Result<(), sqlx::Error> {
        for (power, range) in parts(values.len()) {
            let texts = tx.dialect().pick(&self.sqlite, &self.postgres);
            let mut statement = tx.sql(sqlx::AssertSqlSafe(Arc::clone(&texts[power])));
            for value in &values[range] {
                push(&mut statement, value);
            }
            statement.execute().await?;
        }
        Ok(())
    }
}

/// SQLite finds the name of a parameter by going through all of them; those without a name cost nothing.
fn placeholders(dialect: Dialect, rows: usize, columns: usize) -> String {
    let mut text = String::new();
    for place in 0..rows * columns {
        text.push_str(match place % columns {
            0 if place == 0 => "(",
            0 => "), (",
            _ => ", ",
        });
        match dialect {
            Dialect::Sqlite => text.push('?'),
            Dialect::Postgres => write!(text, "${}", place + 1).expect("writing to a string does not fail"),
        }
    }
    text.push(')');
    text
}

fn parts(count: usize) -> impl Iterator<Item = (usize, Range<usize>)> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let power = (count - start).checked_ilog2()?.min(LARGEST_POWER as u32) as usize;
        let range = start..start + (1 << power);
        start = range.end;
        Some((power, range))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_texts_have_a_place_for_each_value() {
        let rows = MultiRowInsert::new("INSERT INTO t (a, b) VALUES ", 2, " ON CONFLICT DO NOTHING");
        assert_eq!(&*rows.sqlite[1], "INSERT INTO t (a, b) VALUES (?, ?), (?, ?) ON CONFLICT DO NOTHING");
        assert_eq!(
            &*rows.postgres[1],
            "INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4) ON CONFLICT DO NOTHING"
        );
        assert_eq!(&*MultiRowInsert::new("", 1, "").postgres[2], "($1), ($2), ($3), ($4)");
    }

    #[test]
    fn the_parts_are_powers_of_two_and_leave_nothing_out() {
        assert_eq!(parts(0).count(), 0);
        for count in 1..300 {
            let parts: Vec<_> = parts(count).collect();
            assert!(parts.iter().all(|(power, range)| range.len() == 1 << power && *power <= LARGEST_POWER));
            let places: Vec<usize> = parts.into_iter().flat_map(|(_, range)| range).collect();
            assert_eq!(places, (0..count).collect::<Vec<_>>());
        }
    }
}
