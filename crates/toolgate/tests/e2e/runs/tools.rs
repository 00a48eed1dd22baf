//! The tools `run.get` and `run.list`: one definition behind MCP of both eras, REST and the command line.

use serde_json::{Value, json};

use super::work::Work;
use crate::files::archive::{Archive, text};
use crate::kit::{call, names};
use crate::live::site::refused;

/// `keeper` has the domain, `nothing` has no tool at all.
const AGENTS: &str = r#"
[[capabilities]]
name = "run"
[[agents]]
name = "keeper"
capabilities = ["run"]
[[agents]]
name = "nothing"
capabilities = []
"#;

/// The envelope of a result over MCP.
fn envelope(result: &Value) -> &Value {
    assert_ne!(result["isError"], true, "{result}");
    &result["structuredContent"]
}

fn is_about(envelope: &Value, run: &str) {
    assert_eq!(envelope["data"]["id"], run, "{envelope}");
    assert_eq!(envelope["refs"], json!([{ "type": "run", "id": run }]), "{envelope}");
}

#[tokio::test]
async fn a_run_is_read_through_every_door() {
    let archive = Archive::open(AGENTS).await;
    let work = Work::start(&archive, json!({})).await;
    let (site, which) = (&archive.site, json!({ "run_id": work.id }));
    let mut client = site.agent();
    for name in ["run__get", "run.get"] {
        is_about(envelope(&call(&client, name, which.clone()).await), &work.id);
    }
    let old = call(&client, "get_run", which.clone()).await;
    is_about(envelope(&old), &work.id);
    let warning = &old["structuredContent"]["warnings"][0];
    assert_eq!(warning["code"], "alias", "{old}");
    assert!(text(&warning["message"]).contains("2027-12-01"), "it says when the name ends: {old}");
    client.initialize("2025-06-18").await;
    let params = json!({ "name": "run__get", "arguments": which });
    is_about(envelope(&client.legacy(1, "tools/call", params).await.result()), &work.id);

    let said = site.rest(archive.agent(), "POST", "/tools/run.get", Some(which.clone())).await;
    assert_eq!(said.status, 200, "{said:?}");
    is_about(&said.json(), &work.id);
    let told: Value =
        serde_json::from_str(&site.say(&["run", "get", "--run-id", &work.id, "--json"])).expect("JSON");
    is_about(&told, &work.id);
    let listed = site.say(&["run", "list", "--status", "pending", "--limit", "5"]);
    assert!(listed.contains(&format!("id: {}", work.id)), "{listed}");

    let has_all = |page: &Value| page["events"].as_array().is_some_and(|events| events.len() == 6);
    let page = site.becomes("/ledger?kind=tool.call.completed&tool=run.get", has_all).await;
    let events = page["events"].as_array().expect("every door takes the one path");
    assert!(events.iter().all(|one| one["detail"]["refs"][0]["type"] == "run"), "{events:?}");
}

#[tokio::test]
async fn within_a_run_it_is_the_run_of_the_session() {
    let archive = Archive::open(AGENTS).await;
    let work = Work::start(&archive, json!({})).await;
    let other = Work::start(&archive, json!({})).await;
    is_about(envelope(&work.call("run.get", json!({})).await), &work.id);
    let outside = work.call("run.get", json!({ "run_id": other.id })).await;
    assert_eq!(outside["structuredContent"]["error"]["code"], "unknown_run", "{outside}");
}

#[tokio::test]
async fn what_is_not_the_callers_looks_like_what_is_not_there() {
    let archive = Archive::open(AGENTS).await;
    let work = Work::start(&archive, json!({})).await;
    let stranger = archive.site.token("--role agent --principal stranger");
    let mut answers = Vec::new();
    for id in [work.id.as_str(), "run_0"] {
        let body = json!({ "run_id": id });
        let said = archive.site.rest(&stranger, "POST", "/tools/run.get", Some(body)).await;
        assert_eq!((said.status, &said.json()["error"]["code"]), (404, &json!("unknown_run")), "{said:?}");
        answers.push(text(&said.json()["error"]["message"]).replace(id, "ID"));
    }
    assert_eq!(answers[0], answers[1]);
    let told = archive.site.refuse(&["run", "get", "--run-id", "run_0"]);
    assert!(told.contains("there is no run run_0") && told.contains("hint: "), "{told}");
    let odd =
        archive.site.rest(archive.agent(), "POST", "/tools/run.list", Some(json!({ "limit": 0 }))).await;
    assert_eq!(odd.status, 422, "{odd:?}");
}

#[tokio::test]
async fn lists_have_them_where_a_capability_names_them() {
    let archive = Archive::open(AGENTS).await;
    let site = &archive.site;
    let all = names(&site.agent()).await;
    assert!(
        !all.iter().any(|name| name.starts_with("run__")),
        "an agent with every tool pays for none: {all:?}"
    );
    let keeper = site.agent_with(&site.token("--role agent --principal keeper-bot --agent keeper"));
    let listed = names(&keeper).await;
    assert!(
        listed.iter().all(|name| name.starts_with("run__")) && listed.contains(&"run__get".to_owned()),
        "{listed:?}"
    );
    let nothing = site.token("--role agent --principal nothing-bot --agent nothing");
    let said = site.rest(&nothing, "POST", "/tools/run.list", Some(json!({}))).await;
    refused(&said, 404, "unknown_tool");
}
