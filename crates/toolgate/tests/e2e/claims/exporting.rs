//! Exports: PROV-JSON that another program reads, and a package that needs nothing but the public key.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::office::{ClaimOffice, LEASE, decision, quoting};
use crate::files::archive::text;
use crate::governed::database::Backing;
use crate::live::site::Ending;
use crate::outside::{fetched, repository};

/// A decided claim with evidence for and against it.
async fn decided(office: &ClaimOffice) -> String {
    let lease = office.artifact("lease.txt", LEASE.as_bytes()).await;
    let claim = office.claim(json!({})).await;
    office
        .done(&office.finder, "claim.link_evidence", quoting(&claim, &lease, "Interest is due then."))
        .await;
    let mut against = quoting(&claim, &lease, "Silence means consent.");
    against["relationship"] = json!("refutes");
    office.done(&office.judge, "claim.link_evidence", against).await;
    office.done(&office.judge, "claim.decide", decision(&claim, "confirmed")).await;
    claim
}

#[tokio::test]
async fn another_program_reads_a_claim_as_prov() {
    let office = ClaimOffice::open(Backing::Sqlite, "standard");
    let claim = decided(&office).await;
    let exported = office.done(&office.judge, "claim.export", json!({ "claim_id": claim })).await;
    let script = repository().join("tests/clients/python/prov_document.py");
    let mut reading = Command::new(fetched("python-prov/bin/python"))
        .arg(script)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("Python runs");
    let written = exported["document"].to_string();
    reading.stdin.take().expect("a pipe").write_all(written.as_bytes()).expect("written");
    let said = reading.wait_with_output().expect("it ends");
    assert!(said.status.success(), "{said:?}");
    let read: Value = serde_json::from_slice(&said.stdout).expect("JSON");
    assert_eq!(read["same"], true, "it writes what it read: {read:#}");
    let counted = |kind: &str| read["records"][kind].as_u64().unwrap_or_default();
    // The claim, a revision, two pieces of evidence, the document, its parsed form and the outcome.
    assert_eq!((counted("Entity"), counted("Activity"), counted("Agent")), (7, 1, 2), "{read:#}");
    assert_eq!((counted("Derivation"), counted("Usage"), counted("Association")), (4, 3, 1), "{read:#}");
}

#[tokio::test]
async fn a_package_has_everything_and_its_proofs_hold_elsewhere() {
    let office = ClaimOffice::open(Backing::Sqlite, "standard");
    let key = office.site.say(&["ledger", "key", "--new", "own.key"]).trim().to_owned();
    let config = office.site.path("toolgate.toml");
    let toml = std::fs::read_to_string(&config).expect("the configuration");
    std::fs::write(&config, format!("{toml}\n[checkpoints]\nkey_file = \"own.key\"\nfolder = \"kept\"\n"))
        .expect("written");
    let ClaimOffice { site, finder, judge } = office;
    let office = ClaimOffice { site: site.restarted(Ending::Asked), finder, judge };
    let claim = decided(&office).await;
    let package = json!({ "claim_id": claim, "format": "package" });
    assert_eq!(office.refused(&office.judge, "claim.export", package.clone()).await, "not_allowed");
    let made = office.done(office.admin(), "claim.export", package).await["package"].clone();
    assert_eq!(made["proofs"], 4, "created, twice linked, decided: {made:#}");
    assert!(made["events"].as_u64() >= Some(8), "{made:#}");
    let file = office.site.word("claim.tar");
    office.site.say(&["substrate", "export", text(&made["sha256"]), "--out", &file]);
    let folder = office.site.path("unpacked");
    std::fs::create_dir_all(&folder).expect("made");
    let unpacked = Command::new("tar").arg("-xf").arg(&file).arg("-C").arg(&folder).output();
    assert!(unpacked.is_ok_and(|done| done.status.success()), "tar reads it");
    let listed =
        office.done(office.admin(), "substrate.manifest.checkout", json!({ "sha256": made["sha256"] })).await;
    let entries = listed["entries"].as_array().expect("a list").clone();
    let find =
        |beginning: &str| entries.iter().find(|one| text(&one["path"]).starts_with(beginning)).cloned();
    let blob = |entry: &Value| {
        let hex = text(&entry["artifact_sha256"]).replacen("sha256:", "", 1);
        std::fs::read(folder.join("blobs/sha256").join(hex)).expect("the blob is in the archive")
    };
    for part in ["claim.json", "prov.json", "ledger.jsonl", "artifacts/", "docir/", "proofs/"] {
        let entry = find(part).unwrap_or_else(|| panic!("{part}: {listed:#}"));
        assert!(!blob(&entry).is_empty(), "{part}");
    }
    assert_eq!(blob(&find("artifacts/").expect("a document")), LEASE.as_bytes());
    let ledger = String::from_utf8(blob(&find("ledger.jsonl").expect("events"))).expect("text");
    assert!(ledger.contains("claim.decided") && ledger.lines().count() >= 8, "{ledger}");
    let proof = office.site.word("call.proof");
    std::fs::write(&proof, blob(&find("proofs/").expect("a proof"))).expect("written");
    let told = office.site.say(&["ledger", "check", &proof, "--key", &key]);
    assert!(told.contains("proved"), "{told}");
}
