//! Kill -9 between bytes, rows and events: the next gateway finds all of it or nothing, and the same call works.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{Gateway, until_async};

use super::shelf::{Shelf, digest, toml};
use crate::doors::WAIT;
use crate::files::bytes;
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::live::site::{Ending, Site};
use crate::toolgate;

on_both!(
    killed_between_the_bytes_and_the_row_there_is_no_artifact,
    killed_between_the_row_and_the_event_there_is_no_artifact,
    killed_between_the_nodes_and_the_row_there_is_no_manifest,
    killed_between_the_row_and_the_event_there_is_no_manifest,
);

const WORDS: &str = "words that were on their way";

fn open(backing: Backing, point: &str) -> Shelf {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let toml = format!("{}{}", backing.toml(), toml(""));
    let gateway = Gateway::boot_stopping(toolgate(), &toml, folder, point);
    Shelf { site: Site { gateway, backing } }
}

/// Makes a call that stops in the middle, kills the gateway there and starts it again.
async fn killed_at(shelf: Shelf, point: &str, tool: &str, arguments: Value) -> Shelf {
    let client = shelf.site.agent();
    let params = json!({ "name": tool, "arguments": arguments });
    let waiting = tokio::spawn(async move {
        drop(client.modern_request(1, "tools/call", params).send().await);
    });
    let line = format!("stopped at {point}");
    let stopped = until_async(WAIT, || async { shelf.site.gateway.log().contains(&line).then_some(()) });
    assert!(stopped.await.is_some(), "no call reached {point:?}");
    waiting.abort();
    Shelf { site: shelf.site.restarted(Ending::Killed) }
}

async fn no_artifact(backing: Backing, point: &str) {
    let shelf = open(backing, point);
    let upload = json!({ "text": WORDS });
    let shelf = killed_at(shelf, point, "substrate.artifact.upload", upload.clone()).await;
    let name = bytes::digest(WORDS.as_bytes());
    let said = shelf.refused("substrate.artifact.info", json!({ "sha256": name })).await;
    assert_eq!(said.1, "unknown_artifact", "{said:?}");
    assert_eq!(shelf.site.told("artifact.stored").await, Vec::<Value>::new());
    let stored = shelf.call("substrate.artifact.upload", upload).await;
    assert_eq!((&stored["sha256"], &stored["is_duplicate"]), (&json!(name), &json!(false)), "{stored}");
    assert_eq!(shelf.site.told("artifact.stored").await.len(), 1);
    shelf.site.say(&["ledger", "verify"]);
}

async fn no_manifest(backing: Backing, point: &str) {
    let shelf = open(backing, point);
    let create = json!({ "entries": shelf.entries(&[("a.txt", WORDS)]).await, "message": "made" });
    let shelf = killed_at(shelf, point, "substrate.manifest.create", create.clone()).await;
    assert_eq!(shelf.site.told("manifest.created").await, Vec::<Value>::new());
    let made = shelf.call("substrate.manifest.create", create).await;
    assert_eq!(made["is_duplicate"], false, "nothing was left of it: {made}");
    assert_eq!(shelf.paths(&digest(&made)).await, ["a.txt"]);
    assert_eq!(shelf.site.told("manifest.created").await.len(), 1);
    shelf.site.say(&["ledger", "verify"]);
}

async fn killed_between_the_bytes_and_the_row_there_is_no_artifact(backing: Backing) {
    no_artifact(backing, "blob written").await;
}

async fn killed_between_the_row_and_the_event_there_is_no_artifact(backing: Backing) {
    no_artifact(backing, "artifact written").await;
}

async fn killed_between_the_nodes_and_the_row_there_is_no_manifest(backing: Backing) {
    no_manifest(backing, "nodes written").await;
}

async fn killed_between_the_row_and_the_event_there_is_no_manifest(backing: Backing) {
    no_manifest(backing, "manifest written").await;
}
