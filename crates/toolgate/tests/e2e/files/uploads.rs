//! Files over the API: sent as a form or as the body, listed, fetched in part, deleted, expired.

use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use toolgate_testkit::gateway::{HttpAnswer, HttpClient};

use super::archive::{Archive, Storage, becomes, encoded, text};
use super::bytes::{digest, noise, pdf};
use crate::doors::Wire;
use crate::kit::call;
use crate::live::site::refused;

const BOUNDARY: &str = "e2e-boundary";

/// A form with these parts: headers, then content.
fn form(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut body = Vec::new();
    for (headers, content) in parts {
        body.extend_from_slice(format!("--{BOUNDARY}\r\n{headers}\r\n\r\n").as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(format!("--{BOUNDARY}--\r\n").as_bytes());
    body
}

async fn send_form(archive: &Archive, parts: &[(&str, &[u8])]) -> HttpAnswer {
    let request = archive.site.request(archive.agent(), "POST", "/files", None);
    let media = format!("multipart/form-data; boundary={BOUNDARY}");
    HttpClient::finish(request.header("content-type", media).body(form(parts))).await
}

const FILE: &str =
    "content-disposition: form-data; name=\"file\"; filename=\"cv.pdf\"\r\ncontent-type: image/png";
const NAME: &str = "content-disposition: form-data; name=\"name\"";

#[tokio::test]
async fn a_file_is_sent_as_a_form_or_as_the_body() {
    for storage in [Storage::Folder, Storage::S3] {
        let archive = Archive::open(&storage.toml("")).await;
        let bytes = pdf(1, 300_000);
        let sent = send_form(&archive, &[(FILE, &bytes)]).await;
        assert_eq!(sent.status, 201, "{sent:?}");
        let named = send_form(&archive, &[(FILE, &bytes), (NAME, b"other.pdf")]).await.json();
        assert_eq!(named["name"], "other.pdf", "what is said of it may come after it: {named}");
        let raw = archive.upload(archive.agent(), "cv.pdf", &bytes).await;
        for file in [sent.json(), raw.clone()] {
            assert_eq!((&file["name"], &file["size"]), (&json!("cv.pdf"), &json!(300_000)), "{file}");
            assert_eq!(file["digest"], digest(&bytes), "{file}");
            assert_eq!(file["media_type"], "application/pdf", "the bytes say it, not the sender: {file}");
            let id = text(&file["id"]);
            assert_eq!(archive.site.get(&format!("/files/{id}")).await, file);
            let fetched = archive.fetch(archive.agent(), &format!("/files/{id}/content")).await;
            assert_eq!((fetched.status, fetched.bytes == bytes), (200, true), "{storage:?}");
        }
        let header = archive.site.request(archive.agent(), "POST", "/files", None);
        let header = header.header("x-file-name", "M%C3%BCller.pdf").body(bytes.clone());
        assert_eq!(HttpClient::finish(header).await.json()["name"], "Müller.pdf");
    }
}

#[tokio::test]
async fn a_form_that_is_none_stores_nothing() {
    let archive = Archive::open("").await;
    let unknown = "content-disposition: form-data; name=\"colour\"";
    for (parts, status, code) in [
        (vec![], 422, "file_missing"),
        (vec![(NAME, &b"a.txt"[..])], 422, "file_missing"),
        (vec![(FILE, b"a"), (FILE, b"b")], 422, "second_file"),
        (vec![(unknown, b"red"), (FILE, b"a")], 422, "field_unknown"),
        (vec![(FILE, b"a"), (NAME, b"../a")], 422, "bad_file_name"),
        (vec![("content-disposition: form-data; name=\"file\"", b"a")], 422, "name_missing"),
    ] {
        refused(&send_form(&archive, &parts).await, status, code);
    }
    let nameless = archive.try_upload(archive.agent(), "/files", b"a").await;
    refused(&nameless, 422, "name_missing");
    let bad = archive.try_upload(archive.agent(), "/files?name=a&expires_in_seconds=0", b"a").await;
    refused(&bad, 422, "bad_expiry");
    let bad = archive.try_upload(archive.agent(), "/files?name=a&expires_in_seconds=soon", b"a").await;
    refused(&bad, 422, "field_invalid");
    let files = archive.site.get("/files").await;
    assert_eq!(files["files"], json!([]), "{files}");
}

#[tokio::test]
async fn two_uploads_of_the_same_bytes_are_two_files_and_one_blob() {
    let archive = Archive::open("").await;
    let bytes = pdf(1, 10_000);
    let (one, two) = (
        archive.upload(archive.agent(), "a.pdf", &bytes).await,
        archive.upload(archive.admin(), "b.pdf", &bytes).await,
    );
    assert_ne!(one["id"], two["id"]);
    assert_eq!(one["digest"], two["digest"]);
    assert_eq!(archive.blobs().len(), 1, "{:?}", archive.blobs());
    let gone =
        archive.site.rest(archive.agent(), "DELETE", &format!("/files/{}", text(&one["id"])), None).await;
    assert_eq!(gone.status, 204);
    let other = archive.fetch(archive.admin(), &format!("/files/{}/content", text(&two["id"]))).await;
    assert_eq!((other.status, other.bytes == bytes), (200, true), "the other file has its bytes still");
}

#[tokio::test]
async fn what_is_larger_than_files_may_be_is_refused_and_leaves_nothing() {
    let archive = Archive::open("[files]\nupload_bytes_max = 100000\n").await;
    archive.upload(archive.agent(), "fits.bin", &noise(1, 100_000)).await;
    let before = archive.blobs();
    let over = noise(2, 100_001);
    refused(&archive.try_upload(archive.agent(), "/files?name=a", &over).await, 413, "file_too_large");
    refused(&send_form(&archive, &[(FILE, &over)]).await, 413, "file_too_large");
    // Its length is not announced.
    let mut wire = Wire::open(&archive.site.gateway).await;
    let head = format!(
        "POST /files?name=a HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {}\r\ntransfer-encoding: chunked\r\n\r\n",
        archive.agent()
    );
    wire.send(&head).await;
    wire.send(&format!("{:x}\r\n", over.len())).await;
    wire.0.write_all(&over).await.expect("the gateway reads");
    wire.send("\r\n0\r\n\r\n").await;
    let (status, body) = wire.answer().await;
    assert_eq!((status, body.contains("file_too_large")), (413, true), "{body}");
    becomes("nothing of them is left", || async { archive.blobs() == before }).await;
    let files = archive.site.get("/files").await;
    assert_eq!(files["files"].as_array().map(Vec::len), Some(1), "{files}");
}

#[tokio::test]
async fn an_upload_that_is_cut_off_half_way_leaves_nothing_behind() {
    let archive = Archive::open("").await;
    let half = noise(1, 3 << 20);
    let form_head = format!("--{BOUNDARY}\r\n{FILE}\r\n\r\n");
    let media = format!("content-type: multipart/form-data; boundary={BOUNDARY}\r\n");
    for (media, start) in [(String::new(), String::new()), (media, form_head)] {
        let mut wire = Wire::open(&archive.site.gateway).await;
        let head = format!(
            "POST /files?name=a HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {}\r\n{media}content-length: 6000000\r\n\r\n{start}",
            archive.agent()
        );
        wire.send(&head).await;
        wire.0.write_all(&half).await.expect("the gateway reads");
        wire.0.flush().await.expect("the gateway reads");
        becomes("some of it has arrived", || async { !archive.blobs().is_empty() }).await;
        drop(wire);
        becomes("nothing of it is left", || async { archive.blobs().is_empty() }).await;
    }
    let files = archive.site.get("/files").await;
    assert_eq!(files["files"], json!([]), "{files}");
    assert_eq!(archive.site.told("file.stored").await, Vec::<Value>::new());
}

#[tokio::test]
async fn a_file_is_fetched_in_part_and_not_again_by_whoever_has_it() {
    for storage in [Storage::Folder, Storage::S3] {
        let archive = Archive::open(&storage.toml("")).await;
        let bytes = pdf(1, 1_000);
        let path = format!("/files/{}/content", archive.file("a \"b\".pdf", &bytes).await);
        for (range, expected) in [
            ("bytes=0-0", &bytes[..1]),
            ("bytes=10-19", &bytes[10..20]),
            ("bytes=990-2000", &bytes[990..]),
            ("bytes=-5", &bytes[995..]),
        ] {
            let part = archive.fetch_range(archive.agent(), &path, range).await;
            assert_eq!((part.status, part.bytes == expected), (206, true), "{storage:?} {range}");
            assert!(part.header("content-range").ends_with("/1000"), "{:?}", part.headers);
        }
        let beyond = archive.fetch_range(archive.agent(), &path, "bytes=1000-").await;
        assert_eq!((beyond.status, beyond.header("content-range")), (416, "bytes */1000"));
        for odd in ["bytes=5-1", "lines=1-2", "bytes=0-1,4-5", "bytes=x-y"] {
            let whole = archive.fetch_range(archive.agent(), &path, odd).await;
            assert_eq!((whole.status, whole.bytes.len()), (200, 1_000), "{odd}");
        }
        let whole = archive.fetch(archive.agent(), &path).await;
        assert_eq!(whole.header("x-content-type-options"), "nosniff");
        let tag = whole.header("etag").to_owned();
        let same = archive.site.request(archive.agent(), "GET", &path, None).header("if-none-match", tag);
        assert_eq!(HttpClient::finish(same).await.status, 304);
        let head = archive.site.rest(archive.agent(), "HEAD", &path, None).await;
        assert_eq!(
            (head.status, head.headers["content-length"].to_str().ok()),
            (200, Some("1000")),
            "{head:?}"
        );
    }
}

#[tokio::test]
async fn a_file_of_no_bytes_is_a_file() {
    for storage in [Storage::Folder, Storage::S3] {
        let archive = Archive::open(&storage.toml("")).await;
        let file = archive.upload(archive.agent(), "empty.txt", b"").await;
        assert_eq!((&file["size"], &file["digest"]), (&json!(0), &json!(digest(b""))), "{file}");
        let fetched = archive.fetch(archive.agent(), &format!("/files/{}/content", text(&file["id"]))).await;
        assert_eq!((fetched.status, fetched.bytes.len()), (200, 0), "{storage:?}");
        let parsed =
            call(&archive.site.agent(), "docs__parse_document", json!({ "file_id": file["id"] })).await;
        assert_eq!(parsed["structuredContent"]["bytes"], 0, "{parsed}");
    }
}

#[tokio::test]
async fn a_file_that_was_deleted_or_has_expired_is_not_there() {
    let archive = Archive::open("").await;
    let deleted = archive.file("a.pdf", &pdf(1, 500)).await;
    let gone = archive.site.rest(archive.agent(), "DELETE", &format!("/files/{deleted}"), None).await;
    assert_eq!(gone.status, 204);
    let short =
        archive.try_upload(archive.agent(), "/files?name=b.pdf&expires_in_seconds=1", &pdf(2, 500)).await;
    let short = text(&short.json()["id"]).to_owned();
    becomes("it has expired", || async {
        archive.site.rest(archive.agent(), "GET", &format!("/files/{short}"), None).await.status == 404
    })
    .await;
    for id in [&deleted, &short] {
        for path in [format!("/files/{id}"), format!("/files/{id}/content")] {
            refused(&archive.site.rest(archive.agent(), "GET", &path, None).await, 404, "unknown_file");
        }
        refused(
            &archive.site.rest(archive.agent(), "DELETE", &format!("/files/{id}"), None).await,
            404,
            "unknown_file",
        );
        let used = call(&archive.site.agent(), "docs__parse_document", json!({ "file_id": id })).await;
        assert_eq!(used["structuredContent"]["error"]["code"], "unknown_file", "{used}");
    }
    let told = archive.site.told("file.deleted").await;
    assert_eq!(told[0]["detail"]["reason"], "deleted", "{told:?}");
    assert_eq!(archive.site.told("file.stored").await.len(), 2);
    archive.verify();
}

#[tokio::test]
async fn files_are_listed_newest_first_page_by_page() {
    let archive = Archive::open("").await;
    for at in 0..5 {
        archive.file(&format!("{at}.txt"), format!("number {at}").as_bytes()).await;
    }
    let (mut names, mut cursor) = (Vec::new(), String::new());
    loop {
        let page =
            archive.site.rest(archive.agent(), "GET", &format!("/files?limit=2{cursor}"), None).await.json();
        names.extend(
            page["files"].as_array().expect("a list").iter().map(|one| text(&one["name"]).to_owned()),
        );
        match page["next_cursor"].as_str() {
            Some(next) => cursor = format!("&cursor={}", encoded(next)),
            None => break,
        }
    }
    assert_eq!(names, ["4.txt", "3.txt", "2.txt", "1.txt", "0.txt"]);
    let one = archive.site.rest(archive.agent(), "GET", "/files?name=3.txt", None).await.json();
    assert_eq!(one["files"].as_array().map(Vec::len), Some(1), "{one}");
}
