//! Histories and merges.

use serde_json::{Value, json};

use super::shelf::{Shelf, digest};
use crate::files::archive::text;
use crate::governed::database::Backing;
use crate::governed::on_both;

on_both!(a_history_is_told_newest_first_in_pages, a_merge_takes_both_sides_or_lists_conflicts);

async fn a_history_is_told_newest_first_in_pages(backing: Backing) {
    let shelf = Shelf::open(backing);
    let first = shelf.manifest(&[("a", "1")], "first").await;
    let left = shelf.edited(&first, &[("b", "1")], &[]).await;
    let right = shelf.edited(&first, &[("c", "1")], &[]).await;
    let merging = json!({ "ours_sha256": left, "theirs_sha256": right, "message": "merged" });
    let merged = shelf.call("substrate.manifest.merge", merging).await;
    let merged = digest(&merged["manifest"]);
    let (mut told, mut cursor) = (Vec::new(), Value::Null);
    loop {
        let mut arguments = json!({ "sha256": merged, "limit": 1 });
        if !cursor.is_null() {
            arguments["cursor"] = cursor.clone();
        }
        let page = shelf.call("substrate.manifest.history", arguments).await;
        told.extend(page["manifests"].as_array().expect("a list").iter().map(digest));
        match page.get("next_cursor") {
            Some(next) => cursor = next.clone(),
            None => break,
        }
    }
    assert_eq!((told.len(), &told[0], &told[3]), (4, &merged, &first), "{told:?}");
    let mut between = told[1..3].to_vec();
    between.sort();
    let mut expected = vec![left, right];
    expected.sort();
    assert_eq!(between, expected);
    let nowhere = format!("sha256:{}", "0".repeat(64));
    let said = shelf.refused("substrate.manifest.history", json!({ "sha256": nowhere })).await;
    assert_eq!((said.0, said.1.as_str()), (404, "unknown_manifest"), "{said:?}");
}

async fn a_merge_takes_both_sides_or_lists_conflicts(backing: Backing) {
    let shelf = Shelf::open(backing);
    let base = shelf.manifest(&[("a", "1"), ("b", "1"), ("c", "1")], "base").await;
    let ours = shelf.edited(&base, &[("a", "ours"), ("new", "ours")], &[]).await;
    let theirs = shelf.edited(&base, &[("b", "theirs")], &["c"]).await;
    let merge = async |ours: &str, theirs: &str, more: Value| {
        let mut arguments = json!({ "ours_sha256": ours, "theirs_sha256": theirs, "message": "merged" });
        if let Some(prefer) = more.as_str() {
            arguments["prefer"] = json!(prefer);
        }
        shelf.call("substrate.manifest.merge", arguments).await
    };
    let merged = merge(&ours, &theirs, Value::Null).await;
    assert_eq!((&merged["merged"], &merged["base_sha256"]), (&json!(true), &json!(base)), "{merged}");
    assert_eq!(merged["manifest"]["parents"], json!([ours, theirs]), "{merged}");
    let merged = digest(&merged["manifest"]);
    assert_eq!(shelf.paths(&merged).await, ["a", "b", "new"]);
    // Both ways lead to the same entries.
    let other_way = merge(&theirs, &ours, Value::Null).await;
    let there = shelf.call("substrate.manifest.checkout", json!({ "sha256": merged })).await;
    assert_eq!(other_way["manifest"]["root"], there["root"], "{other_way}");
    // One that comes from the other is the outcome itself.
    assert_eq!(digest(&merge(&base, &ours, Value::Null).await["manifest"]), ours);
    assert_eq!(digest(&merge(&merged, &theirs, Value::Null).await["manifest"]), merged);

    let rival = shelf.edited(&base, &[("a", "theirs")], &[]).await;
    let conflict = merge(&ours, &rival, Value::Null).await;
    assert_eq!((&conflict["merged"], &conflict["conflict_count"]), (&json!(false), &json!(1)), "{conflict}");
    assert_eq!(text(&conflict["conflicts"][0]["path"]), "a", "{conflict}");
    assert!(conflict.get("manifest").is_none(), "{conflict}");
    let preferred = merge(&ours, &rival, json!("theirs")).await;
    let preferred = digest(&preferred["manifest"]);
    let both = json!({ "old_sha256": ours, "new_sha256": preferred });
    let told = shelf.call("substrate.manifest.diff", both).await;
    assert_eq!(text(&told["changes"][0]["path"]), "a", "{told}");

    let alone = shelf.manifest(&[("z", "1")], "alone").await;
    let arguments = json!({ "ours_sha256": ours, "theirs_sha256": alone });
    let said = shelf.refused("substrate.manifest.merge", arguments).await;
    assert_eq!((said.0, said.1.as_str()), (409, "no_common_ancestor"), "{said:?}");
}
