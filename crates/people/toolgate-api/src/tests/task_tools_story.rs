//! The tools over tasks, called as the gateway calls them, with everything behind them but models and servers.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::content::ContentHolder;
use toolgate_core::governance::Clock;
use toolgate_core::id::{RunId, SessionId};
use toolgate_core::platform::{Platform, PlatformAnswer, PlatformCall};
use toolgate_core::port::{AskKind, BoxFuture, Caller, ClientKey};
use toolgate_core::run::RunState;
use toolgate_core::scope::{AgentDefinition, AgentName, Definitions};
use toolgate_core::{Principal, PrincipalId, RawJson, Refusal, Role, RpcError};
use toolgate_domain::DomainSet;

use super::file_kit::{agent, operator};
use super::gate::{Gate, somebody};
use super::task_kit::{connect, planned};

/// A client that answers nothing.
struct MuteCaller(PrincipalId, RawJson);

impl Caller for MuteCaller {
    fn principal(&self) -> &PrincipalId {
        &self.0
    }

    fn client(&self) -> ClientKey {
        ClientKey(1)
    }

    fn capabilities(&self) -> &RawJson {
        &self.1
    }

    fn client_info(&self) -> Option<&RawJson> {
        None
    }

    fn can_answer(&self, _: AskKind) -> bool {
        false
    }

    fn wants_progress(&self) -> bool {
        false
    }

    fn log_level(&self) -> Option<&str> {
        None
    }

    fn progress(&self, _: RawJson) {}

    fn log(&self, _: RawJson) {}

    fn ask(&self, _: AskKind, _: RawJson) -> BoxFuture<'_, Result<RawJson, RpcError>> {
        Box::pin(std::future::ready(Err(RpcError::invalid_params("no"))))
    }
}

/// The caller of a tool: a principal, and the run that its session belongs to.
fn holder(principal: Principal, run: Option<&RunId>) -> ContentHolder {
    let opened_by = run.map(|_| PrincipalId::new("ops"));
    ContentHolder { principal, session: SessionId::new("ses_1"), opened_by, run: run.cloned(), call: None }
}

async fn call(
    gate: &Gate,
    by: &ContentHolder,
    name: &str,
    arguments: Value,
) -> Result<PlatformAnswer, Refusal> {
    let set = DomainSet::default().with(toolgate_tasks::domain(), &gate.tasks);
    let tool = set.tools().iter().find(|tool| tool.tool.name.as_str() == name).expect("one of them").clone();
    let definition = AgentDefinition::named(AgentName::default_agent());
    let scope = Arc::new(Definitions::default().scope(&definition).expect("no capabilities"));
    let caller = Arc::new(MuteCaller(by.principal.id.clone(), RawJson::EMPTY));
    let now_ms = gate.clock.now_ms();
    let call = PlatformCall {
        tool: &tool,
        holder: by,
        scope: &scope,
        arguments: &arguments,
        now_ms,
        caller,
        approval: None,
    };
    set.call(call).await
}

/// The data of an answer.
async fn told(gate: &Gate, by: &ContentHolder, name: &str, arguments: Value) -> Value {
    let answer = call(gate, by, name, arguments).await;
    answer.unwrap_or_else(|refusal| panic!("{name} was refused: {refusal}")).data
}

/// The code of a refusal.
async fn refused(gate: &Gate, by: &ContentHolder, name: &str, arguments: Value) -> &'static str {
    match call(gate, by, name, arguments).await {
        Ok(answer) => panic!("{name} was let through: {}", answer.data),
        Err(refusal) => refusal.code.name,
    }
}

#[tokio::test]
async fn a_task_is_made_started_looked_at_cancelled_and_deleted() {
    let gate = Gate::open().await;
    connect(&gate);
    let me = holder(agent(), None);
    let body = json!({ "name": "Report", "goal": "Write it", "model": "large", "budget": { "turns": 9 },
        "input": [{ "path": "a.csv", "file_id": "file_1" }] });
    let task = told(&gate, &me, "task.create", body).await;
    assert_eq!(
        (&task["is_runnable"], &task["goal"], &task["created_by"]),
        (&json!(true), &json!("Write it"), &json!("agent-7"))
    );
    let id = task["id"].as_str().expect("an id").to_owned();
    let listed = told(&gate, &me, "task.list", json!({})).await;
    assert_eq!(
        (&listed["tasks"][0]["id"], listed["tasks"][0].get("goal")),
        (&json!(id), None),
        "a list is short"
    );
    assert_eq!(told(&gate, &me, "task.get", json!({ "task_id": id })).await, task);

    let run =
        told(&gate, &me, "task.run.create", json!({ "task_id": id, "budget": { "tokens": 500 } })).await;
    assert_eq!((&run["task_id"], &run["state"]), (&json!(id), &json!("pending")), "{run}");
    assert_eq!(run["budget"], json!({ "turns": 9, "tokens": 500 }), "both limits apply");
    let run_id = run["run_id"].as_str().expect("an id").to_owned();
    let active = told(&gate, &me, "task.run.active", json!({ "task_id": id })).await;
    assert_eq!((&active["runs"][0]["run_id"], &active["has_more"]), (&json!(run_id), &json!(false)));
    let chat = told(&gate, &me, "task.run.chat", json!({ "run_id": run_id })).await;
    assert_eq!(chat["messages"], json!([]), "nobody drives it here");

    for _ in 0..2 {
        let cancelled = told(&gate, &me, "task.run.cancel", json!({ "run_id": run_id })).await;
        assert_eq!(cancelled["state"], "cancelled");
    }
    assert_eq!(told(&gate, &me, "task.run.active", json!({})).await["runs"], json!([]));
    let deleted = told(&gate, &me, "task.delete", json!({ "task_id": id })).await;
    assert_eq!(deleted["is_deleted"], true);
    assert_eq!(refused(&gate, &me, "task.run.create", json!({ "task_id": id })).await, "unknown_task");
}

#[tokio::test]
async fn a_caller_sees_its_own_runs_and_deletes_its_own_tasks() {
    let gate = Gate::open().await;
    connect(&gate);
    let task = planned(&gate).await;
    let (mine, other) = (holder(agent(), None), holder(somebody("agent-8", Role::Agent), None));
    let run = told(&gate, &mine, "task.run.create", json!({ "task_id": task.id })).await;
    let about = json!({ "run_id": run["run_id"] });
    assert_eq!(refused(&gate, &other, "task.run.status", about.clone()).await, "unknown_run");
    assert_eq!(refused(&gate, &other, "task.run.chat", about.clone()).await, "unknown_run");
    assert_eq!(refused(&gate, &other, "task.run.cancel", about.clone()).await, "unknown_run");
    assert_eq!(told(&gate, &other, "task.run.active", json!({})).await["runs"], json!([]));
    assert_eq!(refused(&gate, &other, "task.delete", json!({ "task_id": task.id })).await, "not_allowed");
    let ops = holder(operator(), None);
    assert_eq!(told(&gate, &ops, "task.run.status", about).await["principal"], "agent-7");
    assert_eq!(told(&gate, &ops, "task.delete", json!({ "task_id": task.id })).await["is_deleted"], true);
}

#[tokio::test]
async fn a_run_starts_children_and_a_narrower_session_starts_nothing() {
    let gate = Gate::open().await;
    connect(&gate);
    let task = planned(&gate).await;
    let parent = told(&gate, &holder(agent(), None), "task.run.create", json!({ "task_id": task.id })).await;
    let parent = RunId::new(parent["run_id"].as_str().expect("an id"));
    let inside = holder(agent(), Some(&parent));
    let child = told(&gate, &inside, "task.run.create", json!({ "task_id": task.id })).await;
    assert_eq!(child["parent_run_id"], json!(parent));
    assert_eq!(gate.runs.get(&parent).await.expect("it is there").state, RunState::Pending);
    let narrow = ContentHolder { run: None, ..inside.clone() };
    assert_eq!(
        refused(&gate, &narrow, "task.run.create", json!({ "task_id": task.id })).await,
        "not_allowed"
    );
    let auditor = holder(somebody("audit", Role::Auditor), None);
    assert_eq!(
        refused(&gate, &auditor, "task.run.create", json!({ "task_id": task.id })).await,
        "not_allowed"
    );
    let every = json!({ "name": "sweep", "task_id": task.id, "every_seconds": 3_600 });
    assert_eq!(refused(&gate, &inside, "task.automation.create", every.clone()).await, "not_allowed");
    let made = told(&gate, &holder(agent(), None), "task.automation.create", every).await;
    assert_eq!(
        (&made["principal"], made["next"].as_array().map(Vec::len)),
        (&json!("agent-7"), Some(5)),
        "{made}"
    );
    let listed = told(&gate, &inside, "task.automation.list", json!({})).await;
    assert_eq!(listed["automations"][0]["name"], "sweep");
}

#[tokio::test]
async fn a_call_by_hand_goes_on_with_who_forced_it() {
    let gate = Gate::open().await;
    let ports = connect(&gate);
    let task = planned(&gate).await;
    let run = told(&gate, &holder(agent(), None), "task.run.create", json!({ "task_id": task.id })).await;
    let forcing = json!({ "name": "bank:transfer", "arguments": { "amount": 1 }, "run_id": run["run_id"] });
    let ops = holder(operator(), None);
    let answer = told(&gate, &ops, "task.tool.force", forcing.clone()).await;
    assert_eq!((&answer["status"], &answer["forced_by"]), (&json!("succeeded"), &json!("ops")), "{answer}");
    let sent = ports.forced.lock().pop().expect("it went on");
    assert_eq!((sent.name.as_str(), sent.arguments.as_str()), ("bank:transfer", r#"{"amount":1}"#));
    assert_eq!(sent.run.map(|run| run.id.to_string()), run["run_id"].as_str().map(str::to_owned));
    let other = holder(somebody("agent-8", Role::Agent), None);
    assert_eq!(refused(&gate, &other, "task.tool.force", forcing).await, "unknown_run");
    let again = json!({ "name": "force_tool_call", "arguments": {} });
    assert_eq!(refused(&gate, &ops, "task.tool.force", again).await, "invalid_arguments");
    assert!(ports.forced.lock().is_empty(), "nothing else was sent");
}

#[tokio::test]
async fn only_people_resolve_what_a_run_waits_for_and_with_what_fits() {
    let gate = Gate::open().await;
    let ports = connect(&gate);
    let approve = json!({ "action_id": "apr_1", "decision": "approve" });
    let admin = holder(somebody("ann", Role::Admin), None);
    assert_eq!(told(&gate, &admin, "task.action.resolve", approve.clone()).await["state"], "approved");
    let vote = ports.votes.lock().pop().expect("a vote");
    assert_eq!((vote.voter.id.as_str(), vote.approval.as_str()), ("ann", "apr_1"));
    for by in [holder(agent(), None), holder(somebody("ann", Role::Admin), Some(&RunId::new("run_1")))] {
        assert_eq!(refused(&gate, &by, "task.action.resolve", approve.clone()).await, "not_allowed");
    }
    for (arguments, code) in [
        (json!({ "action_id": "apr_1", "answer": "yes" }), "invalid_arguments"),
        (json!({ "action_id": "inp_1", "decision": "deny" }), "invalid_arguments"),
        (json!({ "action_id": "run_1", "decision": "deny" }), "invalid_arguments"),
        (json!({ "decision": "deny" }), "invalid_arguments"),
        (json!({ "action_id": "inp_1", "answer": "yes" }), "unknown_input"),
        (json!({ "run_id": "run_x", "answer": "yes" }), "unknown_run"),
    ] {
        assert_eq!(
            refused(&gate, &admin, "task.action.resolve", arguments.clone()).await,
            code,
            "{arguments}"
        );
    }
    assert!(ports.votes.lock().is_empty(), "none of these is a vote");
}
