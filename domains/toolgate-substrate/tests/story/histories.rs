//! Histories and common ancestors.

use toolgate_core::substrate::ManifestDigest;
use toolgate_core::{Digest, Refusal};
use toolgate_substrate::{ManifestNote, NamedContents};

use crate::world::{SubstrateGateway, SubstrateWorld, ann};

crate::on_both!(
    the_common_ancestor_is_the_latest_one,
    histories_without_a_common_beginning_have_no_ancestor,
    a_long_history_is_searched_with_few_statements,
);

/// A manifest without entries.
async fn child(gateway: &SubstrateGateway, message: &str, parents: &[ManifestDigest]) -> ManifestDigest {
    let tree = gateway.substrate.store_tree([]).await.expect("a tree");
    let note = ManifestNote { parents: parents.to_vec(), message: message.to_owned(), metadata: None };
    let made = gateway.substrate.record_manifest(&ann(), tree, note, &NamedContents::default()).await;
    made.expect("stored").manifest.digest
}

async fn ancestor(
    gateway: &SubstrateGateway,
    one: ManifestDigest,
    other: ManifestDigest,
) -> Result<Option<ManifestDigest>, Refusal> {
    let found = gateway.substrate.common_ancestor(one, other).await?;
    assert_eq!(gateway.substrate.common_ancestor(other, one).await?, found, "the order does not matter");
    Ok(found)
}

async fn the_common_ancestor_is_the_latest_one(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let first = child(&gateway, "first", &[]).await;
    let second = child(&gateway, "second", &[first]).await;
    let left = child(&gateway, "left", &[second]).await;
    let right = child(&gateway, "right", &[second]).await;
    let further = child(&gateway, "further", &[right]).await;
    let merged = child(&gateway, "merged", &[left, right]).await;
    for (one, other, expected) in [
        (left, right, second),
        (left, further, second),
        (second, further, second),
        (first, first, first),
        (merged, further, right),
        (merged, left, left),
    ] {
        assert_eq!(ancestor(&gateway, one, other).await.expect("searched"), Some(expected));
    }
    let nowhere = ManifestDigest::new(Digest::of("nowhere"));
    let refused = gateway.substrate.common_ancestor(first, nowhere).await.expect_err("unknown");
    assert_eq!(refused.code.name, "unknown_manifest");
}

async fn histories_without_a_common_beginning_have_no_ancestor(world: SubstrateWorld) {
    let gateway = world.gateway().await;
    let one = child(&gateway, "one", &[]).await;
    let other = child(&gateway, "other", &[]).await;
    assert_eq!(ancestor(&gateway, one, other).await.expect("searched"), None);
}

async fn a_long_history_is_searched_with_few_statements(world: SubstrateWorld) {
    const LENGTH: usize = 60;
    let gateway = world.gateway().await;
    let first = child(&gateway, "first", &[]).await;
    let (mut left, mut right) = (first, first);
    for number in 0..LENGTH {
        left = child(&gateway, &format!("left {number}"), &[left]).await;
        right = child(&gateway, &format!("right {number}"), &[right]).await;
    }
    // A statement for each generation would be a hundred and more.
    gateway.store.fail_nth(12);
    let found = gateway.substrate.common_ancestor(left, right).await;
    gateway.store.fail_never();
    assert_eq!(found.expect("a few statements are enough"), Some(first));
}
