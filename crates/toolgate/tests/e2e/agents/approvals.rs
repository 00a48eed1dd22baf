//! Runs that wait for people in the middle: they cost nothing meanwhile, and every effect happens once.

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::model::{ModelStep, ScriptedCall, WireFormat, steps};

use super::stage::{AgentStage, action as action_of, balance, looked};
use crate::doors::WAIT;
use crate::governed::bank::{GATED, NO_HOLD, money, moved};
use crate::governed::database::Backing;
use crate::governed::on_both;
use crate::kit::child;
use crate::runs::work::question;

on_both!(
    an_approval_in_the_middle_lets_the_run_go_on_and_the_effect_happens_once,
    an_answer_in_the_middle_lets_the_run_go_on,
    two_approvals_of_one_answer_are_each_used_when_they_are_given,
);

async fn an_approval_in_the_middle_lets_the_run_go_on_and_the_effect_happens_once(backing: Backing) {
    let script = steps([
        ModelStep::calls([balance("DE1"), ScriptedCall::new("bank__transfer", &money(7))]),
        ModelStep::complete("moved"),
    ]);
    let stage = AgentStage::open_on(backing, &format!("{GATED}{NO_HOLD}"), script).await;
    for format in WireFormat::ALL {
        let before = stage.bank.ran().len();
        let run = stage.run_as(&format!("Move 7 by {}", format.provider()), format).await;
        let action = stage.needs(&run, "approval").await;
        let id = action["id"].as_str().expect("an approval");
        assert!(!stage.bank.ran()[before..].contains(&moved(7)), "{format:?}: nothing before the vote");
        let asked = stage.model.requests().len();
        stage.bank.approve_as(&stage.bank.gateway.admin, id).await;
        let ended = stage.becomes(&run, "completed").await;
        assert!(action_of(&ended).is_null(), "{format:?}: {ended}");
        let mut ran = stage.bank.ran().split_off(before);
        ran.sort();
        assert_eq!(ran, [looked("DE1"), moved(7)], "{format:?}: what ran before the vote does not run again");
        assert_eq!(stage.model.requests().len(), asked + 1, "{format:?}: the model was not asked meanwhile");
    }
    stage.verify();
}

async fn two_approvals_of_one_answer_are_each_used_when_they_are_given(backing: Backing) {
    let transfer = |amount| ScriptedCall::new("bank__transfer", &money(amount));
    let script = steps([ModelStep::calls([transfer(7), transfer(8)]), ModelStep::complete("moved")]);
    let stage = AgentStage::open_on(backing, &format!("{GATED}{NO_HOLD}"), script).await;
    let run = stage.run("Move 7 and 8").await;
    let first = stage.needs(&run, "approval").await["id"].clone();
    let admin = &stage.bank.gateway.admin;
    let open = stage.bank.get(admin, "/approvals?state=pending").await.json();
    let open: Vec<&Value> = open["approvals"].as_array().expect("a list").iter().collect();
    assert_eq!(open.len(), 2, "{open:?}");
    let other = open.iter().find(|one| one["id"] != first).expect("another one");
    // It comes before the one that the run is shown to wait for, and does not lapse meanwhile.
    stage.bank.approve_as(admin, other["id"].as_str().expect("an id")).await;
    let runs_at_once = until_async(WAIT, || async { (stage.bank.ran().len() == 1).then_some(()) });
    runs_at_once.await.expect("the call that may go on does so");
    assert_eq!(stage.needs(&run, "approval").await["id"], first, "the other call waits on");
    assert_eq!(stage.model.requests().len(), 1);
    stage.bank.approve_as(admin, first.as_str().expect("an id")).await;
    let ended = stage.becomes(&run, "completed").await;
    assert_eq!(ended["used"]["calls"], 2, "a call that waited counts once: {ended}");
    let mut ran = stage.bank.ran();
    ran.sort();
    assert_eq!(ran, [moved(7), moved(8)]);
    assert_eq!(stage.model.requests().len(), 2);
    stage.verify();
}

#[tokio::test]
async fn a_call_that_people_refuse_is_told_to_the_model() {
    let script = steps([ModelStep::call("bank__transfer", &money(7)), ModelStep::complete("not moved")]);
    let stage = AgentStage::open(&format!("{GATED}{NO_HOLD}"), script).await;
    let run = stage.run("Move 7").await;
    let action = stage.needs(&run, "approval").await;
    let id = action["id"].as_str().expect("an approval");
    let denied = json!({ "decision": "deny", "reason": "too much" });
    let denied = stage.bank.decide(&stage.bank.gateway.admin, id, denied).await;
    assert_eq!(denied.status, 200, "{denied:?}");
    stage.becomes(&run, "completed").await;
    assert_eq!(stage.bank.ran(), Vec::<String>::new());
    assert!(stage.told().contains("too much") || stage.told().contains("denied"), "{}", stage.told());
    stage.verify();
}

async fn an_answer_in_the_middle_lets_the_run_go_on(backing: Backing) {
    let script = steps([
        ModelStep::calls([balance("DE1"), balance("DE2")]),
        ModelStep::call("request_user_input", &question("text", "tone")),
        ModelStep::complete("asked and answered"),
    ]);
    let stage = AgentStage::open_on(backing, NO_HOLD, script).await;
    let run = stage.run("Ask a person").await;
    let action = stage.needs(&run, "question").await;
    let asked = stage.model.requests().len();
    stage.answer(action["id"].as_str().expect("a question"), json!("warm")).await;
    stage.becomes(&run, "completed").await;
    assert!(stage.told().contains("warm"), "{}", stage.told());
    assert_eq!(stage.model.requests().len(), asked + 1);
    stage.verify();
}

#[tokio::test]
async fn a_run_that_waits_goes_on_after_a_crash() {
    let script = steps([ModelStep::call("bank__transfer", &money(7)), ModelStep::complete("moved")]);
    let stage = AgentStage::open(&format!("{GATED}{NO_HOLD}"), script).await;
    let run = stage.run("Move 7").await;
    let action = stage.needs(&run, "approval").await;
    let stage = stage.killed();
    assert_eq!(stage.needs(&run, "approval").await["id"], action["id"], "it waits for the same");
    stage.bank.approve_as(&stage.bank.gateway.admin, action["id"].as_str().expect("an approval")).await;
    stage.becomes(&run, "completed").await;
    assert_eq!(stage.bank.ran(), [moved(7)]);
    stage.verify();
}

#[tokio::test]
async fn what_waits_stands_in_the_inbox() {
    let script = steps([ModelStep::call("bank__transfer", &money(7)), ModelStep::complete("moved")]);
    let stage = AgentStage::open(&format!("{GATED}{NO_HOLD}"), script).await;
    let run = stage.run("Move 7").await;
    let action = stage.needs(&run, "approval").await;
    let inbox = stage.bank.get(&stage.bank.gateway.admin, "/inbox").await;
    assert!(inbox.text.contains(action["id"].as_str().expect("an id")), "{inbox:?}");
}

#[tokio::test]
async fn a_question_of_a_server_in_the_middle_of_a_call_waits_for_a_person_and_the_call_goes_on() {
    let script = steps([ModelStep::call("asks__ask", &json!({})), ModelStep::complete("asked")]);
    let server = child("asks", "bad-neighbour", &["--era", "modern", "--label", "rounds"]);
    let stage = AgentStage::open(&server, script).await;
    asks_is_there(&stage).await;
    let run = stage.run("Ask").await;
    let action = stage.needs(&run, "question").await;
    let id = action["id"].as_str().expect("a question").to_owned();
    // Nothing of it is in the memory of a process.
    let stage = stage.killed();
    stage.ready().await;
    asks_is_there(&stage).await;
    let asked = stage.bank.get(&stage.bank.gateway.admin, &format!("/inputs/{id}")).await.json();
    assert!(asked.to_string().contains("Well?") && asked.to_string().contains("asks"), "{asked}");
    stage.answer(&id, json!("very well")).await;
    let ended = stage.becomes(&run, "completed").await;
    assert!(stage.told().contains("very well"), "the server got the answer: {}", stage.told());
    assert_eq!(ended["used"]["calls"], 1, "it is one call: {ended}");
    stage.verify();
}

/// The server that asks is connected.
async fn asks_is_there(stage: &AgentStage) {
    let there = until_async(WAIT, || async {
        let server = stage.bank.get(&stage.bank.gateway.admin, "/servers/asks").await;
        let has_tools = server.json()["tools"].as_u64().is_some_and(|tools| tools > 0);
        (server.status == 200 && has_tools).then_some(())
    });
    there.await.expect("the server is connected");
}

#[tokio::test]
async fn runs_that_wait_do_not_take_the_places_of_sessions() {
    let clerk = "[[capabilities]]\nname = \"paying\"\ntools = [\"bank:transfer\"]\n\
                 [[agents]]\nname = \"clerk\"\ncapabilities = [\"paying\"]\nlimits = { sessions_max = 1 }\n";
    let script = steps([ModelStep::call("bank__transfer", &money(7)), ModelStep::complete("moved")]);
    let stage = AgentStage::open(&format!("{clerk}{GATED}{NO_HOLD}"), script).await;
    let mut waiting = Vec::new();
    for number in 1..=3 {
        let task = json!({ "goal": format!("Move 7, number {number}"), "model": "openai", "agent": "clerk" });
        let run = stage.start(&stage.task_of(task).await).await;
        stage.needs(&run, "approval").await;
        waiting.push(run);
    }
    // A session that somebody works in has the one place.
    let admin = &stage.bank.gateway.admin;
    let open = async || stage.bank.rest(admin, "POST", "/sessions", Some(json!({ "agent": "clerk" }))).await;
    assert_eq!(open().await.status, 201);
    let refused = open().await;
    assert_eq!((refused.status, &refused.json()["code"]), (429, &json!("too_many_sessions")), "{refused:?}");
    // Those that wait go on all the same. They ask the same and share an approval, which lets one of them through.
    for run in &waiting {
        let ended = until_async(WAIT, || async {
            let shown = stage.show(run).await;
            if let Some(approval) = action_of(&shown)["id"].as_str() {
                stage.bank.decide(admin, approval, json!({ "decision": "approve" })).await;
            }
            (shown["state"] == "completed").then_some(())
        });
        ended.await.expect("it goes on");
    }
    stage.verify();
}

#[tokio::test]
async fn a_run_ends_at_once_when_somebody_closes_its_session() {
    let script = steps([
        ModelStep::call("bank__hold", &json!({ "amount": 1, "account": "DE1" })),
        ModelStep::complete("done"),
    ]);
    let stage = AgentStage::open("", script).await;
    let run = stage.run("Hold on").await;
    let held = until_async(WAIT, || async { (!stage.bank.ran().is_empty()).then_some(()) });
    held.await.expect("the call reaches the bank");
    let admin = &stage.bank.gateway.admin;
    let session = stage.show(&run).await["session"].as_str().expect("a session").to_owned();
    let closed = stage.bank.rest(admin, "DELETE", &format!("/sessions/{session}"), None).await;
    assert_eq!(closed.status, 200, "{closed:?}");
    let ended = stage.becomes(&run, "cancelled").await;
    assert_eq!(ended["reason"], "its session was closed", "{ended}");
    assert_eq!(stage.model.requests().len(), 1, "the model is not asked again");
    stage.bank.write("release", "");
    stage.verify();
}
