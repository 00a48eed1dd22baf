//! `runs.trace_search`: calls and runs by what happened in them, each principal its own.

use serde_json::{Value, json};

use super::library::{IndexLibrary, STILL, hits};
use crate::files::archive::text;
use crate::files::bytes::digest;
use crate::governed::database::Backing;
use crate::governed::on_both;

on_both!(calls_and_runs_are_found_by_what_happened_in_them);

fn traces(query: &str) -> Value {
    json!({ "query": query, "profile": "runs.trace_search" })
}

fn ingest() -> Value {
    json!({ "profile": "runs.trace_search", "wait_seconds": 60 })
}

/// The snippets of all hits.
fn snippets(data: &Value) -> String {
    hits(data).iter().map(|hit| text(&hit["snippet"])).collect::<Vec<_>>().join("\n")
}

async fn calls_and_runs_are_found_by_what_happened_in_them(backing: Backing) {
    let library = IndexLibrary::filled(backing, STILL).await;
    library.ingest().await;
    let unknown = json!({ "sha256": digest(b"nowhere") });
    library.refused(library.admin(), "substrate.artifact.info", unknown).await;
    let lawyer = library.token("lawyer");
    library
        .refused(&lawyer, "index.search", json!({ "query": "a secret of the lawyer", "profile": "nonsense" }))
        .await;
    let early = library.refused(library.admin(), "index.search", traces("artifact")).await;
    assert_eq!(early.1, "no_index", "{early:?}");

    let ingested = library.done("index.ingest", ingest()).await;
    assert_eq!(ingested["state"], "done", "{ingested:#}");
    let found = library.done("index.search", traces("substrate.artifact.info")).await;
    let first = &hits(&found)[0];
    assert!(text(&first["path"]).starts_with("calls/"), "{first:#}");
    assert!(text(&first["snippet"]).contains("substrate.artifact.info"), "{first:#}");
    let runs = json!({ "query": "index_ingest completed", "profile": "runs.trace_search",
        "filters": { "metadata": { "kind": "run" } } });
    let found = library.done("index.search", runs).await;
    assert!(text(&hits(&found)[0]["path"]).starts_with("runs/"), "{found:#}");
    let all = library.done("index.search", traces("lawyer-bot index.search")).await;
    assert!(snippets(&all).contains("lawyer-bot"), "operators see the calls of everyone: {all:#}");
    assert!(!all.to_string().contains("a secret of the lawyer"), "arguments are not in it: {all:#}");

    library.done_by(&lawyer, "index.ingest", ingest()).await;
    let own = library.done_by(&lawyer, "index.search", traces("index.search substrate.artifact.info")).await;
    assert!(snippets(&own).contains("index.search"), "{own:#}");
    assert!(!snippets(&own).contains("substrate"), "agents see their own calls alone: {own:#}");
    let scoped = json!({ "query": "x", "profile": "runs.trace_search",
        "scope": { "pointers": [{ "namespace": "legal", "name": "contracts" }] } });
    let refused = library.refused(&lawyer, "index.search", scoped).await;
    assert_eq!(refused.1, "invalid_arguments", "{refused:?}");

    // What happened since is taken in by the next ingest, and what was there stays.
    library.done("document.parse", json!({ "namespace": "legal", "name": "contracts" })).await;
    let more = library.done("index.ingest", ingest()).await;
    assert!(more["index"]["documents"].as_u64() > ingested["index"]["documents"].as_u64(), "{more:#}");
    assert!(more["index"]["put"].as_u64() < more["index"]["documents"].as_u64(), "{more:#}");
    let calls = json!({ "query": "document.parse", "profile": "runs.trace_search",
        "filters": { "metadata": { "kind": "call" } } });
    let found = library.done("index.search", calls).await;
    assert!(text(&hits(&found)[0]["snippet"]).contains("document.parse"), "{found:#}");
}
