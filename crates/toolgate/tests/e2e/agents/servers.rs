//! The tools of a run are those of its session at its start: servers that come later are there on the next run, and servers that
//! are away are said.

use serde_json::json;
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::model::{ModelStep, steps};

use super::stage::{AgentStage, balance};
use crate::doors::WAIT;
use crate::kit::{call, child, remote};
use crate::live::worker::Worker;

const LOOPBACK: &str = "[network]\nallow_loopback = true\n";

#[tokio::test]
async fn a_server_that_is_added_while_the_gateway_runs_is_there_on_the_next_run() {
    let script = steps([
        ModelStep::call("bank__hold", &json!({ "amount": 1, "account": "DE1" })),
        ModelStep::complete("done"),
    ]);
    let stage = AgentStage::open(LOOPBACK, script).await;
    let run = stage.run("The first").await;
    let held = until_async(WAIT, || async { (!stage.bank.ran().is_empty()).then_some(()) });
    held.await.expect("the call reaches the bank");
    let worker = Worker::start(&["--name", "jobs", "--instance", "a"]);
    let admin = stage.bank.gateway.admin.clone();
    let body = json!({ "value": [{ "name": "jobs", "url": worker.url }] });
    let set = stage.bank.rest(&admin, "PATCH", "/settings/mcp_servers", Some(body)).await;
    assert_eq!(set.status, 200, "{set:?}");
    let there = until_async(WAIT, || async {
        let server = stage.bank.get(&admin, "/servers/jobs").await;
        (server.status == 200 && server.json()["tools"] == 2).then_some(())
    });
    there.await.expect("the server is connected");
    stage.bank.write("release", "");
    stage.becomes(&run, "completed").await;
    let first = stage.model.requests_of("The first");
    assert_eq!(first.len(), 2);
    assert!(first.iter().all(|asked| !asked.offers("jobs__work")), "the tools of a run are frozen");
    let next = stage.run("The second").await;
    stage.becomes(&next, "completed").await;
    let second = stage.model.requests_of("The second");
    assert!(second[0].offers("jobs__work") && second[0].offers("bank__hold"), "{:?}", second[0].tools);
    stage.verify();
}

#[tokio::test]
async fn a_server_that_is_away_is_said_in_the_run_and_the_run_goes_on() {
    let script = steps([ModelStep::calls([balance("DE1")]), ModelStep::complete("done")]);
    let more = format!("{LOOPBACK}{}", remote("distant", "http://127.0.0.1:9/mcp"));
    let stage = AgentStage::open(&more, script).await;
    let admin = stage.bank.gateway.admin.clone();
    let away = until_async(WAIT, || async {
        let server = stage.bank.get(&admin, "/servers/distant").await;
        (server.status == 200 && server.json()["health"] != "healthy").then_some(())
    });
    away.await.expect("the server is away");
    let run = stage.run("Go on without it").await;
    stage.becomes(&run, "completed").await;
    let first = &stage.model.requests()[0];
    assert!(first.told().contains("distant"), "{}", first.told());
    assert!(stage.chat(&run).await.contains("distant"), "people read it too");
    stage.verify();
}

#[tokio::test]
async fn an_agent_has_the_tools_of_its_capabilities_and_no_others() {
    let agents = "[[capabilities]]\nname = \"reading\"\ntools = [\"bank:balance\"]\n\
                  [[agents]]\nname = \"reader\"\ncapabilities = [\"reading\"]\n";
    let script = steps([
        ModelStep::calls([balance("DE1"), balance("DE2")]),
        ModelStep::call("bank__transfer", &json!({ "amount": 1, "account": "DE1" })),
        ModelStep::complete("done"),
    ]);
    let stage = AgentStage::open(agents, script).await;
    let task = json!({ "goal": "Read only", "model": "openai", "agent": "reader" });
    let run = stage.start(&stage.task_of(task).await).await;
    stage.becomes(&run, "completed").await;
    let first = &stage.model.requests()[0];
    assert!(first.offers("bank__balance") && !first.offers("bank__transfer"), "{:?}", first.tools);
    let ran = stage.bank.ran();
    assert!(ran.iter().all(|line| line.starts_with("balance")), "a hidden tool is not called: {ran:?}");
    stage.verify();
}

#[tokio::test]
async fn a_server_with_a_state_knows_the_run_of_an_agent_and_hears_of_its_end() {
    let script = steps([ModelStep::call("counters__count", &json!({})), ModelStep::complete("counted")]);
    let counters = child("counters", "conformance-server", &["--stdio", "--tools", "counters"]);
    let stage = AgentStage::open(&counters, script).await;
    let admin = stage.bank.gateway.admin.clone();
    let there = until_async(WAIT, || async {
        let server = stage.bank.get(&admin, "/servers/counters").await;
        (server.status == 200 && server.json()["tools"] == 2).then_some(())
    });
    there.await.expect("the server is connected");
    let run = stage.run("Count once").await;
    stage.becomes(&run, "completed").await;
    let told = stage.told();
    assert!(told.contains(&format!("\"run\":\"{run}\"")), "{told}");
    let client = stage.bank.gateway.client();
    let forgotten = until_async(WAIT, || async {
        let said = call(&client, "counters__callers", json!({})).await;
        let callers = said["structuredContent"]["callers"].as_object()?;
        callers.is_empty().then_some(())
    });
    forgotten.await.expect("its state is gone");
    stage.verify();
}
