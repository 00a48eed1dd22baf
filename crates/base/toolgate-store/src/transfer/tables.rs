//! The tables of a store, as its two databases describe them. Nothing here names a table, so a new one is carried over too.

use std::collections::{BTreeMap, BTreeSet};

use sqlx::AssertSqlSafe;

use super::cells::{Cell, CellKind, Cells, push_column};
use super::error::TransferError;
use crate::Store;
use crate::db::Dialect;
use crate::error::doing;

const LOOKING: &str = "look at the tables of the store";

/// `sqlx` remembers the migrations there.
const MIGRATIONS_TABLE: &str = "_sqlx_migrations";
const SQLITE_TABLES: &str = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name";
/// The number in `pk` is the place in the primary key, from 1.
const SQLITE_COLUMNS: &str = "SELECT name, \"notnull\", pk FROM pragma_table_info($1) ORDER BY cid";
/// Partitions belong to their tables.
const POSTGRES_COLUMNS: &str = "SELECT c.relname::TEXT, a.attname::TEXT, format_type(a.atttypid, NULL) \
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped \
     WHERE c.relnamespace = current_schema()::TEXT::REGNAMESPACE AND c.relkind IN ('r', 'p') AND NOT c.relispartition";

/// The column by which tables of the ledger are partitioned.
const DAY: &str = "day";

pub(super) struct StoreTable {
    pub(super) name: String,
    columns: Vec<StoreColumn>,
    /// Places of the columns that order the rows.
    key: Vec<usize>,
    has_primary_key: bool,
}

struct StoreColumn {
    name: String,
    kind: CellKind,
    is_optional: bool,
}

/// The tables of the source, which all are in the target with all their columns.
pub(super) async fn read(source: &Store, target: &Store) -> Result<Vec<StoreTable>, TransferError> {
    if (source.db.dialect(), target.db.dialect()) != (Dialect::Sqlite, Dialect::Postgres) {
        return Err(TransferError::Tables { what: "a store is moved from SQLite to Postgres".into() });
    }
    let there: Vec<(String, String, String)> =
        target.db.sql(POSTGRES_COLUMNS).fetch_all().await.map_err(doing(LOOKING))?;
    let there: BTreeMap<(String, String), String> =
        there.into_iter().map(|(table, column, kind)| ((table, column), kind)).collect();
    let names: Vec<(String,)> = source.db.sql(SQLITE_TABLES).fetch_all().await.map_err(doing(LOOKING))?;
    let mut tables = Vec::new();
    for (name,) in names {
        if name != MIGRATIONS_TABLE {
            tables.push(StoreTable::read(source, name, &there).await?);
        }
    }
    Ok(tables)
}

impl StoreTable {
    async fn read(
        source: &Store,
        name: String,
        there: &BTreeMap<(String, String), String>,
    ) -> Result<Self, TransferError> {
        let found = source.db.sql(SQLITE_COLUMNS).bind(&*name);
        let found: Vec<(String, i64, i64)> = found.fetch_all().await.map_err(doing(LOOKING))?;
        let mut primary: Vec<(i64, usize)> = Vec::new();
        let mut columns = Vec::new();
        for (place, (column, not_null, pk)) in found.into_iter().enumerate() {
            let kind = there.get(&(name.clone(), column.clone()));
            let Some(kind) = kind else {
                return Err(TransferError::Tables { what: format!("the target has no `{name}.{column}`") });
            };
            let Some(kind) = CellKind::of_postgres(kind) else {
                let what = format!("`{name}.{column}` has the type {kind} in the target");
                return Err(TransferError::Tables { what });
            };
            if pk > 0 {
                primary.push((pk, place));
            }
            columns.push(StoreColumn { name: column, kind, is_optional: not_null == 0 && pk == 0 });
        }
        primary.sort_unstable();
        let has_primary_key = !primary.is_empty();
        let key = match has_primary_key {
            true => primary.into_iter().map(|(_, place)| place).collect(),
            // No two rows are the same in all columns.
            false => (0..columns.len()).collect(),
        };
        Ok(Self { name, columns, key, has_primary_key })
    }

    fn key_kinds(&self) -> impl Iterator<Item = CellKind> {
        self.key.iter().map(|place| self.columns[*place].kind)
    }

    pub(super) fn key_of(&self, row: &Cells) -> Cells {
        Cells(self.key.iter().map(|place| row.0.get(*place).cloned().unwrap_or(Cell::Null)).collect())
    }

    fn column_list(&self) -> String {
        let quoted: Vec<String> = self.columns.iter().map(|column| format!("\"{}\"", column.name)).collect();
        quoted.join(", ")
    }

    /// What the rows are ordered by: byte by byte on both databases.
    fn key_list(&self, dialect: Dialect, end: &str) -> String {
        let expressions = self.key.iter().map(|place| {
            let column = &self.columns[*place];
            format!("{}{end}", column.ordered(dialect, self.has_primary_key))
        });
        expressions.collect::<Vec<_>>().join(", ")
    }

    /// The rows after a key, in order.
    pub(super) async fn page(
        &self,
        store: &Store,
        after: Option<&Cells>,
        limit: usize,
    ) -> Result<Vec<Cells>, sqlx::Error> {
        let (columns, key) = (self.column_list(), self.key_list(store.db.dialect(), ""));
        let places: Vec<String> = (1..=self.key.len()).map(|place| format!("${place}")).collect();
        let condition = match after {
            Some(_) => format!("WHERE ({key}) > ({})", places.join(", ")),
            None => String::new(),
        };
        let name = &self.name;
        let text = format!("SELECT {columns} FROM \"{name}\" {condition} ORDER BY {key} LIMIT {limit}");
        let mut read = store.db.sql(AssertSqlSafe(text));
        if let Some(after) = after {
            after.push_to(self.key_kinds(), &mut read);
        }
        read.fetch_all().await
    }

    /// The key of the last row.
    pub(super) async fn last_key(&self, store: &Store) -> Result<Option<Cells>, sqlx::Error> {
        let (columns, last) = (self.column_list(), self.key_list(store.db.dialect(), " DESC"));
        let text = format!("SELECT {columns} FROM \"{}\" ORDER BY {last} LIMIT 1", self.name);
        let row: Option<Cells> = store.db.sql(AssertSqlSafe(text)).fetch_optional().await?;
        Ok(row.map(|row| self.key_of(&row)))
    }

    /// The days of these rows, if the table has such a column.
    fn days(&self, rows: &[Cells]) -> BTreeSet<i64> {
        let place = self.columns.iter().position(|column| column.name == DAY);
        let days = place.map(|place| rows.iter().filter_map(move |row| row.0.get(place)?.number()));
        days.into_iter().flatten().collect()
    }

    /// Adds all of these rows or none, on Postgres. The ledger has partitions there.
    pub(super) async fn insert(&self, target: &Store, rows: &[Cells]) -> Result<(), sqlx::Error> {
        target.make_days_for(&self.name, self.days(rows)).await?;
        let lists = self.columns.iter().enumerate();
        let lists: Vec<String> =
            lists.map(|(place, column)| format!("${}::{}", place + 1, column.kind.list())).collect();
        let (name, columns) = (&self.name, self.column_list());
        let text = format!("INSERT INTO \"{name}\" ({columns}) SELECT * FROM unnest({})", lists.join(", "));
        let mut insert = target.db.sql(AssertSqlSafe(text));
        for (place, column) in self.columns.iter().enumerate() {
            push_column(rows, place, column.kind, &mut insert)?;
        }
        insert.execute().await.map(drop)
    }
}

impl StoreColumn {
    /// The columns of primary keys are ordered by their bytes already.
    fn ordered(&self, dialect: Dialect, is_primary: bool) -> String {
        let name = format!("\"{}\"", self.name);
        let value = match (self.is_optional, self.kind) {
            (false, _) => name,
            (true, CellKind::Text) => format!("COALESCE({name}, '')"),
            (true, CellKind::Number) => format!("COALESCE({name}, 0)"),
            (true, CellKind::Bytes) => {
                format!("COALESCE({name}, {})", dialect.pick("x''", "''::BYTEA"))
            }
        };
        match self.kind {
            CellKind::Text if !is_primary => format!("{value}{}", dialect.pick("", " COLLATE \"C\"")),
            _ => value,
        }
    }
}
