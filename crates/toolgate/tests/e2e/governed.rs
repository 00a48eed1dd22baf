//! The governed path from outside: for a call through any door, policy, people and the ledger apply. The bank
//! behind the gateway records what reached it, so every test can check what has run.

mod archived;
pub(crate) mod bank;
mod belonging;
mod beside;
mod changes;
mod crashes;
pub(crate) mod database;
mod deciding;
mod disk;
mod elicitation;
mod envelopes;
mod erasing;
mod filtering;
mod forced;
mod grants;
mod handles;
mod heard;
mod hidden;
mod in_force;
mod mail;
mod objects;
mod one_path;
mod outage;
mod outbound;
mod people;
mod policies;
mod proofs;
pub(crate) mod receiver;
mod records;
mod replicas;
mod rounds;
pub(crate) mod tampering;
mod waiting;
mod written;

/// Makes two tests of each story: one on SQLite, one on Postgres.
macro_rules! on_both {
    ($($story:ident),+ $(,)?) => {
        mod on_sqlite {
            $(
                #[tokio::test]
                async fn $story() {
                    super::$story($crate::governed::database::Backing::Sqlite).await;
                }
            )+
        }
        mod on_postgres {
            $(
                #[tokio::test]
                async fn $story() {
                    super::$story($crate::governed::database::Backing::postgres()).await;
                }
            )+
        }
    };
}

pub(crate) use on_both;
