//! The tools that say what there is in the database.

use std::sync::Arc;

use capability_kit::{ResidentCall, Tool, Trouble};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row as _};

use super::database::Database;
use crate::provided::{Provided, ToolWords, data_tool};

const LIST_WORDS: ToolWords = ToolWords {
    name: "list_tables",
    title: "List tables",
    description: "Lists the tables and views that may be read, with estimates of their rows.",
};
const DESCRIBE_WORDS: ToolWords = ToolWords {
    name: "describe_table",
    title: "Describe a table",
    description: "Says which columns a table or view has, with their types, the primary key and the foreign keys.",
};
const TABLES_MAX: usize = 500;
const USUAL_SCHEMA: &str = "public";

const TABLES: &str = "SELECT n.nspname::text AS schema, c.relname::text AS name, \
    CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' ELSE 'table' END AS kind, \
    CASE WHEN c.reltuples >= 0 AND c.relkind <> 'v' THEN c.reltuples::int8 END AS rows_estimate, \
    left(obj_description(c.oid, 'pg_class'), 500) AS comment \
    FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname NOT IN ('pg_catalog', 'information_schema') \
    AND n.nspname NOT LIKE 'pg\\_%' AND has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT') \
    AND ($1::text IS NULL OR n.nspname = $1) AND ($2::text IS NULL OR c.relname = $2) \
    ORDER BY 1, 2 LIMIT 501";
const COLUMNS: &str = "SELECT a.attname::text AS name, format_type(a.atttypid, a.atttypmod) AS type, NOT a.attnotnull AS nullable, \
    left(pg_get_expr(d.adbin, d.adrelid), 500) AS default_value, left(col_description(a.attrelid, a.attnum), 500) AS comment, \
    (SELECT array_position(i.indkey::int2[], a.attnum) FROM pg_catalog.pg_index AS i WHERE i.indrelid = a.attrelid AND i.indisprimary)::int4 \
    AS key_position \
    FROM pg_catalog.pg_attribute AS a JOIN pg_catalog.pg_class AS c ON c.oid = a.attrelid \
    JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
    LEFT JOIN pg_catalog.pg_attrdef AS d ON d.adrelid = a.attrelid AND d.adnum = a.attnum \
    WHERE n.nspname = $1 AND c.relname = $2 AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum";
const FOREIGN_KEYS: &str = "SELECT pg_get_constraintdef(k.oid) AS definition FROM pg_catalog.pg_constraint AS k \
    JOIN pg_catalog.pg_class AS c ON c.oid = k.conrelid JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace \
    WHERE n.nspname = $1 AND c.relname = $2 AND k.contype = 'f' ORDER BY k.conname LIMIT 100";

pub(super) fn list_tool(database: &Provided<Database>) -> Tool {
    data_tool(database, LIST_WORDS, list)
}

pub(super) fn describe_tool(database: &Provided<Database>) -> Tool {
    data_tool(database, DESCRIBE_WORDS, describe)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ListTablesArguments {
    /// Only tables of this schema.
    #[serde(default)]
    schema: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DescribeTableArguments {
    /// The name of the table, or schema and name, such as sales.orders.
    table: String,
    /// Its schema; public if omitted.
    #[serde(default)]
    schema: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ListedTables {
    tables: Vec<TableSummary>,
    /// True if there are more; then ask for one schema.
    truncated: bool,
}

#[derive(Serialize, JsonSchema)]
struct TableSummary {
    schema: String,
    name: String,
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    rows_estimate: Option<i64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct TableDescription {
    #[serde(flatten)]
    table: TableSummary,
    columns: Vec<ColumnDescription>,
    /// Its columns, in order.
    primary_key: Vec<String>,
    foreign_keys: Vec<String>,
}

/// A column of a table.
#[derive(Serialize, JsonSchema)]
pub(super) struct ColumnDescription {
    pub(super) name: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
    nullable: bool,
    #[serde(rename = "default", skip_serializing_if = "Option::is_none")]
    usual: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comment: Option<String>,
    /// Its place in the primary key.
    #[serde(skip)]
    pub(super) key_position: Option<i32>,
}

impl FromRow<'_, PgRow> for TableSummary {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        Ok(Self {
            schema: row.try_get("schema")?,
            name: row.try_get("name")?,
            kind: row.try_get("kind")?,
            rows_estimate: row.try_get("rows_estimate")?,
            comment: row.try_get("comment")?,
        })
    }
}

impl FromRow<'_, PgRow> for ColumnDescription {
    fn from_row(row: &PgRow) -> sqlx::Result<Self> {
        Ok(Self {
            name: row.try_get("name")?,
            kind: row.try_get("type")?,
            nullable: row.try_get("nullable")?,
            usual: row.try_get("default_value")?,
            comment: row.try_get("comment")?,
            key_position: row.try_get("key_position")?,
        })
    }
}

async fn list(
    database: Arc<Database>,
    arguments: ListTablesArguments,
    _: ResidentCall,
) -> Result<ListedTables, Trouble> {
    let mut session = database.open().await?;
    let asking =
        sqlx::query_as(TABLES).bind(arguments.schema).bind(None::<String>).fetch_all(&mut session.connection);
    let mut tables: Vec<TableSummary> = database.within_time(asking).await?;
    session.end().await;
    let truncated = tables.len() > TABLES_MAX;
    tables.truncate(TABLES_MAX);
    Ok(ListedTables { tables, truncated })
}

async fn describe(
    database: Arc<Database>,
    arguments: DescribeTableArguments,
    _: ResidentCall,
) -> Result<TableDescription, Trouble> {
    let (schema, name) = match (&arguments.schema, arguments.table.split_once('.')) {
        (Some(schema), _) => (schema.as_str(), arguments.table.as_str()),
        (None, Some((schema, name))) => (schema, name),
        (None, None) => (USUAL_SCHEMA, arguments.table.as_str()),
    };
    let mut session = database.open().await?;
    let asking = sqlx::query_as(TABLES).bind(schema).bind(name).fetch_optional(&mut session.connection);
    let table: Option<TableSummary> = database.within_time(asking).await?;
    let table = table.ok_or_else(|| unknown(schema, name))?;
    let columns = columns(&database, &mut session.connection, schema, name).await?;
    let asking = sqlx::query_scalar(FOREIGN_KEYS).bind(schema).bind(name).fetch_all(&mut session.connection);
    let foreign_keys: Vec<String> = database.within_time(asking).await?;
    session.end().await;
    Ok(TableDescription { primary_key: primary_key(&columns), table, columns, foreign_keys })
}

pub(super) async fn columns(
    database: &Database,
    connection: &mut sqlx::PgConnection,
    schema: &str,
    name: &str,
) -> Result<Vec<ColumnDescription>, Trouble> {
    database.within_time(sqlx::query_as(COLUMNS).bind(schema).bind(name).fetch_all(connection)).await
}

/// The columns of the primary key, in its order.
pub(super) fn primary_key(columns: &[ColumnDescription]) -> Vec<String> {
    let mut key: Vec<(i32, &String)> =
        columns.iter().filter_map(|one| Some((one.key_position?, &one.name))).collect();
    key.sort_unstable();
    key.into_iter().map(|(_, name)| name.clone()).collect()
}

pub(super) fn unknown(schema: &str, name: &str) -> Trouble {
    Trouble::bad_arguments(format!("there is no table {schema}.{name} that may be read"))
        .hint("list_tables shows which there are; names are written as they are there, without quotes")
}
