//! A video by its id: the gateway signs an address, the server fetches it, and the result comes by ref.

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;

use super::house::{kept, open};
use crate::doors::WAIT;
use crate::files::archive::{structure, text};
use crate::kit::call;
use crate::runs::work::Work;

/// The server may fetch from this machine, where the gateway's storage is.
pub(super) const NEAR: &str = "[capability_servers.servers.video-subtitle-mcp]\nnetwork = true\n\
    env = { VIDEO_SUBTITLE_PRIVATE_HOSTS = \"127.0.0.1\" }\n";
const CREATE: &str = "video-subtitle-mcp__create_job";

fn ebml(id: &[u8], content: &[u8]) -> Vec<u8> {
    [id, &(content.len() as u64 | 1 << 56).to_be_bytes(), content].concat()
}

/// A Matroska file with one text track and one line.
pub(super) fn video(line: &str) -> Vec<u8> {
    let head = ebml(&[0x1a, 0x45, 0xdf, 0xa3], &ebml(&[0x42, 0x82], b"matroska"));
    let entry = [ebml(&[0xd7], &[1]), ebml(&[0x83], &[0x11]), ebml(&[0x86], b"S_TEXT/UTF8")].concat();
    let tracks = ebml(&[0x16, 0x54, 0xae, 0x6b], &ebml(&[0xae], &entry));
    let block = [&[0x81, 0x03, 0xe8, 0][..], line.as_bytes()].concat();
    let group = ebml(&[0xa0], &[ebml(&[0xa1], &block), ebml(&[0x9b], &[0x01, 0xf4])].concat());
    let cluster = ebml(&[0x1f, 0x43, 0xb6, 0x75], &[ebml(&[0xe7], &[0]), group].concat());
    [head, ebml(&[0x18, 0x53, 0x80, 0x67], &[tracks, cluster].concat())].concat()
}

#[tokio::test]
async fn a_job_reads_the_subtitles_of_a_file_and_the_model_sees_neither_bytes_nor_address() {
    let archive = open(NEAR, &["video-subtitle-mcp"]).await;
    let file = archive.file("film.mkv", &video("Guten Morgen")).await;
    let work = Work::start(&archive, json!({})).await;
    let created = call(&work.client, CREATE, json!({ "file_id": file })).await;
    assert!(!created.to_string().contains("signature"), "{created}");
    let job = structure(&created)["job_id"].clone();
    let ended = until_async(WAIT, || async {
        let asked = call(&work.client, "video-subtitle-mcp__get_job", json!({ "job_id": job })).await;
        let state = structure(&asked)["state"].clone();
        (state != "queued" && state != "running").then_some(asked)
    });
    let done = ended.await.expect("the job ends");
    let result: &Value = &structure(&done)["result"];
    assert_eq!((&result["source"], &result["cues"]), (&json!("track"), &json!(1)), "{done}");
    let srt = kept(&archive, &work.client, &result["files"][0]["ref_id"], "film.srt").await;
    assert_eq!(String::from_utf8_lossy(&srt), "1\n00:00:01,000 --> 00:00:01,500\nGuten Morgen\n\n");
    archive.verify();
}

#[tokio::test]
async fn a_video_in_a_private_network_is_not_fetched_unless_the_operator_says_so() {
    let far = "[capability_servers.servers.video-subtitle-mcp]\nnetwork = true\n";
    let archive = open(far, &["video-subtitle-mcp"]).await;
    let file = archive.file("film.mkv", &video("x")).await;
    let client = archive.site.agent();
    let created = call(&client, CREATE, json!({ "file_id": file })).await;
    let job = structure(&created)["job_id"].clone();
    let failed = until_async(WAIT, || async {
        let asked = call(&client, "video-subtitle-mcp__get_job", json!({ "job_id": job })).await;
        (structure(&asked)["state"] == "failed").then_some(asked)
    });
    let failed = failed.await.expect("the job fails");
    assert!(text(&structure(&failed)["error"]).contains("private network"), "{failed}");
}
