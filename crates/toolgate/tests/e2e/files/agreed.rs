//! People approve a content, not a name: exactly that content runs, or nothing does.

use serde_json::{Value, json};
use toolgate_testkit::gateway::HttpClient;

use super::archive::{Archive, DOCS, code, structure, text};
use super::bytes::{digest, pdf, sha256};
use crate::governed::bank::{pending, status};
use crate::governed::database::Backing;
use crate::kit::call;

const TOOL: &str = "docs__parse_document";
const GATED: &str = "[network]\nallow_loopback = true\n[policy]\ntemplate = \"exploratory\"\n\
    gates = 'forbid (principal, action == Action::\"docs:parse_document\", resource);'\n";

async fn open(hold_seconds: u64) -> Archive {
    let toml = format!("{GATED}[approvals]\nhold_seconds = {hold_seconds}\n");
    Archive::open_as(Backing::Sqlite, &toml, &[DOCS]).await
}

async fn parse(client: &HttpClient, file: &str) -> Value {
    call(client, TOOL, json!({ "file_id": file })).await
}

#[tokio::test]
async fn whoever_decides_is_shown_what_the_arguments_name() {
    let archive = open(0).await;
    let bytes = pdf(1, 4_000);
    let file = archive.file("cv.pdf", &bytes).await;
    let id = pending(&parse(&archive.site.agent(), &file).await);
    let shown = archive.site.get(&format!("/approvals/{id}")).await;
    let attached = &shown["attachments"][0];
    assert_eq!((&attached["id"], &attached["digest"]), (&json!(file), &json!(digest(&bytes))), "{shown}");
    assert_eq!(
        (&attached["name"], &attached["media_type"]),
        (&json!("cv.pdf"), &json!("application/pdf")),
        "{shown}"
    );
    let said = archive.site.say(&["--json", "approvals", "show", &id]);
    assert!(said.contains(&digest(&bytes)), "{said}");
    let said = archive.site.say(&["approvals", "show", &id]);
    assert!(said.contains("cv.pdf"), "{said}");
    archive.site.say(&["approvals", "approve", &id]);
    let done = parse(&archive.site.agent(), &file).await;
    assert_eq!(structure(&done)["sha256"], sha256(&bytes), "{done}");
    archive.verify();
}

#[tokio::test]
async fn a_file_deleted_after_the_yes_does_not_run() {
    let archive = open(0).await;
    let file = archive.file("cv.pdf", &pdf(1, 4_000)).await;
    let id = pending(&parse(&archive.site.agent(), &file).await);
    archive.site.say(&["approvals", "approve", &id]);
    let gone = archive.site.rest(archive.agent(), "DELETE", &format!("/files/{file}"), None).await;
    assert_eq!(gone.status, 204);
    let refused = parse(&archive.site.agent(), &file).await;
    assert_eq!(code(&refused), "unknown_file", "{refused}");
    assert_eq!(archive.site.told("tool.call.started").await, Vec::<Value>::new());
    archive.verify();
}

#[tokio::test]
async fn a_file_deleted_while_people_think_does_not_run_when_they_say_yes() {
    let archive = open(20).await;
    let file = archive.file("cv.pdf", &pdf(1, 4_000)).await;
    let held = {
        let (client, file) = (archive.site.agent(), file.clone());
        tokio::spawn(async move { parse(&client, &file).await })
    };
    let asked = archive.site.told_at_least("approval.requested", 1).await;
    let gone = archive.site.rest(archive.agent(), "DELETE", &format!("/files/{file}"), None).await;
    assert_eq!(gone.status, 204);
    archive.site.say(&["approvals", "approve", text(&asked[0]["approval"])]);
    let refused = held.await.expect("answered");
    assert_eq!(refused["isError"], true, "{refused}");
    assert!(["file_changed", "unknown_file"].contains(&code(&refused)), "{refused}");
    archive.verify();
}

#[tokio::test]
async fn bytes_changed_in_the_folder_after_the_yes_do_not_reach_the_server() {
    let archive = open(0).await;
    let bytes = pdf(1, 4_000);
    let file = archive.upload(archive.agent(), "cv.pdf", &bytes).await;
    let id = pending(&parse(&archive.site.agent(), text(&file["id"])).await);
    archive.site.say(&["approvals", "approve", &id]);
    let path = archive.blob(&file["digest"]).expect("the bytes are in the folder");
    std::fs::write(&path, pdf(2, 4_000)).expect("it can be written");
    let refused = parse(&archive.site.agent(), text(&file["id"])).await;
    assert_eq!(refused["isError"], true, "{refused}");
    let words = refused.to_string();
    assert!(!words.contains(&sha256(&pdf(2, 4_000))), "other bytes never arrive: {words}");
    let message = text(&refused["content"][0]["text"]).to_lowercase();
    assert!(message.contains("changed") || message.contains("not what"), "it says what is wrong: {message}");
    archive.verify();
}

#[tokio::test]
async fn a_yes_for_one_file_is_none_for_another() {
    let archive = open(0).await;
    let client = archive.site.agent();
    let (one, two) = (archive.file("a.pdf", &pdf(1, 400)).await, archive.file("a.pdf", &pdf(2, 400)).await);
    let id = pending(&parse(&client, &one).await);
    archive.site.say(&["approvals", "approve", &id]);
    assert_ne!(pending(&parse(&client, &two).await), id);
    assert_eq!(status(&parse(&client, &one).await), "succeeded");
}
