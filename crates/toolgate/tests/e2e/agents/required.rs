//! The actions that runs wait for, as others hear of them: events, webhooks, the inbox. Sign-ins, models that are gone, and calls that are cancelled.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::model::{ModelScript, ModelStep, ScriptedCall, WireFormat, steps};
use toolgate_testkit::web_api::{WebAnswer, WebApi};

use super::stage::AgentStage;
use crate::doors::WAIT;
use crate::governed::bank::{GATED, NO_HOLD, money, moved};
use crate::governed::receiver::Receiver;
use crate::kit::{call, child, text};

const LOOPBACK: &str = "[network]\nallow_loopback = true\n";

/// Moves money; a run with another goal has a model that refuses.
fn moving_or_refusing() -> ModelScript {
    Arc::new(|asked| match (asked.goal().starts_with("Move"), asked.turn()) {
        (true, 1) => ModelStep::calls([ScriptedCall::new("bank__transfer", &money(7))]),
        (true, _) => ModelStep::complete("moved"),
        (false, _) => ModelStep::status(400),
    })
}

/// The webhook's message of this kind about a run.
async fn heard(receiver: &Receiver, kind: &str, run: &str) -> Value {
    let fits = |message: &Value| {
        message["type"].as_str().is_some_and(|name| name.ends_with(kind)) && message["data"]["run"] == run
    };
    receiver.find(|message| fits(&message.json())).await.json()["data"]["detail"].clone()
}

#[tokio::test]
async fn events_and_webhooks_say_what_a_run_waits_for_and_how_to_resolve_it() {
    let receiver = Receiver::open().await;
    let webhook = format!(
        "[[webhooks]]\nname = \"desk\"\nurl = \"{}/hook\"\nsecret = \"sixteen letters and more\"\n\
         events = [\"run.paused\", \"input.requested\"]\n",
        receiver.url
    );
    let stage = AgentStage::open(&format!("{GATED}{NO_HOLD}{webhook}"), moving_or_refusing()).await;
    for (goal, kind, reason) in [("Move 7", "approval", "approval"), ("Refuse", "stuck", "input")] {
        let run = stage.run(goal).await;
        let action = stage.needs(&run, kind).await;
        let paused = heard(&receiver, "run.paused", &run).await;
        let told = &paused["action"];
        assert_eq!(
            (&told["kind"], &told["id"], &paused["reason"]),
            (&action["kind"], &action["id"], &json!(reason))
        );
        assert_eq!(told["since"], action["since"], "{paused}");
        let id = action["id"].as_str().expect("an id");
        assert!(told["how"].as_str().is_some_and(|how| how.contains(id)), "{paused}");
        let recorded = stage.bank.events_of(&["--run", &run, "--kind", "run.paused"], 1);
        assert_eq!(recorded[0]["detail"]["action"], *told, "the ledger has the same");
    }
    let stuck = stage.bank.get(&stage.bank.gateway.admin, "/inbox").await.json();
    let asked = stuck["entries"].as_array().into_iter().flatten().find(|entry| entry["kind"] == "input");
    let asked = asked.unwrap_or_else(|| panic!("no question: {stuck}"));
    assert_eq!(asked["purpose"], "stuck", "{asked}");
    let run = asked["run"].as_str().expect("its run");
    let requested = heard(&receiver, "input.requested", run).await;
    assert_eq!((&requested["action"]["kind"], &requested["action"]["id"]), (&json!("stuck"), &asked["id"]));
    for message in receiver.came() {
        assert!(!message.holds("The script says so"), "words of a model do not leave with it: {message:?}");
    }
    stage.verify();
}

/// A document with one operation that reads.
fn pets() -> String {
    let answer =
        json!({ "description": "ok", "content": { "application/json": { "schema": { "type": "object" } } } });
    let paths = json!({ "/list": { "get": { "operationId": "list", "summary": "Lists", "responses": { "200": answer } } } });
    json!({ "openapi": "3.0.3", "info": { "title": "Pets", "version": "1" }, "paths": paths }).to_string()
}

#[tokio::test]
async fn a_run_whose_server_wants_a_sign_in_waits_for_it_and_calls_again() {
    let is_signed_in = Arc::new(AtomicBool::new(false));
    let signed_in = is_signed_in.clone();
    let api = WebApi::start(move |_| match signed_in.load(Ordering::SeqCst) {
        true => WebAnswer::json(200, &json!({ "pet": "Rex" })),
        false => WebAnswer::json(401, &json!({ "error": "token expired" })),
    });
    let script = steps([ModelStep::call("pets__list", &json!({})), ModelStep::complete("listed")]);
    let toml = format!(
        "{LOOPBACK}[policy]\ntemplate = \"exploratory\"\n[[servers]]\nname = \"pets\"\nopenapi = \"pets.json\"\nbase_url = {:?}\n",
        api.url("/v1")
    );
    let stage = AgentStage::open_with(&toml, &[("pets.json", &pets())], script).await;
    let admin = stage.bank.gateway.admin.clone();
    let there = until_async(WAIT, || async {
        let server = stage.bank.get(&admin, "/servers/pets").await;
        (server.status == 200 && server.json()["tools"] == 1).then_some(())
    });
    there.await.expect("the API is there");
    let run = stage.run("List the pets").await;
    let action = stage.needs(&run, "credential").await;
    let id = action["id"].as_str().expect("a question").to_owned();
    let asked = stage.bank.get(&admin, &format!("/inputs/{id}")).await.json();
    assert_eq!(asked["purpose"], "credential", "{asked}");
    assert_eq!(stage.model.requests().len(), 1, "nobody pays for the wait");
    is_signed_in.store(true, Ordering::SeqCst);
    stage.answer(&id, json!("done")).await;
    stage.becomes(&run, "completed").await;
    assert!(stage.told().contains("Rex"), "{}", stage.told());
    stage.verify();
}

#[tokio::test]
async fn a_run_whose_model_is_removed_waits_for_people_and_goes_on_with_it() {
    let stage = AgentStage::open(&format!("{LOOPBACK}{GATED}{NO_HOLD}"), moving_or_refusing()).await;
    let admin = stage.bank.gateway.admin.clone();
    let url = stage.model.url(WireFormat::Chat);
    let model = json!([{ "name": "passing", "provider": "openai", "model": "scripted", "url": url }]);
    let set = async |value: &Value| {
        let set = stage.bank.rest(&admin, "PATCH", "/settings/models", Some(json!({ "value": value }))).await;
        assert_eq!(set.status, 200, "{set:?}");
    };
    set(&model).await;
    let run = stage.start(&stage.task_of(json!({ "goal": "Move 7", "model": "passing" })).await).await;
    let approval = stage.needs(&run, "approval").await["id"].as_str().expect("an id").to_owned();
    set(&json!([])).await;
    stage.bank.approve_as(&admin, &approval).await;
    let moves = until_async(WAIT, || async { (stage.bank.ran() == [moved(7)]).then_some(()) });
    moves.await.expect("the call that was approved is made all the same");
    let stuck = until_async(WAIT, || async {
        let action = stage.show(&run).await["driven"]["action"].clone();
        (action["kind"] == "stuck").then_some(action)
    });
    let stuck = stuck.await.expect("nobody can be asked");
    assert!(stuck["how"].as_str().is_some_and(|how| how.contains("no model \"passing\"")), "{stuck}");
    assert_eq!(stage.model.requests().len(), 1);
    set(&model).await;
    stage.answer(stuck["id"].as_str().expect("a question"), json!("go on")).await;
    stage.becomes(&run, "completed").await;
    assert_eq!(stage.bank.ran(), [moved(7)]);
    stage.verify();
}

#[tokio::test]
async fn a_server_hears_that_the_call_of_a_cancelled_run_is_cancelled() {
    let neighbours = child("slow", "bad-neighbour", &[]);
    let script = steps([ModelStep::call("slow__hang", &json!({})), ModelStep::complete("done")]);
    // All tools of the neighbour are listed, at any cost.
    let listed = "[[agents]]\nname = \"default\"\ntoken_budget = \"off\"\n";
    let stage = AgentStage::open(&format!("{listed}{neighbours}"), script).await;
    let client = stage.bank.gateway.client();
    let seen = async || text(&call(&client, "slow__cancellations", json!({})).await).to_owned();
    let admin = stage.bank.gateway.admin.clone();
    let there = until_async(WAIT, || async {
        let server = stage.bank.get(&admin, "/servers/slow").await;
        (server.status == 200 && server.json()["tools"].as_u64() > Some(0)).then_some(())
    });
    there.await.expect("the neighbour is there");
    let before = seen().await;
    let run = stage.run("Wait for it").await;
    let started = until_async(WAIT, || async {
        let begun = stage.bank.events(&["--run", &run, "--kind", "tool.call.started"]);
        (!begun.is_empty()).then_some(())
    });
    started.await.expect("the call is under way");
    stage.steer(&run, "cancel").await;
    let heard = until_async(WAIT, || async { (seen().await != before).then_some(()) });
    heard.await.expect("the server hears of it");
    assert_eq!(stage.show(&run).await["state"], "cancelled");
    assert_eq!(stage.model.requests().len(), 1);
}
