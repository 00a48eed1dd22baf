//! The six strategies in one run, with real servers: a resume, a note, a picture and a video, all by their ids.

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;

use super::house::{RESUME, open, pdf_of};
use super::social::PNG;
use super::videos::{NEAR, video};
use crate::doors::WAIT;
use crate::files::archive::{data, structure, text};
use crate::files::bytes::nothing_of;
use crate::files::model::{ClientEra, Model};
use crate::runs::work::Work;

/// The strategies that no server of ours asks for itself.
const MORE: &str = "[[tools]]\nname = \"text-analysis-mcp:detect_language\"\n[[tools.files]]\n\
    strategy = \"plain_text_content\"\nargument = \"file_id\"\ncontent = \"file_text\"\n\
    [[tools]]\nname = \"job-search-mcp:normalize_title\"\n[[tools.files]]\n\
    strategy = \"passthrough\"\nargument = \"title\"\n";
const SERVERS: &[&str] = &[
    "image-ocr-mcp",
    "job-search-mcp",
    "media-transform-mcp",
    "resume-profile-mcp",
    "text-analysis-mcp",
    "video-subtitle-mcp",
];
const LINE: &str = "The parliament voted on the new budget";

#[tokio::test]
async fn six_strategies_and_a_video_in_one_run() {
    let archive = open(&format!("{NEAR}{MORE}"), SERVERS).await;
    let before = Work::start(&archive, json!({})).await;
    let pdf = pdf_of(&archive, &before.client, RESUME).await;
    let film = video(LINE);
    let files = [
        ("resume.pdf", archive.file("resume.pdf", &pdf).await),
        ("note.txt", archive.file("note.txt", "Das ist ein kurzer deutscher Satz.".as_bytes()).await),
        ("grey.png", archive.file("grey.png", PNG).await),
        ("film.mkv", archive.file("film.mkv", &film).await),
    ];
    let input: Vec<Value> =
        files.iter().map(|(path, file)| json!({ "path": path, "file_id": file })).collect();
    let [resume, note, picture, recorded] = files.map(|(_, file)| file);
    let work = Work::start(&archive, json!({ "input": input })).await;
    let model = Model::open(ClientEra::Newer, &archive.site.gateway.url(&work.path), &work.token).await;

    let (parsed, _) = model.hop("resume-profile-mcp__parse_document", json!({ "file_id": resume })).await;
    assert!(structure(&parsed)["ref_id"].is_string(), "binary_base64: {parsed}");
    let (found, _) = model.hop("text-analysis-mcp__detect_language", json!({ "file_id": note })).await;
    assert_eq!(structure(&found)["language"], "de", "plain_text_content: {found}");
    let (seen, _) = model.hop("image-ocr-mcp__describe_image", json!({ "file_id": picture })).await;
    assert_eq!(structure(&seen)["width"], 8, "image_base64: {seen}");
    let (same, _) = model.hop("job-search-mcp__normalize_title", json!({ "title": note })).await;
    assert_eq!(structure(&same)["title"], json!(note), "passthrough: {same}");

    let subtitles = subtitles_of(&model, &recorded).await;
    let labels = json!({ "file_id": subtitles, "labels": ["politics", "cooking"] });
    let (labelled, _) = model.hop("text-analysis-mcp__classify_text", labels).await;
    assert!(structure(&labelled)["scores"].is_array(), "plain_text_text of what the video says: {labelled}");
    let arguments = json!({ "file_name": "film.vtt", "content_ref_id": subtitles });
    let (stored, _) = model.hop("store_artifact", arguments).await;
    let path = format!("/artifacts/{}/content", text(&data(&stored)["artifact"]));
    let fetched = archive.fetch(archive.agent(), &path).await;
    assert!(String::from_utf8_lossy(&fetched.bytes).contains(LINE), "{stored}");
    let arguments = json!({ "summary": "seen and read", "artifacts": ["film.vtt"] });
    let (completed, _) = model.hop("complete_workflow", arguments).await;
    assert_eq!(data(&completed)["state"], "completed", "{completed}");

    let heard = model.heard();
    // Neither bytes nor signed addresses.
    nothing_of(&pdf, &heard, "the model's side");
    nothing_of(PNG, &heard, "the model's side");
    archive.verify();
}

/// video_s3_presigned_url: the ref of the video's own subtitles.
async fn subtitles_of(model: &Model, file: &str) -> Value {
    let arguments = json!({ "file_id": file, "formats": ["vtt"] });
    let (created, _) = model.hop("video-subtitle-mcp__create_job", arguments).await;
    let job = structure(&created)["job_id"].clone();
    let ended = until_async(WAIT, || async {
        let (asked, _) = model.hop("video-subtitle-mcp__get_job", json!({ "job_id": job })).await;
        let state = structure(&asked)["state"].clone();
        (state != "queued" && state != "running").then_some(asked)
    });
    let done = ended.await.expect("the job ends");
    let result = &structure(&done)["result"];
    assert_eq!(result["source"], "track", "{done}");
    result["files"][0]["ref_id"].clone()
}
