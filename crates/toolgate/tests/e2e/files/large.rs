//! Large files are streamed through the gateway: its memory stays flat.

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::io::AsyncWriteExt;

use super::archive::{Archive, Storage, structure, text};
use super::bytes::noise;
use crate::doors::{Wire, memory_peak_kib};
use crate::kit::{Remote, call, remote};
use crate::live::site::OPEN;

const MIB: usize = 1 << 20;
const LARGE: usize = 256 * MIB;
/// The maximum memory for it on the way, in KiB: much less than the file.
const MEMORY_KIB_MAX: u64 = 64 << 10;

fn hex(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Sends a file of this size in pieces; returns the gateway's answer and the digest.
async fn send(archive: &Archive, bytes: usize) -> (Value, String) {
    let block = noise(9, MIB);
    let mut wire = Wire::open(&archive.site.gateway).await;
    let head = format!(
        "POST /files?name=large.bin HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer {}\r\ncontent-length: {bytes}\r\n\r\n",
        archive.agent()
    );
    wire.send(&head).await;
    let mut hasher = Sha256::new();
    for _ in 0..bytes / MIB {
        hasher.update(&block);
        wire.0.write_all(&block).await.expect("the gateway reads");
    }
    let (status, body) = tokio::time::timeout(crate::doors::WAIT * 3, wire.answer()).await.expect("in time");
    assert_eq!(status, 201, "{body}");
    (serde_json::from_str(&body).expect("JSON"), hex(&hasher.finalize()))
}

async fn fetch(archive: &Archive, id: &str) -> String {
    let request = archive.site.request(archive.agent(), "GET", &format!("/files/{id}/content"), None);
    let mut response = request.send().await.expect("an answer");
    let mut hasher = Sha256::new();
    while let Some(chunk) = response.chunk().await.expect("it can be read") {
        hasher.update(&chunk);
    }
    hex(&hasher.finalize())
}

#[tokio::test]
async fn hundreds_of_megabytes_go_in_and_out_with_flat_memory() {
    for storage in [Storage::Folder, Storage::S3] {
        let archive = Archive::open(&storage.toml("")).await;
        // One-time allocations are done.
        let small = send(&archive, 8 * MIB).await;
        fetch(&archive, text(&small.0["id"])).await;
        let pid = archive.site.gateway.pid();
        let before = memory_peak_kib(pid);
        let (file, digest) = send(&archive, LARGE).await;
        assert_eq!(text(&file["digest"]), format!("sha256:{digest}"), "{storage:?}");
        assert_eq!(fetch(&archive, text(&file["id"])).await, digest, "{storage:?}");
        let grown = memory_peak_kib(pid).saturating_sub(before);
        assert!(grown < MEMORY_KIB_MAX, "{storage:?}: {grown} KiB more");
    }
}

#[tokio::test]
async fn a_large_file_goes_to_a_server_as_base64_without_being_held() {
    let server = Remote::start("conformance-server", &["--tools", "documents"]);
    let sink = "[[tools]]\nname = \"far:sink\"\n[[tools.files]]\nstrategy = \"binary_base64\"\nmedia_type = \"kind\"\n";
    let toml = format!("{OPEN}{sink}{}", remote("far", &server.url));
    let archive = Archive::open_as(crate::governed::database::Backing::Sqlite, &toml, &["docs"]).await;
    archive.ready(&["far"]).await;
    let (small, _) = send(&archive, 4 * MIB).await;
    structure(&call(&archive.site.agent(), "far__sink", json!({ "file_id": small["id"] })).await);
    let (file, _) = send(&archive, 64 * MIB).await;
    let pid = archive.site.gateway.pid();
    let before = memory_peak_kib(pid);
    let result = call(&archive.site.agent(), "far__sink", json!({ "file_id": file["id"] })).await;
    assert_eq!(structure(&result)["characters"], (64 * MIB).div_ceil(3) * 4, "{result}");
    let grown = memory_peak_kib(pid).saturating_sub(before);
    assert!(grown < 32 << 10, "{grown} KiB more");
}
