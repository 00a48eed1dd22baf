//! A real database.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use toolgate_stage::Stage;

use crate::drive::{Connector, start};

/// How often, and how long, a test waits for a server of Postgres to end.
const LOOKS_MAX: usize = 100;
const LOOK_EVERY: Duration = Duration::from_millis(50);

struct TestDatabase {
    stage: Stage,
}

impl TestDatabase {
    fn new() -> Self {
        let stage = Stage::empty_postgres();
        stage.database().unwrap().run(
            "CREATE TABLE orders (id int PRIMARY KEY, customer text NOT NULL DEFAULT 'x', amount numeric, day date, changed timestamptz, note jsonb, toolgate_row int, text int);
             COMMENT ON TABLE orders IS 'What was ordered';
             CREATE SEQUENCE numbers;
             CREATE TABLE lines (order_id int REFERENCES orders (id), at int, PRIMARY KEY (order_id, at));
             INSERT INTO orders SELECT at, 'c' || at, at + 0.25, '2026-11-01'::date + at, '2026-11-01Z'::timestamptz + at * interval '1 hour', '{\"a\":1}', 1, 2
             FROM generate_series(1, 450) AS at",
        );
        Self { stage }
    }

    /// The URL without its password, and the password.
    fn parts(&self) -> (String, String) {
        let url = self.stage.url().unwrap();
        let (scheme, rest) = url.split_once("://").unwrap();
        let (login, place) = rest.split_once('@').unwrap();
        let (user, password) = login.split_once(':').unwrap();
        (format!("{scheme}://{user}@{place}"), password.to_owned())
    }

    async fn connector(&self, more: &[&str]) -> Connector {
        let (url, password) = self.parts();
        let mut arguments = vec!["postgres", "--database", &url, "--without-tls"];
        arguments.extend(more);
        start(&arguments, &[("CONNECTORS_PASSWORD", &password)]).await
    }
}

#[tokio::test]
async fn questions_are_answered_with_exact_values() {
    let connector = TestDatabase::new().connector_kept().await;
    let sql = "SELECT id, id AS id, amount, 12345678901234567890.123 AS big, day, note, NULL AS nothing, 0.123456789::float8 AS fraction \
               FROM orders WHERE id = $1 AND day >= $2::date AND ($3 OR customer = $4) AND coalesce(amount, 1) > coalesce($5, 0)";
    let parameters = json!([2, "2026-11-01", false, "c2", null]);
    let answer = connector.answer("query", json!({ "sql": sql, "parameters": parameters })).await;
    assert_eq!(
        answer["rows"],
        json!([[2, 2, 2.25, "12345678901234567890.123", "2026-11-03", { "a": 1 }, null, 0.123456789]]),
        "{answer}"
    );
    assert_eq!(answer["columns"][4], json!({ "name": "day", "type": "DATE" }));
    assert_eq!(answer["truncated"], false);
}

impl TestDatabase {
    /// For tests with one connector: the database lives until the process ends, which is when it is dropped with its server.
    async fn connector_kept(self) -> KeptConnector {
        KeptConnector { connector: self.connector(&[]).await, _database: self }
    }
}

/// A connector with its database.
struct KeptConnector {
    connector: Connector,
    _database: TestDatabase,
}

impl std::ops::Deref for KeptConnector {
    type Target = Connector;

    fn deref(&self) -> &Connector {
        &self.connector
    }
}

#[tokio::test]
async fn nothing_that_writes_is_run() {
    let database = TestDatabase::new();
    let connector = database.connector(&[]).await;
    for sql in [
        "DELETE FROM orders",
        "/* SELECT */ DROP TABLE orders",
        "WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone",
        "SELECT 1; DELETE FROM orders",
        "SELECT 1) AS q; DELETE FROM orders; SELECT (1",
        "SELECT * INTO copied FROM orders",
        "SELECT * FROM orders FOR UPDATE",
        "SELECT nextval('numbers')",
        "SELECT set_config('transaction_read_only', 'off', true)",
        "COPY orders TO '/tmp/x'",
        "SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE",
        "COMMIT",
        "EXPLAIN ANALYZE DELETE FROM orders",
        "",
    ] {
        let (code, text) = connector.refusal("query", json!({ "sql": sql })).await;
        assert_eq!(code, "bad_arguments", "{sql}: {text}");
    }
    // Older databases let functions of large objects through, which are undone with the transaction.
    connector.client.call("query", json!({ "sql": "SELECT lo_create(4711)" })).await;
    let left = "SELECT (SELECT count(*) FROM orders), (SELECT count(*) FROM pg_largeobject_metadata)";
    assert_eq!(connector.answer("query", json!({ "sql": left })).await["rows"], json!([[450, 0]]));
}

#[tokio::test]
async fn slow_statements_are_ended_and_the_next_one_is_answered() {
    let database = TestDatabase::new();
    let connector = database.connector(&["--statement-seconds", "1"]).await;
    let begin = Instant::now();
    for sql in ["SELECT pg_sleep(60)", "SELECT count(*) FROM generate_series(1, 10000000000)"] {
        let (code, text) = connector.refusal("query", json!({ "sql": sql })).await;
        assert_eq!(code, "timed_out", "{text}");
    }
    assert!(begin.elapsed() < Duration::from_secs(15), "{:?}", begin.elapsed());
    assert_eq!(connector.answer("query", json!({ "sql": "SELECT 1" })).await["rows"], json!([[1]]));
}

#[tokio::test]
async fn rows_and_bytes_are_limited() {
    let connector = TestDatabase::new().connector_kept().await;
    let many = connector
        .answer("query", json!({ "sql": "SELECT * FROM generate_series(1, 1000000) AS n -- all" }))
        .await;
    assert_eq!((many["rows"].as_array().unwrap().len(), &many["truncated"]), (100, &json!(true)));
    let wide = json!({ "sql": "SELECT repeat('x', 100000) AS x FROM generate_series(1, 500)", "limit": 500 });
    let wide = connector.answer("query", wide).await;
    assert_eq!((wide["rows"].as_array().unwrap().len(), &wide["truncated"]), (10, &json!(true)));
    let (code, text) = connector.refusal("query", json!({ "sql": "SELECT repeat('x', 100000000)" })).await;
    assert!(code == "too_large" && text.contains("left(body, 1000)"), "{text}");
    for limit in [0, 1_001] {
        assert_eq!(
            connector.refusal("query", json!({ "sql": "SELECT 1", "limit": limit })).await.0,
            "bad_arguments"
        );
    }
    assert_eq!(
        connector.answer("query", json!({ "sql": "TABLE orders", "limit": 1000 })).await["row_count"],
        450
    );
}

#[tokio::test]
async fn a_question_without_a_limit_has_no_more_rows_than_the_operator_allows() {
    let database = TestDatabase::new();
    let connector = database.connector(&["--rows-max", "20"]).await;
    let few = connector.answer("query", json!({ "sql": "TABLE orders" })).await;
    assert_eq!((&few["row_count"], &few["truncated"]), (&json!(20), &json!(true)));
    let (code, text) = connector.refusal("query", json!({ "sql": "TABLE orders", "limit": 21 })).await;
    assert!(code == "bad_arguments" && text.contains("pass 1 to 20"), "{code}: {text}");
}

#[tokio::test]
async fn mistakes_are_said_in_the_words_of_the_database() {
    let connector = TestDatabase::new().connector_kept().await;
    for (sql, parameters, word) in [
        ("SELEKT 1", json!([]), "selekt"),
        ("SELECT * FROM missing", json!([]), "does not exist"),
        ("SELECT $1", json!([]), "1 parameters, and 0"),
        ("SELECT 1 / 0", json!([]), "division by zero"),
        ("SELECT $1::date", json!(["not a day"]), "invalid input syntax"),
        ("SELECT * FROM orders WHERE day = $1", json!(["2026-11-01"]), "operator does not exist"),
    ] {
        let (code, text) = connector.refusal("query", json!({ "sql": sql, "parameters": parameters })).await;
        assert!(code == "bad_arguments" && text.contains(word), "{sql}: {code} {text}");
    }
}

#[tokio::test]
async fn nothing_of_one_call_is_left_for_the_next() {
    let connector = TestDatabase::new().connector_kept().await;
    let set = "SELECT set_config('search_path', 'nowhere', false), pg_try_advisory_lock(1)";
    connector.answer("query", json!({ "sql": set })).await;
    let locks = "SELECT current_setting('search_path'), (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' \
                 AND database = (SELECT oid FROM pg_database WHERE datname = current_database()))";
    let fresh = json!([["\"$user\", public", 0]]);
    let mut left = connector.answer("query", json!({ "sql": locks })).await;
    // The server that the first call spoke to ends soon after its connection.
    for _ in 0..LOOKS_MAX {
        if left["rows"] == fresh {
            break;
        }
        tokio::time::sleep(LOOK_EVERY).await;
        left = connector.answer("query", json!({ "sql": locks })).await;
    }
    assert_eq!(left["rows"], fresh);
}

#[tokio::test]
async fn tables_are_listed_and_described() {
    let connector = TestDatabase::new().connector_kept().await;
    let listed = connector.answer("list_tables", json!({})).await;
    let names: Vec<&str> =
        listed["tables"].as_array().unwrap().iter().map(|table| table["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["lines", "orders"]);
    let orders = connector.answer("describe_table", json!({ "table": "orders" })).await;
    assert_eq!(orders["comment"], "What was ordered");
    assert_eq!(orders["primary_key"], json!(["id"]));
    assert_eq!(
        orders["columns"][1],
        json!({ "name": "customer", "type": "text", "nullable": false, "default": "'x'::text" })
    );
    let lines = connector.answer("describe_table", json!({ "table": "public.lines" })).await;
    assert_eq!(lines["primary_key"], json!(["order_id", "at"]));
    assert_eq!(lines["foreign_keys"], json!(["FOREIGN KEY (order_id) REFERENCES orders(id)"]));
    for table in ["missing", "orders; DROP TABLE orders", "pg_catalog.pg_authid"] {
        assert_eq!(
            connector.refusal("describe_table", json!({ "table": table })).await.0,
            "bad_arguments",
            "{table}"
        );
    }
}

#[tokio::test]
async fn tables_are_streams_that_go_on_where_they_ended() {
    let database = TestDatabase::new();
    let connector =
        database.connector(&["--stream", "public.orders@changed", "--stream", "public.lines"]).await;
    let (records, last) = connector.records("public.orders", Value::Null).await;
    assert_eq!(records.len(), 450);
    assert_eq!((&records[0]["key"], &records[0]["value"]["customer"]), (&json!("1"), &json!("c1")));
    let run = |sql: &str| database.stage.database().unwrap().run(sql);
    run(
        "UPDATE orders SET changed = '2027-01-01Z', customer = 'new' WHERE id IN (7, 8); INSERT INTO lines VALUES (1, 2), (1, 1)",
    );
    let (changed, next) = connector.records("public.orders", last["cursor"].clone()).await;
    let keys: Vec<&Value> = changed.iter().map(|record| &record["key"]).collect();
    assert_eq!(keys, [&json!("7"), &json!("8")]);
    let (none, _) = connector.records("public.orders", next["cursor"].clone()).await;
    assert_eq!(none.len(), 0);
    let (lines, end) = connector.records("public.lines", Value::Null).await;
    assert_eq!((&lines[0]["key"], &lines[1]["key"]), (&json!("1,1"), &json!("1,2")));
    assert!(end.get("cursor").is_none(), "without a growing column, everything is read each time: {end}");
    for bad in [
        json!({ "stream": "public.other" }),
        json!({ "stream": "public.orders", "page": "[\"1\"]" }),
        json!({ "stream": "public.orders", "cursor": ["no time", "1"] }),
    ] {
        assert!(connector.privately("toolgate/stream", bad).await.is_err());
    }
}

#[tokio::test]
async fn a_wrong_password_and_a_server_that_hangs_are_said() {
    let database = TestDatabase::new();
    let (url, password) = database.parts();
    let connector =
        start(&["postgres", "--database", &url, "--without-tls"], &[("CONNECTORS_PASSWORD", "wrong-secret")])
            .await;
    let (code, text) = connector.refusal("query", json!({ "sql": "SELECT 1" })).await;
    assert!(code == "locked" && !text.contains("wrong-secret"), "{code} {text}");
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("postgres://a@{}/b", silent.local_addr().unwrap());
    let connector = start(
        &["postgres", "--database", &url, "--without-tls", "--silence-seconds", "1"],
        &[("CONNECTORS_PASSWORD", &password)],
    )
    .await;
    assert_eq!(connector.refusal("query", json!({ "sql": "SELECT 1" })).await.0, "unavailable");
}
