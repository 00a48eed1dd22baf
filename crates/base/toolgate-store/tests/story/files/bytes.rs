//! The life of bytes that several rows share.

use std::collections::BTreeSet;

use toolgate_core::Digest;
use toolgate_core::file::File;
use toolgate_core::id::RefId;
use toolgate_store::{BlobReservation, Books, CONDEMNED_LEASE_MS, FileEnd, Store, StoreError};

use super::artifacts::artifact;
use super::refs::taken_out;
use super::{NOW_MS, erna, file, keep, replicas, touch, touch_at};
use crate::desk::books;
use crate::world::StoreWorld;

crate::on_both!(
    bytes_that_anything_uses_stay,
    bytes_are_shared_and_go_with_their_last_user,
    bytes_that_were_touched_lately_stay,
    nobody_begins_to_use_bytes_that_are_being_deleted,
    what_a_dead_gateway_marked_is_deleted_by_another,
    a_text_lives_as_long_as_what_it_was_made_of,
    what_is_stored_while_others_collect_keeps_its_bytes,
);

const LATER_MS: i64 = NOW_MS + 1;

async fn condemned(store: &Store) -> BTreeSet<Digest> {
    store.condemn_blobs(LATER_MS, 100).await.expect("looked").into_iter().collect()
}

fn digests(contents: &[&str]) -> BTreeSet<Digest> {
    contents.iter().map(Digest::of).collect()
}

async fn bury(store: &Store, content: &str) -> bool {
    store.bury_blob(&Digest::of(content)).await.expect("buried")
}

async fn bytes_that_anything_uses_stay(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    for content in ["file", "ref", "artifact", "source", "text", "nothing"] {
        touch(&store, content).await;
    }
    books.store_file(&file("1", "file"), &erna()).await.expect("stored");
    books.store_file(&file("2", "source"), &erna()).await.expect("stored");
    store.put_ref(&taken_out("1", "ref")).await.expect("stored");
    books.store_artifact(&artifact("a.txt", "artifact"), &erna()).await.expect("stored");
    store.put_extraction(&Digest::of("source"), "x", &Digest::of("text")).await.expect("stored");
    assert_eq!(condemned(&store).await, digests(&["nothing"]));
}

async fn bytes_are_shared_and_go_with_their_last_user(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let [one, two] = [file("1", "hello"), file("2", "hello")];
    keep(&books, &one, "hello").await;
    keep(&books, &two, "hello").await;
    assert_eq!(store.blob_bytes(&one.digest).await.expect("read"), Some(5));
    books.delete_file(&one.id, &erna(), FileEnd::Deleted).await.expect("deleted");
    assert_eq!(condemned(&store).await, digests(&[]));
    books.expire_files(two.expires_at_ms.expect("it has an end"), 10).await.expect("removed");
    assert_eq!(condemned(&store).await, digests(&["hello"]));
    assert!(bury(&store, "hello").await);
    assert!(!bury(&store, "hello").await, "there is nothing left");
    assert_eq!(condemned(&store).await, digests(&[]));
    assert_eq!(store.blob_bytes(&one.digest).await.expect("read"), None);
}

async fn bytes_that_were_touched_lately_stay(world: StoreWorld) {
    let store = world.open().await;
    for (content, at_ms) in [("a", NOW_MS), ("b", LATER_MS), ("c", NOW_MS - 5), ("d", NOW_MS - 6)] {
        assert_eq!(touch_at(&store, content, at_ms).await, BlobReservation::Ready);
    }
    // A clock that is behind undoes nothing.
    touch_at(&store, "b", NOW_MS - 9).await;
    touch_at(&store, "c", LATER_MS).await;
    let first = store.condemn_blobs(LATER_MS, 1).await.expect("looked");
    assert_eq!(first, [Digest::of("d")], "those that were touched longest ago come first");
    assert!(bury(&store, "d").await);
    assert_eq!(condemned(&store).await, digests(&["a"]));
}

async fn nobody_begins_to_use_bytes_that_are_being_deleted(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    touch(&store, "hello").await;
    touch(&store, "source").await;
    books.store_file(&file("0", "source"), &erna()).await.expect("stored");
    assert_eq!(condemned(&store).await, digests(&["hello"]));

    assert_eq!(touch_at(&store, "hello", NOW_MS + 99).await, BlobReservation::Deleting);
    assert_eq!(store.blob_bytes(&Digest::of("hello")).await.expect("read"), None);
    let gone = |result: Result<(), StoreError>| matches!(result, Err(StoreError::BytesGone { .. }));
    assert!(gone(books.store_file(&file("1", "hello"), &erna()).await));
    assert!(gone(store.put_ref(&taken_out("1", "hello")).await));
    let fetched = taken_out("2", "hello");
    store.put_ref(&toolgate_core::file::Ref { digest: None, ..fetched.clone() }).await.expect("stored");
    let filled = store.fill_ref(&fetched.id, &Digest::of("hello"), 5, "text/plain", "hello").await;
    assert!(gone(filled.map(drop)));
    let stored = books.store_artifact(&artifact("a.txt", "hello"), &erna()).await;
    assert!(stored.expect_err("refused").to_string().contains("were not kept"));
    assert!(gone(store.put_extraction(&Digest::of("source"), "x", &Digest::of("hello")).await));
    assert_eq!(store.get_ref(&RefId::new("ref_1")).await.expect("read"), None);

    assert!(bury(&store, "hello").await);
    assert_eq!(touch(&store, "hello").await, BlobReservation::Ready);
    books.store_file(&file("1", "hello"), &erna()).await.expect("stored");
    assert_eq!(condemned(&store).await, digests(&[]));
}

async fn what_a_dead_gateway_marked_is_deleted_by_another(world: StoreWorld) {
    let (store, other) = (world.open().await, world.open().await);
    touch(&store, "hello").await;
    assert_eq!(condemned(&store).await, digests(&["hello"]));
    assert_eq!(condemned(&store).await, digests(&["hello"]), "it was not deleted yet");
    assert_eq!(condemned(&other).await, digests(&[]), "somebody does it already");
    assert!(!bury(&other, "hello").await, "and says when it is done");
    world
        .sql(&format!("UPDATE blobs SET deleting_since_ms = deleting_since_ms - {CONDEMNED_LEASE_MS}"))
        .await;
    assert_eq!(condemned(&other).await, digests(&["hello"]));
    assert!(!bury(&store, "hello").await, "it took too long");
    assert!(bury(&other, "hello").await);
}

async fn a_text_lives_as_long_as_what_it_was_made_of(world: StoreWorld) {
    let store = world.open().await;
    let books = books(&store).await;
    let source = file("1", "source");
    keep(&books, &source, "source").await;
    touch(&store, "text").await;
    let (from, text) = (source.digest, Digest::of("text"));
    assert_eq!(store.extraction(&from, "x@1").await.expect("read"), None);
    store.put_extraction(&from, "x@1", &text).await.expect("stored");
    // A text may be its own extraction.
    store.put_extraction(&from, "plain", &from).await.expect("stored");
    assert_eq!(store.extraction(&from, "x@1").await.expect("read"), Some(text));
    assert_eq!(store.extraction(&from, "x@2").await.expect("read"), None, "another version reads otherwise");

    books.delete_file(&source.id, &erna(), FileEnd::Deleted).await.expect("deleted");
    assert_eq!(condemned(&store).await, digests(&["source"]));
    assert!(bury(&store, "source").await);
    assert_eq!(store.extraction(&from, "x@1").await.expect("read"), None);
    store.put_extraction(&from, "x@1", &text).await.expect("it is too late, and no matter");
    assert_eq!(store.extraction(&from, "x@1").await.expect("read"), None);
    assert_eq!(condemned(&store).await, digests(&["text"]));
}

/// Collectors that would remove everything, and people who store and delete the same few bytes: every stored
/// file has its bytes.
async fn what_is_stored_while_others_collect_keeps_its_bytes(world: StoreWorld) {
    let (store, one, two) = replicas(&world).await;
    let collector = |store: Store| {
        tokio::spawn(async move {
            for _ in 0..200 {
                for digest in store.condemn_blobs(i64::MAX, 3).await.expect("looked") {
                    store.bury_blob(&digest).await.expect("buried");
                }
            }
        })
    };
    let keeper = |books: Books, side: usize| {
        tokio::spawn(async move {
            for turn in 0..40 {
                let content = format!("content {}", turn % 4);
                let kept = file(&format!("{side}_{turn}"), &content);
                until_kept(&books, &kept, &content).await;
                let bytes = books.store().blob_bytes(&kept.digest).await.expect("read");
                assert_eq!(bytes, Some(kept.bytes), "{} has lost its bytes", kept.id);
                if turn % 2 == 0 {
                    books.delete_file(&kept.id, &erna(), FileEnd::Deleted).await.expect("deleted");
                }
            }
        })
    };
    let working = [
        collector(one.store().clone()),
        collector(two.store().clone()),
        keeper(one.clone(), 1),
        keeper(two.clone(), 2),
    ];
    for working in working {
        working.await.expect("no panic");
    }
    let (files, _) = store.files(&toolgate_store::FileFilter::default(), 500).await.expect("listed");
    assert_eq!(files.len(), 40, "every other one was kept");
    for file in files {
        let bytes = store.blob_bytes(&file.digest).await.expect("read");
        assert_eq!(bytes, Some(file.bytes), "{} has lost its bytes", file.id);
    }
}

/// More attempts than ruthless collectors need.
const TRIES_MAX: usize = 2_000;

async fn until_kept(books: &Books, file: &File, content: &str) {
    for _ in 0..TRIES_MAX {
        touch(books.store(), content).await;
        match books.store_file(file, &erna()).await {
            Err(StoreError::BytesGone { .. }) => tokio::task::yield_now().await,
            stored => return stored.expect("stored"),
        }
    }
    panic!("{} was never kept", file.id);
}
