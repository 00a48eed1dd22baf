//! Good documents among damaged and hostile ones: the run ends partial and names those that were left out, and the rest is there.

use serde_json::{Value, json};

use super::hostile::unreadable;
use crate::files::archive::text;
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::index::library::{GARDEN, IndexLibrary, LEASE, OFFICE, STILL, hits, named, paths};

on_both!(bad_files_among_good_ones_are_named_and_the_rest_is_parsed_and_found);

const BARN: &str = "# Barn\n\nThe barn is full of hay. Owls live under its roof.\n";

/// The paths that problems name.
fn named_in(problems: &Value) -> Vec<String> {
    let problems = problems.as_array().unwrap_or_else(|| panic!("no problems: {problems:#}"));
    let mut paths: Vec<String> = problems
        .iter()
        .map(|problem| {
            let (path, why) =
                text(problem).split_once(": ").unwrap_or_else(|| panic!("no reason: {problem}"));
            assert!(!why.trim().is_empty(), "{problem}");
            path.to_owned()
        })
        .collect();
    paths.sort_unstable();
    paths
}

async fn bad_files_among_good_ones_are_named_and_the_rest_is_parsed_and_found(backing: Backing) {
    let library = IndexLibrary::open(backing, STILL);
    let bad = unreadable();
    let bad_paths: Vec<&str> = bad.iter().map(|(path, _)| *path).collect();
    let good = [("a/lease.md", LEASE), ("a/office.md", OFFICE), ("c/barn.md", BARN), ("c/garden.md", GARDEN)];
    let mut documents: Vec<(&str, &[u8])> =
        good.iter().map(|(path, words)| (*path, words.as_bytes())).collect();
    documents.extend(bad.iter().map(|(path, bytes)| (*path, bytes.as_slice())));
    let manifest = library.manifest(&documents).await;
    library.pointer("legal", "contracts", &manifest).await;

    let mut arguments = named("legal", "contracts");
    arguments["wait_seconds"] = json!(60);
    let said = library.done("document.parse", arguments).await;
    let batch = &said["batch"];
    assert_eq!((&said["state"], &batch["problem_count"]), (&json!("partial"), &json!(bad.len())), "{said:#}");
    assert_eq!(
        (&batch["done"], &batch["total"]),
        (&json!(documents.len()), &json!(documents.len())),
        "{said:#}"
    );
    assert_eq!(named_in(&batch["problems"]), bad_paths);
    let run = library.site.get(&format!("/runs/{}", text(&batch["run"]))).await;
    assert_eq!((&run["state"], &run["run_type"]), (&json!("partial"), &json!("document_parse")), "{run:#}");

    let ingested = library.ingest().await;
    assert_eq!(
        (&ingested["state"], &ingested["index"]["documents"]),
        (&json!("partial"), &json!(good.len())),
        "{ingested:#}"
    );
    assert_eq!(named_in(&ingested["problems"]), bad_paths);
    let run = library.site.get(&format!("/runs/{}", text(&ingested["run"]))).await;
    assert_eq!(run["state"], "partial", "{run:#}");
    assert_eq!(library.state().await["problem_count"], bad.len());
    for (query, path) in
        [("terminate the lease", "a/lease.md"), ("owls", "c/barn.md"), ("roses", "c/garden.md")]
    {
        assert_eq!(hits(&library.search(query).await)[0]["path"], path, "{query}");
    }

    // One of them is repaired, one is taken out, and one that was good breaks.
    let put = [("bad/cut.pdf", BARN.as_bytes()), ("a/office.md", &bad[0].1[..])];
    let repaired = library.edited(&manifest, &put, &["bad/empty.md"]).await;
    library.advance(&repaired).await;
    let again = library.ingest().await;
    let mut left: Vec<&str> =
        bad_paths.into_iter().filter(|path| !["bad/cut.pdf", "bad/empty.md"].contains(path)).collect();
    left.insert(0, "a/office.md");
    assert_eq!(named_in(&again["problems"]), left, "{again:#}");
    assert_eq!(
        (&again["index"]["put"], &again["index"]["documents"]),
        (&json!(1), &json!(good.len())),
        "{again:#}"
    );
    let stale = library.search("ships at the harbour").await;
    assert!(!paths(&stale).contains(&"a/office.md"), "its text of before is not that of now: {stale:#}");
    library.verify();
}

#[tokio::test]
async fn a_manifest_is_parsed_once_and_a_document_alone_says_why_it_cannot_be_read() {
    let library = IndexLibrary::filled(Backing::Sqlite, STILL).await;
    let manifest = library.head().await;
    let parse = json!({ "manifest": manifest, "wait_seconds": 60 });
    let said = library.done("document.parse", parse).await;
    assert_eq!((&said["state"], &said["batch"]["done"]), (&json!("done"), &json!(3)), "{said:#}");
    assert_eq!(said["batch"]["manifest"], json!(manifest), "{said:#}");
    let lease = library.entry("lease.md", LEASE.as_bytes()).await["artifact_sha256"].clone();
    let alone = library.done("document.parse", json!({ "artifact": lease })).await;
    assert_eq!(alone["document"]["cached"], true, "{alone:#}");
    for (path, bytes) in unreadable() {
        let artifact = library.entry(path, &bytes).await["artifact_sha256"].clone();
        for tool in ["document.parse", "document.extract_tables"] {
            let refused = library.refused(library.admin(), tool, json!({ "artifact": artifact })).await;
            assert!((400..500).contains(&refused.0), "{tool} {path}: {refused:?}");
        }
    }
    // The engine and its workers live on.
    let next = library.entry("next.md", BARN.as_bytes()).await["artifact_sha256"].clone();
    let next = library.done("document.parse", json!({ "artifact": next })).await;
    assert_eq!(next["document"]["cached"], false, "{next:#}");
}
