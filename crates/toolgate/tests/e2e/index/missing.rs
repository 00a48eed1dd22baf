//! A gateway whose engine is not installed says so, and uses it as soon as it is there.

use std::os::unix::fs::symlink;

use serde_json::json;

use super::library::{IndexLibrary, STILL, engine_program, hits, ingest_of, named};
use crate::governed::database::Backing;

#[tokio::test]
async fn without_its_engine_a_gateway_says_how_to_get_it_and_needs_no_restart() {
    let programs = tempfile::tempdir().expect("a temporary folder");
    let command = programs.path().join("toolgate-engine");
    let more = format!("{STILL}[engine]\ncommand = {command:?}\n");
    let library = IndexLibrary::filled(Backing::Sqlite, &more).await;
    let artifact = library.entry("lease.md", b"# Lease\n\nThirty days.\n").await["artifact_sha256"].clone();
    let labels = json!([{ "name": "lease" }, { "name": "letter" }]);
    for (tool, arguments) in [
        ("index.ingest", ingest_of("legal", "contracts")),
        ("document.parse", json!({ "artifact": artifact })),
        ("document.extract_tables", json!({ "artifact": artifact })),
        ("document.classify", json!({ "artifact": artifact, "labels": labels })),
    ] {
        let said = library.said(library.admin(), tool, arguments).await;
        assert_eq!(said.status, 503, "{tool}: {said:?}");
        let error = said.json()["error"].take();
        assert_eq!(error["code"], "engine_missing", "{tool}: {error:#}");
        let hint = error["hint"].to_string();
        assert!(hint.contains("toolgate-engine"), "{tool}: it says how to get it: {error:#}");
    }
    let status = library.done("index.status", json!({})).await;
    assert_eq!(
        (&status["engine"]["state"], &status["indexes"]),
        (&json!("missing"), &json!([])),
        "{status:#}"
    );
    // The rest of the gateway needs no engine.
    library.done("substrate.pointer.resolve", named("legal", "contracts")).await;

    symlink(engine_program(), &command).expect("it can be linked");
    assert_eq!(library.ingest().await["state"], "done");
    assert_eq!(hits(&library.search("notice period").await)[0]["path"], "lease.md");
    let status = library.done("index.status", json!({})).await;
    assert_eq!(status["engine"]["state"], "running", "{status:#}");
}
