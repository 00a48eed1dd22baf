//! The tool that asks the database. The statement becomes a part of one of ours, which limits rows and bytes; as such a part it
//! cannot write either, whatever it says.

use std::sync::Arc;

use capability_kit::{ResidentAnswer, ResidentCall, Tool, Trouble, TroubleCode};
use futures_util::TryStreamExt as _;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use sqlx::postgres::{PgArguments, PgConnection, PgRow, PgTypeInfo};
use sqlx::{
    AssertSqlSafe, Column as _, Executor as _, Row as _, SqlSafeStr as _, Statement as _, TypeInfo as _,
};

use super::database::Database;
use super::{cell, parameter, statement};
use crate::provided::{Provided, ToolWords, free_tool};

const WORDS: ToolWords = ToolWords {
    name: "query",
    title: "Query",
    description: "Answers one SELECT (or WITH, VALUES, TABLE) in a transaction that cannot write. Values belong in `parameters` as $1, $2, …; \
        texts may need a cast, such as $1::date. Returns columns and rows, and says if there were more.",
};
/// The rows of an answer whose question says nothing about them.
const USUAL_ROWS: usize = 100;
/// One row, in JSON.
pub(super) const ROW_BYTES_MAX: usize = 256 << 10;
/// All rows of an answer.
const ANSWER_BYTES_MAX: usize = 1 << 20;

pub(super) fn tool(database: &Provided<Database>) -> Tool {
    free_tool(database, WORDS, query)
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct QueryArguments {
    /// One statement.
    sql: String,
    /// The values of $1, $2 and so on.
    #[serde(default)]
    parameters: Vec<Value>,
    /// The rows to return; 100 by default, and no more than the server's `--rows-max` allows.
    #[serde(default)]
    limit: Option<u32>,
}

async fn query(
    database: Arc<Database>,
    arguments: QueryArguments,
    _: ResidentCall,
) -> Result<ResidentAnswer, Trouble> {
    let sql = statement::question(&arguments.sql)?;
    let rows_max = database.rows_max as usize;
    let limit = arguments.limit.map_or(USUAL_ROWS.min(rows_max), |limit| limit as usize);
    if limit == 0 || limit > rows_max {
        return Err(Trouble::bad_arguments(format!("limit is {limit}")).hint(format!("pass 1 to {rows_max}")));
    }
    let (values, types) = parameter::arguments(&arguments.parameters)?;
    let mut session = database.open().await?;
    let columns = columns(&database, &mut session.connection, sql, &types).await?;
    let asking = rows(&mut session.connection, wrapped(sql, limit), values, limit);
    let (rows, has_more) = database.within_time(asking).await??;
    // What the answer had no room for is still on its way, and goes with the connection.
    if !has_more {
        session.end().await;
    }
    let mut answer =
        json!({ "columns": columns, "rows": rows, "row_count": rows.len(), "truncated": has_more });
    if has_more {
        answer["hint"] = "there are more rows: filter, aggregate, or go on with ORDER BY and OFFSET".into();
    }
    Ok(ResidentAnswer::data(answer))
}

/// Names and types of the columns. A text of two statements is refused here.
async fn columns(
    database: &Database,
    connection: &mut PgConnection,
    sql: &str,
    types: &[PgTypeInfo],
) -> Result<Vec<Value>, Trouble> {
    let preparing = connection.prepare_with(AssertSqlSafe(sql.to_owned()).into_sql_str(), types);
    let prepared = database.within_time(preparing).await?;
    let wanted = match prepared.parameters() {
        Some(sqlx::Either::Left(wanted)) => wanted.len(),
        Some(sqlx::Either::Right(wanted)) => wanted,
        None => 0,
    };
    if wanted != types.len() {
        let message = format!("the statement has {wanted} parameters, and {} were passed", types.len());
        return Err(Trouble::bad_arguments(message).hint("pass one value for each of $1, $2 and so on"));
    }
    let column = |column: &sqlx::postgres::PgColumn| json!({ "name": column.name(), "type": column.type_info().name() });
    Ok(prepared.columns().iter().map(column).collect())
}

fn wrapped(sql: &str, limit: usize) -> String {
    let limit = limit + 1;
    format!(
        "SELECT CASE WHEN octet_length(toolgate_json) <= {ROW_BYTES_MAX} THEN toolgate_json END, octet_length(toolgate_json)::int8 \
         FROM (SELECT row_to_json(toolgate_row.*)::text AS toolgate_json FROM (\n{sql}\n) AS toolgate_row LIMIT {limit}) AS toolgate_rows"
    )
}

/// Rows until the answer is full, and whether there are more.
async fn rows(
    connection: &mut PgConnection,
    sql: String,
    values: PgArguments,
    limit: usize,
) -> Result<Result<(Vec<Value>, bool), Trouble>, sqlx::Error> {
    let mut found = sqlx::query_with(AssertSqlSafe(sql), values).fetch(connection);
    let (mut rows, mut bytes) = (Vec::new(), 0);
    while let Some(row) = found.try_next().await? {
        let text = match text_of(&row) {
            Ok(text) => text,
            Err(trouble) => return Ok(Err(trouble)),
        };
        bytes += text.len();
        if rows.len() == limit || (bytes > ANSWER_BYTES_MAX && !rows.is_empty()) {
            return Ok(Ok((rows, true)));
        }
        rows.push(cell::values(&text).map(Value::from).unwrap_or_default());
    }
    Ok(Ok((rows, false)))
}

fn text_of(row: &PgRow) -> Result<String, Trouble> {
    let text: Option<String> = row.try_get(0).unwrap_or_default();
    text.ok_or_else(|| {
        let bytes: i64 = row.try_get(1).unwrap_or_default();
        Trouble::new(
            TroubleCode::TooLarge,
            format!("a row has {bytes} bytes; at most {ROW_BYTES_MAX} are returned"),
        )
        .hint("select fewer columns, or parts of texts, such as left(body, 1000)")
    })
}
