//! The whole way of a document: uploaded, parsed, tailored, stored by ref, and the run ended. Everything that the client of
//! the model sent and received is on tape.

use serde_json::{Value, json};

use super::archive::{Archive, Fetched, Storage, data, structure, text};
use super::bytes::{digest, nothing_of, pdf};
use super::model::{ClientEra, Model};
use crate::governed::database::Backing;
use crate::runs::work::Work;

const PDF_BYTES: usize = 200 << 10;
const CONTEXT_BYTES_MAX: usize = 1_024;

macro_rules! chains {
    ($($name:ident: $storage:expr, $era:expr;)+) => {
        $(
            #[tokio::test]
            async fn $name() {
                chain($storage, $era, Backing::Sqlite).await;
            }
        )+
    };
}

chains! {
    a_newer_client_tailors_a_document_without_a_byte_of_it_in_a_folder: Storage::Folder, ClientEra::Newer;
    an_older_client_tailors_a_document_without_a_byte_of_it_in_a_folder: Storage::Folder, ClientEra::Older;
    a_newer_client_tailors_a_document_without_a_byte_of_it_on_s3: Storage::S3, ClientEra::Newer;
    an_older_client_tailors_a_document_without_a_byte_of_it_on_s3: Storage::S3, ClientEra::Older;
}

#[tokio::test]
async fn the_chain_is_the_same_on_postgres_and_s3_together() {
    chain(Storage::S3, ClientEra::Newer, Backing::postgres()).await;
}

async fn chain(storage: Storage, era: ClientEra, backing: Backing) {
    let archive = Archive::open_on(backing, &storage.toml("")).await;
    let resume = pdf(7, PDF_BYTES);
    let file = archive.file("resume.pdf", &resume).await;
    let work = Work::start(&archive, json!({ "input": [{ "path": "resume.pdf", "file_id": file }] })).await;
    let model = Model::open(era, &archive.site.gateway.url(&work.path), &work.token).await;
    // The model lists the tools, as clients do.
    model.ask("tools/list", json!({})).await;
    let (parsed, first) = model.hop("docs__parse_document", json!({ "file_id": file })).await;
    let parsed = structure(&parsed).clone();
    assert_eq!((&parsed["sha256"], &parsed["bytes"]), (&json!(&digest(&resume)[7..]), &json!(PDF_BYTES)));
    let arguments = json!({ "source_ref_id": parsed["ref_id"], "target_role": "SWE" });
    let (tailored, second) = model.hop("docs__tailor_resume", arguments).await;
    let tailored = structure(&tailored).clone();
    let arguments = json!({ "file_name": "Resume_SWE.pdf", "content_ref_id": tailored["ref_id"] });
    let (stored, third) = model.hop("store_artifact", arguments).await;
    assert!(first + second + third < CONTEXT_BYTES_MAX, "{first} + {second} + {third} bytes");
    let arguments = json!({ "summary": "tailored", "artifacts": ["Resume_SWE.pdf"] });
    let (completed, _) = model.hop("complete_workflow", arguments).await;
    assert_eq!(data(&completed)["state"], "completed", "{completed}");

    // The stored content is the server's, byte for byte.
    let made = [&b"%PDF-1.7\n"[..], b"SWE", &resume].concat();
    let artifact = text(&data(&stored)["artifact"]).to_owned();
    assert_eq!(artifact, digest(&made));
    let fetched = archive.fetch(archive.agent(), &format!("/artifacts/{artifact}/content")).await;
    assert_eq!((fetched.status, fetched.bytes == made), (200, true));
    let path = format!("/artifacts/{artifact}/link");
    let link = archive.site.rest(archive.agent(), "POST", &path, Some(json!({}))).await;
    let url = text(&link.json()["url"]).to_owned();
    let downloaded = Fetched::of(archive.site.agent().http.get(url)).await;
    assert_eq!((downloaded.status, downloaded.bytes == made), (200, true));

    let heard = model.heard();
    nothing_of(&resume, &heard, "what the client saw");
    nothing_of(&made, &heard, "what the client saw");
    let ledger = archive.ledger();
    nothing_of(&resume, ledger.as_bytes(), "the ledger");
    nothing_of(&made, ledger.as_bytes(), "the ledger");
    its_run_is_told(&archive, &work, &file, &artifact).await;
    archive.verify();
}

/// The ledger names the file and the artifact by id and digest.
async fn its_run_is_told(archive: &Archive, work: &Work, file: &str, artifact: &str) {
    let run = work.show(archive).await;
    assert_eq!(
        (&run["state"], &run["output"][0]["artifact"]),
        (&json!("completed"), &json!(artifact)),
        "{run}"
    );
    let events = work.told(archive).await;
    let of_kind = |kind: &str| -> Vec<&Value> { events.iter().filter(|one| one["kind"] == kind).collect() };
    for kind in ["run.created", "run.started", "run.ended"] {
        assert_eq!(of_kind(kind).len(), 1, "{kind}: {events:?}");
    }
    // Its output manifest makes them the tenant's, which is told as well.
    let stored = of_kind("artifact.stored");
    assert!(stored.iter().any(|one| one["detail"]["digest"] == artifact), "{stored:?}");
    let started = of_kind("tool.call.started");
    let named = started.iter().filter(|one| one["detail"]["files"][0]["id"] == file).count();
    assert_eq!(named, 1, "the call says which file went to the server: {started:?}");
}

#[tokio::test]
async fn a_client_with_nothing_but_mcp_sends_its_file_and_passes_its_id_on() {
    for (storage, era) in [(Storage::Folder, ClientEra::Older), (Storage::S3, ClientEra::Newer)] {
        let archive = Archive::open(&storage.toml("")).await;
        let work = Work::start(&archive, json!({})).await;
        let model = Model::open(era, &archive.site.gateway.url(&work.path), &work.token).await;
        let place = model.call("file_upload_url", json!({ "file_name": "cv.pdf" })).await;
        let place = data(&place).clone();
        assert_eq!(place["method"], "PUT", "{place}");
        let resume = pdf(8, 50_000);
        // No token: the address is enough.
        let put = archive.site.agent().http.put(text(&place["url"])).body(resume.clone());
        let put = Fetched::of(put).await;
        assert_eq!(put.status, 201, "{}", String::from_utf8_lossy(&put.bytes));
        let parsed = model.call("docs__parse_document", json!({ "file_id": put.json()["id"] })).await;
        assert_eq!(structure(&parsed)["sha256"], json!(&digest(&resume)[7..]), "{parsed}");
    }
}
