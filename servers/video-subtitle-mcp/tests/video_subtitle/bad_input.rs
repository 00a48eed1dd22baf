//! Bad input: a clear error with a hint and the right code, and the next call works.

use capability_testkit::{Client, file};
use serde_json::{Value, json};

use crate::drive::start;
use crate::made::{SampleTable, mkv, mp4};

async fn refused(client: &Client, tool: &str, arguments: Value, code: &str) {
    let (found, text) = client.trouble(tool, arguments.clone()).await;
    assert_eq!(found, code, "{tool} {arguments}: {text}");
    assert!(text.contains("hint: "), "{text}");
}

#[tokio::test]
async fn each_bad_call_is_refused_and_the_server_lives() {
    let folder = tempfile::tempdir().unwrap();
    let client = start(&folder.path().join("jobs")).await;
    for (tool, arguments, code) in [
        ("convert_subtitles", json!({ "to": "vtt" }), "bad_arguments"),
        ("convert_subtitles", json!({ "text": "x", "file_data": "eA==", "to": "vtt" }), "bad_arguments"),
        ("convert_subtitles", json!({ "text": "", "to": "vtt" }), "unreadable"),
        ("convert_subtitles", json!({ "text": "only words", "to": "vtt" }), "unsupported"),
        ("convert_subtitles", json!({ "text": "WEBVTT\n", "to": "doc" }), "bad_arguments"),
        ("convert_subtitles", json!({ "text": "<tt><body>", "to": "srt" }), "unreadable"),
        ("convert_subtitles", json!({ "file_data": "!!", "to": "srt" }), "bad_arguments"),
        ("convert_subtitles", json!({ "source_ref_id": "doc_1", "to": "srt" }), "unknown_ref"),
        ("shift", json!({ "text": "WEBVTT\n" }), "bad_arguments"),
        ("shift", json!({ "text": "WEBVTT\n", "offset_ms": i64::MAX }), "bad_arguments"),
        ("shift", json!({ "text": "WEBVTT\n", "points": [[1, 1], [1, 2]] }), "bad_arguments"),
        ("shift", json!({ "text": "WEBVTT\n", "from_rate": "0", "to_rate": "25" }), "bad_arguments"),
        ("split_merge", json!({ "text": "WEBVTT\n" }), "bad_arguments"),
        ("split_merge", json!({ "text": "WEBVTT\n", "line_chars": 0 }), "bad_arguments"),
        ("check_subtitles", json!({ "text": "WEBVTT\n", "profile": "none" }), "bad_arguments"),
        ("burn_in_preview", json!({ "text": "WEBVTT\n", "width": 1_000_000 }), "bad_arguments"),
        ("burn_in_preview", json!({ "text": "WEBVTT\n", "file_data": "eHh4eA==" }), "unreadable"),
        ("get_job", json!({ "job_id": "job_../../etc" }), "unknown_ref"),
        ("cancel_job", json!({ "job_id": "" }), "unknown_ref"),
        ("create_job", json!({ "input_url": "file:///etc/passwd" }), "bad_arguments"),
        ("create_job", json!({ "input_url": "http://127.0.0.1/", "formats": ["exe"] }), "bad_arguments"),
    ] {
        refused(&client, tool, arguments, code).await;
    }
    let good = client
        .answer("convert_subtitles", json!({ "text": "WEBVTT\n\n00:01.000 --> 00:02.000\nx\n", "to": "srt" }))
        .await;
    assert_eq!(good["cues"], 1);
}

#[tokio::test]
async fn videos_that_are_empty_cut_off_or_mislabelled_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let client = start(&folder.path().join("jobs")).await;
    let video = mkv(&[(0, 500, "one")]);
    for (bytes, code) in [
        (&b""[..], "unreadable"),
        (&video[..20], "unreadable"),
        (b"\0\0\0\x18ftypisom\0\0\0\0isomavc1", "unreadable"),
        (b"\x89PNG\r\n\x1a\n not a video", "unsupported"),
    ] {
        let label = json!({ "file_type": "video/mp4" });
        refused(&client, "extract_subtitles", file(bytes, label), code).await;
    }
    refused(&client, "extract_subtitles", file(&video, json!({ "track": 9 })), "bad_arguments").await;
}

#[tokio::test]
async fn a_track_table_that_lies_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let client = start(&folder.path().join("jobs")).await;
    let true_one = mp4("Guten Tag", None);
    let read = client.answer("extract_subtitles", file(&true_one, json!({}))).await;
    assert!(read["subtitles"]["text"].as_str().unwrap().contains("Guten Tag"), "{read}");
    for (count, bytes, offset, code) in [
        (u32::MAX, u32::MAX, 0, "too_large"),
        (u32::MAX, 1, 24, "too_large"),
        (1, 11, u32::MAX, "unreadable"),
        (1, u32::MAX, 100, "unreadable"),
    ] {
        let lying = mp4("Guten Tag", Some(SampleTable { count, bytes, offset }));
        refused(&client, "extract_subtitles", file(&lying, json!({})), code).await;
    }
    let whole = client.answer("extract_subtitles", file(&true_one, json!({}))).await;
    assert_eq!(whole["subtitles"], read["subtitles"], "the server lives");
}

#[tokio::test]
async fn an_mp4_that_is_cut_off_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let client = start(&folder.path().join("jobs")).await;
    let video = mp4("Guten Tag", None);
    // Behind its first box, within the index, behind it, and within the text.
    for length in [9, 40, video.len() / 2, video.len() - 30, video.len() - 15, video.len() - 2] {
        let label = json!({ "file_type": "video/mp4" });
        refused(&client, "extract_subtitles", file(&video[..length], label), "unreadable").await;
    }
}

#[tokio::test]
async fn without_models_speech_says_how_to_switch_it_on() {
    let folder = tempfile::tempdir().unwrap();
    let client = start(&folder.path().join("jobs")).await;
    for (tool, arguments) in [
        ("generate_transcript", json!({ "file_data": "eA==" })),
        ("align_text", json!({ "file_data": "eA==", "text": "x" })),
        ("create_job", json!({ "input_url": "http://127.0.0.1/", "mode": "transcribe" })),
    ] {
        let (code, text) = client.trouble(tool, arguments).await;
        assert!(code == "unavailable" && text.contains("script/speech-model"), "{tool}: {code} {text}");
    }
}
