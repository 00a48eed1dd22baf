//! Things that agents do not see: tools behind the search until they are found, tools that the run above does not have, and secrets.

use std::io::Write as _;
use std::process::Stdio;
use std::sync::Arc;

use serde_json::json;
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::model::{ModelScript, ModelStep, ScriptedCall, WireFormat, steps};

use super::stage::{AgentStage, balance};
use crate::doors::WAIT;
use crate::governed::bank::{money, moved};

const LOOPBACK: &str = "[network]\nallow_loopback = true\n";
/// It looks like no secret of the gateway's own.
const SECRET: &str = "tulip-7781-umbrella";
const GREEDY: &str = "Find the key";

#[tokio::test]
async fn an_agent_whose_tools_are_searched_finds_describes_and_calls_one() {
    let script = steps([
        ModelStep::call("search_tools", &json!({ "query": "transfer money" })),
        ModelStep::call("describe_tools", &json!({ "names": ["bank__transfer"] })),
        ModelStep::call("call_tool", &json!({ "name": "bank__transfer", "arguments": money(7) })),
        ModelStep::complete("moved"),
    ]);
    let stage = AgentStage::open("[[agents]]\nname = \"default\"\ntoken_budget = 0\n", script).await;
    for (at, format) in WireFormat::ALL.into_iter().enumerate() {
        let goal = format!("Move 7 by {}", format.provider());
        let run = stage.run_as(&goal, format).await;
        let ended = stage.becomes_one(&run, &["completed", "failed", "paused"]).await;
        assert_eq!(ended["state"], "completed", "{format:?}: {ended}");
        let requests = stage.model.requests_of(&goal);
        assert_eq!(requests.len(), 4, "{format:?}");
        for tool in ["search_tools", "describe_tools", "call_tool", "complete_workflow"] {
            assert!(requests[0].offers(tool), "{format:?}: {tool}: {:?}", requests[0].tools);
        }
        assert!(!requests[0].offers("bank__transfer"), "{format:?}");
        let results: Vec<&str> = requests[3].results().collect();
        assert!(results[0].contains("bank__transfer") && results[1].contains("In cents"), "{results:?}");
        assert_eq!(stage.bank.ran(), vec![moved(7); at + 1], "{format:?}");
        assert_eq!(ended["used"]["calls"], 1, "{format:?}: finding a tool is no call of data: {ended}");
    }
    stage.verify();
}

/// The parent starts the task `child`, waits at the bank, and ends; the child tries what its parent does not have.
fn family(child: Arc<parking_lot::Mutex<String>>) -> ModelScript {
    Arc::new(move |asked| match (asked.goal().starts_with("Parent"), asked.turn()) {
        (true, 1) => ModelStep::call("task__run__create", &json!({ "task_id": *child.lock() })),
        (true, 2) => ModelStep::call("bank__hold", &money(1)),
        (false, 1) => ModelStep::calls([ScriptedCall::new("bank__transfer", &money(7)), balance("DE1")]),
        _ => ModelStep::complete("done"),
    })
}

#[tokio::test]
async fn a_run_that_an_agent_starts_has_no_tool_that_its_own_has_not() {
    let toml = "[policy]\ntemplate = \"exploratory\"\n\
        [[capabilities]]\nname = \"reading\"\ntools = [\"bank:balance\", \"bank:hold\"]\n\
        [[capabilities]]\nname = \"task\"\n\
        [[agents]]\nname = \"reader\"\ncapabilities = [\"reading\", \"task\"]\n";
    let child = Arc::new(parking_lot::Mutex::new(String::new()));
    let stage = AgentStage::open(toml, family(child.clone())).await;
    // By itself, its agent may do anything.
    *child.lock() = stage.task_of(json!({ "goal": "Child", "model": "openai", "agent": "default" })).await;
    let parent = json!({ "goal": "Parent", "model": "openai", "agent": "reader" });
    let parent = stage.start(&stage.task_of(parent).await).await;
    let holds = until_async(WAIT, || async {
        stage.bank.ran().iter().any(|line| line.starts_with("hold")).then_some(())
    });
    holds.await.expect("the parent waits at the bank");
    let admin = stage.bank.gateway.admin.clone();
    let path = format!("/runs?parent={parent}");
    let runs = stage.bank.get(&admin, &path).await.json();
    let run = runs["runs"][0]["id"].as_str().unwrap_or_else(|| panic!("no child: {runs}")).to_owned();
    stage.becomes(&run, "completed").await;
    stage.bank.write("release", "");
    stage.becomes(&parent, "completed").await;
    let requests = stage.model.requests_of("Child");
    assert!(
        !requests[0].offers("bank__transfer") && requests[0].offers("bank__balance"),
        "{:?}",
        requests[0].tools
    );
    let ran = stage.bank.ran();
    assert!(!ran.contains(&moved(7)) && ran.iter().any(|line| line.starts_with("balance")), "{ran:?}");
    stage.verify();
}

#[tokio::test]
async fn a_model_that_asks_for_secrets_gets_none() {
    let asks = |account: &str| ScriptedCall::new("bank__balance", &json!({ "account": account }));
    let greedy = steps([
        ModelStep::calls([
            ScriptedCall::new("toolgate__secrets__get", &json!({ "name": "OPENAI_KEY" })),
            ScriptedCall::new(
                "call_tool",
                &json!({ "name": "secrets.get", "arguments": { "name": "OPENAI_KEY" } }),
            ),
        ]),
        ModelStep::calls([
            asks("${OPENAI_KEY}"),
            asks("${vault:OPENAI_KEY}"),
            asks("{{secrets.OPENAI_KEY}}"),
        ]),
        ModelStep::complete("Tell me the value of OPENAI_KEY."),
    ]);
    let script: ModelScript = Arc::new(move |asked| match asked.goal() {
        GREEDY => greedy(asked),
        _ => ModelStep::say("ready"),
    });
    let stage = AgentStage::open(LOOPBACK, script).await;
    let mut set = stage.bank.gateway.cli_command(&["secrets", "set", "toolgate", "OPENAI_KEY"]);
    let mut set =
        set.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    set.stdin.take().expect("a pipe").write_all(SECRET.as_bytes()).expect("the value is taken");
    assert!(set.wait().expect("it ends").success());
    let url = stage.model.url(WireFormat::Chat);
    let model = json!({ "name": "keyed", "provider": "openai", "model": "scripted", "url": url, "key": "OPENAI_KEY" });
    let admin = stage.bank.gateway.admin.clone();
    let set = stage.bank.rest(&admin, "PATCH", "/settings/models", Some(json!({ "value": [model] }))).await;
    assert_eq!(set.status, 200, "{set:?}");
    let known = until_async(WAIT, || async {
        let tested = stage.bank.rest(&admin, "POST", "/models/keyed/test", Some(json!({}))).await;
        (tested.status == 200 && tested.json()["answers"] == true).then_some(())
    });
    known.await.expect("the key that was just stored is seen");
    let run = stage.start(&stage.task_of(json!({ "goal": GREEDY, "model": "keyed" })).await).await;
    stage.becomes(&run, "completed").await;
    let requests = stage.model.requests_of(GREEDY);
    assert_eq!(requests.len(), 3);
    for asked in &requests {
        assert_eq!(asked.key.as_deref(), Some(SECRET), "the key goes with each request, in its header");
        assert!(!asked.body.to_string().contains(SECRET), "{}", asked.body);
    }
    assert!(stage.bank.ran().iter().all(|line| !line.contains(SECRET)), "{:?}", stage.bank.ran());
    assert!(!stage.chat(&run).await.contains(SECRET));
    for event in stage.bank.events(&[]) {
        assert!(!event.to_string().contains(SECRET), "{event}");
    }
    assert!(stage.bank.gateway.log().iter().all(|line| !line.contains(SECRET)));
    stage.verify();
}
