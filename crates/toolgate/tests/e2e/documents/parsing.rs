//! `document.parse`: one document, by any of its names, once.

use std::process::Command;

use serde_json::{Value, json};
use toolgate_testkit::gateway::HttpClient;

use super::office;
use crate::files::archive::{Archive, Fetched, Storage, data, taken_out, text};
use crate::files::bytes::digest;
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::index::library::{LEASE, engine_program};
use crate::kit::call;
use crate::knowledge::lease_pdf;
use crate::outside::{fetched, repository};

const RENTS: &str = "<!doctype html><title>Rents</title><h1>Rents</h1><p>By month and by house.</p><table><tr><th>Month<th>Rent\
    <tr><td rowspan=2>May<td>1000<tr><td>1100</table><ul><li>in euros<li>without heating</ul>";

on_both!(a_document_is_parsed_once_whatever_names_it);

/// The document that a call says was parsed.
async fn parsed(client: &HttpClient, arguments: Value) -> Value {
    let said = call(client, "document.parse", arguments).await;
    assert_eq!(data(&said)["state"], "done", "{said:#}");
    data(&said)["document"].clone()
}

/// The DocIR of a document.
async fn docir(client: &HttpClient, document: &Value) -> Value {
    let url = call(client, "substrate.artifact.url", json!({ "sha256": document["docir"] })).await;
    let fetched = Fetched::of(client.http.get(text(&data(&url)["url"]))).await;
    assert_eq!(fetched.status, 200);
    fetched.json()
}

async fn a_document_is_parsed_once_whatever_names_it(backing: Backing) {
    engine_program();
    let storage = match backing {
        Backing::Sqlite => Storage::Folder,
        Backing::Postgres(_) | Backing::Shared(..) => Storage::S3,
    };
    let archive = Archive::open_on(backing, &storage.toml("")).await;
    let client = archive.site.agent();
    let file = archive.file("lease.md", LEASE.as_bytes()).await;
    let first = parsed(&client, json!({ "file_id": file })).await;
    assert_eq!(
        (&first["cached"], &first["media_type"]),
        (&json!(false), &json!("text/markdown")),
        "{first:#}"
    );
    assert_eq!(first["artifact"], digest(LEASE.as_bytes()), "{first:#}");
    assert!(first["items"].as_u64() >= Some(3), "{first:#}");
    let stored = call(&client, "substrate.artifact.upload", json!({ "file_id": file })).await;
    for again in [json!({ "file_id": file }), json!({ "artifact": data(&stored)["sha256"] })] {
        let again = parsed(&client, again).await;
        assert_eq!((&again["cached"], &again["docir"]), (&json!(true), &first["docir"]), "{again:#}");
    }
    let fast = parsed(&client, json!({ "file_id": file, "tier": "fast" })).await;
    assert_eq!(fast["cached"], false, "another tier is another parse: {fast:#}");

    let long = taken_out(&call(&client, "docs__big_text", json!({ "bytes": 50_000 })).await);
    for is_cached in [false, true] {
        let of_ref = parsed(&client, json!({ "ref_id": long["ref_id"] })).await;
        assert_eq!(
            (&of_ref["artifact"], &of_ref["cached"]),
            (&long["digest"], &json!(is_cached)),
            "{of_ref:#}"
        );
    }
    let written = docir(&client, &first).await;
    assert_eq!((&written["schema_name"], &written["version"]), (&json!("DoclingDocument"), &json!("1.10.0")));
    let texts = written["texts"].as_array().expect("a list");
    assert!(texts.iter().any(|item| item["text"] == "Notice period"), "{written:#}");
    archive.verify();
}

#[tokio::test]
async fn the_items_of_a_pdf_have_pages_and_boxes() {
    engine_program();
    let archive = Archive::open("").await;
    let client = archive.site.agent();
    let file =
        archive.file("lease.pdf", &lease_pdf(&["The lease begins in May.", "Rent is due monthly."])).await;
    let document = parsed(&client, json!({ "file_id": file })).await;
    assert_eq!(
        (&document["pages"], &document["media_type"]),
        (&json!(1), &json!("application/pdf")),
        "{document:#}"
    );
    let written = docir(&client, &document).await;
    let texts = written["texts"].as_array().expect("a list");
    assert!(!texts.is_empty(), "{written:#}");
    for item in texts {
        let place = &item["prov"][0];
        assert_eq!(place["page_no"], 1, "{item:#}");
        assert!(place["bbox"]["l"].as_f64().is_some_and(|left| (0.0..595.0).contains(&left)), "{item:#}");
        let span = place["charspan"].as_array().expect("from and to");
        assert!(span[0].as_u64() < span[1].as_u64(), "{item:#}");
    }
}

#[tokio::test]
async fn what_belongs_to_others_is_not_parsed() {
    engine_program();
    let archive = Archive::open("").await;
    let file = archive.file("lease.md", LEASE.as_bytes()).await;
    let stranger = archive.site.token("--role agent --principal mallory");
    let client = archive.site.agent_with(&stranger);
    for tool in ["document.parse", "document.extract_tables"] {
        let theirs = call(&client, tool, json!({ "file_id": file })).await;
        assert_eq!(theirs["structuredContent"]["error"]["code"], "unknown_file", "{tool}: {theirs:#}");
    }
    parsed(&archive.site.agent(), json!({ "file_id": file })).await;
    let theirs = call(&client, "document.parse", json!({ "artifact": digest(LEASE.as_bytes()) })).await;
    assert_eq!(theirs["structuredContent"]["error"]["code"], "unknown_artifact", "{theirs:#}");
}

#[tokio::test]
async fn docling_reads_what_is_written_and_writes_it_back_unchanged() {
    engine_program();
    let archive = Archive::open("").await;
    let client = archive.site.agent();
    let lines = ["The lease begins in May.", "The notice period of the lease is thirty days."];
    let documents = [
        ("lease.md", LEASE.as_bytes().to_vec()),
        ("lease.pdf", lease_pdf(&lines)),
        ("rents.html", RENTS.as_bytes().to_vec()),
        ("rents.csv", b"Month,Rent\nMay,1000\nJune,1200\n".to_vec()),
        ("lease.docx", office::docx()),
        ("lease.pptx", office::pptx()),
        ("rents.xlsx", office::xlsx()),
    ];
    let folder = tempfile::tempdir().expect("a folder");
    let mut reading = Command::new(fetched("python-docling/bin/python"));
    reading.arg(repository().join("libraries/docir/tests/docling/round_trip.py"));
    for (name, bytes) in documents {
        let file = archive.file(name, &bytes).await;
        let document = parsed(&client, json!({ "file_id": file })).await;
        assert!(document["items"].as_u64() > Some(0), "{name}: {document:#}");
        let path = folder.path().join(name);
        std::fs::write(&path, docir(&client, &document).await.to_string()).expect("it can be written");
        reading.arg(path);
    }
    let read = reading.output().expect("Python runs");
    assert!(read.status.success(), "{read:?}");
}
