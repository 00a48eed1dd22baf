//! Ingests that meet: two of one target, a pointer that moves meanwhile, a run that is cancelled. The engine stands still while they meet.

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;

use super::engine::FrozenEngine;
use super::library::{IndexLibrary, STILL, hits, ingest_of};
use crate::doors::WAIT;
use crate::files::archive::text;
use crate::governed::database::Backing;

const BARN: &str = "# Barn\n\nThe barn is full of hay. Owls live under its roof.\n";
const MILL: &str = "# Mill\n\nThe mill grinds wheat in autumn. Its wheel turns slowly.\n";

/// Three documents that are indexed, and the manifest of a state with one more that the pointer leads to.
async fn moved() -> (IndexLibrary, String) {
    let library = IndexLibrary::filled(Backing::Sqlite, STILL).await;
    library.ingest().await;
    let two = library.edited(&library.head().await, &[("barn.md", BARN.as_bytes())], &[]).await;
    library.advance(&two).await;
    (library, two)
}

/// An ingest that nobody waits for.
async fn begun(library: &IndexLibrary) -> Value {
    let begun = library.ingest_as(json!({ "wait_seconds": 0 })).await;
    assert!(["queued", "running"].iter().any(|state| begun["state"] == *state), "{begun:#}");
    begun
}

#[tokio::test]
async fn two_ingests_of_one_target_are_one() {
    let (library, two) = moved().await;
    let frozen = FrozenEngine::of(&library.site.gateway);
    let (one, other) = (begun(&library).await, begun(&library).await);
    assert_eq!((&one["joined"], &other["joined"]), (&json!(false), &json!(true)), "{other:#}");
    assert_eq!(one["run"], other["run"]);
    frozen.goes_on();
    let state = library.state_is(|state| state["behind"] == false).await;
    assert_eq!((&state["source_manifest"], &state["run"]), (&json!(two), &one["run"]), "{state:#}");
    let path = format!("/runs/{}", text(&one["run"]));
    library.site.becomes(&path, |run| run["state"] == "completed").await;
    assert_eq!(library.published().await, 2, "one for each state of the pointer");
}

#[tokio::test]
async fn a_pointer_that_moves_while_it_is_ingested_is_ingested_again() {
    let (library, two) = moved().await;
    let frozen = FrozenEngine::of(&library.site.gateway);
    let first = begun(&library).await;
    let three = library.edited(&two, &[("mill.md", MILL.as_bytes())], &[]).await;
    library.advance(&three).await;
    frozen.goes_on();
    // Nobody asked for it, and nothing follows pointers here.
    let state = library.state_is(|state| state["behind"] == false).await;
    assert_eq!((&state["source_manifest"], &state["documents"]), (&json!(three), &json!(5)), "{state:#}");
    assert_ne!(state["run"], first["run"], "the next one is a run of its own");
    assert_eq!(library.published().await, 3, "each state has its index");
    assert_eq!(hits(&library.search("wheat").await)[0]["path"], "mill.md");
    assert_eq!(hits(&library.search("owls").await)[0]["path"], "barn.md");
}

#[tokio::test]
async fn an_ingest_whose_run_is_cancelled_leaves_the_index_as_it_was() {
    let (library, two) = moved().await;
    let before = library.state().await;
    let frozen = FrozenEngine::of(&library.site.gateway);
    let first = begun(&library).await;
    let path = format!("/runs/{}", text(&first["run"]));
    let cancelled =
        library.site.rest(library.admin(), "POST", &format!("{path}/cancel"), Some(json!({}))).await;
    assert_eq!(cancelled.status, 200, "{cancelled:?}");
    // Whoever asks joins it until the desk has heard of it, and begins another one then.
    let mut arguments = ingest_of("legal", "contracts");
    arguments["wait_seconds"] = json!(0);
    let next = until_async(WAIT, || async {
        let said = library.said(library.admin(), "index.ingest", arguments.clone()).await.json();
        (said["data"]["run"].is_string() && said["data"]["run"] != first["run"]).then_some(said)
    });
    let next = next.await.expect("another run");
    assert_eq!((next["data"]["joined"].clone(), library.state().await), (json!(false), before), "{next:#}");
    frozen.goes_on();
    let state = library.state_is(|state| state["behind"] == false).await;
    assert_eq!((&state["source_manifest"], &state["run"]), (&json!(two), &next["data"]["run"]), "{state:#}");
    assert_eq!(library.site.get(&path).await["state"], "cancelled");
}
