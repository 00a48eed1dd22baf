//! Manifests that go out and in as files, with the real program; and what tools for images and RO-Crates say of them.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Output};

use serde_json::{Value, json};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use super::shelf::{Shelf, digest};
use crate::files::archive::text;
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::outside::{fetched, repository};

on_both!(a_manifest_goes_from_one_gateway_to_another);

const LARGE: usize = 700 << 10;

fn told(shelf: &Shelf, words: &[&str]) -> Value {
    let words: Vec<&str> = ["--json", "substrate"].iter().chain(words).copied().collect();
    serde_json::from_str(&shelf.site.say(&words)).expect("JSON")
}

fn export(shelf: &Shelf, what: &str, file: &str) -> (Value, String) {
    let file = shelf.site.word(file);
    (told(shelf, &["export", what, "--out", &file]), file)
}

/// A manifest with metadata, a large artifact, the same artifact twice, and another manifest in it.
async fn rich_manifest(shelf: &Shelf) -> String {
    let inner = shelf.manifest(&[("inner.txt", "inner words")], "inside").await;
    let large = shelf.artifact(&"large words ".repeat(LARGE / 12)).await;
    let small = shelf.artifact("small words").await;
    let entries = json!([
        { "path": "a/large.txt", "artifact_sha256": large },
        { "path": "a/small.txt", "artifact_sha256": small, "metadata": { "b": 1.5, "a": ["ä"] } },
        { "path": "same.txt", "artifact_sha256": small },
        { "path": "inside", "manifest_sha256": inner },
    ]);
    let arguments = json!({ "entries": entries, "message": "rich", "metadata": { "license": "CC-BY-4.0" } });
    digest(&shelf.call("substrate.manifest.create", arguments).await)
}

async fn a_manifest_goes_from_one_gateway_to_another(backing: Backing) {
    let source = Shelf::open(backing);
    let manifest = rich_manifest(&source).await;
    let (exported, file) = export(&source, &manifest, "rich.tar");
    assert_eq!((&exported["manifest"], &exported["artifacts"]), (&json!(manifest), &json!(3)), "{exported}");
    // Where it is already, nothing is sent.
    let here = told(&source, &["import", &file]);
    assert_eq!((&here["manifest"], &here["sent"]), (&json!(manifest), &json!(0)), "{here}");

    let target = Shelf::open(Backing::Sqlite);
    let imported = told(&target, &["import", &file]);
    assert_eq!((&imported["files"], &imported["sent"]), (&json!(4), &json!(3)), "{imported}");
    let listed = target.call("substrate.manifest.checkout", json!({ "sha256": imported["manifest"] })).await;
    assert_eq!((&listed["message"], &listed["metadata"]["license"]), (&json!("rich"), &json!("CC-BY-4.0")));
    assert_eq!(listed["metadata"]["imported_from"]["manifest"], manifest, "{listed}");
    assert_eq!(listed["entries"][1]["metadata"], json!({ "a": ["ä"], "b": 1.5 }), "{listed}");
    let again = told(&target, &["import", &file]);
    assert_eq!((&again["manifest"], &again["sent"]), (&imported["manifest"], &json!(0)), "{again}");
}

#[tokio::test]
async fn without_other_manifests_the_root_is_that_of_the_archive() {
    let source = Shelf::open(Backing::Sqlite);
    let manifest = source.manifest(&[("a.json", "{\"a\":1}"), ("b/c.txt", "words")], "plain").await;
    let (exported, file) = export(&source, &manifest, "plain.tar");
    let target = Shelf::open(Backing::Sqlite);
    // The same bytes are there under another name, and so perhaps with another type.
    target.call("substrate.artifact.upload", json!({ "text": "{\"a\":1}", "filename": "a.bin" })).await;
    let imported = told(&target, &["import", &file, "--message", "mine"]);
    assert_eq!((&imported["root"], &imported["sent"]), (&exported["root"], &json!(1)), "{imported}");
    let named = ["substrate", "pointer", "create", "--namespace", "project/a", "--name", "draft"];
    let named: Vec<&str> =
        named.into_iter().chain(["--manifest-sha256", text(&imported["manifest"])]).collect();
    target.site.say(&named);
    let (exported, _) = export(&target, "project/a:draft", "again.tar");
    assert_eq!(exported["manifest"], imported["manifest"]);
}

#[tokio::test]
async fn a_damaged_archive_is_refused_before_anything_is_sent() {
    let source = Shelf::open(Backing::Sqlite);
    let words = "words that will be damaged";
    let manifest = source.manifest(&[("a.txt", words)], "plain").await;
    let (_, file) = export(&source, &manifest, "plain.tar");
    let whole = fs::read(&file).expect("read");
    let target = Shelf::open(Backing::Sqlite);
    let changed = |from: &str, to: &str| {
        let mut bytes = whole.clone();
        let at = bytes.windows(from.len()).position(|window| window == from.as_bytes()).expect("it is there");
        bytes[at..at + from.len()].copy_from_slice(to.as_bytes());
        bytes
    };
    let damaged = [
        changed("will be damaged", "have been dmged"),
        changed("\"path\":\"a.txt\"", "\"path\":\"b.txt\""),
        changed("\"path\":\"a.txt\"", "\"path\":\"../xx\""),
        whole[..whole.len() / 2].to_vec(),
        b"no archive".to_vec(),
    ];
    for (number, bytes) in damaged.iter().enumerate() {
        fs::write(&file, bytes).expect("written");
        let said = target.site.refuse(&["substrate", "import", &file, "--kind", "archive"]);
        assert!(
            said.contains("error") || said.contains("could not") || said.contains("damaged"),
            "{number}: {said}"
        );
    }
    assert_eq!(target.site.told("manifest.created").await, Vec::<Value>::new());
    assert_eq!(target.site.told("artifact.stored").await, Vec::<Value>::new());
}

#[tokio::test]
async fn an_unknown_manifest_leaves_no_file() {
    let shelf = Shelf::open(Backing::Sqlite);
    let file = shelf.site.word("none.tar");
    let sha256 = format!("sha256:{}", "0".repeat(64));
    for what in [sha256.as_str(), "project/a:nothing", "word"] {
        let said = shelf.site.refuse(&["substrate", "export", what, "--out", &file]);
        assert!(!said.is_empty() && !Path::new(&file).exists(), "{what}: {said}");
    }
}

#[tokio::test]
async fn folders_zips_and_work_trees_become_the_same_manifest() {
    let shelf = Shelf::open(Backing::Sqlite);
    let folder = shelf.site.path("reports");
    let files = [("june.md", "# June"), ("2026/july.md", "# July"), ("2026/data.csv", "a,b\n1,2\n")];
    for (name, content) in files {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().expect("it lies somewhere")).expect("made");
        fs::write(path, content).expect("written");
    }
    let zipped = shelf.site.path("reports.zip");
    let mut writer = ZipWriter::new(fs::File::create(&zipped).expect("made"));
    for (name, content) in files {
        writer.start_file(name, SimpleFileOptions::default()).expect("begun");
        writer.write_all(content.as_bytes()).expect("written");
    }
    writer.finish().expect("finished");
    let of_folder = told(&shelf, &["import", &shelf.site.word("reports")]);
    assert_eq!((&of_folder["files"], &of_folder["sent"]), (&json!(3), &json!(3)), "{of_folder}");
    let of_zip = told(&shelf, &["import", &shelf.site.word("reports.zip")]);
    assert_eq!((&of_zip["root"], &of_zip["sent"]), (&of_folder["root"], &json!(0)), "{of_zip}");
    let git = |words: &[&str]| Command::new("git").arg("-C").arg(&folder).args(words).output();
    if git(&["init", "-q"]).is_ok_and(|done| done.status.success()) {
        fs::write(folder.join("untracked.md"), "not ready").expect("written");
        git(&["add", "june.md", "2026"]).expect("git runs");
        let of_tree = told(&shelf, &["import", &shelf.site.word("reports")]);
        assert_eq!((&of_tree["root"], &of_tree["files"]), (&of_folder["root"], &json!(3)), "{of_tree}");
    }
}

#[tokio::test]
async fn tools_for_images_read_and_copy_an_export() {
    let shelf = Shelf::open(Backing::Sqlite);
    let manifest = rich_manifest(&shelf).await;
    let (exported, file) = export(&shelf, &manifest, "rich.tar");
    let skopeo = |words: &[&str]| Command::new("skopeo").arg("--insecure-policy").args(words).output();
    let said = skopeo(&["inspect", &format!("oci-archive:{file}")]);
    let said = said.expect("skopeo is installed: `script/test` does it");
    let inspected: Value = success(&said);
    assert_eq!(inspected["Digest"], exported["image"], "{inspected}");
    let copy = shelf.site.word("copy.tar");
    let said = skopeo(&["copy", &format!("oci-archive:{file}"), &format!("oci-archive:{copy}:latest")]);
    let said = said.expect("skopeo runs");
    assert!(said.status.success(), "{said:?}");
    let target = Shelf::open(Backing::Sqlite);
    let imported = told(&target, &["import", &copy]);
    assert_eq!((&imported["files"], &imported["sent"]), (&json!(4), &json!(3)), "{imported}");
}

#[tokio::test]
async fn an_unpacked_export_is_an_ro_crate() {
    let shelf = Shelf::open(Backing::Sqlite);
    let manifest = rich_manifest(&shelf).await;
    let (_, file) = export(&shelf, &manifest, "rich.tar");
    let folder = shelf.site.path("crate");
    fs::create_dir_all(&folder).expect("made");
    let unpacked = Command::new("tar").arg("-xf").arg(&file).arg("-C").arg(&folder).output();
    assert!(unpacked.is_ok_and(|done| done.status.success()), "tar reads it");
    let judge = repository().join("tests/clients/python/ro_crate.py");
    let said = Command::new(fetched("python-rocrate/bin/python")).arg(judge).arg(&folder).output();
    let said = said.expect("Python runs");
    assert_eq!(String::from_utf8_lossy(&said.stdout).trim(), "conforms", "{said:?}");
}

fn success(said: &Output) -> Value {
    assert!(said.status.success(), "{said:?}");
    serde_json::from_slice(&said.stdout).expect("JSON")
}
