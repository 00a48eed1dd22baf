//! Big results: kept, read, and gone after a while.

use rmcp::model::ReadResourceRequestParams;
use serde_json::{Value, json};

use super::drive::{KitClient, KitEra, eventually, over_stdio, serve};

async fn read(client: &KitClient, id: &Value) -> Result<Value, String> {
    let uri = format!("doc://{}", id.as_str().unwrap());
    let read = client.service.read_resource(ReadResourceRequestParams::new(uri)).await;
    read.map(|read| serde_json::to_value(read).unwrap()["contents"][0].clone())
        .map_err(|error| error.to_string())
}

async fn keeps_and_reads(client: &KitClient) {
    let short = client.answer("keep", json!({"chars": 10})).await;
    assert_eq!(short, json!({"text": "ä".repeat(10), "chars": 10, "truncated": false}));
    let long = client.answer("keep", json!({"chars": 50_000})).await;
    assert_eq!((&long["chars"], &long["truncated"]), (&json!(50_000), &json!(true)));
    assert_eq!(long["text"].as_str().unwrap().chars().count(), 2_000);
    let text = read(client, &long["ref_id"]).await.unwrap();
    assert_eq!(
        (&text["mimeType"], text["text"].as_str().unwrap()),
        (&json!("text/plain"), "ä".repeat(50_000).as_str())
    );
    let measured = client.answer("measure", json!({"source_ref_id": long["ref_id"]})).await;
    assert_eq!(measured, json!({"bytes": 100_000, "media_type": "text/plain"}));
    let picture = client.answer("picture", json!({"chars": 3})).await;
    let picture = read(client, &picture["ref_id"]).await.unwrap();
    assert_eq!((&picture["mimeType"], &picture["blob"]), (&json!("image/png"), &json!("////")));
}

#[tokio::test]
async fn results_are_kept_and_read_back() {
    let server = serve(&[]).await;
    for era in super::drive::ERAS {
        keeps_and_reads(&over_stdio(era, &[]).await).await;
        keeps_and_reads(&server.client(era).await).await;
    }
    assert!(server.metric("capability_ref_bytes").await > 200_000.0);
}

#[tokio::test]
async fn refs_are_found_by_their_template_and_not_listed() {
    let client = over_stdio(KitEra::Modern, &[]).await;
    client.answer("keep", json!({"chars": 50_000})).await;
    let templates = client.service.list_all_resource_templates().await.unwrap();
    assert_eq!(templates[0].uri_template, "doc://{ref_id}");
    assert!(client.service.list_all_resources().await.unwrap().is_empty());
    for id in ["doc_0", "../lock", "doc_../../lock", ""] {
        let error = read(&client, &json!(id)).await.unwrap_err();
        assert!(error.contains("does not exist here") && error.contains("hint: "), "{error}");
    }
}

#[tokio::test]
async fn refs_are_gone_after_a_while() {
    let client = over_stdio(KitEra::Initialize, &["--refs-minutes", "0.01"]).await;
    let kept = client.answer("keep", json!({"chars": 50_000})).await;
    let id = &kept["ref_id"];
    assert!(read(&client, id).await.is_ok());
    eventually("it is gone", async || read(&client, id).await.is_err()).await;
    let (code, text) = client.trouble("measure", json!({"source_ref_id": id})).await;
    assert_eq!(code, "unknown_ref");
    assert!(text.contains("hint: refs expire after a while"), "{text}");
}

#[tokio::test]
async fn refs_have_only_so_much_room() {
    let client = over_stdio(KitEra::Initialize, &["--refs-mib", "1"]).await;
    let (code, text) = client.trouble("picture", json!({"chars": 2 << 20})).await;
    assert_eq!(code, "too_large", "{text}");
    client.answer("picture", json!({"chars": 800_000})).await;
    let (code, text) = client.trouble("picture", json!({"chars": 800_000})).await;
    assert_eq!(code, "busy", "{text}");
}
