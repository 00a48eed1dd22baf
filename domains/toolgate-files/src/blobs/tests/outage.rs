//! A storage that is down, slow or busy.

use std::time::{Duration, Instant};

use toolgate_core::{Digest, Refusal, RefusalKind};

use crate::blobs::{Blobs, NamedObjects};
use crate::fixture::fake_s3::{FakeS3, FakeS3Mood};
use crate::fixture::{FilesWorld, collected, noise, s3_at, sent};
use crate::settings::{FilesSettings, StoragePlace};

const RETRIES: usize = 3;

/// The time to wait for something that must not happen.
const SHORT: Duration = Duration::from_millis(500);
const LONG: Duration = Duration::from_secs(5);

async fn world_at(endpoint: &str, silence_max: Duration) -> FilesWorld {
    FilesWorld::with(|settings: &mut FilesSettings| {
        settings.place = StoragePlace::S3(s3_at(endpoint));
        settings.storage_timeout = silence_max;
        settings.retries_max = RETRIES;
    })
    .await
}

fn check_down(refused: Refusal) {
    assert_eq!((refused.kind, refused.code.name), (RefusalKind::Down, "storage_down"), "{refused:?}");
    assert!(
        refused.message.contains("did not answer after") && refused.message.contains(" s"),
        "{refused:?}"
    );
    assert!(!refused.hint.is_empty());
    no_secrets(&refused);
}

fn no_secrets(refused: &Refusal) {
    let said = format!("{refused:?}");
    for secret in ["AKIDFORTESTS", "SECRETFORTESTS", "Signature"] {
        assert!(!said.contains(secret), "{said}");
    }
}

/// Every use of the storage ends in the same way.
async fn check_all_down(blobs: &Blobs, digest: Digest) {
    let large = noise(9 << 20);
    check_down(blobs.put_bytes(noise(10)).await.expect_err("down"));
    check_down(blobs.put_stream(sent(&large), u64::MAX).await.expect_err("down"));
    check_down(blobs.read_whole(digest, u64::MAX).await.expect_err("down"));
    check_down(blobs.read_range(digest, 0..1).await.err().expect("down"));
    check_down(blobs.open(digest, 1).await.err().expect("down"));
    check_down(blobs.delete(digest).await.expect_err("down"));
    let error = collected(blobs.read(digest, 1)).await.expect_err("down");
    assert!(error.0.contains("did not answer after"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storage_that_is_down_is_said_to_be() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let endpoint = format!("http://{}", listener.local_addr().expect("an address"));
    drop(listener);
    let world = world_at(&endpoint, LONG).await;
    check_all_down(world.files.blobs(), Digest::of("a")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_storage_that_says_nothing_is_waited_for_within_a_limit() {
    let fake = FakeS3::start().await;
    let world = world_at(&fake.endpoint, SHORT).await;
    fake.feel(FakeS3Mood::Silent);
    let since = Instant::now();
    check_down(world.files.blobs().put_bytes(noise(10)).await.expect_err("down"));
    assert!(since.elapsed() < Duration::from_secs(20), "{:?}", since.elapsed());
    assert!((2..=RETRIES + 1).contains(&fake.requests()), "{}", fake.requests());
    check_down(world.files.blobs().open(Digest::of("a"), 1).await.err().expect("down"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_busy_storage_is_asked_again_and_then_no_more() {
    let fake = FakeS3::start().await;
    let world = world_at(&fake.endpoint, LONG).await;
    let blobs = world.files.blobs();
    fake.feel(FakeS3Mood::Busy(2));
    let put = blobs.put_bytes(noise(10)).await.expect("it was busy for a moment");
    assert_eq!(fake.requests(), 3);
    fake.feel(FakeS3Mood::Busy(2));
    assert_eq!(collected(blobs.read(put.digest, 10)).await.expect("read"), noise(10));
    fake.feel(FakeS3Mood::Busy(usize::MAX));
    let refused = blobs.put_bytes(noise(10)).await.expect_err("busy for ever");
    assert_eq!(fake.requests(), RETRIES + 1);
    assert!(refused.message.contains("4 tries") && refused.message.contains("503"), "{refused}");
    check_all_down(blobs, put.digest).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_download_that_stalls_is_taken_up_where_it_broke_off() {
    let fake = FakeS3::start().await;
    let world = world_at(&fake.endpoint, SHORT).await;
    let blobs = world.files.blobs();
    let bytes = noise(3_000_000);
    let put = blobs.put_bytes(bytes.clone()).await.expect("put");
    fake.feel(FakeS3Mood::Stalling(3));
    assert_eq!(collected(blobs.read(put.digest, put.bytes)).await.expect("read"), bytes);
    fake.feel(FakeS3Mood::Stalling(2));
    let some = blobs.read_range(put.digest, 1_000..2_900_000).await.expect("opened");
    assert_eq!(collected(some).await.expect("read"), bytes[1_000..2_900_000]);
    fake.feel(FakeS3Mood::Stalling(usize::MAX));
    let error = collected(blobs.read(put.digest, put.bytes)).await.expect_err("it never comes to an end");
    assert!(error.0.contains("broke off"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn keys_that_a_storage_repeats_are_not_passed_on() {
    let fake = FakeS3::start().await;
    let world = world_at(&fake.endpoint, LONG).await;
    fake.feel(FakeS3Mood::Strict);
    let refused = world.files.blobs().put_bytes(noise(10)).await.expect_err("not let in");
    assert_eq!(refused.code.name, "storage_down");
    assert!(refused.message.contains("does not let the gateway in"), "{refused}");
    no_secrets(&refused);
    assert_eq!(fake.requests(), 1, "the same keys would not help");
}

/// Objects under names of their own lie beside the files, and fail as files do.
#[tokio::test(flavor = "multi_thread")]
async fn named_objects_are_written_or_said_to_be_refused() {
    let fake = FakeS3::start().await;
    let settings = FilesSettings {
        place: StoragePlace::S3(s3_at(&fake.endpoint)),
        storage_timeout: SHORT,
        retries_max: RETRIES,
        ..FilesSettings::default()
    };
    let objects = NamedObjects::open(&settings, "kept/here").expect("opened").expect("a bucket");
    objects.put("one.txt", "text".into()).await.expect("written");
    assert!(fake.keys().iter().any(|key| key.ends_with("kept/here/one.txt")), "{:?}", fake.keys());
    fake.feel(FakeS3Mood::Silent);
    check_down(objects.put("two.txt", "text".into()).await.expect_err("down"));
    let in_folder = FilesSettings { place: StoragePlace::Folder("kept".into()), ..settings };
    assert!(NamedObjects::open(&in_folder, "kept").expect("looked at").is_none());
}
