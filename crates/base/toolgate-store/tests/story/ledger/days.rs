//! The days of the ledger: partitions on Postgres.

use toolgate_core::event::Event;
use toolgate_core::governance::Ledger;
use toolgate_store::clock::now_ms;

use super::{DAY_MS, START_MS, all, assert_sound, on_disk, started, writer};
use crate::world::StoreWorld;

crate::on_both!(events_of_all_days_are_written_and_read);

const PARTITIONS: &str = "SELECT child.relname::TEXT, 0::BIGINT, ''::BYTEA FROM pg_inherits \
     JOIN pg_class child ON child.oid = inhrelid WHERE child.relkind = 'r' ORDER BY 1";

fn at(at_ms: i64, call: &str) -> Event {
    Event { at_ms, ..started(call) }
}

async fn partitions(world: &StoreWorld) -> Vec<String> {
    world.rows(PARTITIONS).await.into_iter().map(|(name, ..)| name).collect()
}

async fn events_of_all_days_are_written_and_read(world: StoreWorld) {
    let store = world.open().await;
    let gate = writer(&store, "one").await;
    let days = [0, START_MS, START_MS + DAY_MS, START_MS + 40 * DAY_MS, now_ms()];
    for (place, at_ms) in days.into_iter().enumerate() {
        gate.append(on_disk(vec![at(at_ms, &format!("c{place}"))])).await.expect("written");
    }
    let read: Vec<i64> = all(&store).await.into_iter().map(|one| one.event.at_ms).collect();
    assert_eq!(read, days);
    assert_sound(&store).await;
    if world.is_postgres() {
        let partitions = partitions(&world).await;
        for name in ["ledger_lines_0", "ledger_blocks_0", "ledger_terms_0"] {
            assert!(partitions.iter().any(|there| there == name), "{name} in {partitions:?}");
        }
        let day = START_MS / DAY_MS;
        for name in [day, day + 1, day + 40].map(|day| format!("ledger_lines_{day}")) {
            assert!(partitions.contains(&name), "{name} in {partitions:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_that_is_opened_has_the_next_days() {
    let world = StoreWorld::postgres();
    let (before, _store, after) = (now_ms() / DAY_MS, world.open().await, now_ms() / DAY_MS);
    let partitions = partitions(&world).await;
    for name in (after..=before + 3).map(|day| format!("ledger_lines_{day}")) {
        assert!(partitions.contains(&name), "{name} in {partitions:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_day_that_vanished_is_made_by_whoever_writes() {
    let world = StoreWorld::postgres();
    let store = world.open().await;
    let gate = writer(&store, "one").await;
    let now = now_ms();
    for day in now / DAY_MS..=now / DAY_MS + 3 {
        world.run_on_postgres(&format!("DROP TABLE ledger_lines_{day}"));
    }
    gate.append(on_disk(vec![at(now, "c1"), at(now, "c2")])).await.expect("written");
    store.make_ledger_days().await.expect("the others are made again");
    gate.append(on_disk(vec![at(now, "c3")])).await.expect("written");
    assert_eq!(all(&store).await.len(), 3);
    assert_sound(&store).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn gateways_that_make_the_same_day_at_once_do_not_mind() {
    let world = StoreWorld::postgres();
    let (one, two) = (world.open().await, world.open().await);
    let (first, second) = (writer(&one, "one").await, writer(&two, "two").await);
    for day in 0..8 {
        let at_ms = START_MS + day * DAY_MS;
        let (first, second) = tokio::join!(
            first.append(on_disk(vec![at(at_ms, &format!("a{day}"))])),
            second.append(on_disk(vec![at(at_ms, &format!("b{day}"))])),
        );
        first.and(second).expect("both are written");
    }
    assert_eq!(all(&one).await.len(), 16);
    assert_sound(&one).await;
}
