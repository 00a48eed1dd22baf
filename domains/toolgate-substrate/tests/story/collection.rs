//! The collection of what nothing reaches, and everything that must survive it.

use std::time::Duration;

use toolgate_core::{Digest, codes};
use toolgate_store::{COLLECTION_LEASE_MS, CollectionTerms, MarkKind, RemovalStep};
use toolgate_substrate::{CollectionMode, CollectionSummary, Manifest};

use crate::world::{SubstrateGateway, SubstrateWorld, ann};

crate::on_both!(
    what_nothing_reaches_goes_and_what_is_pinned_stays,
    a_dry_run_says_what_would_go_and_removes_nothing,
    what_was_touched_lately_stays,
    bytes_follow_with_the_collection_of_files,
    a_manifest_that_another_one_names_stays,
    a_manifest_that_comes_meanwhile_loses_nothing,
    writes_of_the_same_content_beside_collections_lose_nothing,
    a_collection_that_broke_off_while_marking_is_not_trusted,
    gateways_take_turns,
);

const DAYS: Duration = Duration::from_secs(2 * 24 * 60 * 60);

async fn collect(gateway: &SubstrateGateway, mode: CollectionMode) -> CollectionSummary {
    gateway.substrate.collect(&ann(), mode).await.expect("collected")
}

async fn pin(gateway: &SubstrateGateway, manifest: &Manifest) {
    let pinned = gateway.books().pin_manifest(&manifest.digest, "", gateway.now_ms(), &ann()).await;
    assert!(pinned.expect("pinned"), "it was not pinned before");
}

async fn snapshot(gateway: &SubstrateGateway, entries: &[(&str, &str)], message: &str) -> Manifest {
    gateway.snapshot(entries, message).await.expect("stored")
}

/// True if the tenant has the artifact of these words.
async fn has_artifact(gateway: &SubstrateGateway, words: &str) -> bool {
    !gateway.store.artifacts_of(&[Digest::of(words)]).await.expect("read").is_empty()
}

/// Reads every node of a manifest, and looks for its artifacts.
async fn assert_whole(gateway: &SubstrateGateway, manifest: &Manifest, words: &[&str]) {
    gateway.substrate.forget_nodes();
    let summary = gateway.substrate.summarize_difference(None, manifest.digest, 1).await;
    assert_eq!(summary.expect("its nodes are there").added, manifest.entries);
    for one in words {
        assert!(has_artifact(gateway, one).await, "{one}");
    }
}

fn terms(gateway: &SubstrateGateway) -> CollectionTerms {
    let now_ms = gateway.now_ms();
    CollectionTerms { now_ms, untouched_since_ms: now_ms - 86_400_000, moves_since_ms: now_ms - 86_400_000 }
}

async fn what_nothing_reaches_goes_and_what_is_pinned_stays(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let kept = snapshot(&gateway, &[("a", "shared words"), ("b", "kept words")], "kept").await;
    let lost = snapshot(&gateway, &[("a", "shared words"), ("c", "lost words")], "lost").await;
    pin(&gateway, &kept).await;
    gateway.pass(DAYS);
    let summary = collect(&gateway, CollectionMode::Remove).await;
    assert_eq!((summary.manifests.count, summary.manifests.first[0]), (1, lost.digest.digest()));
    assert_eq!((summary.nodes.count, summary.artifacts.count, summary.artifacts.bytes), (1, 1, 10));
    assert!(summary.is_complete);
    assert!(gateway.store.manifest(&lost.digest).await.expect("read").is_none());
    assert!(!has_artifact(&gateway, "lost words").await);
    assert_whole(&gateway, &kept, &["shared words", "kept words"]).await;
    assert!(collect(&gateway, CollectionMode::Remove).await.is_empty(), "there is nothing left to remove");
    // Without its pin, the other one goes as well.
    gateway
        .books()
        .unpin_manifest(&kept.digest, &ann().principal, gateway.now_ms(), &ann())
        .await
        .expect("unpinned");
    gateway.pass(DAYS);
    let summary = collect(&gateway, CollectionMode::Remove).await;
    assert_eq!((summary.manifests.count, summary.artifacts.count), (1, 2));
    assert!(gateway.store.manifest(&kept.digest).await.expect("read").is_none());
}

async fn a_dry_run_says_what_would_go_and_removes_nothing(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let lost = snapshot(&gateway, &[("a", "lost words")], "lost").await;
    gateway.pass(DAYS);
    for _ in 0..2 {
        let summary = collect(&gateway, CollectionMode::DryRun).await;
        assert_eq!((summary.manifests.count, summary.nodes.count, summary.artifacts.count), (1, 1, 1));
        assert_eq!(summary.artifacts.first, [Digest::of("lost words")]);
        assert_whole(&gateway, &lost, &["lost words"]).await;
    }
}

async fn what_was_touched_lately_stays(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let first = snapshot(&gateway, &[("a", "first words")], "first").await;
    gateway.pass(DAYS);
    let second = snapshot(&gateway, &[("a", "second words")], "second").await;
    // The same manifest once more touches it, its nodes and its bytes.
    snapshot(&gateway, &[("a", "first words")], "first").await;
    assert!(collect(&gateway, CollectionMode::Remove).await.is_empty());
    assert_whole(&gateway, &first, &["first words"]).await;
    assert_whole(&gateway, &second, &["second words"]).await;
}

async fn bytes_follow_with_the_collection_of_files(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    snapshot(&gateway, &[("a", "lost words")], "lost").await;
    gateway.pass(DAYS);
    assert_eq!(gateway.files().collect().await.expect("collected").blobs, 0, "the artifact has them");
    collect(&gateway, CollectionMode::Remove).await;
    assert_eq!(gateway.files().collect().await.expect("collected").blobs, 1);
    // The same words can be stored anew.
    let again = snapshot(&gateway, &[("a", "lost words")], "again").await;
    assert_whole(&gateway, &again, &["lost words"]).await;
}

async fn a_manifest_that_another_one_names_stays(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let named = snapshot(&gateway, &[("a", "named words")], "named").await;
    let outer = gateway.name_manifest("inside", &named).await;
    pin(&gateway, &outer).await;
    gateway.pass(DAYS);
    assert!(collect(&gateway, CollectionMode::Remove).await.is_empty());
    assert_whole(&gateway, &named, &["named words"]).await;
}

async fn a_manifest_that_comes_meanwhile_loses_nothing(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let old = snapshot(&gateway, &[("a", "same words")], "old").await;
    gateway.pass(DAYS);
    let terms = terms(&gateway);
    let turn = gateway.store.begin_collection(&terms).await.expect("begun").expect("nobody else collects");
    assert!(gateway.store.end_marking(&turn).await.expect("marked"), "there are no roots");
    let new = snapshot(&gateway, &[("a", "same words")], "new").await;
    for kind in [MarkKind::Manifest, MarkKind::Node, MarkKind::Artifact] {
        let step = gateway.books().remove_unreached(&turn, &terms, kind, None, 10, &ann()).await;
        let is_careful = match step.expect("looked") {
            RemovalStep::Unmarked => true,
            RemovalStep::Removed(rows, _) => rows.count == 0,
        };
        assert!(is_careful, "{kind:?} went while a manifest was not marked");
    }
    collect(&gateway, CollectionMode::Remove).await;
    assert_whole(&gateway, &new, &["same words"]).await;
    assert!(gateway.store.manifest(&old.digest).await.expect("read").is_none());
}

async fn writes_of_the_same_content_beside_collections_lose_nothing(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let words: Vec<String> = (0..12).map(|number| format!("words {number}")).collect();
    for one in &words {
        snapshot(&gateway, &[("a", one), ("b", "common words")], "old").await;
    }
    gateway.pass(DAYS);
    let collecting = async {
        for _ in 0..6 {
            collect(&gateway, CollectionMode::Remove).await;
        }
    };
    let writing = async {
        let mut made = Vec::new();
        for one in &words {
            made.push(snapshot(&gateway, &[("a", one), ("b", "common words")], "new").await);
        }
        made
    };
    let (made, ()) = tokio::join!(writing, collecting);
    for (manifest, one) in made.iter().zip(&words) {
        assert_whole(&gateway, manifest, &[one, "common words"]).await;
    }
}

async fn a_collection_that_broke_off_while_marking_is_not_trusted(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let kept = snapshot(&gateway, &[("a", "kept words")], "kept").await;
    pin(&gateway, &kept).await;
    gateway.pass(DAYS);
    let turn = gateway.store.begin_collection(&terms(&gateway)).await.expect("begun").expect("our turn");
    // It marks the root of the tree, and dies before what is below.
    let root = Digest::from_bytes(*kept.root.as_bytes());
    gateway.store.mark(&turn, MarkKind::Node, [root]).await.expect("marked");
    assert!(collect(&gateway, CollectionMode::Remove).await.is_empty());
    assert_whole(&gateway, &kept, &["kept words"]).await;
}

async fn gateways_take_turns(world: SubstrateWorld) {
    let (one, two) = (world.gateway().await, world.gateway().await);
    one.store.begin_collection(&terms(&one)).await.expect("begun").expect("its turn");
    let refused = two.substrate.collect(&ann(), CollectionMode::DryRun).await.expect_err("another turn");
    assert_eq!(refused.code, &codes::COLLECTION_UNDER_WAY);
    // A gateway that died does not keep the turn.
    two.pass(Duration::from_millis(COLLECTION_LEASE_MS.unsigned_abs() + 60_000));
    collect(&two, CollectionMode::DryRun).await;
}
