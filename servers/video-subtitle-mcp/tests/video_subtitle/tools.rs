//! The main path of each tool.

use capability_testkit::file;
use serde_json::json;

use crate::drive::{start, start_with};
use crate::made::mkv;

const SRT: &str = "1\n00:00:01,000 --> 00:00:03,000\n<i>Hello</i> there.\n\n2\n00:00:03,500 --> 00:00:05,000\nGood morning.\n\n";

#[tokio::test]
async fn every_tool_is_listed_with_its_schemas() {
    let folder = tempfile::tempdir().unwrap();
    let client = start(&folder.path().join("jobs")).await;
    let tools = client.service.list_all_tools().await.unwrap();
    let mut names: Vec<String> = tools.iter().map(|tool| tool.name.to_string()).collect();
    names.sort();
    let wanted = [
        "align_text",
        "burn_in_preview",
        "cancel_job",
        "check_subtitles",
        "convert_subtitles",
        "create_job",
        "extract_subtitles",
        "generate_transcript",
        "get_job",
        "shift",
        "split_merge",
    ];
    assert_eq!(names, wanted);
    assert!(tools.iter().all(|tool| tool.output_schema.is_some()));
    let create = tools.iter().find(|tool| tool.name == "create_job").unwrap();
    let meta = serde_json::to_value(&create.meta).unwrap();
    assert_eq!(meta["dev.toolgate/tool"]["files"][0]["strategy"], "video_s3_presigned_url", "{meta}");
}

#[tokio::test]
async fn subtitles_are_converted_and_losses_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let client = start(&folder.path().join("jobs")).await;
    let vtt = client.answer("convert_subtitles", json!({ "text": SRT, "to": "vtt" })).await;
    let text = vtt["subtitles"]["text"].as_str().unwrap();
    assert!(text.starts_with("WEBVTT\n\n00:00:01.000 --> 00:00:03.000\n<i>Hello</i> there.\n"), "{text}");
    assert_eq!((&vtt["cues"], vtt.get("lost")), (&json!(2), None));
    let sbv = client.answer("convert_subtitles", json!({ "text": text, "to": "sbv" })).await;
    assert_eq!(sbv["lost"], json!(["1 cue loses styles"]), "{sbv}");
}

#[tokio::test]
async fn times_are_moved_and_stretched() {
    let folder = tempfile::tempdir().unwrap();
    let client = start(&folder.path().join("jobs")).await;
    let moved = client.answer("shift", json!({ "text": SRT, "offset_ms": -500 })).await;
    assert!(
        moved["subtitles"]["text"].as_str().unwrap().contains("00:00:00,500 --> 00:00:02,500"),
        "{moved}"
    );
    let rated = client.answer("shift", json!({ "text": SRT, "from_rate": "25", "to_rate": "23.976" })).await;
    assert!(
        rated["subtitles"]["text"].as_str().unwrap().contains("00:00:01,043 --> 00:00:03,128"),
        "{rated}"
    );
    let points = json!({ "text": SRT, "points": [[1000, 2000], [5000, 10_000]] });
    let stretched = client.answer("shift", points).await;
    assert!(
        stretched["subtitles"]["text"].as_str().unwrap().contains("00:00:02,000 --> 00:00:06,000"),
        "{stretched}"
    );
}

#[tokio::test]
async fn documents_are_cut_and_joined() {
    let folder = tempfile::tempdir().unwrap();
    let client = start(&folder.path().join("jobs")).await;
    let cut = client.answer("split_merge", json!({ "text": SRT, "split_at_ms": [3200] })).await;
    assert_eq!(cut["parts"].as_array().unwrap().len(), 2);
    let (first, second) = (&cut["parts"][0]["subtitles"]["text"], &cut["parts"][1]["subtitles"]["text"]);
    assert!(second.as_str().unwrap().contains("00:00:00,300 --> 00:00:01,800"), "{second}");
    let joined = json!({ "text": first, "append": [{ "text": second, "start_ms": 3200 }] });
    let joined = client.answer("split_merge", joined).await;
    assert_eq!(joined["parts"][0]["subtitles"]["text"], SRT);
}

#[tokio::test]
async fn findings_name_rule_cue_and_time() {
    let folder = tempfile::tempdir().unwrap();
    let client = start(&folder.path().join("jobs")).await;
    let good = client.answer("check_subtitles", json!({ "text": SRT })).await;
    assert_eq!((&good["ok"], &good["findings"]), (&json!(true), &json!([])), "{good}");
    let bad = SRT.replace("00:00:05,000", "00:00:03,900");
    let found = client.answer("check_subtitles", json!({ "text": bad })).await;
    assert_eq!(found["counts"], json!({ "too_fast": 1, "too_short": 1 }), "{found}");
    assert_eq!(
        (&found["findings"][0]["cue"], &found["findings"][0]["at"]),
        (&json!(2), &json!("00:00:03.500"))
    );
}

#[tokio::test]
async fn tracks_of_a_video_are_listed_and_read() {
    let folder = tempfile::tempdir().unwrap();
    let client = start(&folder.path().join("jobs")).await;
    let video = mkv(&[(1000, 500, "Größe"), (2000, 500, "zwei")]);
    let read = client.answer("extract_subtitles", file(&video, json!({ "language": "de" }))).await;
    assert_eq!(
        read["tracks"],
        json!([{ "number": 2, "codec": "subrip", "is_text": true, "language": "ger" }])
    );
    assert_eq!(
        read["subtitles"]["text"],
        "1\n00:00:01,000 --> 00:00:01,500\nGröße\n\n2\n00:00:02,000 --> 00:00:02,500\nzwei\n\n"
    );
    let none = client.answer("extract_subtitles", file(&video, json!({ "language": "fr" }))).await;
    assert_eq!(none.get("subtitles"), None, "{none}");
}

#[tokio::test]
async fn a_still_shows_the_caption() {
    let folder = tempfile::tempdir().unwrap();
    let client = start(&folder.path().join("jobs")).await;
    let small = json!({ "text": SRT, "at_ms": 2000, "width": 320, "height": 180 });
    let shown = client.answer("burn_in_preview", small).await;
    assert_eq!(shown["lines"], json!(["Hello there."]));
    let with = client.bytes(shown["ref_id"].as_str().unwrap()).await;
    let pause = json!({ "text": SRT, "at_ms": 3200, "width": 320, "height": 180 });
    let empty = client.answer("burn_in_preview", pause).await;
    let without = client.bytes(empty["ref_id"].as_str().unwrap()).await;
    assert!(with.starts_with(b"\x89PNG") && without.starts_with(b"\x89PNG"));
    assert!(with.len() > without.len(), "letters take room");
}

#[tokio::test]
async fn a_long_document_comes_by_ref_and_can_be_passed_on() {
    let folder = tempfile::tempdir().unwrap();
    let client = start(&folder.path().join("jobs")).await;
    let line = "words and words and words and words";
    let cue = |at: usize| {
        format!(
            "{at}\n00:{:02}:{:02},000 --> 00:{:02}:{:02},900\n{line}\n\n",
            at / 60,
            at % 60,
            at / 60,
            at % 60
        )
    };
    let long: String = (0..1500).map(cue).collect();
    let made = client.answer("convert_subtitles", json!({ "text": long, "to": "vtt" })).await;
    let id = made["subtitles"]["ref_id"].as_str().unwrap();
    let again =
        client.answer("check_subtitles", json!({ "source_ref_id": id, "profile": "technical" })).await;
    assert_eq!((&again["ok"], &again["cues"]), (&json!(true), &json!(1500)));
}

#[tokio::test]
async fn a_frame_of_a_video_comes_from_ffmpeg() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let (program, frame) = (folder.path().join("ffmpeg"), folder.path().join("frame.png"));
    let blue = image::RgbImage::from_pixel(320, 180, image::Rgb([0, 0, 200]));
    blue.save(&frame).unwrap();
    let script = format!(
        "#!/bin/sh\nPATH=/usr/bin:/bin\necho \"$@\" > '{}'\ncase \"$*\" in *' 9.000 '*) exit 1;; esac\ncat '{}'\n",
        folder.path().join("called").display(),
        frame.display()
    );
    std::fs::write(&program, script).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    let options = ["--ffmpeg", program.to_str().unwrap()];
    let client = start_with(&folder.path().join("jobs"), &options).await;
    let video = mkv(&[(0, 500, "one")]);
    let shown = client.answer("burn_in_preview", file(&video, json!({ "text": SRT, "at_ms": 2000 }))).await;
    assert_eq!((&shown["width"], &shown["lines"]), (&json!(320), &json!(["Hello there."])), "{shown}");
    let picture = image::load_from_memory(&client.bytes(shown["ref_id"].as_str().unwrap()).await).unwrap();
    assert_eq!(picture.to_rgb8().get_pixel(2, 2).0, [0, 0, 200], "the frame is the ground");
    let called = std::fs::read_to_string(folder.path().join("called")).unwrap();
    assert!(called.contains("-protocol_whitelist file,pipe -ss 2.000 -i"), "{called}");
    let (code, text) =
        client.trouble("burn_in_preview", file(&video, json!({ "text": SRT, "at_ms": 9000 }))).await;
    assert!(code == "unreadable" && text.contains("no frame at that time"), "{text}");
    let none = start_with(&folder.path().join("other"), &["--ffmpeg", "/nowhere/ffmpeg"]).await;
    let (_, text) =
        none.trouble("burn_in_preview", file(&video, json!({ "text": SRT, "at_ms": 9000 }))).await;
    assert!(text.contains("ffmpeg"), "{text}");
}

#[tokio::test]
async fn text_from_right_to_left_survives_every_format_letter_by_letter() {
    let folder = tempfile::tempdir().unwrap();
    let client = start(&folder.path().join("jobs")).await;
    let lines = ["مرحبا، كيف حالك؟", "\u{200f}שלום (עולם) 123", "עברית and English"];
    let srt: String = lines
        .iter()
        .enumerate()
        .map(|(at, line)| format!("{}\n00:00:0{at},000 --> 00:00:0{at},900\n{line}\n\n", at + 1))
        .collect();
    for format in ["vtt", "ass", "ttml", "sbv", "srt"] {
        let there = client.answer("convert_subtitles", json!({ "text": srt, "to": format })).await;
        let back = client
            .answer("convert_subtitles", json!({ "text": there["subtitles"]["text"], "to": "srt" }))
            .await;
        assert_eq!(back["subtitles"]["text"], srt, "by way of {format}");
    }
    let split = json!({ "text": srt, "line_chars": 8, "lines": 2 });
    let split = client.answer("split_merge", split).await["parts"][0]["subtitles"]["text"].to_string();
    assert!(split.contains("كيف"), "words stay whole and in their order: {split}");
    let still = client
        .answer("burn_in_preview", json!({ "text": srt, "at_ms": 100, "width": 320, "height": 180 }))
        .await;
    assert_eq!(still["lines"], json!([lines[0]]));
    let warnings = still["warnings"].to_string();
    assert!(warnings.contains("from left to right"), "what the picture shows wrongly is said: {still}");
}
