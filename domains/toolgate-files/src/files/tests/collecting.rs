//! Unused content is removed, used content stays.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]

use std::time::Duration;

use toolgate_core::Digest;

use super::{content, erna, put};
use crate::access::ContentAccess;
use crate::files::{ArtifactSource, CollectionReport};
use crate::fixture::{FilesWorld, holder, name, noise, on_every_storage, sent};

const HOUR: Duration = Duration::from_secs(60 * 60);

on_every_storage!(
    bytes_go_when_the_last_that_uses_them_is_gone,
    what_is_put_while_it_is_collected_is_there_in_the_end
);

async fn bytes_go_when_the_last_that_uses_them_is_gone(world: FilesWorld) {
    let files = &world.files;
    let (by, bytes) = (erna(), noise(1_000));
    let by = ContentAccess::Person(&by);
    let (one, two) = (put(files, &erna(), "1", &bytes).await, put(files, &erna(), "2", &bytes).await);
    files.delete(&by, &one.id).await.expect("deleted");
    world.clock.advance(2 * HOUR);
    assert_eq!(files.collect().await, Ok(CollectionReport::default()), "the other one needs them");
    let maker = holder("erna", "ses_1", Some("run_1"));
    let found = files.resolve(&by, two.id.as_str()).await.expect("found");
    files.store_artifact(&maker, name("kept"), ArtifactSource::Found(found)).await.expect("stored");
    files.delete(&by, &two.id).await.expect("deleted");
    world.clock.advance(2 * HOUR);
    assert_eq!(files.collect().await, Ok(CollectionReport::default()), "the artifact needs them");
    assert_eq!(content(files, &by, &one.digest.to_string()).await.expect("read"), bytes);
    let three = put(files, &erna(), "3", &noise(999)).await;
    files.delete(&by, &three.id).await.expect("deleted");
    assert_eq!(
        files.collect().await,
        Ok(CollectionReport::default()),
        "not at once: somebody may be about to use them"
    );
    world.clock.advance(2 * HOUR);
    assert_eq!(files.collect().await, Ok(CollectionReport { blobs: 1, ..CollectionReport::default() }));
    let digest = three.digest;
    assert_eq!(files.blobs().open(digest, 999).await.err().expect("gone").code.name, "file_changed");
    assert_eq!(world.store.blob_bytes(&digest).await.expect("asked"), None);
}

/// Several gateways store the very bytes that others delete at this moment. A confirmed store can be read.
async fn what_is_put_while_it_is_collected_is_there_in_the_end(world: FilesWorld) {
    let (one, two) = (world.files.clone(), world.another().await);
    let by = erna();
    let by = ContentAccess::Person(&by);
    for round in 0..12 {
        let bytes = noise(100 + round % 3);
        let old = put(&one, &erna(), "old", &bytes).await;
        one.delete(&by, &old.id).await.expect("deleted");
        world.clock.advance(2 * HOUR);
        let (first, second, one_collected, two_collected) = tokio::join!(
            one.put(&by, name("new"), sent(&bytes)),
            two.put(&by, name("new"), sent(&bytes)),
            one.collect(),
            two.collect(),
        );
        one_collected.expect("collected");
        two_collected.expect("collected");
        for file in [first.expect("put"), second.expect("put")] {
            assert_eq!(file.digest, Digest::of(&bytes));
            assert_eq!(
                content(&one, &by, file.id.as_str()).await.expect("it is there"),
                bytes,
                "round {round}"
            );
            one.delete(&by, &file.id).await.expect("deleted");
        }
    }
}

/// A collector that died between its mark and the end.
#[tokio::test(flavor = "multi_thread")]
async fn whoever_puts_bytes_that_are_being_deleted_waits_for_the_end_of_it() {
    let world = FilesWorld::folder().await;
    let (by, bytes) = (erna(), noise(100));
    let old = put(&world.files, &by, "old", &bytes).await;
    world.files.delete(&ContentAccess::Person(&by), &old.id).await.expect("deleted");
    world.clock.advance(2 * HOUR);
    let now_ms = toolgate_core::governance::Clock::now_ms(&*world.clock);
    assert_eq!(world.store.condemn_blobs(now_ms, 10).await.expect("marked"), [old.digest]);
    let putting = {
        let (files, bytes) = (world.files.clone(), bytes.clone());
        tokio::spawn(async move { put(&files, &erna(), "new", &bytes).await })
    };
    world.files.blobs().delete(old.digest).await.expect("deleted");
    assert!(world.store.bury_blob(&old.digest).await.expect("buried"));
    let new = putting.await.expect("no panic");
    assert_eq!(
        content(&world.files, &ContentAccess::Person(&by), new.id.as_str()).await.expect("read"),
        bytes
    );
}
