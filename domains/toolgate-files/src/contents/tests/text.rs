#![expect(clippy::disallowed_methods, reason = "a test starts tasks and reads settings as it likes")]

use std::sync::Arc;
use std::sync::atomic::Ordering;

use serde_json::{Value, json};
use toolgate_core::codes;
use toolgate_core::tool::FileStrategy;
use toolgate_core::{CanonicalName, Digest, Refusal, RefusalKind};

use super::kit::{ContentsScene, EXTRACTOR, tool};
use crate::fixture::noise;

const PDF: &[u8] = b"%PDF-1.7\nsome \xff\xfe bytes";

fn reading() -> toolgate_core::Tool {
    tool("t", &[FileStrategy::PlainTextContent])
}

#[tokio::test]
async fn text_is_decoded_whatever_it_is_written_in() {
    let scene = ContentsScene::new().await;
    let words = "Grüße aus Köln, schöne Straße";
    let latin: Vec<u8> = words.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let wide: Vec<u8> =
        [0xff, 0xfe].into_iter().chain(words.encode_utf16().flat_map(u16::to_le_bytes)).collect();
    for bytes in [words.as_bytes().to_vec(), latin, wide] {
        let file = scene.upload("a.txt", bytes).await;
        let sent = scene.sent(&reading(), json!({"file_id": file})).await;
        assert_eq!(sent, Ok(json!({"content": words})));
    }
    assert_eq!(scene.others.extracted.load(Ordering::SeqCst), 0);
}

#[tokio::test]
async fn documents_are_read_by_the_extractor_once_for_each_content_and_version() {
    let scene = ContentsScene::new().await;
    let (one, same) = (scene.upload("a.pdf", PDF).await, scene.upload("b.pdf", PDF).await);
    for file in [&one, &same, &one] {
        let sent = scene.sent(&tool("t", &[FileStrategy::PlainTextText]), json!({"file_id": file})).await;
        assert_eq!(sent, Ok(json!({"text": "the text"})));
    }
    assert_eq!(scene.others.extracted.load(Ordering::SeqCst), 1);
    *scene.others.version.lock() = Some(Digest::of("2"));
    *scene.others.text.lock() = Some(Ok("a better text".to_owned()));
    let sent = scene.sent(&reading(), json!({"file_id": one})).await;
    assert_eq!(sent, Ok(json!({"content": "a better text"})));
    assert_eq!(scene.others.extracted.load(Ordering::SeqCst), 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn calls_at_the_same_moment_share_one_extraction() {
    let scene = Arc::new(ContentsScene::new().await);
    let file = scene.upload("a.pdf", PDF).await;
    scene.others.pace.forget_permits(1_000);
    let calls: Vec<_> = (0..8)
        .map(|_| {
            let (scene, arguments) = (Arc::clone(&scene), json!({"file_id": file}));
            tokio::spawn(async move { scene.sent(&reading(), arguments).await })
        })
        .collect();
    // One may pass; a second one would wait forever.
    scene.others.pace.add_permits(1);
    for call in calls {
        assert_eq!(call.await.unwrap(), Ok(json!({"content": "the text"})));
    }
    assert_eq!(scene.others.extracted.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn an_extractor_that_fails_is_asked_again_by_the_next_call() {
    let scene = ContentsScene::new().await;
    let file = scene.upload("a.pdf", PDF).await;
    let failure = Refusal::new(&codes::EXTRACTOR_FAILED, "it is encrypted");
    *scene.others.text.lock() = Some(Err(failure));
    let arguments = json!({"file_id": file});
    let refused = scene.sent(&reading(), arguments.clone()).await.unwrap_err();
    assert_eq!(refused.code.name, "extractor_failed");
    assert_eq!(refused.message, format!("{EXTRACTOR} made no text of {file}: it is encrypted"));
    *scene.others.text.lock() = Some(Ok("open".to_owned()));
    assert_eq!(scene.sent(&reading(), arguments).await, Ok(json!({"content": "open"})));
}

#[tokio::test]
async fn without_an_extractor_what_is_no_text_is_refused() {
    let scene = ContentsScene::with(|settings| settings.extractor = None).await;
    let file = scene.upload("a.pdf", PDF).await;
    let refused = scene.attach(&reading(), &json!({"file_id": file})).await.unwrap_err();
    assert_eq!((refused.kind, refused.code.name), (RefusalKind::Invalid, "not_text"));
    assert_eq!(refused.message, format!("{file} is application/pdf, which is not text"));

    let scene = ContentsScene::new().await;
    *scene.others.version.lock() = None;
    let file = scene.upload("a.bin", noise(500)).await;
    let refused = scene.attach(&reading(), &json!({"file_id": file})).await.unwrap_err();
    let why = format!("which is not text, and there is no tool {EXTRACTOR} here that makes text of it");
    assert_eq!(refused.message, format!("{file} is application/octet-stream, {why}"));
}

#[tokio::test]
async fn the_extractor_is_not_asked_to_prepare_its_own_food() {
    let scene = ContentsScene::new().await;
    let mut extractor = tool("doc-parser-mcp", &[FileStrategy::PlainTextContent]);
    extractor.name = CanonicalName::recorded(EXTRACTOR);
    let (pdf, text) = (scene.upload("a.pdf", PDF).await, scene.upload("a.md", "# Hi").await);
    let refused = scene.attach(&extractor, &json!({"file_id": pdf})).await.unwrap_err();
    assert_eq!(refused.code.name, "not_text");
    assert_eq!(scene.sent(&extractor, json!({"file_id": text})).await, Ok(json!({"content": "# Hi"})));
}

#[tokio::test]
async fn an_extracted_text_that_is_too_long_is_refused_with_the_limit() {
    let scene = ContentsScene::with(|settings| settings.text_bytes_max = 10).await;
    let file = scene.upload("a.pdf", PDF).await;
    *scene.others.text.lock() = Some(Ok("x".repeat(11)));
    let refused = scene.sent(&reading(), json!({"file_id": file})).await.unwrap_err();
    assert_eq!(refused.code.name, "file_too_large");
    let message = format!("the text of {file} has 11 bytes; as `plain_text_content` at most 10 can be given");
    assert_eq!(refused.message, message);
}

#[tokio::test]
async fn a_long_result_goes_into_the_next_call_as_text() {
    let scene = ContentsScene::new().await;
    let words = "Ünïcode wörds. ".repeat(4000);
    let taken = scene.take_out(&tool("a", &[]), &json!({"content": [{"type": "text", "text": words}]})).await;
    let told: Value = taken.refs[0].decode().unwrap();
    let sent = scene.sent(&reading(), json!({"content_ref_id": told["ref_id"]})).await.unwrap();
    assert!(sent == json!({"content": words}));
}
