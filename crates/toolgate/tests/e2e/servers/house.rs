//! A gateway with the capability servers of this build beside it.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use toolgate_testkit::gateway::HttpClient;

use crate::files::archive::{Archive, Fetched, structure, text};
use crate::governed::database::Backing;
use crate::live::site::{OPEN, Site};
use crate::toolgate;

/// A person, as her resume has it.
pub(super) const RESUME: &str = include_str!("resume.md");

/// The folder that the programs of this build are in.
pub(super) fn folder() -> &'static Path {
    let folder = toolgate().parent().expect("binaries lie in a folder");
    let one = folder.join("doc-parser-mcp");
    assert!(
        one.exists(),
        "{} is missing; build it with `cargo build -p doc-parser-mcp` and so on",
        one.display()
    );
    folder
}

/// With all of them but those that the line leaves out.
pub(super) fn toml(more: &str) -> String {
    format!("{OPEN}[capability_servers]\nfolder = {:?}\n{more}", folder())
}

pub(super) async fn open(more: &str, wanted: &[&str]) -> Archive {
    let archive = Archive { site: Site::open_as(Backing::Sqlite, &toml(more)) };
    for server in wanted {
        archive.site.server_is(server, |about| about["tools"].as_u64().is_some_and(|tools| tools > 0)).await;
    }
    archive
}

/// A PDF of this Markdown, made by the server that makes documents and stored as an artifact.
pub(super) async fn pdf_of(archive: &Archive, client: &HttpClient, markdown: &str) -> Vec<u8> {
    let made =
        crate::kit::call(client, "media-transform-mcp__generate_pdf", json!({ "markdown": markdown })).await;
    kept(archive, client, &structure(&made)["ref_id"], "made.pdf").await
}

/// The bytes that a server keeps under its own id.
pub(super) async fn kept(archive: &Archive, client: &HttpClient, id: &Value, name: &str) -> Vec<u8> {
    let stored =
        crate::kit::call(client, "store_artifact", json!({ "file_name": name, "content_ref_id": id })).await;
    let artifact = text(&crate::files::archive::data(&stored)["artifact"]).to_owned();
    let fetched: Fetched = archive.fetch(archive.agent(), &format!("/artifacts/{artifact}/content")).await;
    assert_eq!(fetched.status, 200);
    fetched.bytes
}

/// The text that an independent reader finds in a PDF.
pub(super) fn pdftotext(pdf: &[u8]) -> String {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("one.pdf");
    std::fs::write(&path, pdf).expect("the file can be written");
    let output = Command::new("pdftotext").arg(&path).arg("-").output();
    let output = output.expect("pdftotext runs; `apt-get install poppler-utils` brings it");
    assert!(output.status.success(), "{output:?}");
    String::from_utf8(output.stdout).expect("text")
}
