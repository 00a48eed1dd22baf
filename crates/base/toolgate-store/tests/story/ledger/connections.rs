//! The connections to Postgres: whoever reads does not keep the ledger from being written.

use std::time::Duration;

use sqlx::Executor;
use tokio::task::JoinSet;
use toolgate_core::governance::Ledger;
use toolgate_store::PostgresSettings;

use super::{on_disk, started, writer};
use crate::world::{StoreWorld, within};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn readers_that_wait_do_not_keep_the_writer_waiting() {
    let world = StoreWorld::postgres();
    let store = world.open_with(PostgresSettings { connections_max: 4 }).await;
    let gate = writer(&store, "one").await;
    let mut other = crate::world::postgres(world.url()).await;
    other.execute("BEGIN; LOCK TABLE settings IN ACCESS EXCLUSIVE MODE").await.expect("locked");
    let mut readers = JoinSet::new();
    for _ in 0..2 {
        let store = store.clone();
        readers.spawn(async move { store.read_settings().await.is_ok() });
    }
    // All connections for readers are in use.
    within(Duration::from_secs(5), "readers that wait", async || {
        let waiting = "SELECT COUNT(*) FROM pg_stat_activity WHERE datname = current_database() \
                       AND wait_event_type = 'Lock' AND application_name = 'toolgate'";
        let count: i64 = sqlx::query_scalar(waiting).fetch_one(&mut other).await.expect("counted");
        count == 2
    })
    .await;
    let written = tokio::time::timeout(Duration::from_secs(2), gate.append(on_disk(vec![started("c1")])));
    written.await.expect("in time").expect("written");
    other.execute("ROLLBACK").await.expect("unlocked");
    while let Some(read) = readers.join_next().await {
        assert!(read.expect("a reader"), "readers go on");
    }
}
