//! Unused bytes are removed; used ones stay. Bytes have an hour before they are checked, so the tests turn
//! the clock back in the database, and restart the gateway, which checks at once.

use serde_json::json;

use super::archive::{Archive, DOCS, Storage, becomes, data, taken_out, text};
use super::bytes::{digest, pdf};
use crate::governed::database::Backing;
use crate::kit::call;
use crate::live::site::Ending;
use crate::runs::work::Work;

/// The same gateway an hour later.
async fn an_hour_later(archive: Archive) -> Archive {
    let database = archive.site.backing.database().expect("it is on Postgres").clone();
    database.run("UPDATE blobs SET touched_at_ms = touched_at_ms - 3700000");
    let archive = Archive { site: archive.site.restarted(Ending::Asked) };
    archive.ready(&[DOCS]).await;
    archive
}

#[tokio::test]
async fn bytes_go_once_nothing_needs_them_and_stay_while_an_artifact_does() {
    let archive = Archive::open_on(Backing::postgres(), "").await;
    let (deleted, kept, used) = (pdf(1, 5_000), pdf(2, 5_000), pdf(3, 5_000));
    let work = Work::start(&archive, json!({})).await;
    let mut ids = Vec::new();
    for bytes in [&deleted, &kept, &used] {
        ids.push(archive.file("a.pdf", bytes).await);
    }
    data(&work.call("store_artifact", json!({ "file_name": "kept.pdf", "content_ref_id": ids[1] })).await);
    for id in &ids[..2] {
        let gone = archive.site.rest(archive.agent(), "DELETE", &format!("/files/{id}"), None).await;
        assert_eq!(gone.status, 204);
    }
    assert_eq!(archive.blobs().len(), 3, "nothing goes at once");
    let archive = an_hour_later(archive).await;
    becomes("the bytes of the deleted file are gone", || async {
        archive.blob(&json!(digest(&deleted))).is_none()
    })
    .await;
    for bytes in [&kept, &used] {
        assert!(archive.blob(&json!(digest(bytes))).is_some(), "{:?}", archive.blobs());
    }
    let fetched = archive.fetch(archive.agent(), &format!("/artifacts/{}/content", digest(&kept))).await;
    assert_eq!((fetched.status, fetched.bytes == kept), (200, true));
    // Removed content can come back.
    let again = archive.file("a.pdf", &deleted).await;
    assert_eq!(archive.fetch(archive.agent(), &format!("/files/{again}/content")).await.bytes, deleted);
}

#[tokio::test]
async fn the_bytes_of_refs_and_files_go_when_their_time_is_over() {
    let toml = "[results]\nref_keep_seconds = 2\n";
    let archive = Archive::open_on(Backing::postgres(), toml).await;
    let client = archive.site.agent();
    let one = taken_out(&call(&client, "docs__big_text", json!({ "bytes": 50_000 })).await);
    let path = "/files?name=b.pdf&expires_in_seconds=2";
    let file = archive.try_upload(archive.agent(), path, &pdf(1, 500)).await.json();
    let stays = archive.upload(archive.agent(), "c.pdf", &pdf(2, 500)).await;
    assert_eq!(archive.blobs().len(), 3);
    becomes("both are over", || async {
        let file =
            archive.site.rest(archive.agent(), "GET", &format!("/files/{}", text(&file["id"])), None).await;
        let read = call(&client, "read_ref", json!({ "ref_id": one["ref_id"] })).await;
        file.status == 404 && read["isError"] == true
    })
    .await;
    let archive = an_hour_later(archive).await;
    becomes("their bytes are gone", || async { archive.blobs().len() == 1 }).await;
    assert!(archive.blob(&stays["digest"]).is_some());
    let told = archive.site.told("file.deleted").await;
    assert_eq!((told.len(), &told[0]["detail"]["reason"]), (1, &json!("expired")), "{told:?}");
    archive.verify();
}

#[tokio::test]
async fn the_text_of_a_document_goes_with_the_document() {
    let archive = Archive::open_on(Backing::postgres(), "[files]\nextractor = \"docs:extract_text\"\n").await;
    let file = archive.file("a.pdf", b"%PDF-1.7 with words in it").await;
    call(&archive.site.agent(), "docs__classify_text", json!({ "file_id": file })).await;
    assert_eq!(archive.blobs().len(), 2, "the document and its text");
    let gone = archive.site.rest(archive.agent(), "DELETE", &format!("/files/{file}"), None).await;
    assert_eq!(gone.status, 204);
    let archive = an_hour_later(archive).await;
    becomes("the document is gone", || async { archive.blobs().len() < 2 }).await;
    let archive = an_hour_later(archive).await;
    becomes("its text is gone", || async { archive.blobs().is_empty() }).await;
}

#[tokio::test]
async fn what_came_in_a_moment_ago_stays_though_nothing_needs_it_yet() {
    let archive = Archive::open_on(Backing::postgres(), &Storage::Folder.toml("")).await;
    let file = archive.file("a.pdf", &pdf(1, 500)).await;
    let gone = archive.site.rest(archive.agent(), "DELETE", &format!("/files/{file}"), None).await;
    assert_eq!(gone.status, 204);
    let archive = Archive { site: archive.site.restarted(Ending::Asked) };
    archive.ready(&[DOCS]).await;
    // The collector has looked by then: it expires files before it answers.
    let short = archive.try_upload(archive.agent(), "/files?name=b&expires_in_seconds=1", b"b").await;
    assert_eq!(short.status, 201);
    assert_eq!(archive.blobs().len(), 2, "{:?}", archive.blobs());
}
