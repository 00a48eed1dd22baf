//! The place of a story: its own folder, and its own database on Postgres.

use std::process::Command;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, Connection, Executor, PgConnection, SqliteConnection};
use tempfile::TempDir;
use toolgate_store::{Store, StoreError};

/// Makes two tests of each story.
#[macro_export]
macro_rules! on_both {
    ($($story:ident),+ $(,)?) => {
        mod on_sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $story() {
                    super::$story($crate::world::World::sqlite()).await;
                }
            )+
        }
        mod on_postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $story() {
                    super::$story($crate::world::World::postgres().await).await;
                }
            )+
        }
    };
}

pub(crate) struct World {
    pub(crate) folder: TempDir,
    postgres: Option<Database>,
}

impl World {
    pub(crate) fn sqlite() -> Self {
        Self { folder: folder(), postgres: None }
    }

    pub(crate) async fn postgres() -> Self {
        Self { folder: folder(), postgres: Some(Database::create().await) }
    }

    /// Another process, or another gateway, on the same database.
    pub(crate) async fn open(&self) -> Store {
        self.try_open().await.expect("the store opens")
    }

    pub(crate) async fn try_open(&self) -> Result<Store, StoreError> {
        match &self.postgres {
            None => Store::open(self.folder.path()).await,
            Some(database) => Store::open_url(self.folder.path(), &database.url).await,
        }
    }

    /// Behind the store's back.
    pub(crate) async fn run_on_postgres(&self, statement: &str) {
        let database = self.postgres.as_ref().expect("a story on Postgres");
        run(&database.url, statement.into()).await;
    }

    /// A change by someone with direct access to the database. Returns the number of changed rows.
    pub(crate) async fn sql(&self, text: &str) -> u64 {
        let text = AssertSqlSafe(text.to_owned());
        match &self.postgres {
            None => {
                let path = self.folder.path().join("toolgate.db");
                let options =
                    SqliteConnectOptions::new().filename(path).busy_timeout(Duration::from_secs(10));
                let mut connection =
                    SqliteConnection::connect_with(&options).await.expect("the database opens");
                connection.execute(text).await.expect("the statement runs").rows_affected()
            }
            Some(database) => {
                let mut connection = PgConnection::connect(&database.url).await.expect("the database opens");
                connection.execute(text).await.expect("the statement runs").rows_affected()
            }
        }
    }

    /// Another, unused one.
    pub(crate) async fn elsewhere(&self) -> World {
        match self.postgres {
            None => World::sqlite(),
            Some(_) => World::postgres().await,
        }
    }
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

/// A database on the test server, dropped when the story is over.
struct Database {
    name: String,
    url: String,
}

impl Database {
    async fn create() -> Self {
        let name = format!("story_{}", uuid::Uuid::now_v7().simple());
        run(server(), format!("CREATE DATABASE {name}")).await;
        let (server, options) = server().split_once('?').unwrap_or((server(), ""));
        let (server, _) = server.rsplit_once('/').expect("a URL with a database");
        Self { url: format!("{server}/{name}?{options}"), name }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        let drop = format!("DROP DATABASE {} WITH (FORCE)", self.name);
        let dropping = std::thread::spawn(|| {
            let runtime =
                tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
            runtime.block_on(run(server(), drop));
        });
        dropping.join().expect("the database is dropped");
    }
}

async fn run(url: &str, statement: String) {
    let mut connection = PgConnection::connect(url).await.expect("the Postgres of the tests answers");
    connection.execute(AssertSqlSafe(statement)).await.expect("the statement runs");
    connection.close().await.expect("closed");
}

/// The server that `script/test` has started, or one that is started now and stays.
fn server() -> &'static str {
    static SERVER: OnceLock<String> = OnceLock::new();
    SERVER.get_or_init(|| std::env::var("TOOLGATE_TEST_POSTGRES").unwrap_or_else(|_| start()))
}

fn start() -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../script/postgres");
    eprintln!("TOOLGATE_TEST_POSTGRES is not set: using a server that `script/postgres start` starts and");
    eprintln!("`script/postgres stop` ends");
    let started = Command::new(script).arg("start").output().expect("script/postgres can be run");
    let talk = String::from_utf8_lossy(&started.stderr).into_owned();
    assert!(started.status.success(), "there is no Postgres for the tests: {talk}");
    String::from_utf8(started.stdout).expect("a URL is text").trim().to_owned()
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
