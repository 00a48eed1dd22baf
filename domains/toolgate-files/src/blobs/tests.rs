//! The promises about bytes, in a folder and in S3.
#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]

mod outage;

use std::time::Duration;

use bytes::Bytes;
use futures_util::StreamExt;
use object_store::{ObjectStoreExt, PutPayload};

use super::*;
use crate::fixture::{
    FilesWorld, abandon, collected, cut, fake_s3::FakeS3, noise, on_every_storage, s3_at, sent,
};
use crate::settings::S3Storage;

on_every_storage!(
    bytes_come_back_as_they_went_in,
    some_bytes_can_be_read_alone,
    bytes_that_were_changed_are_noticed,
    bytes_that_are_gone_are_said_to_be,
    an_upload_that_breaks_off_leaves_nothing,
    an_upload_that_is_too_large_leaves_nothing,
    an_upload_whose_client_goes_away_leaves_nothing,
    the_same_bytes_lie_there_once,
);

/// Around the sizes at which the behaviour changes.
fn sizes(world: &FilesWorld) -> Vec<usize> {
    let part = world.files.blobs().shelf.kind.part_bytes();
    vec![0, 1, 8 << 10, (512 << 10) + 1, part - 1, part, part + 1, 2 * part + 17]
}

/// Everything that lies in the storage of this test.
async fn keys(blobs: &Blobs) -> Vec<String> {
    blobs.settle().await;
    match &blobs.shelf.kind {
        StorageKind::Folder(folder) => files_in(folder),
        StorageKind::S3(_) => {
            let listed = blobs.shelf.objects.list(Some(&blobs.shelf.at(&[])));
            listed.map(|found| found.expect("a list").location.to_string()).collect().await
        }
    }
}

fn files_in(folder: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder").flatten() {
        match entry.path().is_dir() {
            true => found.extend(files_in(&entry.path())),
            false => found.push(entry.path().display().to_string()),
        }
    }
    found
}

async fn bytes_come_back_as_they_went_in(world: FilesWorld) {
    let blobs = world.files.blobs();
    for size in sizes(&world) {
        let bytes = noise(size);
        let put = blobs.put_stream(sent(&bytes), u64::MAX).await.expect("put");
        assert_eq!((put.digest, put.bytes), (Digest::of(&bytes), size as u64));
        assert_eq!(put.head, bytes.slice(..size.min(8 << 10)));
        assert_eq!(collected(blobs.read(put.digest, put.bytes)).await.expect("read"), bytes, "{size}");
        assert_eq!(blobs.read_whole(put.digest, u64::MAX).await.expect("read"), bytes, "{size}");
        assert_eq!(blobs.put_bytes(bytes).await.expect("put again"), put);
    }
    let refused = blobs.read_whole(Digest::of(noise(8 << 10)), 100).await.expect_err("too large");
    assert_eq!(refused.code.name, "file_too_large");
}

async fn some_bytes_can_be_read_alone(world: FilesWorld) {
    let blobs = world.files.blobs();
    let bytes = noise(2_000_000);
    let digest = blobs.put_bytes(bytes.clone()).await.expect("put").digest;
    for (start, end) in [(0, 1), (0, 2_000_000), (1_999_999, 2_000_000), (500_000, 1_700_001), (7, 7)] {
        let some =
            collected(blobs.read_range(digest, start..end).await.expect("opened")).await.expect("read");
        assert_eq!(some, bytes[start as usize..end as usize], "{start}..{end}");
    }
    for beyond in [1_999_999..2_000_001, 2_000_000..2_000_001] {
        let refused = blobs.read_range(digest, beyond).await.err().expect("there are none");
        assert!(["file_changed", "storage_down"].contains(&refused.code.name), "{refused:?}");
    }
}

async fn bytes_that_were_changed_are_noticed(world: FilesWorld) {
    let blobs = world.files.blobs();
    let bytes = noise(1_500_000);
    let put = blobs.put_bytes(bytes.clone()).await.expect("put");
    let mut other = bytes.to_vec();
    other[700_000] ^= 1;
    for changed in [Bytes::from(other), bytes.slice(..1_000_000), noise(1_500_001)] {
        let path = blobs.shelf.path(put.digest);
        blobs.shelf.objects.put(&path, PutPayload::from(changed.clone())).await.expect("tampered");
        let mut stream = blobs.read(put.digest, put.bytes);
        let (mut got, mut error) = (0, None);
        while let Some(piece) = stream.next().await {
            match piece {
                Ok(piece) => got += piece.len(),
                Err(found) => error = Some(found),
            }
        }
        assert!(error.expect("noticed").0.contains("changed or damaged"));
        assert!(got < 1_500_000, "its last bytes are not given out: {got}");
        assert_eq!(
            blobs.read_whole(put.digest, u64::MAX).await.expect_err("noticed").code.name,
            "file_changed"
        );
    }
    // Sending the bytes again repairs it.
    blobs.put_bytes(bytes.clone()).await.expect("put");
    assert_eq!(collected(blobs.read(put.digest, put.bytes)).await.expect("healed"), bytes);
}

async fn bytes_that_are_gone_are_said_to_be(world: FilesWorld) {
    let blobs = world.files.blobs();
    let put = blobs.put_bytes(noise(100)).await.expect("put");
    blobs.delete(put.digest).await.expect("deleted");
    blobs.delete(put.digest).await.expect("deleted is deleted");
    let error = collected(blobs.read(put.digest, 100)).await.expect_err("gone");
    assert!(error.0.contains("does not have"), "{error}");
    assert_eq!(blobs.open(put.digest, 100).await.err().expect("gone").code.name, "file_changed");
    assert_eq!(blobs.read_range(put.digest, 0..1).await.err().expect("gone").code.name, "file_changed");
}

async fn an_upload_that_breaks_off_leaves_nothing(world: FilesWorld) {
    let blobs = world.files.blobs();
    for size in sizes(&world) {
        let refused = blobs.put_stream(cut(&noise(size)), u64::MAX).await.expect_err("cut off");
        assert_eq!(refused.code.name, "upload_cut_off");
        assert_eq!(keys(blobs).await, Vec::<String>::new(), "{size}");
    }
}

async fn an_upload_that_is_too_large_leaves_nothing(world: FilesWorld) {
    let blobs = world.files.blobs();
    let part = blobs.shelf.kind.part_bytes();
    for (size, max) in [(11, 10), (part, part - 1), (3 * part, 2 * part)] {
        let refused = blobs.put_stream(sent(&noise(size)), max as u64).await.expect_err("too large");
        assert_eq!(refused.code.name, "file_too_large");
        assert!(refused.message.contains(&max.to_string()), "{refused}");
    }
    assert_eq!(keys(blobs).await, Vec::<String>::new());
}

async fn an_upload_whose_client_goes_away_leaves_nothing(world: FilesWorld) {
    let blobs = world.files.blobs();
    let part = blobs.shelf.kind.part_bytes();
    abandon(&noise(2 * part + 5), |stream| blobs.put_stream(stream, u64::MAX)).await;
    assert_eq!(keys(blobs).await, Vec::<String>::new());
}

async fn the_same_bytes_lie_there_once(world: FilesWorld) {
    let blobs = world.files.blobs();
    let part = blobs.shelf.kind.part_bytes();
    for size in [100, 2 * part] {
        let bytes = noise(size);
        let (one, two, three) = tokio::join!(
            blobs.put_stream(sent(&bytes), u64::MAX),
            blobs.put_bytes(bytes.clone()),
            blobs.put_bytes(bytes.clone())
        );
        let (one, two, three) = (one.expect("put"), two.expect("put"), three.expect("put"));
        assert!(one == two && two == three);
        assert_eq!(collected(blobs.read(one.digest, one.bytes)).await.expect("read"), bytes);
    }
    assert_eq!(keys(blobs).await.len(), 2);
}

#[tokio::test]
async fn a_folder_is_for_its_owner_alone() {
    let world = FilesWorld::folder().await;
    let put = world.files.blobs().put_bytes(noise(10)).await.expect("put");
    let folder = world.folder.path().join("files");
    let mode =
        std::os::unix::fs::PermissionsExt::mode(&std::fs::metadata(&folder).expect("there").permissions());
    assert_eq!(mode & 0o777, 0o700);
    let hex = put.digest.to_string()["sha256:".len()..].to_owned();
    assert!(folder.join("default").join(&hex[..2]).join(&hex).is_file());
}

#[tokio::test]
async fn what_a_gateway_left_behind_is_swept_away_after_a_day() {
    let world = FilesWorld::folder().await;
    let blobs = world.files.blobs();
    let put = blobs.put_bytes(noise(10)).await.expect("put");
    let folder = world.folder.path().join("files");
    let hex = put.digest.to_string()["sha256:".len()..].to_owned();
    let place = folder.join("default").join(&hex[..2]);
    std::fs::create_dir_all(folder.join("tmp")).expect("made");
    let left = [folder.join("tmp/a#1"), folder.join("tmp/b"), place.join(format!("{hex}#1"))];
    for draft in &left {
        std::fs::write(draft, "half").expect("written");
    }
    assert_eq!(blobs.sweep().await.expect("swept"), 0, "somebody may still write them");
    let long_ago = std::time::SystemTime::now() - Duration::from_secs(25 * 60 * 60);
    for old in left.iter().chain([&place.join(&hex)]) {
        let file = std::fs::File::options().write(true).open(old).expect("there");
        file.set_modified(long_ago).expect("set");
    }
    assert_eq!(blobs.sweep().await.expect("swept"), 3);
    assert_eq!(files_in(&folder), [place.join(&hex).display().to_string()]);
}

#[tokio::test]
async fn an_address_in_the_clear_needs_to_be_allowed() {
    let world = FilesWorld::folder().await;
    for (endpoint, allow_http, good) in [
        ("http://127.0.0.1:9", false, false),
        ("http://127.0.0.1:9", true, true),
        ("https://s3.test", false, true),
        ("ftp://s3.test", true, false),
        ("s3.test", true, false),
        ("http://me:secret@127.0.0.1:9", true, false),
    ] {
        let place = StoragePlace::S3(S3Storage { allow_http, ..s3_at(endpoint) });
        let opened = Blobs::new(
            &FilesSettings { place, ..world.settings.clone() },
            world.store.clone(),
            world.clock.clone(),
        );
        let refused = opened.err();
        assert_eq!(refused.is_none(), good, "{endpoint} {refused:?}");
        assert!(refused.is_none_or(|refused| !format!("{refused:?}").contains("secret")));
    }
    let place = StoragePlace::S3(s3_at("http://127.0.0.1:9"));
    let huge = FilesSettings { place, upload_bytes_max: 6 << 30, ..world.settings.clone() };
    let refused = Blobs::new(&huge, world.store.clone(), world.clock.clone()).err().expect("refused");
    assert_eq!(refused.field.as_deref(), Some("upload_bytes_max"));
}

#[tokio::test(flavor = "multi_thread")]
async fn parts_that_were_sent_are_given_up_with_their_upload() {
    let fake = FakeS3::start().await;
    let world = FilesWorld::with(|settings| settings.place = StoragePlace::S3(s3_at(&fake.endpoint))).await;
    let blobs = world.files.blobs();
    let bytes = noise((8 << 20) * 2 + 5);
    assert_eq!(
        blobs.put_stream(cut(&noise(8 << 22)), u64::MAX).await.expect_err("cut").code.name,
        "upload_cut_off"
    );
    abandon(&bytes, |stream| blobs.put_stream(stream, u64::MAX)).await;
    blobs.settle().await;
    assert_eq!((fake.open_uploads(), fake.keys()), (0, Vec::new()));
    let put = blobs.put_stream(sent(&bytes), u64::MAX).await.expect("put");
    assert_eq!(collected(blobs.read(put.digest, put.bytes)).await.expect("read"), bytes);
    blobs.settle().await;
    let hex = put.digest.to_string()["sha256:".len()..].to_owned();
    assert_eq!(fake.keys(), [format!("some/prefix/default/{}/{hex}", &hex[..2])], "and no draft");
    assert_eq!(fake.open_uploads(), 0);
}
