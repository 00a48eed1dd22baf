//! The tables of both databases, behind the store's back; and rows for those that a story does not fill.

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, Connection as _, SqliteConnection};

use crate::world::StoreWorld;

/// Made by `sqlx`, and by a transfer in its target.
const NOT_OF_THE_STORE: [&str; 2] = ["_sqlx_migrations", "store_transfer"];
const SQLITE_TABLES: &str = "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name";
const POSTGRES_TABLES: &str = "SELECT relname::TEXT FROM pg_class WHERE relnamespace = 'public'::REGNAMESPACE \
     AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY relname";
/// Text columns of primary keys, with the names of their collations.
const KEYS: &str = "SELECT c.relname::TEXT, a.attname::TEXT, l.collname::TEXT FROM pg_index i \
     JOIN pg_class c ON c.oid = i.indrelid AND c.relnamespace = 'public'::REGNAMESPACE \
     JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = ANY(i.indkey) \
     JOIN pg_collation l ON l.oid = a.attcollation WHERE i.indisprimary AND a.atttypid = 'text'::REGTYPE";
/// Each row has other values in every column, so that no key is there twice.
const ROWS: usize = 100;

async fn sqlite(world: &StoreWorld) -> SqliteConnection {
    let options = SqliteConnectOptions::new().filename(world.folder().join("toolgate.db"));
    SqliteConnection::connect_with(&options).await.expect("the database opens")
}

pub(super) async fn sqlite_tables(world: &StoreWorld) -> Vec<String> {
    let rows: Vec<(String,)> =
        sqlx::query_as(SQLITE_TABLES).fetch_all(&mut sqlite(world).await).await.expect("the tables are read");
    let names = rows.into_iter().map(|(name,)| name);
    names.filter(|name| !name.starts_with("sqlite_") && !NOT_OF_THE_STORE.contains(&&**name)).collect()
}

pub(super) async fn count(world: &StoreWorld, table: &str) -> u64 {
    let look = format!("SELECT '', COUNT(*), {} FROM \"{table}\"", empty(world));
    world.rows(&look).await[0].1 as u64
}

fn empty(world: &StoreWorld) -> &'static str {
    if world.is_postgres() { "''::BYTEA" } else { "x''" }
}

pub(super) async fn is_there(world: &StoreWorld, table: &str) -> bool {
    let look = format!("SELECT '', COUNT(*), ''::BYTEA FROM pg_class WHERE relname = '{table}'");
    world.rows(&look).await[0].1 > 0
}

/// Puts rows into each table of SQLite that has none, whatever it is for.
pub(super) async fn fill_empty_tables(world: &StoreWorld) {
    let mut connection = sqlite(world).await;
    for table in sqlite_tables(world).await {
        if count(world, &table).await > 0 {
            continue;
        }
        let columns: Vec<(String, String, i64)> =
            sqlx::query_as("SELECT name, type, \"notnull\" FROM pragma_table_info($1) ORDER BY cid")
                .bind(&table)
                .fetch_all(&mut connection)
                .await
                .expect("the columns are read");
        for number in 0..ROWS {
            let values: Vec<String> =
                columns.iter().map(|(_, kind, not_null)| value(kind, *not_null != 0, number)).collect();
            let insert = AssertSqlSafe(format!("INSERT INTO \"{table}\" VALUES ({})", values.join(", ")));
            let inserted = sqlx::query(insert).execute(&mut connection).await;
            inserted.unwrap_or_else(|error| panic!("{table}: {error}"));
        }
    }
}

fn value(kind: &str, is_needed: bool, number: usize) -> String {
    // Capitals come before small letters byte by byte, and not in a dictionary.
    let letter = ["a", "B", "c", "Ä", "ß", "Z"][number % 6];
    match kind {
        _ if !is_needed && number % 3 == 1 => "NULL".to_owned(),
        "TEXT" => format!("'{letter}{number}'"),
        "BLOB" => format!("x'{:02x}{number:04x}00ff'", 255 - number),
        _ => format!("{}", number as i64 - 7),
    }
}

#[tokio::test]
async fn the_store_has_the_same_tables_on_both_databases() {
    let (from, to) = (StoreWorld::sqlite(), StoreWorld::postgres());
    from.open().await;
    to.open().await;
    let mut connection = crate::world::postgres(to.url()).await;
    let there: Vec<(String,)> =
        sqlx::query_as(POSTGRES_TABLES).fetch_all(&mut connection).await.expect("the tables are read");
    let mut there: Vec<String> = there.into_iter().map(|(name,)| name).collect();
    there.retain(|name| !NOT_OF_THE_STORE.contains(&&**name));
    there.sort();
    assert_eq!(there, sqlite_tables(&from).await);
}

#[tokio::test]
async fn keys_are_sorted_by_their_bytes_on_postgres() {
    let world = StoreWorld::postgres();
    world.open().await;
    let mut connection = crate::world::postgres(world.url()).await;
    let keys: Vec<(String, String, String)> =
        sqlx::query_as(KEYS).fetch_all(&mut connection).await.expect("the keys are read");
    assert!(keys.len() > 40, "{keys:?}");
    let others: Vec<_> = keys
        .iter()
        .filter(|(table, _, collation)| collation != "C" && !NOT_OF_THE_STORE.contains(&&**table))
        .collect();
    assert!(others.is_empty(), "{others:?}\nhint: declare them as TEXT COLLATE \"C\"");
}
