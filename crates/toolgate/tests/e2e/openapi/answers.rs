//! The answers of an API as results.

use std::sync::atomic::{AtomicUsize, Ordering};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::web_api::{WebAnswer, WebApi, WebRequest};

use super::stage::{ApiStage, failure, operation, operation_with};
use crate::doors::WAIT;

#[tokio::test]
async fn binary_content_becomes_a_ref() {
    let bytes: Vec<u8> = (0..=255_u8).cycle().take(5000).collect();
    let picture = json!({ "operationId": "picture", "responses": { "200": { "description": "ok", "content": { "image/png": {} } } } });
    let sent = bytes.clone();
    let answer = move |_: &WebRequest| WebAnswer::bytes(200, "image/png", sent.clone());
    let stage = ApiStage::open(json!({ "/picture": { "get": picture } }), "picture", answer).await;
    let result = stage.call("picture", json!({})).await.to_string();
    assert!(result.contains("ref_"), "{result}");
    assert!(!result.contains(&BASE64_STANDARD.encode(&bytes)[..64]), "no bytes in the model's context");
}

#[tokio::test]
async fn what_is_no_object_and_what_is_empty_are_results_too() {
    let paths = json!({ "/list": { "get": operation("list") }, "/drop": { "delete": operation("drop") } });
    let stage = ApiStage::open(paths, "list", |heard| match heard.method.as_str() {
        "GET" => WebAnswer::json(200, &json!([1, 2])),
        _ => WebAnswer::bytes(204, "text/plain", Vec::new()),
    })
    .await;
    let list = stage.call("list", json!({})).await;
    assert_eq!(list["structuredContent"]["result"], json!([1, 2]), "{list}");
    let gone = stage.call("drop", json!({})).await;
    assert_ne!(gone["isError"], true, "{gone}");
    assert!(gone.to_string().contains("204"), "{gone}");
}

#[tokio::test]
async fn a_failure_has_the_words_of_the_api() {
    let paths = json!({ "/get": { "get": operation("get") }, "/make": { "post": operation("make") } });
    let stage = ApiStage::open(paths, "get", |heard| match heard.path() {
        "/v1/get" => WebAnswer::json(404, &json!({ "message": "no pet of this name" })),
        _ => WebAnswer::json(500, &json!({ "message": "half done" })),
    })
    .await;
    let missing = failure(&stage.call("get", json!({})).await);
    assert!(missing.contains("404") && missing.contains("no pet of this name"), "{missing}");
    let broken = failure(&stage.call("make", json!({})).await);
    assert!(broken.contains("half done") && broken.contains("may have taken effect"), "{broken}");
    assert_eq!(stage.api.heard_at("/v1/make").len(), 1, "a write is sent once");
}

#[tokio::test]
async fn a_read_waits_for_the_time_that_is_named_and_a_write_does_not() {
    let asked = AtomicUsize::new(0);
    let paths = json!({
        "/soon": { "get": operation("soon") }, "/never": { "get": operation("never") },
        "/make": { "post": operation("make") },
    });
    let stage = ApiStage::open(paths, "soon", move |heard| match heard.path() {
        "/v1/soon" if asked.fetch_add(1, Ordering::SeqCst) == 0 => {
            WebAnswer::json(429, &json!({})).with("retry-after", "0")
        }
        "/v1/soon" => WebAnswer::json(200, &json!({ "fine": true })),
        "/v1/make" => WebAnswer::json(429, &json!({ "message": "slow down" })).with("retry-after", "0"),
        _ => WebAnswer::json(429, &json!({ "message": "slow down" })),
    })
    .await;
    let waited = stage.call("soon", json!({})).await;
    assert_eq!(waited["structuredContent"]["fine"], true, "{waited}");
    assert_eq!(stage.api.heard_at("/v1/soon").len(), 2);
    for tool in ["never", "make"] {
        let refused = failure(&stage.call(tool, json!({})).await);
        assert!(refused.contains("429") && refused.contains("slow down"), "{refused}");
        assert_eq!(stage.api.heard_at(&format!("/v1/{tool}")).len(), 1, "{tool} was sent once");
    }
}

#[tokio::test]
async fn limits_are_understood_in_the_headers_that_apis_have_for_them() {
    let asked = AtomicUsize::new(0);
    let paths = json!({ "/soon": { "get": operation("soon") }, "/late": { "get": operation("late") } });
    let stage = ApiStage::open(paths, "soon", move |heard| match heard.path() {
        "/v1/soon" if asked.fetch_add(1, Ordering::SeqCst) == 0 => {
            WebAnswer::json(403, &json!({})).with("x-ratelimit-remaining", "0").with("x-ratelimit-reset", "0")
        }
        "/v1/soon" => WebAnswer::json(200, &json!({ "fine": true })),
        _ => WebAnswer::json(429, &json!({ "message": "slow down" }))
            .with("date", "Sun, 06 Nov 1994 08:49:37 GMT")
            .with("retry-after", "Sun, 06 Nov 1994 09:49:37 GMT"),
    })
    .await;
    let waited = stage.call("soon", json!({})).await;
    assert_eq!(waited["structuredContent"]["fine"], true, "{waited}");
    let late = failure(&stage.call("late", json!({})).await);
    assert!(late.contains("takes calls again in 3600 s"), "{late}");
    assert_eq!(stage.api.heard_at("/v1/late").len(), 1, "nobody waits for an hour");
}

#[tokio::test]
async fn the_next_page_is_told_with_the_names_of_the_arguments() {
    let elsewhere = "https://attacker.example/v1/list?page=2";
    let parameter =
        |name: &str, place: &str| json!({ "name": name, "in": place, "schema": { "type": "string" } });
    let parameters = json!([parameter("id", "header"), parameter("page", "query"), parameter("id", "query")]);
    let list = |name: &str| operation_with(name, json!({ "parameters": parameters }));
    let paths = json!({ "/list": { "get": list("list") }, "/far": { "get": list("far") } });
    let stage = ApiStage::open(paths, "list", move |heard| {
        let link = match heard.path() {
            "/v1/list" => {
                "</v1/other?id=a&page=2&secret=x>; rel=\"next\", </v1/list?page=9>; rel=\"last\"".to_owned()
            }
            _ => format!("<{elsewhere}>; rel=\"next\""),
        };
        WebAnswer::json(200, &json!([1])).with("link", &link)
    })
    .await;
    let first = stage.call("list", json!({ "id": "a", "page": "1" })).await;
    let texts: Vec<&str> =
        first["content"].as_array().expect("content").iter().filter_map(|one| one["text"].as_str()).collect();
    assert_eq!(texts, ["[1]", "next page: `page`=2"], "{first}");
    let far = stage.call("far", json!({})).await;
    assert!(!far.to_string().contains("next page"), "another origin: {far}");
}

#[tokio::test]
async fn a_connector_file_beside_a_document_says_what_its_operations_mean() {
    let paths = json!({ "/post": { "post": operation("post") }, "/list": { "get": operation("list") } });
    let stage = ApiStage::open_with(paths, "post", "connector = \"slack\"", |heard| match heard.path() {
        "/v1/post" => WebAnswer::json(200, &json!({ "ok": false, "error": "channel_not_found" })),
        _ => WebAnswer::json(200, &json!({ "ok": false, "error": "token_revoked" })),
    })
    .await;
    stage.store("slack_bot_token", "xoxb-0815-secret");
    let there = until_async(WAIT, || async {
        let result = stage.call("post", json!({})).await;
        (!result.to_string().contains("the vault has no secret")).then_some(result)
    });
    let refused = failure(&there.await.expect("the secret is taken up"));
    assert!(refused.contains("says that it failed") && refused.contains("channel_not_found"), "{refused}");
    let revoked = stage.call("list", json!({})).await;
    assert_eq!(revoked["_meta"]["dev.toolgate/fault"]["code"], "server_unauthorized", "{revoked}");
}

#[tokio::test]
async fn a_lie_about_the_content_is_an_error_in_words() {
    let paths = json!({ "/page": { "get": operation("page") }, "/half": { "get": operation("half") } });
    let stage = ApiStage::open(paths, "page", |heard| match heard.path() {
        "/v1/page" => WebAnswer::bytes(200, "text/html", b"<html>Please sign in</html>".to_vec()),
        _ => WebAnswer::bytes(200, "application/json", b"{\"half\":".to_vec()),
    })
    .await;
    let page = failure(&stage.call("page", json!({})).await);
    assert!(page.contains("HTML") && page.contains("Please sign in"), "{page}");
    let half = failure(&stage.call("half", json!({})).await);
    assert!(half.contains("which it is not"), "{half}");
}

#[tokio::test]
async fn redirects_are_followed_by_reads_within_the_origin_only() {
    let elsewhere = WebApi::start(|_| WebAnswer::json(200, &json!({ "stolen": true })));
    let other = elsewhere.url("/v1/end");
    let paths = json!({
        "/near": { "get": operation("near") }, "/far": { "get": operation("far") },
        "/inside": { "get": operation("inside") }, "/write": { "post": operation("write") },
    });
    let stage = ApiStage::open(paths, "near", move |heard| match heard.path() {
        "/v1/near" | "/v1/write" => WebAnswer::redirect(302, "/v1/end"),
        "/v1/far" => WebAnswer::redirect(302, &other),
        "/v1/inside" => WebAnswer::redirect(307, "http://169.254.169.254/latest/meta-data"),
        _ => WebAnswer::json(200, &json!({ "end": true })),
    })
    .await;
    let near = stage.call("near", json!({})).await;
    assert_eq!(near["structuredContent"]["end"], true, "{near}");
    for tool in ["far", "inside", "write"] {
        let refused = failure(&stage.call(tool, json!({})).await);
        assert!(refused.contains("not followed"), "{tool}: {refused}");
    }
    assert!(elsewhere.heard().is_empty(), "nothing left the origin");
    assert_eq!(stage.api.heard_at("/v1/end").len(), 1, "a write is not sent on");
}

#[tokio::test]
async fn a_lost_answer_of_a_write_is_told_as_lost_and_nothing_is_sent_twice() {
    let paths = json!({ "/pay": { "post": operation("pay") } });
    let stage = ApiStage::open(paths, "pay", |_| WebAnswer::HangUp).await;
    let lost = stage.call("pay", json!({})).await;
    assert_eq!(lost["_meta"]["dev.toolgate/fault"]["code"], "server_lost", "{lost}");
    assert_eq!(stage.api.heard_at("/v1/pay").len(), 1);
}

#[tokio::test]
async fn a_circular_schema_is_listed_and_can_be_called() {
    let mut plant = operation("plant");
    let node = json!({ "$ref": "#/components/schemas/Node" });
    plant["requestBody"] = json!({ "content": { "application/json": { "schema": node } } });
    let stage = ApiStage::open(json!({ "/tree": { "post": plant } }), "plant", |heard| {
        WebAnswer::json(200, &json!({ "got": heard.json() }))
    })
    .await;
    let tree = json!({ "name": "a", "children": [{ "name": "b", "children": [{ "name": "c" }] }] });
    let planted = stage.call("plant", tree.clone()).await;
    assert_eq!(planted["structuredContent"]["got"], tree, "{planted}");
    let wrong = stage.call("plant", json!({ "children": [{ "children": [{ "name": 5 }] }] })).await;
    assert_eq!(wrong["isError"], true, "the inner places are checked as well: {wrong}");
    let listed: Value = stage.agent.modern("tools/list", json!({})).await.result();
    assert!(listed.to_string().contains("$defs"), "{listed}");
}
