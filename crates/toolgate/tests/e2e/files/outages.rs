//! S3 that is down, silent or busy: a few retries, then a clear answer; and when it is back, everything
//! works.

use std::time::{Duration, Instant};

use serde_json::json;
use toolgate_testkit::gateway::until_async;

use super::archive::{Archive, Storage, code, data, structure, taken_out, text};
use super::bucket::Bucket;
use super::bytes::{pdf, sha256};
use super::toll::{Mood, Toll};
use crate::doors::WAIT;
use crate::governed::bank::envelope;
use crate::kit::call;
use crate::live::site::refused;

const RETRIES: usize = 2;

async fn open() -> (Archive, Toll, Bucket) {
    let bucket = Bucket::of_this_test();
    let toll = Toll::before(&bucket.endpoint).await;
    let more = format!("storage_timeout_seconds = 1\nretries_max = {RETRIES}\n");
    let bucket = bucket.through(toll.url.clone());
    let archive = Archive::open(&bucket.toml(&more)).await;
    (archive, toll, bucket)
}

/// Everything that needs the storage works.
async fn all_is_well(archive: &Archive, seed: u32) {
    let bytes = pdf(seed, 20_000);
    let file = archive.file("a.pdf", &bytes).await;
    let fetched = archive.fetch(archive.agent(), &format!("/files/{file}/content")).await;
    assert_eq!((fetched.status, fetched.bytes == bytes), (200, true));
    let parsed = call(&archive.site.agent(), "docs__parse_document", json!({ "file_id": file })).await;
    assert_eq!(structure(&parsed)["sha256"], sha256(&bytes), "{parsed}");
    taken_out(&call(&archive.site.agent(), "docs__picture", json!({})).await);
}

/// Everything that needs the storage reports the outage, in time, and reveals no secrets.
async fn all_is_said(archive: &Archive, bucket: &Bucket, file: &str, mood: Mood) {
    let began = Instant::now();
    let upload = archive.try_upload(archive.agent(), "/files?name=b.pdf", &pdf(90, 20_000)).await;
    let problem = refused(&upload, 503, "storage_down");
    assert_eq!(
        (&problem["fault"], &problem["retry"]),
        (&json!("gateway"), &json!(true)),
        "{mood:?}: {problem}"
    );
    let detail = text(&problem["detail"]);
    assert!(detail.contains("tries"), "it says how often it tried: {detail}");
    let fetched = archive.fetch(archive.agent(), &format!("/files/{file}/content")).await;
    assert_eq!((fetched.status, fetched.code()), (503, "storage_down".to_owned()), "{mood:?}");
    let words = call(&archive.site.agent(), "docs__classify_text", json!({ "file_id": file })).await;
    assert_eq!(code(&words), "storage_down", "{mood:?}: {words}");
    let picture = call(&archive.site.agent(), "docs__picture", json!({})).await;
    assert_eq!(envelope(&picture)["warnings"][0]["code"], "storage_down", "{mood:?}: {picture}");
    assert!(!picture.to_string().contains("iVBOR"), "what cannot be stored is withheld: {picture}");
    assert!(began.elapsed() < Duration::from_secs(60), "{mood:?} took {:?}", began.elapsed());
    // Calls without a file work as before.
    structure(&call(&archive.site.agent(), "docs__extract_count", json!({})).await);
    for said in [
        upload.text,
        String::from_utf8_lossy(&fetched.bytes).into_owned(),
        archive.site.gateway.log().join("\n"),
    ] {
        assert!(!said.contains(&bucket.secret_access_key) && !said.contains("X-Amz-Signature"), "{said}");
    }
}

#[tokio::test]
async fn a_storage_that_is_down_is_told_and_all_is_well_when_it_is_back() {
    let (archive, toll, bucket) = open().await;
    let file = archive.file("a.txt", b"some words").await;
    toll.become_(Mood::Down);
    all_is_said(&archive, &bucket, &file, Mood::Down).await;
    toll.become_(Mood::Open);
    all_is_well(&archive, 1).await;
    archive.verify();
}

#[tokio::test]
async fn a_storage_that_never_answers_is_given_up_in_time() {
    let (archive, toll, bucket) = open().await;
    let file = archive.file("a.txt", b"some words").await;
    toll.become_(Mood::Silent);
    all_is_said(&archive, &bucket, &file, Mood::Silent).await;
    toll.become_(Mood::Open);
    all_is_well(&archive, 2).await;
}

#[tokio::test]
async fn a_storage_that_is_always_busy_is_tried_as_often_as_was_set() {
    let (archive, toll, bucket) = open().await;
    let file = archive.file("a.txt", b"some words").await;
    toll.become_(Mood::Busy(usize::MAX));
    let upload = archive.try_upload(archive.agent(), "/files?name=b.pdf", &pdf(90, 20_000)).await;
    let problem = refused(&upload, 503, "storage_down");
    let detail = text(&problem["detail"]);
    assert!(detail.contains("503") && detail.contains(&format!("{} tries", RETRIES + 1)), "{detail}");
    assert_eq!(toll.turned_away(), RETRIES + 1, "a limit is a limit");
    all_is_said(&archive, &bucket, &file, Mood::Busy(usize::MAX)).await;
    toll.become_(Mood::Open);
    all_is_well(&archive, 3).await;
}

#[tokio::test]
async fn a_storage_that_is_busy_for_a_moment_is_not_noticed() {
    let (archive, toll, _) = open().await;
    for (seed, times) in [(4, 1), (5, RETRIES)] {
        toll.become_(Mood::Busy(times));
        let file = archive.file("a.pdf", &pdf(seed, 20_000)).await;
        assert_eq!(toll.turned_away(), times);
        toll.become_(Mood::Busy(times));
        let parsed = call(&archive.site.agent(), "docs__parse_document", json!({ "file_id": file })).await;
        assert_eq!(structure(&parsed)["sha256"], sha256(&pdf(seed, 20_000)), "{parsed}");
        assert_eq!(toll.turned_away(), times);
    }
    all_is_well(&archive, 6).await;
}

#[tokio::test]
async fn an_upload_during_which_the_storage_goes_away_leaves_no_file() {
    let (archive, toll, _) = open().await;
    toll.become_(Mood::Down);
    refused(
        &archive.try_upload(archive.agent(), "/files?name=b.pdf", &pdf(7, 20_000)).await,
        503,
        "storage_down",
    );
    toll.become_(Mood::Open);
    let files = archive.site.get("/files").await;
    assert_eq!(files["files"], json!([]), "{files}");
    all_is_well(&archive, 7).await;
}

#[tokio::test]
async fn an_artifact_whose_storage_goes_away_is_not_there_and_can_be_stored_later() {
    let (archive, toll, _) = open().await;
    let (client, upload) = (archive.site.agent(), json!({ "text": "words that stay" }));
    toll.become_(Mood::Down);
    let said = call(&client, "substrate.artifact.upload", upload.clone()).await;
    assert_eq!(code(&said), "storage_down", "{said}");
    toll.become_(Mood::Open);
    assert_eq!(archive.site.told("artifact.stored").await.len(), 0);
    let stored = call(&client, "substrate.artifact.upload", upload).await;
    assert_eq!(data(&stored)["is_duplicate"], false, "{stored}");
    let sha256 = &data(&stored)["sha256"];
    let read = call(&client, "substrate.artifact.read", json!({ "sha256": sha256 })).await;
    assert_eq!(data(&read)["text"], "words that stay", "{read}");
    archive.verify();
}

#[tokio::test]
async fn keys_that_the_storage_does_not_take_are_told_without_being_shown() {
    let bucket = Bucket::of_this_test();
    let wrong = bucket.toml("retries_max = 0\n").replace(&bucket.secret_access_key, "wrong-secret-key");
    let archive = Archive::open(&wrong).await;
    let upload = archive.try_upload(archive.agent(), "/files?name=b.pdf", &pdf(8, 500)).await;
    let problem = refused(&upload, 503, "storage_down");
    assert!(text(&problem["detail"]).contains("does not let the gateway in"), "{problem}");
    let log = archive.site.gateway.log().join("\n");
    assert!(!upload.text.contains("wrong-secret-key") && !log.contains("wrong-secret-key"), "{log}");
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_told() {
    let archive = Archive::open(&Storage::Folder.toml("")).await;
    let folder = archive.site.gateway.data().join("files");
    let file = archive.file("a.txt", b"some words").await;
    std::fs::rename(&folder, archive.site.gateway.data().join("elsewhere")).expect("it can be moved");
    std::fs::write(&folder, "in the way").expect("it can be written");
    let upload = archive.try_upload(archive.agent(), "/files?name=b.pdf", &pdf(8, 500)).await;
    refused(&upload, 503, "storage_down");
    let fetched = archive.fetch(archive.agent(), &format!("/files/{file}/content")).await;
    assert_eq!(fetched.status, 503);
    std::fs::remove_file(&folder).expect("it can be removed");
    std::fs::rename(archive.site.gateway.data().join("elsewhere"), &folder).expect("it can be moved");
    let fetched = archive.fetch(archive.agent(), &format!("/files/{file}/content")).await;
    assert_eq!((fetched.status, fetched.bytes.as_slice()), (200, &b"some words"[..]));
}

#[tokio::test]
async fn an_artifact_whose_storage_goes_away_in_the_middle_is_stored_whole_or_not_at_all() {
    let (archive, toll, _) = open().await;
    let client = archive.site.agent();
    let upload = async |words: &str, then: Mood| {
        toll.become_(Mood::Silent);
        let uploading = call(&client, "substrate.artifact.upload", json!({ "text": words }));
        let turning = async {
            let begun = until_async(WAIT, || async { (toll.turned_away() > 0).then_some(()) });
            begun.await.expect("the storage has a request that it does not answer");
            toll.become_(then);
        };
        tokio::join!(uploading, turning).0
    };
    let said = upload("words that are lost", Mood::Down).await;
    assert_eq!(code(&said), "storage_down", "{said}");
    assert_eq!(archive.site.told("artifact.stored").await.len(), 0, "nothing half");
    let said = upload("words that stay", Mood::Open).await;
    assert_eq!(data(&said)["is_duplicate"], false, "{said}");
    let read = json!({ "sha256": data(&said)["sha256"] });
    let read = call(&client, "substrate.artifact.read", read).await;
    assert_eq!(data(&read)["text"], "words that stay", "{read}");
    assert_eq!(archive.site.told("artifact.stored").await.len(), 1);
    archive.verify();
}
