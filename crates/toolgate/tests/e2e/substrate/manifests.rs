//! `substrate.manifest.*`: making, listing and comparing.

use serde_json::{Value, json};

use super::shelf::{Shelf, digest};
use crate::files::archive::{data, text};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::call;

on_both!(
    a_manifest_is_made_and_read_through_every_door,
    a_difference_tells_each_kind_of_change,
    entries_are_read_in_pages_and_by_prefix,
);

async fn a_manifest_is_made_and_read_through_every_door(backing: Backing) {
    let shelf = Shelf::open(backing);
    let site = &shelf.site;
    let entries = shelf.entries(&[("docs/b.md", "two"), ("docs/a.md", "one")]).await;
    let mut client = site.agent();
    let arguments = json!({ "entries": entries, "message": "first", "metadata": { "b": 1, "a": 2 } });
    let made = call(&client, "substrate__manifest__create", arguments.clone()).await;
    let (sha256, first) = (digest(data(&made)), data(&made));
    assert_eq!((&first["entry_count"], &first["total_size_bytes"]), (&json!(2), &json!(6)), "{made}");
    assert_eq!(first["is_duplicate"], false, "{made}");
    let refs = &made["structuredContent"]["refs"];
    assert_eq!(*refs, json!([{ "type": "manifest", "sha256": sha256 }]), "{made}");

    // The order of entries and of members changes nothing, and the same is made once.
    let turned: Vec<Value> = entries.as_array().expect("a list").iter().rev().cloned().collect();
    let same = json!({ "metadata": { "a": 2, "b": 1 }, "message": "first", "entries": turned });
    client.initialize("2025-06-18").await;
    let params = json!({ "name": "substrate__manifest__create", "arguments": same });
    let again = client.legacy(1, "tools/call", params).await.result();
    assert_eq!((digest(data(&again)), &data(&again)["is_duplicate"]), (sha256.clone(), &json!(true)));
    assert_eq!(site.told("manifest.created").await.len(), 1);

    let words = [
        "--json",
        "substrate",
        "manifest",
        "create",
        "--base-sha256",
        &sha256,
        "--message",
        "second",
        "--remove",
        "docs/a.md",
    ];
    let told: Value = serde_json::from_str(&site.say(&words)).expect("JSON");
    let second = digest(&told["data"]);
    assert_eq!(told["data"]["parents"], json!([sha256]), "{told}");
    assert_eq!(shelf.paths(&second).await, ["docs/b.md"]);
    let old = call(&site.agent(), "checkout_manifest", json!({ "sha256": sha256 })).await;
    let listed = data(&old);
    assert_eq!(listed["metadata"], json!({ "a": 2, "b": 1 }), "{old}");
    assert_eq!(text(&listed["entries"][0]["path"]), "docs/a.md", "{old}");
    assert_eq!(listed["entries"][1]["artifact_sha256"], entries[0]["artifact_sha256"], "{old}");
    assert_eq!(old["structuredContent"]["warnings"][0]["code"], "alias", "{old}");
    let created = site.told("manifest.created").await;
    assert_eq!(created[1]["detail"]["parents"], json!([sha256]), "{created:?}");
    site.say(&["ledger", "verify"]);
}

async fn a_difference_tells_each_kind_of_change(backing: Backing) {
    let shelf = Shelf::open(backing);
    let old = shelf.manifest(&[("a", "1"), ("b", "1"), ("c", "1"), ("d", "1")], "old").await;
    let same = shelf.artifact("1").await;
    let edits = json!({ "base_sha256": old, "remove": ["a"], "entries": [
        { "path": "b", "artifact_sha256": shelf.artifact("2").await },
        { "path": "c", "artifact_sha256": same, "metadata": { "reviewed": true } },
        { "path": "e", "manifest_sha256": old },
    ] });
    let new = digest(&shelf.call("substrate.manifest.create", edits).await);
    let both = json!({ "old_sha256": old, "new_sha256": new });
    let told = shelf.call("substrate.manifest.diff", both.clone()).await;
    let changes: Vec<(&str, &str)> = told["changes"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|one| (text(&one["path"]), text(&one["change"])))
        .collect();
    assert_eq!(changes, [("a", "removed"), ("b", "content"), ("c", "metadata"), ("e", "added")]);
    assert_eq!(told["changes"][2]["new"]["metadata"], json!({ "reviewed": true }), "{told}");
    assert_eq!(told["changes"][3]["new"]["manifest_sha256"], json!(old), "{told}");
    assert!(told.get("next_after").is_none(), "{told}");
    let mut page = both.clone();
    (page["limit"], page["after"]) = (json!(2), json!("a"));
    let told = shelf.call("substrate.manifest.diff", page).await;
    assert_eq!((told["changes"].as_array().map(Vec::len), &told["next_after"]), (Some(2), &json!("c")));

    let mut whole = both;
    whole["to_ref"] = json!(true);
    let keeper = shelf.site.token("--role agent --principal keeper-bot --agent keeper");
    let client = shelf.site.agent_with(&keeper);
    let told = call(&client, "substrate.manifest.diff", whole).await;
    assert_eq!(data(&told)["change_count"], 4, "{told}");
    let read = call(&client, "read_ref", json!({ "ref_id": data(&told)["ref_id"] })).await;
    let lines = text(&read["content"][0]["text"]).lines();
    let lines: Vec<Value> = lines.map(|line| serde_json::from_str(line).expect("NDJSON")).collect();
    assert_eq!((lines.len(), &lines[0]["path"], &lines[3]["change"]), (4, &json!("a"), &json!("added")));
}

async fn entries_are_read_in_pages_and_by_prefix(backing: Backing) {
    let shelf = Shelf::open(backing);
    let same = shelf.artifact("the same").await;
    let entry = |number: usize| {
        json!({ "path": format!("{}/file-{number:03}.txt", number % 3), "artifact_sha256": same,
            "metadata": { "words": "x".repeat(300) } })
    };
    let entries: Vec<Value> = (0..300).map(entry).collect();
    let made = digest(&shelf.call("substrate.manifest.create", json!({ "entries": entries })).await);
    let (mut paths, mut after, mut pages) = (Vec::new(), Value::Null, 0);
    loop {
        let mut arguments = json!({ "sha256": made, "limit": 1_000, "prefix": "1/" });
        if !after.is_null() {
            arguments["after"] = after.clone();
        }
        let page = shelf.call("substrate.manifest.checkout", arguments).await;
        assert!(page.to_string().len() < 32 << 10, "a page stays an answer");
        let listed = page["entries"].as_array().expect("a list").iter();
        paths.extend(listed.map(|entry| text(&entry["path"]).to_owned()));
        pages += 1;
        match page.get("next_after") {
            Some(next) => after = next.clone(),
            None => break,
        }
    }
    let expected: Vec<String> =
        (0..300).filter(|number| number % 3 == 1).map(|number| format!("1/file-{number:03}.txt")).collect();
    assert_eq!(paths, expected);
    assert!(pages > 1, "long metadata make more pages");
}

#[tokio::test]
async fn whatever_is_wrong_with_entries_is_refused_and_nothing_is_kept() {
    let shelf = Shelf::open(Backing::Sqlite);
    let one = shelf.artifact("one").await;
    let base = shelf.manifest(&[("a.txt", "one")], "base").await;
    let before = shelf.site.told("manifest.created").await.len();
    let nowhere = format!("sha256:{}", "0".repeat(64));
    let entry = |path: &str| json!({ "path": path, "artifact_sha256": one });
    let with = |entries: Value| json!({ "entries": entries });
    for (arguments, status, code) in [
        (with(json!([{ "path": "a", "artifact_sha256": nowhere }])), 404, "unknown_artifact"),
        (with(json!([{ "path": "a", "manifest_sha256": nowhere }])), 404, "unknown_manifest"),
        (with(json!([{ "path": "a" }])), 422, "invalid_arguments"),
        (with(json!([{ "path": "a", "artifact_sha256": "xyz" }])), 422, "invalid_arguments"),
        (
            with(json!([{ "path": "a", "artifact_sha256": one, "manifest_sha256": base }])),
            422,
            "invalid_arguments",
        ),
        (json!({ "entries": [entry("a")], "parent_sha256": nowhere }), 404, "unknown_manifest"),
        (json!({ "base_sha256": nowhere }), 404, "unknown_manifest"),
        (json!({ "base_sha256": base, "remove": ["b.txt"] }), 422, "unknown_path"),
        (json!({ "remove": ["a.txt"] }), 422, "invalid_arguments"),
        (json!({ "base_sha256": base, "parents": [base, base] }), 422, "invalid_arguments"),
        (with(json!([entry("a"), entry("a")])), 422, "duplicate_path"),
        (
            json!({ "base_sha256": base, "entries": [entry("a.txt")], "remove": ["a.txt"] }),
            422,
            "duplicate_path",
        ),
        (with(json!([entry("a"), entry("a/b")])), 422, "file_and_folder"),
        (json!({ "base_sha256": base, "entries": [entry("a.txt/b")] }), 422, "file_and_folder"),
        (with(json!([entry("../a")])), 422, "bad_path"),
        (with(json!([entry("/a")])), 422, "bad_path"),
        (with(json!([entry("a//b")])), 422, "bad_path"),
        (with(json!([entry("a\u{7}")])), 422, "bad_path"),
        (with(json!([entry("Gro\u{308}ße")])), 422, "bad_path"),
        (json!({ "entries": [], "message": "x".repeat(9 << 10) }), 413, "metadata_too_large"),
        (json!({ "entries": [], "metadata": { "x": "x".repeat(65 << 10) } }), 413, "metadata_too_large"),
    ] {
        let said = shelf.refused("substrate.manifest.create", arguments.clone()).await;
        assert_eq!((said.0, said.1.as_str()), (status, code), "{arguments}: {said:?}");
    }
    let large = json!({ "path": "a", "artifact_sha256": one, "metadata": { "x": "x".repeat(5_000) } });
    let said = shelf.refused("substrate.manifest.create", with(json!([large]))).await;
    assert_eq!((said.0, said.1.as_str()), (413, "metadata_too_large"), "{said:?}");
    assert!(said.2.contains("4096"), "it names the limit: {said:?}");
    let many: Vec<Value> = (0..10_001).map(|number| entry(&format!("f/{number}"))).collect();
    let said = shelf.refused("substrate.manifest.create", with(json!(many))).await;
    assert_eq!((said.0, said.1.as_str()), (413, "too_many_entries"), "{said:?}");
    assert_eq!(shelf.site.told("manifest.created").await.len(), before, "nothing of it was kept");
}

#[tokio::test]
async fn ten_megabytes_of_metadata_are_refused_and_the_gateway_goes_on() {
    // Usually the door does not let so much in.
    let shelf = Shelf::open_with(Backing::Sqlite, "[limits]\nrequest_bytes_max = \"16MiB\"\n");
    let metadata = json!({ "x": "x".repeat(10 << 20) });
    let said =
        shelf.refused("substrate.manifest.create", json!({ "entries": [], "metadata": metadata })).await;
    assert_eq!((said.0, said.1.as_str()), (413, "metadata_too_large"), "{said:?}");
    assert!(said.2.contains("65536") && said.2.len() < 200, "it names the limit: {said:?}");
    assert_eq!(shelf.site.told("manifest.created").await, Vec::<Value>::new());
    shelf.manifest(&[("a.txt", "one")], "goes on").await;
}
