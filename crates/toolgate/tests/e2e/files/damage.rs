//! Bytes that changed in the storage: they are never returned as the original.

use std::path::Path;

use serde_json::json;

use super::archive::{Archive, structure};
use super::bytes::{pdf, sha256};
use crate::kit::{Remote, call, remote};
use crate::live::site::OPEN;

const LENGTH: usize = 300_000;

#[derive(Clone, Copy, Debug)]
enum Harm {
    /// One bit in the middle.
    Flipped,
    Shorter,
    Gone,
}

const HARMS: [Harm; 3] = [Harm::Flipped, Harm::Shorter, Harm::Gone];

fn harm(path: &Path, harm: Harm) {
    let mut bytes = std::fs::read(path).expect("the bytes are there");
    match harm {
        Harm::Flipped => bytes[LENGTH / 2] ^= 1,
        Harm::Shorter => bytes.truncate(LENGTH - 1),
        Harm::Gone => return std::fs::remove_file(path).expect("it can be removed"),
    }
    std::fs::write(path, bytes).expect("it can be written");
}

/// True if a whole file arrived, and its status. The connection may end before there is one.
async fn fetch(archive: &Archive, id: &str) -> (u16, bool) {
    let request = archive.site.request(archive.agent(), "GET", &format!("/files/{id}/content"), None);
    let Ok(response) = request.send().await else { return (0, false) };
    let status = response.status().as_u16();
    (status, response.bytes().await.is_ok_and(|bytes| bytes.len() == LENGTH))
}

#[tokio::test]
async fn a_damaged_file_is_never_delivered_whole() {
    let archive = Archive::open("").await;
    for (seed, how) in (1..).zip(HARMS) {
        let file = archive.upload(archive.agent(), "a.pdf", &pdf(seed, LENGTH)).await;
        let id = file["id"].as_str().expect("an id");
        assert_eq!(fetch(&archive, id).await, (200, true));
        harm(&archive.blob(&file["digest"]).expect("the bytes are in the folder"), how);
        let (_, is_whole) = fetch(&archive, id).await;
        assert!(!is_whole, "{how:?}: it must not pass for whole");
    }
}

#[tokio::test]
async fn a_call_with_a_damaged_file_fails_and_its_server_goes_on() {
    let far = Remote::start("conformance-server", &["--tools", "documents"]);
    let toml = format!("{OPEN}{}", remote("far", &far.url));
    let archive = Archive::open_as(crate::governed::database::Backing::Sqlite, &toml, &["docs"]).await;
    archive.ready(&["far"]).await;
    let client = archive.site.agent();
    for server in ["docs", "far"] {
        let tool = format!("{server}__parse_document");
        for (seed, how) in (10..).zip(HARMS) {
            let file = archive.upload(archive.agent(), "a.pdf", &pdf(seed, LENGTH)).await;
            let path = archive.blob(&file["digest"]).expect("the bytes are in the folder");
            harm(&path, how);
            let failed = call(&client, &tool, json!({ "file_id": file["id"] })).await;
            assert_eq!(failed["isError"], true, "{server} {how:?}: {failed}");
            let words = failed["content"][0]["text"].as_str().unwrap_or_default();
            assert!(!words.is_empty() && !words.contains("sha256\":"), "{server} {how:?}: {words}");
            let whole = pdf(100 + seed, LENGTH);
            let file = archive.file("b.pdf", &whole).await;
            let next = call(&client, &tool, json!({ "file_id": file })).await;
            assert_eq!(structure(&next)["sha256"], sha256(&whole), "{server} {how:?}: {next}");
            // The damaged file is removed for the next test of the same bytes.
            drop(std::fs::remove_file(path));
        }
    }
}

#[tokio::test]
async fn a_file_that_is_sent_again_heals_what_was_lost() {
    let archive = Archive::open("").await;
    let bytes = pdf(1, LENGTH);
    let file = archive.upload(archive.agent(), "a.pdf", &bytes).await;
    let path = archive.blob(&file["digest"]).expect("the bytes are in the folder");
    harm(&path, Harm::Gone);
    let again = archive.file("b.pdf", &bytes).await;
    assert_eq!(fetch(&archive, &again).await, (200, true));
    assert_eq!(fetch(&archive, file["id"].as_str().expect("an id")).await, (200, true));
}
