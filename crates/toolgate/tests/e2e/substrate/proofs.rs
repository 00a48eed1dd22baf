//! `substrate.manifest.prove`, and `toolgate substrate check` where there is no gateway.

use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};

use super::shelf::Shelf;
use crate::files::archive::{Fetched, text};
use crate::governed::bank::stderr;
use crate::governed::database::Backing;
use crate::toolgate;

/// The program on another machine: no configuration, no data.
fn elsewhere(folder: &Path, words: &[&str]) -> Output {
    let mut command = Command::new(toolgate());
    command.args(words).current_dir(folder).env_clear();
    command.output().expect("the binary starts")
}

#[tokio::test]
async fn a_path_is_proved_to_someone_without_a_gateway() {
    let shelf = Shelf::open(Backing::Sqlite);
    let folder = tempfile::tempdir().expect("a folder");
    let sha256 = shelf.manifest(&[("docs/a.md", "one"), ("docs/b.md", "two")], "proved").await;
    for (path, is_there) in [("docs/a.md", true), ("docs/c.md", false)] {
        let told = shelf.call("substrate.manifest.prove", json!({ "sha256": sha256, "path": path })).await;
        assert_eq!(told["present"], is_there, "{told}");
        let fetched = Fetched::of(shelf.site.agent().http.get(text(&told["url"]))).await;
        assert_eq!(fetched.status, 200, "{told}");
        std::fs::write(folder.path().join("path.proof"), &fetched.bytes).expect("written");
        let words = ["--json", "substrate", "check", "path.proof", "--manifest", &sha256];
        let checked = elsewhere(folder.path(), &words);
        assert!(checked.status.success(), "{}", stderr(&checked));
        let checked: Value = serde_json::from_slice(&checked.stdout).expect("JSON");
        assert_eq!(
            (&checked["present"], &checked["manifest"]),
            (&json!(is_there), &json!(sha256)),
            "{checked}"
        );
        assert_eq!(checked["message"], "proved", "{checked}");
    }
    let plain = elsewhere(folder.path(), &["substrate", "check", "path.proof"]);
    let said = String::from_utf8_lossy(&plain.stdout).into_owned();
    assert!(plain.status.success() && said.contains("docs/c.md is not in the manifest"), "{said}");

    // Another path, another manifest, or no proof at all.
    let proof = std::fs::read_to_string(folder.path().join("path.proof")).expect("read");
    std::fs::write(folder.path().join("bad.proof"), proof.replace("docs/c.md", "docs/../c.md"))
        .expect("written");
    let other = format!("sha256:{}", "0".repeat(64));
    for words in [
        &["substrate", "check", "bad.proof"][..],
        &["substrate", "check", "path.proof", "--manifest", &other],
        &["substrate", "check", "nothing.proof"],
    ] {
        let refused = elsewhere(folder.path(), words);
        assert!(!refused.status.success(), "{words:?}");
        assert!(!stderr(&refused).is_empty(), "{words:?}");
    }
}

#[tokio::test]
async fn a_path_of_an_unknown_manifest_is_not_proved() {
    let shelf = Shelf::open(Backing::Sqlite);
    let sha256 = format!("sha256:{}", "0".repeat(64));
    let said = shelf.refused("substrate.manifest.prove", json!({ "sha256": sha256, "path": "a" })).await;
    assert_eq!((said.0, said.1.as_str()), (404, "unknown_manifest"), "{said:?}");
}
