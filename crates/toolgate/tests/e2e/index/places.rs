//! The places where indexes lie: files among the artifacts, or a Postgres with the extensions of the engine.

use toolgate_stage::postgres::{Database, engine_server};

pub(crate) enum IndexPlace {
    Files,
    /// Its own database, which goes when its test is over.
    Postgres(Database),
}

impl IndexPlace {
    pub(crate) fn postgres() -> Self {
        Self::Postgres(Database::create(engine_server()))
    }

    /// Configuration in which indexes lie here, and pointers that move are ingested when a test says so.
    pub(crate) fn still(&self) -> String {
        self.still_with("")
    }

    /// The same with more keys of `[engine]`.
    pub(crate) fn still_with(&self, engine: &str) -> String {
        match self {
            Self::Files => format!("[index]\nfollow = false\n[engine]\n{engine}"),
            Self::Postgres(database) => format!(
                "[index]\nfollow = false\nengine = \"postgres\"\n[engine]\npostgres = {:?}\n{engine}",
                database.url
            ),
        }
    }
}

/// Makes three tests of each story: indexes as files of a gateway on SQLite and of one on Postgres, and indexes in Postgres.
macro_rules! on_both_engines {
    ($($story:ident),+ $(,)?) => {
        mod on_sqlite {
            $(
                #[tokio::test]
                async fn $story() {
                    let place = $crate::index::places::IndexPlace::Files;
                    super::$story($crate::governed::database::Backing::Sqlite, place).await;
                }
            )+
        }
        mod on_postgres {
            $(
                #[tokio::test]
                async fn $story() {
                    let place = $crate::index::places::IndexPlace::Files;
                    super::$story($crate::governed::database::Backing::postgres(), place).await;
                }
            )+
        }
        mod in_postgres {
            $(
                #[tokio::test]
                async fn $story() {
                    let place = $crate::index::places::IndexPlace::postgres();
                    super::$story($crate::governed::database::Backing::Sqlite, place).await;
                }
            )+
        }
    };
}

pub(crate) use on_both_engines;
