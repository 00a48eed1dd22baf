//! Temporary addresses that open a file by themselves: at S3 itself or at the gateway, and never visible to
//! the model.

use serde_json::json;
use toolgate_testkit::gateway::until_async;

use super::archive::{Archive, Fetched, Storage, structure, text};
use super::bucket::Bucket;
use super::bytes::{digest, nothing_of, pdf, sha256, video};
use crate::doors::WAIT;
use crate::kit::call;
use crate::runs::work::Work;

/// An issued address, as its user gets it: the link to an artifact.
async fn link(archive: &Archive, bytes: &[u8], seconds: u64) -> String {
    let work = Work::start(archive, json!({})).await;
    let file = archive.file("a.pdf", bytes).await;
    let arguments = json!({ "file_name": "a b.pdf", "content_ref_id": file });
    structure(&work.call("store_artifact", arguments).await);
    let path = format!("/artifacts/{}/link", digest(bytes));
    let body = json!({ "expires_in_seconds": seconds });
    let answer = archive.site.rest(archive.agent(), "POST", &path, Some(body)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
    text(&answer.json()["url"]).to_owned()
}

async fn get(archive: &Archive, url: &str) -> Fetched {
    Fetched::of(archive.site.agent().http.get(url)).await
}

async fn get_range(archive: &Archive, url: &str, range: &str) -> Fetched {
    Fetched::of(archive.site.agent().http.get(url).header("range", range)).await
}

#[tokio::test]
async fn a_server_fetches_a_file_from_s3_itself_or_from_the_gateway() {
    for storage in [Storage::Folder, Storage::S3] {
        let archive = Archive::open(&storage.toml("")).await;
        let bytes = pdf(1, 70_000);
        let url = link(&archive, &bytes, 60).await;
        let host = match storage {
            Storage::Folder => archive.site.gateway.url("/signed/"),
            Storage::S3 => Bucket::of_this_test().endpoint,
        };
        assert!(url.starts_with(&host), "{storage:?}: {url}");
        let film = video(1, 70_000);
        let file = archive.file("a.mp4", &film).await;
        let result = call(&archive.site.agent(), "docs__create_job", json!({ "file_id": file })).await;
        let said = structure(&result);
        assert_eq!((&said["sha256"], &said["ranges"]), (&json!(sha256(&film)), &json!(true)), "{storage:?}");
    }
}

#[tokio::test]
async fn an_address_serves_ranges_and_says_what_it_is() {
    for storage in [Storage::Folder, Storage::S3] {
        let archive = Archive::open(&storage.toml("")).await;
        let bytes = pdf(1, 5_000);
        let url = link(&archive, &bytes, 60).await;
        let whole = get(&archive, &url).await;
        assert_eq!((whole.status, whole.bytes == bytes), (200, true), "{storage:?}");
        assert_eq!(whole.header("content-type"), "application/pdf", "{storage:?}");
        let disposition = whole.header("content-disposition").replace("%20", " ");
        assert!(disposition.contains("a b.pdf"), "{storage:?} {:?}", whole.headers);
        for (range, expected) in
            [("bytes=0-9", &bytes[..10]), ("bytes=-10", &bytes[4_990..]), ("bytes=4000-", &bytes[4_000..])]
        {
            let part = get_range(&archive, &url, range).await;
            assert_eq!((part.status, part.bytes == expected), (206, true), "{storage:?} {range}");
        }
        assert_eq!(get_range(&archive, &url, "bytes=5000-").await.status, 416, "{storage:?}");
    }
}

#[tokio::test]
async fn an_address_that_was_changed_opens_nothing() {
    let archive = Archive::open("").await;
    let (bytes, other) = (pdf(1, 500), pdf(2, 500));
    archive.file("other.pdf", &other).await;
    let url = link(&archive, &bytes, 60).await;
    for (from, to) in [
        (sha256(&bytes), sha256(&other)),
        ("artifacts".to_owned(), "files".to_owned()),
        ("name=a".to_owned(), "name=b".to_owned()),
        ("type=application%2Fpdf".to_owned(), "type=text%2Fhtml".to_owned()),
        ("expires=".to_owned(), "expires=9".to_owned()),
        ("signature=".to_owned(), "signature=A".to_owned()),
    ] {
        let changed = url.replace(&from, &to);
        assert_ne!(changed, url, "{from} is in the address");
        let refused = get(&archive, &changed).await;
        assert_eq!((refused.status, refused.code()), (403, "bad_address".to_owned()), "{from} → {to}");
    }
    let (bare, _) = url.split_once("&signature").expect("it is signed");
    let refused = get(&archive, bare).await;
    assert_eq!((refused.status, refused.code()), (401, "signature_missing".to_owned()));
    assert_eq!(get(&archive, &url).await.status, 200);
}

#[tokio::test]
async fn an_address_that_was_changed_opens_nothing_on_s3_either() {
    let archive = Archive::open(&Storage::S3.toml("")).await;
    let url = link(&archive, &pdf(1, 500), 60).await;
    for (from, to) in [("X-Amz-Expires=60", "X-Amz-Expires=600"), ("X-Amz-Signature=", "X-Amz-Signature=0")] {
        let changed = url.replace(from, to);
        assert_ne!(changed, url, "{from} is in the address: {url}");
        assert_eq!(get(&archive, &changed).await.status, 403, "{from}");
    }
}

#[tokio::test]
async fn an_address_ends() {
    for (storage, status) in [(Storage::Folder, 410), (Storage::S3, 403)] {
        let archive = Archive::open(&storage.toml("")).await;
        let url = link(&archive, &pdf(1, 500), 2).await;
        assert_eq!(get(&archive, &url).await.status, 200, "{storage:?}");
        let over = until_async(WAIT, || async {
            let answer = get(&archive, &url).await;
            (answer.status != 200).then_some(answer.status)
        });
        assert_eq!(over.await, Some(status), "{storage:?}");
    }
}

#[tokio::test]
async fn a_server_that_repeats_its_address_does_not_show_it_to_the_client() {
    for storage in [Storage::Folder, Storage::S3] {
        let archive = Archive::open(&storage.toml("")).await;
        let bytes = video(1, 3_000);
        let file = archive.file("a.mp4", &bytes).await;
        let arguments = json!({ "file_id": file, "echo": true });
        let result = call(&archive.site.agent(), "docs__create_job", arguments.clone()).await;
        assert_eq!(structure(&result)["input_url"], "[address of a file]", "{storage:?}: {result}");
        nothing_of(&bytes, result.to_string().as_bytes(), "the result");
        let rest = archive.rest_call("docs:create_job", arguments).await;
        nothing_of(&bytes, rest.text.as_bytes(), "the answer of the API");
        nothing_of(&bytes, archive.ledger().as_bytes(), "the ledger");
        let log = archive.site.gateway.log().join("\n");
        assert!(!log.contains("X-Amz-Signature") && !log.contains("signature="), "{log}");
    }
}
