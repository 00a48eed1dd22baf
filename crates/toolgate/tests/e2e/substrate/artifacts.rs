//! `substrate.artifact.*`: one definition behind MCP of both eras, REST and the command line.

use serde_json::{Value, json};

use super::shelf::Shelf;
use crate::files::archive::{Archive, Fetched, Storage, code, data, taken_out, text};
use crate::files::bytes::{base64, digest, pdf};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::{call, names};
use crate::runs::work::Work;

on_both!(an_artifact_is_stored_and_read_through_every_door);

const WORDS: &str = "Größe is a word.";

async fn an_artifact_is_stored_and_read_through_every_door(backing: Backing) {
    let shelf = Shelf::open(backing);
    let (site, name) = (&shelf.site, digest(WORDS.as_bytes()));
    let mut client = site.agent();
    let stored =
        call(&client, "substrate__artifact__upload", json!({ "text": WORDS, "filename": "a.txt" })).await;
    let (envelope, first) = (&stored["structuredContent"], data(&stored));
    assert_eq!((&first["sha256"], &first["is_duplicate"]), (&json!(name), &json!(false)), "{stored}");
    assert_eq!((&first["filename"], &first["size_bytes"]), (&json!("a.txt"), &json!(WORDS.len())));
    assert_eq!(envelope["refs"], json!([{ "type": "artifact", "sha256": name }]), "{stored}");

    client.initialize("2025-06-18").await;
    let arguments = json!({ "base64": base64(WORDS.as_bytes()) });
    let params = json!({ "name": "substrate__artifact__upload", "arguments": arguments });
    let again = client.legacy(1, "tools/call", params).await.result();
    assert_eq!((&data(&again)["sha256"], &data(&again)["is_duplicate"]), (&json!(name), &json!(true)));
    assert_eq!(data(&again)["filename"], "a.txt", "the first name stays: {again}");

    let bare = name.trim_start_matches("sha256:");
    let info = shelf.call("substrate.artifact.info", json!({ "sha256": bare })).await;
    assert_eq!((&info["sha256"], &info["media_type"]), (&json!(name), &json!("text/plain")), "{info}");
    let read = site.say(&["substrate", "artifact", "read", "--sha256", &name, "--start", "0", "--end", "3"]);
    assert!(read.contains("text: Gr"), "a piece ends between characters: {read}");
    let url = shelf.call("substrate.artifact.url", json!({ "sha256": name, "expiration_seconds": 60 })).await;
    let fetched = Fetched::of(site.agent().http.get(text(&url["url"]))).await;
    assert_eq!((fetched.status, fetched.bytes.as_slice()), (200, WORDS.as_bytes()));

    let old = call(&site.agent(), "get_artifact_info", json!({ "sha256": name })).await;
    let warning = &old["structuredContent"]["warnings"][0];
    assert!(text(&warning["message"]).contains("2027-12-01"), "it says when the name ends: {old}");
    assert_eq!(site.told("artifact.stored").await.len(), 1, "the same bytes are one artifact");
    site.say(&["ledger", "verify"]);
}

#[tokio::test]
async fn an_artifact_is_made_of_a_file_or_of_a_ref_in_any_storage() {
    for storage in [Storage::Folder, Storage::S3] {
        let archive = Archive::open(&storage.toml("")).await;
        let (client, bytes) = (archive.site.agent(), pdf(1, 3_000));
        let file = archive.file("a.pdf", &bytes).await;
        let stored = call(&client, "substrate.artifact.upload", json!({ "file_id": file })).await;
        assert_eq!(data(&stored)["sha256"], digest(&bytes), "{storage:?}: {stored}");
        assert_eq!(data(&stored)["filename"], "a.pdf", "{stored}");
        let long = taken_out(&call(&client, "docs__big_text", json!({ "bytes": 50_000 })).await);
        let stored = call(&client, "substrate.artifact.upload", json!({ "ref_id": long["ref_id"] })).await;
        assert_eq!(data(&stored)["sha256"], long["digest"], "{storage:?}: {stored}");
        // It stays when the file goes.
        let gone = archive.site.rest(archive.agent(), "DELETE", &format!("/files/{file}"), None).await;
        assert_eq!(gone.status, 204);
        let url = call(&client, "substrate.artifact.url", json!({ "sha256": digest(&bytes) })).await;
        let fetched = Fetched::of(client.http.get(text(&data(&url)["url"]))).await;
        assert_eq!((fetched.status, fetched.bytes == bytes), (200, true), "{storage:?}");
    }
}

#[tokio::test]
async fn wrong_uploads_and_unknown_digests_are_refused_with_a_hint() {
    let shelf = Shelf::open(Backing::Sqlite);
    let nowhere = digest(b"nowhere");
    for (tool, arguments, status, code) in [
        ("upload", json!({}), 422, "invalid_arguments"),
        ("upload", json!({ "text": "a", "base64": "YQ==" }), 422, "invalid_arguments"),
        ("upload", json!({ "file_id": "file_1", "ref_id": "ref_1" }), 422, "invalid_arguments"),
        ("upload", json!({ "base64": "not Base64!" }), 422, "bad_base64"),
        ("upload", json!({ "text": "x".repeat((1 << 20) + 1) }), 413, "file_too_large"),
        ("upload", json!({ "text": "a", "filename": "a/b" }), 422, "bad_file_name"),
        ("upload", json!({ "file_id": "file_1" }), 404, "unknown_file"),
        ("info", json!({ "sha256": nowhere }), 404, "unknown_artifact"),
        ("url", json!({ "sha256": nowhere }), 404, "unknown_artifact"),
        ("read", json!({ "sha256": nowhere }), 404, "unknown_artifact"),
        ("read", json!({ "sha256": "abc" }), 422, "invalid_arguments"),
        ("read", json!({ "sha256": nowhere, "start": 5, "end": 5 }), 422, "invalid_arguments"),
    ] {
        let said = shelf.refused(&format!("substrate.artifact.{tool}"), arguments).await;
        assert_eq!((said.0, said.1.as_str()), (status, code), "{tool}: {said:?}");
    }
}

#[tokio::test]
async fn an_artifact_of_a_run_is_the_tenants_once_a_manifest_of_the_run_names_it() {
    let archive = Archive::open("").await;
    let work = Work::start(&archive, json!({})).await;
    data(&work.call("store_artifact", json!({ "file_name": "a.txt", "content": "words" })).await);
    let (name, stranger) = (digest(b"words"), archive.site.token("--role agent --principal mallory"));
    let theirs = archive.site.agent_with(&stranger);
    let entries = json!({ "entries": [{ "path": "a.txt", "artifact_sha256": name }] });
    let foreign = call(&theirs, "substrate.manifest.create", entries.clone()).await;
    assert_eq!(code(&foreign), "unknown_artifact", "{foreign}");
    let unseen = call(&theirs, "substrate.artifact.read", json!({ "sha256": name })).await;
    assert_eq!(code(&unseen), "unknown_artifact", "{unseen}");

    let made = work.call("substrate.manifest.create", entries).await;
    assert_eq!(data(&made)["run_id"], work.id, "{made}");
    let read = call(&theirs, "substrate.artifact.read", json!({ "sha256": name })).await;
    assert_eq!(data(&read)["text"], "words", "{read}");
    archive.verify();
}

#[tokio::test]
async fn an_agent_with_the_capability_sees_the_names_of_the_seed() {
    let shelf = Shelf::open(Backing::Sqlite);
    let keeper = shelf.site.token("--role agent --principal keeper-bot --agent keeper");
    let seen = names(&shelf.site.agent_with(&keeper)).await;
    for name in [
        "artifact__upload",
        "artifact__info",
        "artifact__url",
        "artifact__read",
        "manifest__create",
        "manifest__checkout",
        "manifest__history",
        "manifest__diff",
        "manifest__merge",
        "manifest__prove",
    ] {
        let name = format!("substrate__{name}");
        assert!(seen.contains(&name), "{name} is missing: {seen:?}");
    }
    let all: Vec<String> = names(&shelf.site.agent()).await;
    assert!(
        !all.iter().any(|name| name.starts_with("substrate__")),
        "who has every tool pays for none: {all:?}"
    );
    let nothing = shelf.site.token("--role agent --principal nothing-bot --agent nothing");
    let body: Option<Value> = Some(json!({ "text": "a" }));
    let said = shelf.site.rest(&nothing, "POST", "/tools/substrate.artifact.upload", body).await;
    assert_eq!(said.status, 404, "{said:?}");
}
