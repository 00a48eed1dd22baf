use std::os::unix::fs::PermissionsExt;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};
use toolgate_core::content::Contents;
use toolgate_core::tool::FileStrategy;
use toolgate_core::{Digest, RawJson, RefusalKind};

use super::kit::{ContentsScene, kept_answer, tool};
use crate::access::ContentAccess;
use crate::fixture::{holder, noise};

const PDF: &[u8] = b"%PDF-1.7\nsome \xff\xfe bytes";

#[tokio::test]
async fn binary_and_long_parts_become_refs_that_can_be_read_again() {
    let scene = ContentsScene::new().await;
    let pdf = [PDF, &noise(204_800)].concat();
    let words = "The quick brown fox. ".repeat(3000);
    let result = json!({"content": [
        {"type": "resource", "resource": {"uri": "file:///cv.pdf", "blob": STANDARD.encode(&pdf)}},
        {"type": "text", "text": words},
    ]});
    let taken = scene.take_out(&tool("t", &[]), &result).await;
    assert!(taken.notices.is_empty());
    let told: Vec<Value> = taken.refs.iter().map(|one| one.decode().unwrap()).collect();
    assert_eq!(told[0]["media_type"], "application/pdf");
    assert_eq!(told[0]["size"], pdf.len());
    assert_eq!(told[0]["digest"], Digest::of(&pdf).to_string());
    assert_eq!(told[0].get("preview"), None);
    assert!(told[1]["preview"].as_str().unwrap().starts_with("The quick brown fox. The"));
    assert!(taken.result.as_bytes().len() < 1200, "{}", taken.result.as_str());
    let left: Value = taken.result.decode().unwrap();
    let read = |at: usize| {
        let uri = left["content"][at]["uri"].as_str().unwrap().to_owned();
        let scene = &scene;
        async move {
            let read = scene.world.files.read(&scene.holder, &uri).expect("it is one of ours").await;
            let read: Value = read.expect("it is there").decode().unwrap();
            assert_eq!(read["contents"][0]["uri"], uri);
            read["contents"][0].clone()
        }
    };
    let first = read(1).await;
    assert_eq!(first["mimeType"], "application/pdf");
    assert!(first["blob"] == STANDARD.encode(&pdf));
    assert!(read(3).await["text"] == words);
}

#[tokio::test]
async fn only_whoever_may_use_a_ref_reads_it() {
    let scene = ContentsScene::new().await;
    let result =
        json!({"content": [{"type": "image", "data": STANDARD.encode("x"), "mimeType": "image/png"}]});
    let left = scene.given(&tool("t", &[]), &result).await;
    let uri = left["content"][1]["uri"].as_str().unwrap();
    let stranger = holder("eve", "ses_9", None);
    let refused = scene.world.files.read(&stranger, uri).unwrap().await.unwrap_err();
    assert_eq!((refused.kind, refused.code.name), (RefusalKind::NotFound, "unknown_ref"));
    for unknown in ["toolgate://refs/ref_none", "toolgate://refs/doc_1", "toolgate://refs/"] {
        let refused = scene.world.files.read(&scene.holder, unknown).unwrap().await.unwrap_err();
        assert_eq!((refused.kind, refused.code.name), (RefusalKind::NotFound, "unknown_ref"), "{unknown}");
    }
    assert!(scene.world.files.read(&scene.holder, &format!("{uri}?x#y")).unwrap().await.is_ok());
    assert!(scene.world.files.read(&scene.holder, "file:///a").is_none());
    assert!(scene.world.files.read(&scene.holder, "toolgate://tools/x").is_none());
}

#[tokio::test]
async fn a_result_with_nothing_in_it_is_the_same_bytes() {
    let scene = ContentsScene::new().await;
    let text = r#"{ "content":[{"type":"text","text":"image of a ref, 1.50"}], "n":1.50 }"#;
    let result = RawJson::parse(text.into()).unwrap();
    assert!(!scene.world.files.must_look(&result));
    let taken = scene.world.files.take_out(&scene.holder, &tool("t", &[]), result, &[]).await;
    assert_eq!(taken.result.as_str(), text);
    let looked = RawJson::parse(r#"{ "content":[ {"type":"image"} ], "ref_id": 7 }"#.into()).unwrap();
    assert!(scene.world.files.must_look(&looked));
    let taken = scene.world.files.take_out(&scene.holder, &tool("t", &[]), looked.clone(), &[]).await;
    assert_eq!((taken.result, taken.refs.len()), (looked, 0));
}

#[tokio::test]
async fn what_cannot_be_stored_is_withheld_and_that_is_said() {
    let scene = ContentsScene::new().await;
    let folder = scene.world.folder.path().join("files");
    std::fs::remove_dir_all(&folder).expect("it is there");
    std::fs::write(&folder, "in the way").expect("a file can be written");
    std::fs::set_permissions(&folder, std::fs::Permissions::from_mode(0o400)).unwrap();
    let result = json!({"content": [
        {"type": "image", "data": STANDARD.encode(noise(2000)), "mimeType": "image/png"},
        {"type": "text", "text": "fine"},
    ]});
    let taken = scene.take_out(&tool("t", &[]), &result).await;
    let left: Value = taken.result.decode().unwrap();
    let withheld = "[2000 bytes withheld: the storage of files is away]";
    let expected = json!({"content": [{"type": "text", "text": withheld}, {"type": "text", "text": "fine"}]});
    assert_eq!(left, expected);
    assert_eq!((taken.notices[0].code.name, taken.refs.len()), ("storage_down", 0));
}

#[tokio::test]
async fn a_structure_whose_shape_is_promised_stays_and_that_is_said() {
    let scene = ContentsScene::new().await;
    let result = json!({"content": [], "structuredContent": {"many": vec!["entry"; 10_000]}});
    let mut promising = tool("t", &[]);
    promising.output_schema = Some(RawJson::from(json!({"type": "object"})));
    let taken = scene.take_out(&promising, &result).await;
    assert_eq!(taken.result, RawJson::from(result.clone()));
    assert_eq!(taken.notices[0].code.name, "long_structure");
    let left = scene.given(&tool("t", &[]), &result).await;
    assert_eq!(left["structuredContent"]["media_type"], "application/json");
}

#[tokio::test]
async fn base64_of_a_text_is_a_text() {
    let scene = ContentsScene::new().await;
    let csv = "name,age\n".repeat(500);
    let result = json!({"content": [], "structuredContent": {"data": STANDARD.encode(&csv)}});
    let taken = scene.take_out(&tool("t", &[]), &result).await;
    let told: Value = taken.refs[0].decode().unwrap();
    assert_eq!(told["media_type"], "text/plain");
    assert!(told["preview"].as_str().unwrap().starts_with("name,age name,age"));
    let mark = format!("[{} text/plain {} bytes]", told["ref_id"].as_str().unwrap(), csv.len());
    let left: Value = taken.result.decode().unwrap();
    assert_eq!(left["structuredContent"]["data"], mark);
}

#[tokio::test]
async fn ids_of_a_server_are_remembered_once_with_where_they_are() {
    let scene = ContentsScene::new().await;
    let making = tool("maker", &[]);
    let result = json!({
        "content": [
            {"type": "text", "text": r#"{"ref_id":"doc_1","source_ref_id":"doc_0","media_type":"application/pdf"}"#},
            {"type": "resource_link", "uri": "docs://doc_1.pdf", "name": "doc"},
        ],
    });
    for _ in 0..3 {
        scene.given(&making, &result).await;
    }
    let refs = |own: &'static str| {
        let (store, session) = (scene.world.store.clone(), scene.holder.session.clone());
        async move { store.refs_by_own(own, &session, None).await.expect("the store is there") }
    };
    let one = refs("doc_1").await;
    assert_eq!(one.len(), 1);
    let origin = one[0].origin.clone().unwrap();
    assert_eq!((origin.server.as_str(), origin.uri.as_deref()), ("maker", Some("docs://doc_1.pdf")));
    assert_eq!(one[0].media_type, "application/pdf");
    assert_eq!(refs("doc_0").await.len(), 1);
    // Another server that was told of it does not own it.
    let echo = json!({"content": [], "structuredContent": {"source_ref_id": "doc_1", "ref_id": "mine"}});
    scene.given(&tool("other", &[]), &echo).await;
    assert_eq!((refs("doc_1").await.len(), refs("mine").await.len()), (1, 1));
}

#[tokio::test]
async fn refs_of_ours_that_come_back_are_not_taken_for_a_servers() {
    let scene = ContentsScene::new().await;
    let words = "word ".repeat(10_000);
    let result = json!({"content": [{"type": "text", "text": words}]});
    let taken = scene.take_out(&tool("t", &[]), &result).await;
    let told: Value = taken.refs[0].decode().unwrap();
    let id = told["ref_id"].as_str().unwrap();
    let echo = json!({"content": [], "structuredContent": {"ref_id": id}});
    scene.given(&tool("t", &[]), &echo).await;
    let refs = scene.world.store.refs_by_own(id, &scene.holder.session, None).await.unwrap();
    assert!(refs.is_empty());
    // An id that only looks like ours belongs to the server.
    scene.given(&tool("t", &[]), &kept_answer("ref_77")).await;
    let refs = scene.world.store.refs_by_own("ref_77", &scene.holder.session, None).await.unwrap();
    assert_eq!(refs.len(), 1);
    let passed = scene.sent(&tool("t", &[]), json!({"ref_id": "ref_77"})).await;
    assert_eq!(passed, Ok(json!({"ref_id": "ref_77"})));
}

#[tokio::test]
async fn a_chain_of_three_calls_costs_the_context_less_than_a_kilobyte() {
    let scene = ContentsScene::new().await;
    let pdf = [PDF, &noise(204_800)].concat();
    let file = scene.upload("cv.pdf", pdf.clone()).await;
    let mut seen = 0;
    let mut arguments = json!({"file_id": file});
    for hop in 0..3 {
        let hopping = tool(&format!("hop{hop}"), &[FileStrategy::BinaryBase64]);
        let sent = scene.sent(&hopping, arguments).await.unwrap();
        assert!(sent["file_data"] == STANDARD.encode(&pdf));
        let blob =
            json!({"type": "resource", "resource": {"uri": "file:///x.pdf", "blob": sent["file_data"]}});
        let taken = scene.take_out(&hopping, &json!({"content": [blob]})).await;
        seen += taken.result.as_bytes().len();
        let told: Value = taken.refs[0].decode().unwrap();
        arguments = json!({"source_ref_id": told["ref_id"]});
    }
    assert!(seen < 1024, "{seen}");
    let (access, id) = (ContentAccess::Session(&scene.holder), arguments["source_ref_id"].as_str().unwrap());
    assert_eq!(scene.world.files.resolve(&access, id).await.unwrap().digest, Digest::of(&pdf));
}
