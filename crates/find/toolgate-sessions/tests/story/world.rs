//! The place of a story: its own folder, and its own database on Postgres.

use std::process::{Command, Output};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use tempfile::TempDir;
use toolgate_store::Store;

use crate::gateway::TestClock;

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
                    super::$story($crate::world::World::postgres()).await;
                }
            )+
        }
    };
}

pub(crate) struct World {
    folder: TempDir,
    postgres: Option<Database>,
    pub(crate) clock: Arc<TestClock>,
}

impl World {
    pub(crate) fn sqlite() -> Self {
        Self { folder: folder(), postgres: None, clock: Arc::default() }
    }

    pub(crate) fn postgres() -> Self {
        Self { folder: folder(), postgres: Some(Database::create()), clock: Arc::default() }
    }

    /// Another process on the same database.
    pub(crate) async fn store(&self) -> Store {
        let opened = match &self.postgres {
            None => Store::open(self.folder.path()).await,
            Some(database) => Store::open_url(self.folder.path(), &database.url).await,
        };
        opened.expect("the store opens")
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
    fn create() -> Self {
        static NEXT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("sessions_{}_{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        // A process of this number may have been killed before it could clean up.
        for statement in
            [format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"), format!("CREATE DATABASE {name}")]
        {
            let output = psql(&statement);
            assert!(output.status.success(), "{statement}: {output:?}");
        }
        let (address, _) = server().rsplit_once('/').expect("a URL with a database");
        Self { url: format!("{address}/{name}"), name }
    }
}

impl Drop for Database {
    fn drop(&mut self) {
        drop(psql(&format!("DROP DATABASE IF EXISTS {} WITH (FORCE)", self.name)));
    }
}

fn psql(statement: &str) -> Output {
    let output =
        Command::new("psql").args(["-q", "-v", "ON_ERROR_STOP=1", "-c", statement, server()]).output();
    output.expect("psql is part of Postgres")
}

/// The server that `script/test` has started, or one that is started now and stays.
fn server() -> &'static str {
    static SERVER: OnceLock<String> = OnceLock::new();
    SERVER.get_or_init(|| std::env::var("TOOLGATE_TEST_POSTGRES").unwrap_or_else(|_| start()))
}

fn start() -> String {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/../../../script/postgres");
    let started = Command::new(script).arg("start").output().expect("script/postgres can be run");
    assert!(started.status.success(), "there is no Postgres for the tests: {started:?}");
    String::from_utf8(started.stdout).expect("a URL is text").trim().to_owned()
}
