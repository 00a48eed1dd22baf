//! The assignment of streams to gateways.

use toolgate_store::{ClaimError, Store};

use crate::world::StoreWorld;

crate::on_both!(
    a_stream_is_claimed_by_one_gateway_at_a_time,
    whoever_comes_after_in_the_same_folder_has_it_at_once,
    of_two_that_find_a_silent_claim_one_has_it,
);

const STREAM: &str = "gateway";

async fn claimed(store: &Store, place: &str) -> Result<toolgate_store::StreamClaim, String> {
    store.claim_stream(STREAM, place, place).await.map_err(|error| error.to_string())
}

async fn a_stream_is_claimed_by_one_gateway_at_a_time(world: StoreWorld) {
    let store = world.open().await;
    let first = std::sync::Arc::new(claimed(&store, "a").await.expect("nobody has it"));
    let keeping = tokio::spawn({
        let first = first.clone();
        async move { first.keep().await }
    });
    let refused = store.claim_stream(STREAM, "b", "b").await;
    assert!(matches!(refused, Err(ClaimError::Taken(there)) if there.place == "a" && there.stream == STREAM));
    store.claim_stream("other", "b", "b").await.expect("another stream is free");
    keeping.abort();
    first.release().await;
    claimed(&store, "b").await.expect("it was let go");
    let places: Vec<String> =
        store.read_gateways().await.expect("read").into_iter().map(|one| one.place).collect();
    assert_eq!(places, ["b", "b"]);
}

async fn whoever_comes_after_in_the_same_folder_has_it_at_once(world: StoreWorld) {
    let store = world.open().await;
    let before = claimed(&store, "a").await.expect("nobody has it");
    claimed(&store, "a").await.expect("the one before is gone");
    // The previous one is told so if it asks, and takes nothing away.
    before.release().await;
    assert_eq!(store.read_gateways().await.expect("read").len(), 1);
}

async fn of_two_that_find_a_silent_claim_one_has_it(world: StoreWorld) {
    let store = world.open().await;
    drop(claimed(&store, "gone").await.expect("nobody has it"));
    let race = async |place: &'static str| {
        let claim = claimed(&store, place).await?;
        claim.keep().await;
        Ok::<(), String>(())
    };
    // The owner keeps it, and the other one is told so.
    let lost = tokio::select! {
        ended = race("a") => ended,
        ended = race("b") => ended,
    };
    assert!(lost.expect_err("one of them is refused").contains("is written by another gateway"));
}
