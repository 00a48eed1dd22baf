#![doc = include_str!("../README.md")]

pub mod postgres;

use std::path::Path;

use tempfile::TempDir;

use crate::postgres::Database;

/// The place of one test. It is gone when the test is over.
pub struct Stage {
    folder: TempDir,
    database: Option<Database>,
}

impl Stage {
    /// With nothing but a folder, in which SQLite has its file.
    ///
    /// # Panics
    /// If there is no room for a temporary folder.
    pub fn sqlite() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder"), database: None }
    }

    /// With its own database on the Postgres that all tests share, for a store.
    pub fn postgres() -> Self {
        Self { database: Some(Database::with_tables()), ..Self::sqlite() }
    }

    /// With its own database there, which is empty.
    pub fn empty_postgres() -> Self {
        Self { database: Some(Database::create(postgres::shared_server())), ..Self::sqlite() }
    }

    /// Another one of the same kind, unused.
    #[must_use]
    pub fn another(&self) -> Self {
        Self { database: self.database.as_ref().map(Database::another), ..Self::sqlite() }
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn database(&self) -> Option<&Database> {
        self.database.as_ref()
    }

    /// The URL of the database on Postgres.
    pub fn url(&self) -> Option<&str> {
        self.database.as_ref().map(|database| database.url.as_str())
    }
}

/// Makes two tests of each story, which is given a `$world` of `sqlite()` or `postgres()`.
#[macro_export]
macro_rules! on_both {
    ($world:ty: $($story:ident),+ $(,)?) => {
        mod on_sqlite {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $story() {
                    super::$story(<$world>::sqlite()).await;
                }
            )+
        }
        mod on_postgres {
            $(
                #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
                async fn $story() {
                    super::$story(<$world>::postgres()).await;
                }
            )+
        }
    };
}
