//! What clients send again: a run under a key of theirs, and a call over MCP under an id of theirs. Each is made once.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{HttpAnswer, HttpClient};

use super::work::{NO_HOLD, Work};
use crate::files::archive::{Archive, text};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::live::site::refused;

on_both!(a_run_under_a_key_is_made_once, a_call_over_mcp_under_an_id_is_made_once,);

async fn create(archive: &Archive, body: Value) -> HttpAnswer {
    archive.site.rest(archive.agent(), "POST", "/runs", Some(body)).await
}

async fn a_run_under_a_key_is_made_once(backing: Backing) {
    let archive = Archive::open_on(backing, NO_HOLD).await;
    let keyed = || json!({ "key": "thread-7" });
    let both = tokio::join!(create(&archive, keyed()), create(&archive, keyed()));
    let mut statuses = [both.0.status, both.1.status];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 201], "{both:?}");
    let (one, two) = (both.0.json(), both.1.json());
    assert_eq!((&one["run"]["id"], &one["session"]["id"]), (&two["run"]["id"], &two["session"]["id"]));
    assert!(
        [&one, &two].iter().filter(|said| said["token"].is_string()).count() == 1,
        "a token is told once"
    );
    let other = create(&archive, json!({ "key": "thread-8" })).await;
    assert_eq!((other.status, other.json()["run"]["id"] == one["run"]["id"]), (201, false));
    let foreign = archive.site.rest(archive.admin(), "POST", "/runs", Some(keyed())).await;
    assert_ne!(
        foreign.json()["run"]["id"],
        one["run"]["id"],
        "keys of two principals have nothing to do with each other"
    );
    let within = json!({ "key": "thread-7", "parent": other.json()["run"]["id"] });
    refused(&create(&archive, within).await, 409, "run_key_reused");
    for bad in [String::new(), "x".repeat(201), "a\nb".to_owned()] {
        refused(&create(&archive, json!({ "key": bad })).await, 422, "field_invalid");
    }
    let archive = archive.killed().await;
    let again = create(&archive, keyed()).await;
    assert_eq!((again.status, &again.json()["run"]["id"]), (200, &one["run"]["id"]), "{again:?}");
    archive.verify();
}

async fn under(client: &HttpClient, id: &Value, ms: u64) -> HttpAnswer {
    let meta = json!({ "dev.toolgate/call_id": id });
    let params = json!({ "name": "docs__slow", "arguments": { "ms": ms }, "_meta": meta });
    client.modern("tools/call", params).await
}

async fn a_call_over_mcp_under_an_id_is_made_once(backing: Backing) {
    let archive = Archive::open_on(backing, NO_HOLD).await;
    let work = Work::start(&archive, json!({})).await;
    let id = json!("call_1");
    let both = tokio::join!(under(&work.client, &id, 300), under(&work.client, &id, 300));
    let (one, two) = (both.0.result(), both.1.result());
    let call = |result: &Value| text(&result["_meta"]["dev.toolgate/envelope"]["tool_call_id"]).to_owned();
    assert_eq!((call(&one), &one["content"]), (call(&two), &two["content"]), "one call, answered twice");
    let third = under(&work.client, &id, 300).await.result();
    assert_eq!(call(&third), call(&one), "{third}");
    let changed = under(&work.client, &id, 301).await.result();
    assert_eq!(changed["structuredContent"]["error"]["code"], "call_id_reused", "{changed}");
    let started = work.told(&archive).await.iter().filter(|one| one["kind"] == "tool.call.started").count();
    assert_eq!(started, 1);
    for bad in [json!(7), json!("")] {
        assert_eq!(under(&work.client, &bad, 1).await.error_code(), -32602, "{bad}");
    }
    let outside = under(&archive.site.agent(), &id, 1).await;
    assert_eq!(outside.error_code(), -32602, "an id counts in a run: {outside:?}");
    archive.verify();
}
