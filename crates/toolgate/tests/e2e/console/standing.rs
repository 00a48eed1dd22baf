//! Everything that exists has a page: tasks, automations, models with what they cost, quotas, checkpoints; and a call is proved from its own.

use std::process::Command;

use serde_json::json;
use toolgate_testkit::gateway::until_async;

use super::driven::{self, AUTOMATION, DrivenWork, MODEL, ask};
use super::office::Office;
use super::person::Person;
use super::plain::Visitor;
use crate::doors::WAIT;
use crate::governed::bank::envelope;
use crate::toolgate;

#[tokio::test]
async fn a_task_is_started_from_its_page_and_what_it_cost_is_seen() {
    let model = driven::start_model();
    let office = Office::open_with(&driven::toml(&model)).await;
    driven::define(&office).await;
    let person = Person::logged_in(office.gateway(), &office.token("operator", "otto")).await;
    person.open("/console/runs").await;
    person.click("Tasks").await;
    person.click("Check the account").await;
    person.sees("say in one sentence").await;
    person.sees("Version 2").await;
    person.sees("It has no runs yet").await;
    person.click("Start a run").await;
    person.sees("Started.").await;
    person.sees("completed").await;
    person.sees("The account DE2 is in order.").await;
    person.open("/").await;
    person.sees("Models, today").await;
    person.open("/console/models?by=agent&days=7").await;
    person.sees("clerk").await;
    person.sees("from the cache").await;
    person.click(MODEL).await;
    person.sees("a million tokens").await;
    person.leaves().await;
    let auditor = Visitor::enters(office.gateway(), &office.token("auditor", "ines")).await;
    let page = auditor.get("/console/tasks").await.text;
    assert!(page.contains("Check the account") && !page.contains("Start a run"), "{page}");
    model.assert_no_problems();
}

#[tokio::test]
async fn an_automation_tells_its_next_starts_and_what_did_not_start_with_the_reason() {
    let model = driven::start_model();
    let office = Office::open_with(&driven::toml(&model)).await;
    let work = DrivenWork::begin(&office, model).await;
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    person.open("/console/automations").await;
    person.sees("Check the account").await;
    person.click(AUTOMATION).await;
    person.sees("Next starts").await;
    let instants = person.run("return document.querySelectorAll('#next li time').length", vec![]).await;
    assert_eq!(instants, 10, "five instants, each with its distance");
    person.sees("No start was missed").await;
    person.sees("Check the account").await;
    let unlucky = fails(&office, &work.task).await;
    person.open(&format!("/console/automations/{unlucky}")).await;
    person.sees("This automation has not started a run yet").await;
    person.sees("revoked").await;
    person.leaves().await;
}

/// An automation of a principal that has lost its rights; returns its id.
async fn fails(office: &Office, task: &str) -> String {
    office.token("agent", "ann");
    let far = json!({ "on": "once", "at_ms": 4_000_000_000_000_i64 });
    let mut body = json!({ "name": "anns", "task": task, "trigger": far, "principal": "ann" });
    let made = ask(office, "POST", "/automations", &body, 201).await;
    let tokens = office.site().get("/tokens").await;
    let anns = tokens["tokens"].as_array().into_iter().flatten().find(|token| token["principal"] == "ann");
    let id = anns.and_then(|token| token["id"].as_str()).expect("ann has a token").to_owned();
    let revoked = office.site().rest(&office.admin(), "DELETE", &format!("/tokens/{id}"), None).await;
    assert_eq!(revoked.status, 204, "{revoked:?}");
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).expect("after 1970");
    body["trigger"]["at_ms"] = json!(u64::try_from(now.as_millis()).expect("this millennium") + 300);
    ask(office, "PUT", "/automations/anns", &body, 200).await;
    let failed = until_async(WAIT, || async {
        let fires = office.site().get("/automations/anns/fires").await;
        (fires["fires"][0]["state"] == "failed").then_some(())
    });
    failed.await.expect("it fails");
    made["id"].as_str().expect("an id").to_owned()
}

#[tokio::test]
async fn a_call_is_proved_from_its_page_and_the_file_passes_the_check() {
    let folder = tempfile::tempdir().expect("a folder");
    let (key_file, kept) = (folder.path().join("own.key"), folder.path().join("kept"));
    let made = Command::new(toolgate()).args(["ledger", "key", "--new"]).arg(&key_file).output();
    let made = made.expect("the binary runs");
    assert!(made.status.success(), "{made:?}");
    let key = String::from_utf8(made.stdout).expect("text").trim().to_owned();
    let signed = format!("[checkpoints]\nkey_file = {key_file:?}\nfolder = {kept:?}\nevery_seconds = 1\n");
    let office = Office::open_with(&signed).await;
    let done = crate::kit::call(&office.helper, "bank__balance", json!({ "account": "DE7" })).await;
    let call = envelope(&done)["tool_call_id"].as_str().expect("a call").to_owned();

    let visitor = Visitor::enters(office.gateway(), &office.token("auditor", "ines")).await;
    let csrf = visitor.csrf().await;
    let proof = visitor.post(&format!("/console/calls/{call}/proof"), &[("csrf", csrf.as_str())], &[]).await;
    assert_eq!(proof.status, 200, "{proof:?}");
    let saved = proof.headers["content-disposition"].to_str().expect("ASCII");
    assert_eq!(saved, format!("attachment; filename=\"{call}.proof\""));
    let file = folder.path().join("call.proof");
    std::fs::write(&file, &proof.text).expect("written");
    let checked =
        Command::new(toolgate()).args(["ledger", "check"]).arg(&file).args(["--key", &key]).output();
    let checked = checked.expect("the binary runs");
    let told = String::from_utf8_lossy(&checked.stdout).into_owned();
    assert!(checked.status.success() && told.contains(&call) && told.contains("proved"), "{checked:?}");

    let listed = until_async(WAIT, || async {
        let page = office.site().get("/ledger/checkpoints").await;
        page["checkpoints"].as_array().is_some_and(|all| !all.is_empty()).then_some(())
    });
    listed.await.expect("a checkpoint is kept");
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    person.open(&format!("/console/calls/{call}")).await;
    person.sees("Prove this call").await;
    person.open("/console/ledger").await;
    person.click("Checkpoints").await;
    person.sees("agrees").await;
    person.sees(&key).await;
    person.leaves().await;
}

#[tokio::test]
async fn without_a_key_the_page_says_how_to_get_one() {
    let office = Office::open().await;
    let done = crate::kit::call(&office.helper, "bank__balance", json!({ "account": "DE7" })).await;
    let call = envelope(&done)["tool_call_id"].as_str().expect("a call").to_owned();
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    person.open(&format!("/console/calls/{call}")).await;
    person.click("Prove this call").await;
    person.sees("no call can be proved").await;
    person.sees("toolgate ledger key --new").await;
    person.open("/console/ledger/checkpoints").await;
    person.sees("The ledger of this gateway is not signed").await;
    person.leaves_forgiving(&["status of 409"]).await;
}

#[tokio::test]
async fn quotas_are_seen_with_what_is_used_of_them() {
    let office = Office::open_with("[[quotas]]\nprincipal = \"help*\"\ncalls_per_day = 1000\n").await;
    crate::kit::call(&office.helper, "bank__balance", json!({ "account": "DE7" })).await;
    let person = Person::logged_in(office.gateway(), &office.token("auditor", "ines")).await;
    person.open("/console/settings").await;
    person.click("Quotas").await;
    person.sees("every principal").await;
    person.sees("1,000 calls a day").await;
    person.sees("of 1,000").await;
    person.leaves().await;
}
