//! Runs and tasks that a call names: policy uses only verified ones, and a run does not collect the calls of
//! others.

use serde_json::{Value, json};

use super::bank::{Bank, NO_HOLD, envelope, money, status};

/// Only work for one task may be done.
fn for_the_task() -> String {
    let rule =
        "permit (principal, action, resource) when { context has task && context.task == \"payroll\" };";
    format!("[policy]\nguard = '''{rule}'''\n{NO_HOLD}")
}

fn refund(meta: Value) -> Value {
    json!({ "name": "bank__refund", "arguments": money(1), "_meta": meta })
}

#[tokio::test]
async fn a_task_that_a_caller_names_is_no_task_for_policy() {
    let bank = Bank::open(&for_the_task());
    let claimed = refund(json!({ "dev.toolgate/task_id": "payroll" }));
    let by_mcp = bank.agent().modern("tools/call", claimed).await.result();
    assert_eq!(status(&by_mcp), "denied", "{by_mcp}");
    let body = json!({ "name": "bank:refund", "arguments": money(1), "task_id": "payroll" });
    let by_rest = bank.rest(&bank.gateway.agent, "POST", "/tools/call", Some(body)).await;
    assert_eq!(
        (by_rest.status, by_rest.json()["error"]["code"].as_str()),
        (403, Some("denied")),
        "{by_rest:?}"
    );
    // A session that an agent opens for itself proves no more than its calls do.
    let own = bank.rest(&bank.gateway.agent, "POST", "/sessions", Some(json!({ "task": "payroll" }))).await;
    assert!(own.status == 200 || own.status == 201, "{own:?}");
    let token = own.json()["token"].as_str().expect("a token").to_owned();
    let by_own = bank.agent_with(&token).modern("tools/call", refund(json!({}))).await.result();
    assert_eq!(status(&by_own), "denied", "{by_own}");
    assert_eq!(bank.ran(), [""; 0]);
    // It is still recorded: as the caller's claim.
    let told = bank.events(&["--kind", "tool.call.completed"]);
    assert!(told.iter().all(|one| one["task"] == "payroll"), "{told:?}");
}

#[tokio::test]
async fn a_task_that_an_admin_opened_the_session_for_counts() {
    let bank = Bank::open(&for_the_task());
    let admin = bank.token("--role admin --principal root");
    let body = json!({ "task": "payroll", "principal": "worker" });
    let opened = bank.rest(&admin, "POST", "/sessions", Some(body)).await;
    let token = opened.json()["token"].as_str().unwrap_or_else(|| panic!("{opened:?}")).to_owned();
    let done = bank.agent_with(&token).modern("tools/call", refund(json!({}))).await.result();
    assert_eq!(status(&done), "succeeded", "{done}");
}

#[tokio::test]
async fn a_run_collects_the_calls_of_its_own_principal_alone() {
    let bank = Bank::open(NO_HOLD);
    let (ann, bob) = (bank.token("--role agent --principal ann"), bank.token("--role agent --principal bob"));
    let run = bank.rest(&ann, "POST", "/runs", Some(json!({}))).await;
    let run = run.json()["id"]
        .as_str()
        .or(run.json()["run"]["id"].as_str())
        .unwrap_or_else(|| panic!("{run:?}"))
        .to_owned();
    let claimed = refund(json!({ "dev.toolgate/run_id": run }));
    let foreign = bank.agent_with(&bob).modern("tools/call", claimed.clone()).await.result();
    assert_eq!(envelope(&foreign)["warnings"][0]["code"], "run_not_yours", "{foreign}");
    let own = bank.agent_with(&ann).modern("tools/call", claimed).await.result();
    assert_eq!(envelope(&own)["warnings"], json!([]), "{own}");
    let told = bank.events(&["--run", &run, "--kind", "tool.call.completed"]);
    let principals: Vec<&Value> = told.iter().map(|one| &one["principal"]).collect();
    assert_eq!(principals, [&json!("ann")], "{told:?}");
    // An unknown name stays a label.
    let elsewhere = refund(json!({ "dev.toolgate/run_id": "job-17" }));
    let labelled = bank.agent_with(&bob).modern("tools/call", elsewhere).await.result();
    assert_eq!(envelope(&labelled)["warnings"], json!([]), "{labelled}");
    assert_eq!(bank.events(&["--run", "job-17", "--kind", "tool.call.completed"]).len(), 1);
}
