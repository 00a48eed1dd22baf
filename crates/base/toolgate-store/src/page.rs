//! Pages of lists, newest first.

use crate::Store;
use crate::cursor::PageCursor;
use crate::db::{DbRow, without_nul};

/// The maximum number of tasks, runs or questions on a page.
pub const RUN_PAGE_MAX: usize = 200;

/// The request for a page of rows that have `created_at_ms` and `id`.
pub(crate) struct PageQuery<'c> {
    conditions: Vec<(&'static str, Value)>,
    cursor: Option<&'c PageCursor>,
    limit: usize,
}

enum Value {
    Text(String),
    Number(i64),
}

impl<'c> PageQuery<'c> {
    pub(crate) fn new(cursor: Option<&'c PageCursor>, limit: usize, limit_max: usize) -> Self {
        Self { conditions: Vec::new(), cursor, limit: limit.clamp(1, limit_max) }
    }

    /// `condition` has a `?` where its value goes. Without a value there is no condition.
    pub(crate) fn text(mut self, condition: &'static str, value: Option<&str>) -> Self {
        self.conditions.extend(value.map(|value| (condition, Value::Text(without_nul(value)))));
        self
    }

    /// The same for a number.
    pub(crate) fn number(mut self, condition: &'static str, value: Option<i64>) -> Self {
        self.conditions.extend(value.map(|value| (condition, Value::Number(value))));
        self
    }

    /// The rows, and whether there are more. `select` is a statement without its conditions.
    pub(crate) async fn fetch<T: DbRow>(
        self,
        store: &Store,
        select: &str,
    ) -> Result<(Vec<T>, bool), sqlx::Error> {
        let mut statement = store.db.sql(sqlx::AssertSqlSafe(self.statement(select))).bind(store.tenant);
        for (_, value) in self.conditions {
            match value {
                Value::Text(text) => statement.push(text),
                Value::Number(number) => statement.push(number),
            }
        }
        if let Some(PageCursor { created_at_ms, id }) = self.cursor {
            statement.push(*created_at_ms);
            statement.push(without_nul(id));
        }
        // One row more than requested shows whether there is a next page.
        statement.push(i64::try_from(self.limit + 1).expect("a page is limited"));
        let mut rows: Vec<T> = statement.fetch_all().await?;
        let more = rows.len() > self.limit;
        rows.truncate(self.limit);
        Ok((rows, more))
    }

    fn statement(&self, select: &str) -> String {
        let mut text = format!("{select} WHERE tenant = $1");
        let mut place = 1;
        for (condition, _) in &self.conditions {
            place += 1;
            text.push_str(&condition.replace('?', &format!("${place}")));
        }
        if self.cursor.is_some() {
            text.push_str(&format!(" AND (created_at_ms, id) < (${}, ${})", place + 1, place + 2));
            place += 2;
        }
        text.push_str(&format!(" ORDER BY created_at_ms DESC, id DESC LIMIT ${}", place + 1));
        text
    }
}
