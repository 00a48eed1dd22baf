//! The streams of a database: tables that the operator names. Rows are read in the order of a column that grows with every change
//! and of the primary key, or of the key alone; so a page goes on behind the last row, whatever was added meanwhile.

use capability_kit::{PageQuestion, StreamPage, StreamRecord, Trouble, TroubleCode};
use serde_json::{Value, json};
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, Row as _};

use super::database::Database;
use super::query::ROW_BYTES_MAX;
use super::stream::TableStream;
use super::tables::{self, ColumnDescription};

const PAGE_ROWS: usize = 200;

/// The columns by which a stream is ordered, with their types.
struct StreamOrder {
    columns: Vec<(String, String)>,
    /// Columns before those of the key.
    before_key: usize,
}

fn order(stream: &TableStream, columns: &[ColumnDescription]) -> Result<StreamOrder, Trouble> {
    let key = tables::primary_key(columns);
    if key.is_empty() {
        return Err(Trouble::unavailable(format!(
            "{} has no primary key, so it has no stable order",
            stream.name()
        ))
        .hint("the operator names another table, or adds a key"));
    }
    let named = stream.grows.iter().chain(&key);
    let typed = |name: &String| {
        columns.iter().find(|column| column.name == *name).map(|column| (name.clone(), column.kind.clone()))
    };
    let columns: Option<Vec<(String, String)>> = named.map(typed).collect();
    let columns = columns.ok_or_else(|| {
        Trouble::unavailable(format!("{} lacks the column of --stream", stream.name()))
            .hint("the operator names another column")
    })?;
    Ok(StreamOrder { columns, before_key: usize::from(stream.grows.is_some()) })
}

fn statement(stream: &TableStream, order: &StreamOrder, is_going_on: bool) -> String {
    let column = |name: &String| format!("toolgate_row.{}", quoted(name));
    let columns: Vec<String> = order.columns.iter().map(|(name, _)| column(name)).collect();
    let texts: String = columns.iter().map(|column| format!(", {column}::text")).collect();
    let places = order.columns.iter().enumerate();
    let places: Vec<String> = places.map(|(at, (_, kind))| format!("${}::text::{kind}", at + 1)).collect();
    let behind = match is_going_on {
        true => format!(" AND ({}) > ({})", columns.join(", "), places.join(", ")),
        false => String::new(),
    };
    let present: String =
        stream.grows.iter().map(|name| format!(" AND {} IS NOT NULL", column(name))).collect();
    format!(
        "SELECT CASE WHEN octet_length(toolgate_json.text) <= {ROW_BYTES_MAX} THEN toolgate_json.text END{texts} \
         FROM {}.{} AS toolgate_row \
         CROSS JOIN LATERAL (SELECT row_to_json(toolgate_row.*)::text AS text) AS toolgate_json \
         WHERE true{present}{behind} ORDER BY {} LIMIT {}",
        quoted(&stream.schema),
        quoted(&stream.table),
        columns.join(", "),
        PAGE_ROWS + 1
    )
}

pub(super) async fn page(database: &Database, asked: PageQuestion) -> Result<StreamPage, Trouble> {
    let stream = database.streams.iter().find(|stream| stream.name() == asked.stream).ok_or_else(|| {
        let names: Vec<String> = database.streams.iter().map(TableStream::name).collect();
        Trouble::bad_arguments(format!("there is no stream {:?}", asked.stream))
            .hint(format!("the streams are: {}", names.join(", ")))
    })?;
    let after = place(&asked)?;
    let mut session = database.open().await?;
    let columns = tables::columns(database, &mut session.connection, &stream.schema, &stream.table).await?;
    let order = order(stream, &columns)?;
    if after.as_ref().is_some_and(|after| after.len() != order.columns.len()) {
        return Err(misplaced());
    }
    let mut asking = sqlx::query(AssertSqlSafe(statement(stream, &order, after.is_some())));
    for value in after.iter().flatten() {
        asking = asking.bind(value.clone());
    }
    let mut rows = database.within_time(asking.fetch_all(&mut session.connection)).await?;
    session.end().await;
    let is_done = rows.len() <= PAGE_ROWS;
    rows.truncate(PAGE_ROWS);
    let reached = rows.last().map(|row| place_of(row, &order)).or(after);
    let records = rows.iter().map(|row| record(row, &order)).collect::<Result<Vec<_>, _>>()?;
    let cursor = reached.as_ref().filter(|_| is_done && stream.grows.is_some()).map(|reached| json!(reached));
    let next_page = reached.filter(|_| !is_done).map(|reached| json!(reached).to_string());
    Ok(StreamPage { records, next_page, cursor, done: is_done })
}

/// The values of the last row that was read.
fn place(asked: &PageQuestion) -> Result<Option<Vec<String>>, Trouble> {
    match (&asked.page, &asked.cursor) {
        (Some(page), _) => serde_json::from_str(page).map(Some).map_err(|_| misplaced()),
        (None, Some(Value::Null) | None) => Ok(None),
        (None, Some(cursor)) => serde_json::from_value(cursor.clone()).map(Some).map_err(|_| misplaced()),
    }
}

fn misplaced() -> Trouble {
    Trouble::bad_arguments("that is no place in this stream").hint("begin without cursor and page")
}

fn place_of(row: &PgRow, order: &StreamOrder) -> Vec<String> {
    (1..=order.columns.len()).map(|at| row.try_get(at).unwrap_or_default()).collect()
}

fn record(row: &PgRow, order: &StreamOrder) -> Result<StreamRecord, Trouble> {
    let place = place_of(row, order);
    let key = place[order.before_key..].join(",");
    let text: Option<String> = row.try_get(0).unwrap_or_default();
    let value = text.and_then(|text| serde_json::from_str(&text).ok()).ok_or_else(|| {
        Trouble::new(TroubleCode::TooLarge, format!("the row {key} has more than {ROW_BYTES_MAX} bytes"))
            .hint("the operator makes a stream of a view with fewer columns")
    })?;
    Ok(StreamRecord { key, value, updated: place[..order.before_key].first().cloned() })
}

/// A name as SQL has it.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stream_is_a_table_and_no_piece_of_sql() {
        let stream = TableStream::read("public.or\"ders@changed at").unwrap();
        let order = StreamOrder {
            columns: vec![
                ("changed at".to_owned(), "timestamp with time zone".to_owned()),
                ("id".to_owned(), "integer".to_owned()),
            ],
            before_key: 1,
        };
        let statement = statement(&stream, &order, true);
        assert!(statement.contains(r#"FROM "public"."or""ders" AS toolgate_row"#), "{statement}");
        assert!(
            statement.contains(
                r#"(toolgate_row."changed at", toolgate_row."id") > ($1::text::timestamp with time zone, $2::text::integer)"#
            ),
            "{statement}"
        );
        for bad in ["orders", ".orders", "public.", "public.orders@"] {
            assert!(TableStream::read(bad).is_err(), "{bad}");
        }
    }
}
