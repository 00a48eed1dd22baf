use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use toolgate_core::RefusalKind;
use toolgate_core::content::{Contents, SentContent};
use toolgate_core::tool::{FileSlot, FileStrategy};
use toolgate_core::{Digest, RawJson};

use super::kit::{ContentsScene, kept_answer, tool, written};
use crate::access::ContentAccess;
use crate::files::ArtifactSource;
use crate::fixture::{FilesWorld, holder, name, noise};
use crate::settings::FilesSettings;

const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x01\0\0\0\x01\x08\x06\0\0\0";
const PDF: &[u8] = b"%PDF-1.7\nsome \xff\xfe bytes";

#[tokio::test]
async fn base64_strategies_fill_content_and_media_type() {
    let scene = ContentsScene::new().await;
    let bytes = [PDF, &noise(700_000)].concat();
    let pdf = scene.upload("a.pdf", bytes.clone()).await;
    let sent = scene.sent(&tool("t", &[FileStrategy::BinaryBase64]), json!({"file_id": pdf, "n": 1})).await;
    let expected = json!({"file_data": STANDARD.encode(&bytes), "file_type": "application/pdf", "n": 1});
    assert!(sent.unwrap() == expected, "the server gets other bytes");
    let png = scene.upload("a.png", PNG).await;
    let sent = scene.sent(&tool("t", &[FileStrategy::ImageBase64]), json!({"file_id": png})).await;
    assert_eq!(sent, Ok(json!({"image_data": STANDARD.encode(PNG), "image_type": "image/png"})));
}

#[tokio::test]
async fn an_empty_file_is_empty_content() {
    let scene = ContentsScene::new().await;
    let empty = scene.upload("a.txt", "").await;
    let sent = scene.sent(&tool("t", &[FileStrategy::BinaryBase64]), json!({"file_id": empty})).await;
    assert_eq!(sent.unwrap()["file_data"], "");
    let sent = scene.sent(&tool("t", &[FileStrategy::PlainTextText]), json!({"file_id": empty})).await;
    assert_eq!(sent.unwrap()["text"], "");
}

#[tokio::test]
async fn attachments_say_what_was_named_and_nothing_is_opened_for_the_server() {
    let scene = ContentsScene::new().await;
    let file = scene.upload("a.pdf", PDF).await;
    let attached = scene.attach(&tool("t", &[FileStrategy::BinaryBase64]), &json!({"file_id": file})).await;
    let attached = attached.unwrap();
    let expected = json!([{
        "place": "/file_id", "id": file, "digest": Digest::of(PDF), "bytes": PDF.len(),
        "media_type": "application/pdf", "name": "a.pdf",
    }]);
    assert_eq!(serde_json::to_value(&attached.attachments).unwrap(), expected);
    assert!(attached.notices.is_empty());
}

#[tokio::test]
async fn what_is_too_large_is_refused_with_its_size_and_the_limit() {
    let scene = ContentsScene::with(|settings: &mut FilesSettings| {
        settings.base64_bytes_max = 100;
        settings.text_bytes_max = 50;
    })
    .await;
    let file = scene.upload("a.bin", noise(101)).await;
    let arguments = json!({"file_id": file});
    let refused = scene.attach(&tool("t", &[FileStrategy::BinaryBase64]), &arguments).await.unwrap_err();
    assert_eq!((refused.kind, refused.code.name), (RefusalKind::Invalid, "file_too_large"));
    let message = format!("{file} has 101 bytes; as `binary_base64` at most 100 can be given");
    assert_eq!((refused.message, refused.field.as_deref()), (message, Some("/file_id")));
    let text = scene.upload("a.txt", "x".repeat(51)).await;
    let refused =
        scene.attach(&tool("t", &[FileStrategy::PlainTextContent]), &json!({"file_id": text})).await;
    let message = format!("{text} has 51 bytes; as `plain_text_content` at most 50 can be given");
    assert_eq!(refused.unwrap_err().message, message);
    assert!(scene.attach(&tool("t", &[FileStrategy::BinaryBase64]), &json!({"file_id": text})).await.is_ok());
}

#[tokio::test]
async fn an_image_strategy_takes_images_only() {
    let scene = ContentsScene::new().await;
    let file = scene.upload("looks.png", PDF).await;
    let refused = scene.attach(&tool("t", &[FileStrategy::ImageBase64]), &json!({"file_id": file})).await;
    let refused = refused.unwrap_err();
    assert_eq!((refused.kind, refused.code.name), (RefusalKind::Invalid, "not_an_image"));
    assert_eq!(refused.message, format!("{file} is no image but application/pdf, as its bytes say"));
}

#[tokio::test]
async fn a_video_strategy_takes_recordings_only() {
    let scene = ContentsScene::new().await;
    for (bytes, kind) in [(PDF.to_vec(), "application/pdf"), (b"words".to_vec(), "text/plain")] {
        let file = scene.upload("looks.mp4", bytes).await;
        let taking = tool("t", &[FileStrategy::VideoS3PresignedUrl]);
        let refused = scene.attach(&taking, &json!({"file_id": file})).await.unwrap_err();
        assert_eq!((refused.kind, refused.code.name), (RefusalKind::Invalid, "not_a_video"));
        assert_eq!(refused.message, format!("{file} is no video but {kind}, as its bytes say"));
    }
}

#[tokio::test]
async fn a_short_file_that_comes_back_is_known_by_its_content() {
    let scene = ContentsScene::new().await;
    let taking = tool("t", &[FileStrategy::BinaryBase64]);
    for length in [12, 13, 100, 700] {
        let bytes = noise(length);
        let file = scene.upload("a.bin", bytes.clone()).await;
        let arguments = json!({"file_id": file});
        let attached = scene.attach(&taking, &arguments).await.unwrap();
        let secrets = scene.expand(&taking, &arguments, &attached).await.unwrap().secrets;
        let encoded = STANDARD.encode(&bytes);
        let result = RawJson::from(
            json!({"content": [{"type": "text", "text": format!("got {encoded}!")}], "structuredContent": {"data": encoded}}),
        );
        let taken = scene.world.files.take_out(&scene.holder, &taking, result, &secrets).await;
        let left: Value = taken.result.decode().unwrap();
        let mark = format!("[content of {file}]");
        assert_eq!(
            left,
            json!({"content": [{"type": "text", "text": format!("got {mark}!")}], "structuredContent": {"data": mark}})
        );
    }
}

#[tokio::test]
async fn files_of_others_missing_deleted_and_expired_ones_are_all_unknown() {
    let scene = ContentsScene::new().await;
    let taking = tool("t", &[FileStrategy::BinaryBase64]);
    let file = scene.upload("a.pdf", PDF).await;
    let arguments = json!({"file_id": file});
    let unknown = format!("there is no file {file}");
    let stranger = holder("eve", "ses_2", None);
    let refused = scene.world.files.attach(&stranger, &taking, &arguments).await.unwrap_err();
    assert_eq!(
        (refused.kind, refused.code.name, &refused.message),
        (RefusalKind::NotFound, "unknown_file", &unknown)
    );
    // The opener of a session lends its files.
    let mut guest = holder("eve", "ses_3", None);
    guest.opened_by = Some(scene.holder.principal.id.clone());
    assert!(scene.world.files.attach(&guest, &taking, &arguments).await.is_ok());
    scene.world.clock.advance(Duration::from_secs(31 * 24 * 60 * 60));
    let refused = scene.attach(&taking, &arguments).await.unwrap_err();
    assert_eq!((refused.code.name, refused.message), ("unknown_file", unknown));
    let refused = scene.attach(&taking, &json!({"file_id": "file_none"})).await.unwrap_err();
    assert_eq!(refused.code.name, "unknown_file");
}

#[tokio::test]
async fn a_file_that_went_between_decision_and_sending_is_a_conflict() {
    let scene = ContentsScene::new().await;
    let taking = tool("t", &[FileStrategy::BinaryBase64]);
    let file = scene.upload("a.pdf", PDF).await;
    let arguments = json!({"file_id": file});
    let attached = scene.attach(&taking, &arguments).await.unwrap();
    scene.world.files.delete(&ContentAccess::Session(&scene.holder), &file).await.expect("it is theirs");
    let refused = scene.expand(&taking, &arguments, &attached).await.unwrap_err();
    assert_eq!((refused.kind, refused.code.name), (RefusalKind::Conflict, "file_changed"));
    let message = format!("there is no file {file} any more; there was when the call was decided on");
    assert_eq!(refused.message, message);
}

#[tokio::test]
async fn what_is_not_what_was_decided_on_is_a_conflict() {
    let scene = ContentsScene::new().await;
    let taking = tool("t", &[FileStrategy::BinaryBase64]);
    let (one, other) = (scene.upload("a.pdf", PDF).await, scene.upload("b.txt", "b").await);
    let attached = scene.attach(&taking, &json!({"file_id": one})).await.unwrap();
    let mut changed = attached.clone();
    changed.attachments[0].digest = Digest::of("other bytes");
    let mut more = attached.clone();
    more.attachments.extend(attached.attachments.iter().map(|one| {
        let mut one = one.clone();
        one.place = "/other".to_owned();
        one
    }));
    for (arguments, attached) in [
        (json!({"file_id": one}), changed),
        (json!({"file_id": one}), Default::default()),
        (json!({"file_id": one}), more),
        (json!({"file_id": other}), attached),
    ] {
        let refused = scene.expand(&taking, &arguments, &attached).await.unwrap_err();
        assert_eq!((refused.kind, refused.code.name), (RefusalKind::Conflict, "file_changed"), "{arguments}");
    }
}

#[tokio::test]
async fn several_files_go_as_lists() {
    let scene = ContentsScene::new().await;
    let mut taking = tool("t", &[]);
    let slot = FileSlot { many: true, ..FileSlot::of(FileStrategy::BinaryBase64) };
    taking.handling.files = [slot].into();
    let (one, other) = (scene.upload("a.pdf", PDF).await, scene.upload("b.txt", "bee").await);
    let sent = scene.sent(&taking, json!({"file_id": [other, one, other]})).await.unwrap();
    let expected = json!({
        "file_data": [STANDARD.encode("bee"), STANDARD.encode(PDF), STANDARD.encode("bee")],
        "file_type": ["text/plain", "application/pdf", "text/plain"],
    });
    assert_eq!(sent, expected);
}

#[tokio::test]
async fn a_video_goes_as_an_address_that_opens_it_and_is_a_secret() {
    let scene = ContentsScene::new().await;
    let taking = tool("t", &[FileStrategy::VideoS3PresignedUrl]);
    let file = scene.upload("a.mp4", video(1000)).await;
    let arguments = json!({"file_id": file, "language": "de"});
    let attached = scene.attach(&taking, &arguments).await.unwrap();
    let expanded = scene.expand(&taking, &arguments, &attached).await.unwrap();
    let [SentContent::Address(secret)] = &*expanded.secrets.clone() else { panic!("{:?}", expanded.secrets) };
    let sent = written(expanded).await;
    assert_eq!(sent, json!({"input_url": secret, "language": "de"}));
    assert!(secret.starts_with("http://gateway.test/base/signed/files/sha256:"), "{secret}");
    // A server that repeats it reveals it to no one.
    let result = RawJson::from(json!({"content": [{"type": "text", "text": format!("got {secret}")}]}));
    let told = [SentContent::Address(secret.clone())];
    let taken = scene.world.files.take_out(&scene.holder, &taking, result, &told).await;
    let left: Value = taken.result.decode().unwrap();
    assert_eq!(left["content"][0]["text"], "got [address of a file]");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_storage_that_gives_addresses_out_gives_them_for_videos() {
    let scene = ContentsScene::of(FilesWorld::s3().await);
    let taking = tool("t", &[FileStrategy::VideoS3PresignedUrl]);
    let file = scene.upload("a.mp4", video(1000)).await;
    let sent = scene.sent(&taking, json!({"file_id": file})).await.unwrap();
    let address = sent["input_url"].as_str().unwrap();
    assert!(address.contains("X-Amz-Signature=") && !address.contains("gateway.test"), "{address}");
}

#[tokio::test]
async fn without_a_public_address_no_video_is_approved_for_nothing() {
    let scene = ContentsScene::with(|settings| settings.public_url = None).await;
    let file = scene.upload("a.mp4", video(1000)).await;
    let refused =
        scene.attach(&tool("t", &[FileStrategy::VideoS3PresignedUrl]), &json!({"file_id": file})).await;
    assert_eq!(refused.unwrap_err().code.name, "no_public_url");
}

#[tokio::test]
async fn an_artifact_is_as_good_as_a_file() {
    let scene = ContentsScene::new().await;
    let source = ArtifactSource::Text("made".to_owned());
    let artifact = scene.world.files.store_artifact(&scene.holder, name("a.txt"), source).await.unwrap();
    let sent =
        scene.sent(&tool("t", &[FileStrategy::PlainTextText]), json!({"file_id": artifact.digest})).await;
    assert_eq!(sent, Ok(json!({"text": "made"})));
    let unknown = json!({"file_id": Digest::of("nothing")});
    let refused = scene.attach(&tool("t", &[FileStrategy::PlainTextText]), &unknown).await.unwrap_err();
    assert_eq!(refused.code.name, "unknown_artifact");
}

#[tokio::test]
async fn a_tool_without_a_strategy_gets_the_id_and_the_agent_a_notice() {
    let scene = ContentsScene::new().await;
    let unmapped = tool("t", &[]);
    let file = scene.upload("a.pdf", PDF).await;
    let arguments = json!({"file_id": file});
    let attached = scene.attach(&unmapped, &arguments).await.unwrap();
    assert_eq!(attached.notices[0].code.name, "file_not_mapped");
    assert_eq!(attached.attachments[0].digest, Digest::of(PDF));
    let expanded = scene.expand(&unmapped, &arguments, &attached).await.unwrap();
    assert!(expanded.secrets.is_empty());
    assert_eq!(written(expanded).await, arguments);
}

#[tokio::test]
async fn a_server_gets_its_own_id_and_another_one_its_content() {
    let scene = ContentsScene::new().await;
    let making = tool("resume-profile-mcp", &[]);
    scene.given(&making, &kept_answer("doc_abc123")).await;
    // The same server knows it.
    let arguments = json!({"source_ref_id": "doc_abc123", "target_role": "SWE"});
    assert_eq!(scene.sent(&making, arguments.clone()).await, Ok(arguments.clone()));
    assert!(scene.others.fetched.lock().is_empty());
    // Another one gets the bytes, fetched once.
    scene.others.kept.lock().insert(
        "doc_abc123".to_owned(),
        json!({"contents": [{"uri": "x:doc_abc123", "blob": STANDARD.encode(PDF)}]}),
    );
    let other = tool("other", &[FileStrategy::BinaryBase64]);
    let expected =
        json!({"file_data": STANDARD.encode(PDF), "file_type": "application/pdf", "target_role": "SWE"});
    for _ in 0..2 {
        assert_eq!(scene.sent(&other, arguments.clone()).await, Ok(expected.clone()));
    }
    let fetched = ("resume-profile-mcp".to_owned(), "doc_abc123".to_owned(), None);
    assert_eq!(*scene.others.fetched.lock(), [fetched]);
    // So does storing it.
    let found = scene.world.files.find(&scene.holder, "doc_abc123").await.unwrap();
    assert_eq!((found.digest, found.media_type.as_str()), (Digest::of(PDF), "application/pdf"));
}

#[tokio::test]
async fn an_id_of_two_servers_is_ambiguous_until_the_server_is_said() {
    let scene = ContentsScene::new().await;
    let other = tool("third", &[FileStrategy::PlainTextText]);
    for server in ["one", "two"] {
        scene.given(&tool(server, &[]), &kept_answer("doc_1")).await;
    }
    let refused = scene.attach(&other, &json!({"file_id": "doc_1"})).await.unwrap_err();
    assert_eq!((refused.kind, refused.code.name), (RefusalKind::Invalid, "ambiguous_ref"));
    assert_eq!(refused.hint, "say whose is meant: `one:doc_1` or `two:doc_1`");
    let kept = json!({"contents": [{"uri": "a", "text": "bonjour"}]});
    scene.others.kept.lock().insert("doc_1".to_owned(), kept);
    let sent = scene.sent(&other, json!({"file_id": "two:doc_1"})).await;
    assert_eq!(sent, Ok(json!({"text": "bonjour"})));
    assert_eq!(scene.others.fetched.lock()[0].0, "two");
    // Its own server gets its own name for it.
    let sent = scene.sent(&tool("one", &[]), json!({"source_ref_id": "one:doc_1"})).await;
    assert_eq!(sent, Ok(json!({"source_ref_id": "doc_1"})));
}

#[tokio::test]
async fn what_a_server_has_forgotten_or_answers_empty_is_refused() {
    let scene = ContentsScene::new().await;
    scene.given(&tool("one", &[]), &kept_answer("doc_1")).await;
    let other = tool("two", &[FileStrategy::BinaryBase64]);
    let refused = scene.attach(&other, &json!({"file_id": "doc_1"})).await.unwrap_err();
    assert_eq!((refused.kind, refused.code.name), (RefusalKind::NotFound, "unknown_ref"));
    scene.others.kept.lock().insert("doc_1".to_owned(), json!({"contents": []}));
    let refused = scene.attach(&other, &json!({"file_id": "doc_1"})).await.unwrap_err();
    assert_eq!(refused.message, "server one answered without the content of doc_1");
}

#[tokio::test]
async fn refs_end_with_their_time_and_belong_to_their_session() {
    let scene = ContentsScene::new().await;
    let image =
        json!({"content": [{"type": "image", "data": STANDARD.encode(PNG), "mimeType": "image/png"}]});
    let taken = scene.take_out(&tool("one", &[]), &image).await;
    let told: Value = taken.refs[0].decode().unwrap();
    let arguments = json!({"source_ref_id": told["ref_id"]});
    let other = tool("two", &[FileStrategy::ImageBase64]);
    assert_eq!(
        scene.sent(&other, arguments.clone()).await,
        Ok(json!({"image_data": STANDARD.encode(PNG), "image_type": "image/png"}))
    );
    let elsewhere = holder("ada", "ses_2", None);
    let slotted = json!({"file_id": told["ref_id"]});
    let refused = scene.world.files.attach(&elsewhere, &other, &slotted).await.unwrap_err();
    assert_eq!((refused.kind, refused.code.name), (RefusalKind::NotFound, "unknown_ref"));
    scene.world.clock.advance(Duration::from_secs(25 * 60 * 60));
    let refused = scene.attach(&other, &slotted).await.unwrap_err();
    assert_eq!(refused.code.name, "unknown_ref");
}

#[tokio::test]
async fn calls_without_files_are_none_of_its_business() {
    let scene = ContentsScene::new().await;
    let raw = |value: Value| RawJson::from(value);
    let concerns = |tool, arguments| scene.world.files.concerns(&tool, &arguments);
    assert!(!concerns(tool("t", &[]), raw(json!({"path": "a"}))));
    assert!(concerns(tool("t", &[]), raw(json!({"source_ref_id": "a"}))));
    assert!(concerns(tool("t", &[FileStrategy::BinaryBase64]), raw(json!({}))));
}

/// Bytes that say that they are a video.
fn video(length: usize) -> Vec<u8> {
    [b"\0\0\0\x18ftypmp42\0\0\0\0mp42isom".to_vec(), noise(length).to_vec()].concat()
}
