//! Automations from outside: an instant or a cause starts one run, and nobody starts runs for a principal that has lost its rights.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::model::{ModelScript, ModelStep, WireFormat, steps};

use super::stage::AgentStage;
use crate::doors::WAIT;
use crate::governed::database::Backing;
use crate::governed::on_both;

on_both!(an_instant_starts_one_run_and_the_end_of_that_starts_another,);

fn completing() -> ModelScript {
    steps([ModelStep::complete("done")])
}

fn now_ms() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970");
    i64::try_from(since.as_millis()).expect("this millennium")
}

fn soon() -> Value {
    json!({ "on": "once", "at_ms": now_ms() + 300 })
}

async fn automate(stage: &AgentStage, body: Value) {
    let made = stage.bank.rest(&stage.bank.gateway.admin, "POST", "/automations", Some(body)).await;
    assert_eq!(made.status, 201, "{made:?}");
}

async fn fires(stage: &AgentStage, name: &str) -> Vec<Value> {
    let path = format!("/automations/{name}/fires");
    let listed = stage.bank.get(&stage.bank.gateway.admin, &path).await;
    assert_eq!(listed.status, 200, "{listed:?}");
    listed.json()["fires"].as_array().cloned().expect("a list")
}

/// Waits until an automation has a fire in this state.
async fn fire(stage: &AgentStage, name: &str, state: &str) -> Value {
    let there = until_async(WAIT, || async {
        fires(stage, name).await.into_iter().find(|fire| fire["state"] == state)
    });
    match there.await {
        Some(fire) => fire,
        None => panic!("{name} has no fire that is {state}: {:?}", fires(stage, name).await),
    }
}

fn run_of(fire: &Value) -> String {
    fire["run"].as_str().unwrap_or_else(|| panic!("a started fire has a run: {fire}")).to_owned()
}

async fn an_instant_starts_one_run_and_the_end_of_that_starts_another(backing: Backing) {
    let stage = AgentStage::open_on(backing, "", completing()).await;
    let first = stage.task("Begin", WireFormat::Chat, json!({})).await;
    let second = stage.task("Go on", WireFormat::Chat, json!({})).await;
    let after = json!({ "on": "run_ended", "task": first, "states": ["completed"] });
    automate(&stage, json!({ "name": "after", "task": second, "trigger": after })).await;
    automate(&stage, json!({ "name": "once", "task": first, "trigger": soon() })).await;
    for name in ["once", "after"] {
        let run = run_of(&fire(&stage, name, "started").await);
        stage.becomes(&run, "completed").await;
        assert_eq!(fires(&stage, name).await.len(), 1, "{name}");
    }
    let told = stage.model.requests_of("Go on");
    assert_eq!(told.len(), 1, "one run went on");
    stage.verify();
}

#[tokio::test]
async fn nothing_starts_for_a_principal_whose_tokens_were_revoked() {
    let stage = AgentStage::open("", completing()).await;
    let task = stage.task("Begin", WireFormat::Chat, json!({})).await;
    stage.bank.token("--role agent --principal ann");
    let trigger = json!({ "on": "once", "at_ms": now_ms() + 3_600_000 });
    automate(&stage, json!({ "name": "anns", "task": task, "trigger": trigger, "principal": "ann" })).await;
    let tokens = stage.bank.get(&stage.bank.gateway.admin, "/tokens").await.json();
    let anns = tokens["tokens"].as_array().into_iter().flatten().find(|token| token["principal"] == "ann");
    let id = anns.and_then(|token| token["id"].as_str()).expect("ann has a token").to_owned();
    let admin = &stage.bank.gateway.admin;
    let revoked = stage.bank.rest(admin, "DELETE", &format!("/tokens/{id}"), None).await;
    assert_eq!(revoked.status, 204, "{revoked:?}");
    let due = json!({ "name": "anns", "task": task, "trigger": soon(), "principal": "ann" });
    let changed = stage.bank.rest(admin, "PUT", "/automations/anns", Some(due)).await;
    assert_eq!(changed.status, 200, "{changed:?}");
    let failed = fire(&stage, "anns", "failed").await;
    let why = failed["reason"].as_str().unwrap_or_default();
    assert!(why.contains("ann") && why.contains("revoked"), "{failed}");
    assert_eq!(stage.model.requests().len(), 0, "no model was asked");
}

#[tokio::test]
async fn files_that_arrive_at_a_pointer_start_a_run_each_time_that_it_moves() {
    let stage = AgentStage::open("[policy]\ntemplate = \"exploratory\"\n", completing()).await;
    let task = stage.task("Read what came", WireFormat::Chat, json!({})).await;
    let trigger = json!({ "on": "pointer", "pattern": "inbox/*" });
    automate(&stage, json!({ "name": "arrivals", "task": task, "trigger": trigger, "overlap": "allow_all" }))
        .await;
    let call = async |tool: &str, arguments: Value| {
        let path = format!("/tools/{tool}");
        let said = stage.bank.rest(&stage.bank.gateway.admin, "POST", &path, Some(arguments)).await;
        assert_eq!(said.status, 200, "{tool}: {said:?}");
        said.json()["data"].take()
    };
    let manifest = async |text: &str| {
        let artifact = call("substrate.artifact.upload", json!({ "text": text })).await["sha256"].take();
        let entries = json!([{ "path": "a.txt", "artifact_sha256": artifact }]);
        call("substrate.manifest.create", json!({ "entries": entries, "message": text })).await["sha256"]
            .take()
    };
    let (first, second) = (manifest("first").await, manifest("second").await);
    let pointer = |namespace: &str, manifest: &Value| json!({ "namespace": namespace, "name": "mail", "manifest_sha256": manifest });
    call("substrate.pointer.create", pointer("elsewhere", &first)).await;
    call("substrate.pointer.create", pointer("inbox", &first)).await;
    run_of(&fire(&stage, "arrivals", "started").await);
    let mut moved = pointer("inbox", &second);
    moved["expected_sha256"] = first.clone();
    call("substrate.pointer.advance", moved).await;
    let there = until_async(WAIT, || async {
        let fires = fires(&stage, "arrivals").await;
        (fires.iter().filter(|fire| fire["state"] == "started").count() == 2).then_some(fires)
    });
    for fire in there.await.expect("the move starts another run") {
        stage.becomes(&run_of(&fire), "completed").await;
    }
    assert_eq!(stage.model.requests_of("Read what came").len(), 2, "another pointer starts nothing");
    stage.verify();
}
