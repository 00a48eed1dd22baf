//! The place of a story: its own folder, and its own database on Postgres.

use std::io::Read as _;
use std::path::Path;
use std::time::{Duration, Instant};

use sqlx::postgres::PgConnectOptions;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqliteConnection};
use toolgate_stage::Stage;
use toolgate_store::{PostgresSettings, Store, StoreError};

/// Makes two tests of each story.
#[macro_export]
macro_rules! on_both {
    ($($story:ident),+ $(,)?) => { toolgate_stage::on_both!($crate::world::StoreWorld: $($story),+); };
}

pub(crate) struct StoreWorld(Stage);

impl StoreWorld {
    pub(crate) fn sqlite() -> Self {
        Self(Stage::sqlite())
    }

    pub(crate) fn postgres() -> Self {
        Self(Stage::postgres())
    }

    /// Another, unused one.
    pub(crate) fn elsewhere(&self) -> Self {
        Self(self.0.another())
    }

    pub(crate) fn folder(&self) -> &Path {
        self.0.folder()
    }

    /// Another process, or another gateway, on the same database.
    pub(crate) async fn open(&self) -> Store {
        self.try_open().await.expect("the store opens")
    }

    pub(crate) async fn try_open(&self) -> Result<Store, StoreError> {
        match self.0.url() {
            None => Store::open(self.folder()).await,
            Some(url) => Store::open_url(self.folder(), url).await,
        }
    }

    /// On Postgres, with settings.
    pub(crate) async fn open_with(&self, settings: PostgresSettings) -> Store {
        let opened = Store::open_url_with(self.folder(), self.url(), settings).await;
        opened.expect("the store opens")
    }

    pub(crate) fn is_postgres(&self) -> bool {
        self.0.url().is_some()
    }

    pub(crate) fn url(&self) -> &str {
        self.0.url().expect("a story on Postgres")
    }

    /// Behind the store's back.
    pub(crate) fn run_on_postgres(&self, statement: &str) {
        self.0.database().expect("a story on Postgres").run(statement);
    }

    /// A change by someone with direct access to the database. Returns the number of changed rows.
    pub(crate) async fn sql(&self, text: &str) -> u64 {
        let text = AssertSqlSafe(text.to_owned());
        match self.0.url() {
            None => {
                let path = self.folder().join("toolgate.db");
                let options =
                    SqliteConnectOptions::new().filename(path).busy_timeout(Duration::from_secs(10));
                let mut connection =
                    SqliteConnection::connect_with(&options).await.expect("the database opens");
                connection.execute(text).await.expect("the statement runs").rows_affected()
            }
            Some(url) => {
                let mut connection = postgres(url).await;
                connection.execute(text).await.expect("the statement runs").rows_affected()
            }
        }
    }

    /// Fills the unused database with a dump from `tests/fixtures`.
    pub(crate) async fn load(&self, name: &str) {
        let database = if self.is_postgres() { "postgres" } else { "sqlite" };
        let path = format!("{}/tests/fixtures/{name}.{database}.sql.gz", env!("CARGO_MANIFEST_DIR"));
        let packed = std::fs::File::open(path).expect("a fixture");
        let mut dump = String::new();
        flate2::read::GzDecoder::new(packed).read_to_string(&mut dump).expect("a dump");
        match self.is_postgres() {
            true => self.run_on_postgres("DROP SCHEMA public CASCADE; CREATE SCHEMA public"),
            false => drop(std::fs::File::create(self.folder().join("toolgate.db")).expect("a file")),
        }
        // For this transaction alone: a pooler gives the connection to others afterwards.
        let for_ever = "set_config('search_path', '', false)";
        self.sql(&dump.replace(for_ever, "set_config('search_path', '', true)")).await;
    }

    /// Rows of a text, a number and bytes, behind the store's back.
    pub(crate) async fn rows(&self, text: &str) -> Vec<(String, i64, Vec<u8>)> {
        let text = AssertSqlSafe(text.to_owned());
        match self.0.url() {
            None => {
                let options = SqliteConnectOptions::new().filename(self.folder().join("toolgate.db"));
                let mut connection =
                    SqliteConnection::connect_with(&options).await.expect("the database opens");
                sqlx::query_as(text).fetch_all(&mut connection).await.expect("the rows are read")
            }
            Some(url) => {
                let mut connection = postgres(url).await;
                sqlx::query_as(text).fetch_all(&mut connection).await.expect("the rows are read")
            }
        }
    }
}

/// Asks until `fits`, for as long as a change elsewhere may take.
pub(crate) async fn within_a_second(what: &str, fits: impl AsyncFnMut() -> bool) {
    within(Duration::from_millis(1_050), what, fits).await;
}

pub(crate) async fn within(limit: Duration, what: &str, mut fits: impl AsyncFnMut() -> bool) {
    let start = Instant::now();
    while !fits().await {
        assert!(start.elapsed() <= limit, "{what} took more than {limit:?}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

/// A connection to a server, which may have a pooler before it: those take no settings with the connection.
pub(crate) async fn postgres(url: &str) -> PgConnection {
    let options: PgConnectOptions = url.parse().expect("a URL");
    PgConnection::connect_with(&options.extra_float_digits(None)).await.expect("the database opens")
}
