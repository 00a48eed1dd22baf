//! The collection of what nothing reaches, through the program: pointers and pins keep, dry runs tell, a kill in the middle harms nothing.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{Gateway, until_async};

use super::shelf::{Shelf, toml};
use crate::doors::WAIT;
use crate::files::bucket::Bucket;
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::live::site::{Ending, Site};
use crate::toolgate;

on_both!(
    what_no_pointer_and_no_pin_reaches_goes_after_a_while,
    killed_while_it_collects_a_gateway_leaves_nothing_half,
    from_a_bucket_goes_only_what_nothing_reaches,
);

const SOON: &str = "[substrate]\ncollect_grace_seconds = 1\ncollect_every_seconds = 0\n";

fn collect(shelf: &Shelf, words: &[&str]) -> Value {
    let words: Vec<&str> = ["--json", "substrate", "collect"].iter().chain(words).copied().collect();
    let answer: Value = serde_json::from_str(&shelf.site.say(&words)).expect("JSON");
    answer["data"].clone()
}

/// Waits until so many manifests would go.
async fn would_go(shelf: &Shelf, manifests: u64) -> Value {
    let ask = || async {
        Some(collect(shelf, &["--dry-run"])).filter(|told| told["manifests"]["count"] == manifests)
    };
    until_async(WAIT, ask).await.expect("their grace is over")
}

async fn what_no_pointer_and_no_pin_reaches_goes_after_a_while(backing: Backing) {
    let shelf = Shelf::open_with(backing, SOON);
    let pointed = shelf.manifest(&[("a.txt", "pointed words")], "pointed").await;
    let pinned = shelf.manifest(&[("a.txt", "pinned words")], "pinned").await;
    let lost = shelf.manifest(&[("a.txt", "lost words")], "lost").await;
    let create = ["substrate", "pointer", "create", "--namespace", "project", "--name", "draft"];
    let create: Vec<&str> = create.into_iter().chain(["--manifest-sha256", &pointed]).collect();
    shelf.site.say(&create);
    let told = shelf.call("substrate.manifest.pin", json!({ "sha256": pinned, "reason": "evidence" })).await;
    assert_eq!((&told["is_pinned"], &told["is_changed"]), (&json!(true), &json!(true)), "{told}");
    let listed = shelf.call("substrate.manifest.pins", json!({})).await;
    assert_eq!(listed["pins"].as_array().map(Vec::len), Some(1), "{listed}");
    assert_eq!(
        (&listed["pins"][0]["sha256"], &listed["pins"][0]["reason"]),
        (&json!(pinned), &json!("evidence"))
    );
    let refused = shelf.refused("substrate.manifest.pins", json!({ "cursor": "none" })).await;
    assert_eq!(refused.1, "invalid_cursor", "{refused:?}");
    let told = would_go(&shelf, 1).await;
    assert_eq!((&told["dry_run"], &told["manifests"]["first"][0]), (&json!(true), &json!(lost)), "{told}");
    assert_eq!(shelf.paths(&lost).await, ["a.txt"], "nothing went");

    let told = collect(&shelf, &[]);
    assert_eq!((&told["manifests"]["count"], &told["is_complete"]), (&json!(1), &json!(true)), "{told}");
    let refused = shelf.refused("substrate.manifest.checkout", json!({ "sha256": lost })).await;
    assert_eq!((refused.0, refused.1.as_str()), (404, "unknown_manifest"), "{refused:?}");
    for kept in [&pointed, &pinned] {
        assert_eq!(shelf.paths(kept).await, ["a.txt"]);
    }
    assert!(!shelf.site.told("substrate.collected").await.is_empty());
    shelf.site.say(&["ledger", "verify"]);
    // What was collected can be stored anew.
    let again = shelf.manifest(&[("a.txt", "lost words")], "lost").await;
    assert_eq!(again, lost);
}

async fn from_a_bucket_goes_only_what_nothing_reaches(backing: Backing) {
    let shelf = Shelf::open_with(backing, &format!("{SOON}{}", Bucket::of_this_test().toml("")));
    let shared = shelf.artifact("shared words").await;
    let alone = shelf.artifact("lost words").await;
    let kept = shelf.manifest(&[("a.txt", "kept words"), ("b.txt", "shared words")], "kept").await;
    shelf.call("substrate.manifest.pin", json!({ "sha256": kept })).await;
    shelf.manifest(&[("a.txt", "lost words"), ("b.txt", "shared words")], "lost").await;
    would_go(&shelf, 1).await;
    let told = collect(&shelf, &[]);
    let counts = (&told["manifests"]["count"], &told["artifacts"]["count"], &told["is_complete"]);
    assert_eq!(counts, (&json!(1), &json!(1), &json!(true)), "{told}");
    let refused = shelf.refused("substrate.artifact.read", json!({ "sha256": alone })).await;
    assert_eq!((refused.0, refused.1.as_str()), (404, "unknown_artifact"), "{refused:?}");
    let read = shelf.call("substrate.artifact.read", json!({ "sha256": shared })).await;
    assert_eq!(read["text"], "shared words", "{read}");
    // The same bytes again, whether the storage still has them or not.
    assert_eq!(shelf.artifact("lost words").await, alone);
    let read = shelf.call("substrate.artifact.read", json!({ "sha256": alone })).await;
    assert_eq!(read["text"], "lost words", "{read}");
}

#[tokio::test]
async fn for_agents_there_is_no_collection() {
    let shelf = Shelf::open(Backing::Sqlite);
    let (agent, wanted) = (&shelf.site.gateway.agent, json!({ "dry_run": true }));
    let said = shelf.site.rest(agent, "POST", "/tools/substrate.collect", Some(wanted)).await;
    assert_eq!((said.status, &said.json()["code"]), (404, &json!("unknown_tool")), "{said:?}");
    let others = shelf.refused("substrate.manifest.pins", json!({ "principal": "someone-else" })).await;
    assert_eq!((others.0, others.1.as_str()), (403, "operators_only"), "{others:?}");
    let admin = &shelf.site.gateway.admin;
    let said =
        shelf.site.rest(admin, "POST", "/tools/substrate.collect", Some(json!({ "dry_run": true }))).await;
    assert_eq!(said.status, 200, "{said:?}");
}

#[tokio::test]
async fn an_unknown_manifest_is_not_pinned() {
    let shelf = Shelf::open(Backing::Sqlite);
    let sha256 = format!("sha256:{}", "0".repeat(64));
    let said = shelf.refused("substrate.manifest.pin", json!({ "sha256": sha256 })).await;
    assert_eq!((said.0, said.1.as_str()), (404, "unknown_manifest"), "{said:?}");
    let told = shelf.call("substrate.manifest.unpin", json!({ "sha256": sha256 })).await;
    assert_eq!(told["is_changed"], false, "there was no pin: {told}");
}

async fn killed_while_it_collects_a_gateway_leaves_nothing_half(backing: Backing) {
    const POINT: &str = "unreached removed";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let toml = format!("{}{}", backing.toml(), toml(SOON));
    let gateway = Gateway::boot_stopping(toolgate(), &toml, folder, POINT);
    let shelf = Shelf { site: Site { gateway, backing } };
    let kept = shelf.manifest(&[("a.txt", "kept words"), ("b.txt", "shared words")], "kept").await;
    shelf.call("substrate.manifest.pin", json!({ "sha256": kept })).await;
    let lost = shelf.manifest(&[("a.txt", "lost words"), ("b.txt", "shared words")], "lost").await;
    would_go(&shelf, 1).await;
    let request =
        shelf.site.request(&shelf.site.gateway.admin, "POST", "/tools/substrate.collect", Some(json!({})));
    let waiting = tokio::spawn(async move {
        drop(request.send().await);
    });
    let line = format!("stopped at {POINT}");
    let stopped = until_async(WAIT, || async { shelf.site.gateway.log().contains(&line).then_some(()) });
    assert!(stopped.await.is_some(), "no collection reached {POINT:?}");
    waiting.abort();
    let shelf = Shelf { site: shelf.site.restarted(Ending::Killed) };
    assert_eq!(shelf.paths(&lost).await, ["a.txt", "b.txt"], "the transaction was not committed");
    assert_eq!(shelf.site.told("substrate.collected").await, Vec::<Value>::new());
    // The dead gateway still has the turn, for as long as its lease lasts.
    let said = shelf.refused_to(&shelf.site.gateway.admin, "substrate.collect", json!({})).await;
    assert_eq!((said.0, said.1.as_str()), (409, "collection_under_way"), "{said:?}");
    assert_eq!(shelf.paths(&kept).await, ["a.txt", "b.txt"]);
    shelf.site.say(&["ledger", "verify"]);
}
