//! `toolgate files`, against the gateway that runs on the data folder.

use serde_json::Value;

use super::archive::{Archive, text};
use super::bytes::{digest, pdf};

fn json(said: &str) -> Value {
    serde_json::from_str(said).unwrap_or_else(|error| panic!("{error}: {said}"))
}

#[tokio::test]
async fn a_file_goes_in_is_listed_comes_out_and_is_deleted() {
    let archive = Archive::open("").await;
    let folder = tempfile::tempdir().expect("a folder");
    let (path, back) = (folder.path().join("cv.pdf"), folder.path().join("back.pdf"));
    let bytes = pdf(7, 3 << 20);
    std::fs::write(&path, &bytes).expect("written");
    let stored = json(&archive.site.say(&["--json", "files", "put", path.to_str().expect("a path")]));
    assert_eq!((&stored["name"], &stored["media_type"]), (&"cv.pdf".into(), &"application/pdf".into()));
    assert_eq!(stored["digest"], digest(&bytes));
    let id = text(&stored["id"]);
    assert!(archive.site.say(&["files", "list"]).contains(id));
    assert!(archive.site.say(&["files", "show", id]).contains("application/pdf"));
    archive.site.say(&["files", "get", id, "--output", back.to_str().expect("a path")]);
    assert_eq!(std::fs::read(&back).expect("it is there"), bytes);
    archive.site.say(&["files", "delete", id]);
    assert!(!archive.site.say(&["files", "list"]).contains(id));
}

#[tokio::test]
async fn what_is_wrong_is_said_with_a_hint() {
    let archive = Archive::open("").await;
    for arguments in [
        &["files", "get", "file_none"][..],
        &["files", "put", "/nowhere/at/all"],
        &["files", "delete", "file_none"],
    ] {
        let said = archive.site.refuse(arguments);
        assert!(said.contains("error: ") && said.contains("hint: "), "{arguments:?}: {said}");
    }
}

#[tokio::test]
async fn the_doctor_tries_the_storage() {
    let archive = Archive::open("").await;
    assert!(archive.site.say(&["doctor"]).contains("ok    files: are kept in"));
    let away = "[files]\nurl = \"s3://b\"\nendpoint = \"http://127.0.0.1:9\"\nallow_http = true\nretries_max = 0\n\
                access_key_id = \"a\"\nsecret_access_key = \"b\"\n";
    archive.site.write("away.toml", away);
    let output = archive.site.gateway.cli(&["doctor", "--config", &archive.site.word("away.toml")]);
    let said = String::from_utf8(output.stdout).expect("text");
    assert!(!output.status.success() && said.contains("WRONG files: s3://b/"), "{said}");
}
