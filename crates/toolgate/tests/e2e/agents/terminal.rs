//! `toolgate run`: an agent that works in the terminal, shown as it goes.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::Value;
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::model::{ModelStep, ScriptedAnswer, ScriptedCall, WireFormat, steps};

use super::stage::AgentStage;
use crate::doors::WAIT;
use crate::governed::bank::{GATED, NO_HOLD, money, moved};

/// Longer than the gateway keeps a connection of a command that says nothing.
const QUIET: Duration = Duration::from_secs(17);

#[tokio::test]
async fn a_run_that_waits_long_for_a_person_is_shown_to_its_end() {
    let transfer = ScriptedCall::new("bank__transfer", &money(7));
    let asks = ScriptedAnswer::default().say("I move seven.").call(transfer);
    let script = steps([asks.into(), ModelStep::complete("seven were moved")]);
    let stage = AgentStage::open(&format!("{GATED}{NO_HOLD}"), script).await;
    let gateway = &stage.bank.gateway;
    let mut run: Command = gateway.cli_command(&["run", "Move 7", "--model", WireFormat::Chat.provider()]);
    let shown = run.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let shown = shown.expect("the binary runs");

    let waiting = until_async(WAIT, || async {
        let open = stage.bank.get(&gateway.admin, "/approvals?state=pending").await.json();
        open["approvals"][0]["id"].as_str().map(str::to_owned)
    });
    let approval = waiting.await.expect("the call waits for a person");
    tokio::time::sleep(QUIET).await;
    stage.bank.approve_as(&gateway.admin, &approval).await;

    let ended = tokio::task::spawn_blocking(move || shown.wait_with_output());
    let ended = ended.await.expect("no panic").expect("it ends");
    let (said, told) = (String::from_utf8_lossy(&ended.stdout), String::from_utf8_lossy(&ended.stderr));
    assert!(ended.status.success(), "{said}\n{told}");
    assert!(said.contains("I move seven."), "{said}");
    assert!(told.contains("it waits (approval)") && told.contains("seven were moved"), "{told}");
    assert_eq!(stage.bank.ran(), [moved(7)]);
    stage.verify();
}

#[tokio::test]
async fn the_end_of_a_run_is_told_as_json() {
    let stage = AgentStage::open("", steps([ModelStep::complete("done")])).await;
    let ended = stage.bank.gateway.cli(&["run", "Do it", "--model", WireFormat::Chat.provider(), "--json"]);
    assert!(ended.status.success(), "{ended:?}");
    let told: Value = serde_json::from_slice(&ended.stdout).expect("JSON");
    assert_eq!(
        (told["state"].as_str(), told["summary"].as_str()),
        (Some("completed"), Some("done")),
        "{told}"
    );
    stage.verify();
}
