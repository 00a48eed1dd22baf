//! Every page of the console with content, and the things that the pages of single things are about.
//!
//! Left out are citations, whose documents the engine would have to read, and addresses that are not HTML.

use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use http::Method;
use serde_json::{Value, json};

use super::filling::call_id;
use crate::client::{BenchClient, BenchTarget};
use crate::wire::BenchEra;

/// Far more than a run of forty turns takes.
const RUN_TIME_MAX: Duration = Duration::from_secs(60);
const RUN_POLL: Duration = Duration::from_millis(50);
/// The gateway takes a text of so many words out of a result.
const LONG_TEXT_WORDS: usize = 20_000;

pub(super) struct MeasuredPage {
    pub(super) name: String,
    pub(super) path: String,
}

impl MeasuredPage {
    fn new(name: &str, path: impl Into<String>) -> Self {
        Self { name: name.to_owned(), path: path.into() }
    }
}

const FIXED: &[(&str, &str)] = &[
    ("overview", "/"),
    ("metrics", "/console/metrics?range=1h&compare=before"),
    ("metrics, by tool", "/console/metrics?range=15m&by=tool"),
    ("metrics, a week", "/console/metrics?range=7d"),
    ("inbox", "/console/inbox"),
    ("grants", "/console/grants"),
    ("calls", "/console/calls"),
    ("calls, failed", "/console/calls?outcome=failed"),
    ("calls, a tool", "/console/calls?tool=server-7%3Atool_7"),
    ("calls, a server", "/console/calls?server=server-7"),
    ("calls, an agent", "/console/calls?principal=agent-13"),
    ("calls, nobody", "/console/calls?principal=nobody"),
    ("calls, an error", "/console/calls?error=server_timeout"),
    ("calls, a day", "/console/calls?range=24h"),
    ("calls, a text", "/console/calls?q=tool_7"),
    ("calls, no such text", "/console/calls?q=nowhere"),
    ("ledger", "/console/ledger"),
    ("ledger, a kind", "/console/ledger?kind=approval.requested"),
    ("ledger, nobody", "/console/ledger?principal=nobody"),
    ("checkpoints", "/console/ledger/checkpoints"),
    ("runs", "/console/runs"),
    ("tasks", "/console/tasks"),
    ("automations", "/console/automations"),
    ("models", "/console/models"),
    ("model", "/console/models/scripted"),
    ("servers", "/console/servers"),
    ("server", "/console/servers/fast"),
    ("connectors", "/console/connectors"),
    ("tools", "/console/tools"),
    ("tool", "/console/tools/fast%3Aecho"),
    ("tool, tried", "/console/tools/fast%3Aecho/try"),
    ("reviews", "/console/reviews"),
    ("review", "/console/reviews/fast%3Aecho"),
    ("agents", "/console/agents"),
    ("agent", "/console/agents/clerk"),
    ("capability", "/console/capabilities/work"),
    ("sessions", "/console/sessions"),
    ("pointers", "/console/pointers"),
    ("schemas", "/console/schemas"),
    ("knowledge", "/console/knowledge"),
    ("claims", "/console/claims"),
    ("policy", "/console/policy"),
    ("policy, written", "/console/policy/write"),
    ("policy, table", "/console/policy/table"),
    ("policy, explained", "/console/policy/explain"),
    ("policy, shadow", "/console/policy/shadow"),
    ("settings", "/console/settings"),
    ("registry", "/console/settings/registry"),
    ("retention", "/console/settings/retention"),
    ("quotas", "/console/settings/quotas"),
    ("aliases", "/console/settings/aliases"),
    ("changed tools", "/console/settings/tools"),
    ("secrets", "/console/settings/secrets"),
    ("me", "/console/settings/me"),
    ("tokens", "/console/settings/tokens"),
    ("credentials", "/console/settings/credentials"),
    ("webhooks", "/console/settings/webhooks"),
    ("search", "/console/search?q=fast"),
    ("documentation", "/docs"),
    ("documentation, found", "/docs/search?q=policy"),
    ("quick start", "/docs/quick-start.md"),
];

const METRICS: &[(&str, &str)] = &[
    ("metrics", "/console/metrics?range=90d"),
    ("metrics, compared", "/console/metrics?range=90d&compare=before"),
    ("metrics, by agent", "/console/metrics?range=90d&by=agent"),
    ("metrics, by tool", "/console/metrics?range=90d&by=tool&compare=before"),
];

/// The metrics of 90 days.
pub(super) fn metrics() -> Vec<MeasuredPage> {
    METRICS.iter().map(|(name, path)| MeasuredPage::new(name, *path)).collect()
}

/// Makes one of each thing that has a page of its own; returns all pages.
pub(super) async fn every(
    admin: &BenchTarget,
    agent: &BenchTarget,
    calls: u64,
) -> anyhow::Result<Vec<MeasuredPage>> {
    let mut admin = BenchClient::connect(admin, BenchEra::Modern).await?;
    let mut client = BenchClient::connect(agent, BenchEra::Modern).await?;
    let mut pages: Vec<MeasuredPage> =
        FIXED.iter().map(|(name, path)| MeasuredPage::new(name, *path)).collect();
    pages.push(MeasuredPage::new("call", format!("/console/calls/{}", call_id(calls / 2))));
    pages.extend(of_calls(&mut client).await.context("make calls")?);
    pages.extend(of_run(agent, &mut client, &mut admin).await.context("make a run")?);
    pages.extend(of_model_run(&mut client).await.context("make a run by a model")?);
    pages.extend(of_work(&mut admin).await.context("make a task")?);
    pages.extend(of_content(&mut admin).await.context("make what is kept")?);
    Ok(pages)
}

async fn of_calls(agent: &mut BenchClient) -> anyhow::Result<Vec<MeasuredPage>> {
    let asked = ask(agent, Method::POST, "/tools/fast__blob", json!({ "bytes": 10 })).await?;
    let long = json!({ "text": "word ".repeat(LONG_TEXT_WORDS) });
    let long = ask(agent, Method::POST, "/tools/fast__echo", long).await?;
    let file = ask(agent, Method::POST, "/files?name=letter.json", json!({ "dear": "Ann" })).await?;
    Ok(vec![
        MeasuredPage::new("approval", format!("/console/inbox/approvals/{}", text(&asked["approval_id"])?)),
        MeasuredPage::new("call, with a ref", format!("/console/calls/{}", text(&long["tool_call_id"])?)),
        MeasuredPage::new("ref", format!("/console/refs/{}", text(&long["refs"][0]["ref_id"])?)),
        MeasuredPage::new("file", format!("/console/files/{}", text(&file["id"])?)),
    ])
}

/// A run of a client, which waits for an answer.
async fn of_run(
    target: &BenchTarget,
    agent: &mut BenchClient,
    admin: &mut BenchClient,
) -> anyhow::Result<Vec<MeasuredPage>> {
    let started = ask(agent, Method::POST, "/runs", json!({})).await?;
    let run = text(&started["run"]["id"])?;
    let token = Some(text(&started["token"])?.to_owned());
    let mut worker = BenchClient::connect(&BenchTarget { token, ..target.clone() }, BenchEra::Modern).await?;
    let echo =
        |id: &str| json!({ "id": id, "name": "fast__echo", "arguments": { "text": format!("call {id}") } });
    let question =
        json!({ "slot_type": "text", "slot_id": "tone", "prompt_key": "Which tone shall the letter have?" });
    let question = json!({ "id": "ask", "name": "request_user_input", "arguments": question });
    let turn = json!({ "calls": [echo("a"), echo("b"), question] });
    let turn = ask(&mut worker, Method::POST, &format!("/runs/{run}/tool-calls"), turn).await?;
    let waiting = ask(admin, Method::GET, &format!("/inputs?run={run}"), Value::Null).await?;
    let input = text(&waiting["inputs"][0]["id"]).with_context(|| format!("nobody is asked: {turn}"))?;
    Ok(vec![
        MeasuredPage::new("question", format!("/console/inbox/inputs/{input}")),
        MeasuredPage::new("run", format!("/console/runs/{run}")),
        MeasuredPage::new("compare, a choice", format!("/console/runs/compare?a={run}")),
        MeasuredPage::new("compare", format!("/console/runs/compare?a={run}&b={run}")),
        MeasuredPage::new("session", format!("/console/sessions/{}", text(&started["session"]["id"])?)),
    ])
}

/// A run of forty turns, which the gateway drives to its end.
async fn of_model_run(agent: &mut BenchClient) -> anyhow::Result<Vec<MeasuredPage>> {
    let wanted = json!({ "goal": "Walk through the house", "model": "scripted" });
    let started = ask(agent, Method::POST, "/runs", wanted).await?;
    let run = text(&started["run"]["id"])?;
    let deadline = Instant::now() + RUN_TIME_MAX;
    loop {
        let shown = ask(agent, Method::GET, &format!("/runs/{run}"), Value::Null).await?;
        if shown["state"] == "completed" {
            break;
        }
        ensure!(Instant::now() < deadline, "the run is not completed within {RUN_TIME_MAX:?}: {shown}");
        tokio::time::sleep(RUN_POLL).await;
    }
    Ok(vec![
        MeasuredPage::new("run of a model", format!("/console/runs/{run}")),
        MeasuredPage::new("chat", format!("/console/runs/{run}/chat")),
    ])
}

async fn of_work(admin: &mut BenchClient) -> anyhow::Result<Vec<MeasuredPage>> {
    let task =
        json!({ "name": "Walk", "agent": "clerk", "model": "scripted", "goal": "Walk through the house" });
    let task = ask(admin, Method::POST, "/tasks", task).await?;
    let trigger = json!({ "on": "cron", "pattern": "0 7 * * MON", "timezone": "UTC" });
    let automation = json!({ "name": "monday-morning", "task": task["id"], "trigger": trigger });
    ask(admin, Method::POST, "/automations", automation).await?;
    Ok(vec![
        MeasuredPage::new("task", format!("/console/tasks/{}", text(&task["id"])?)),
        MeasuredPage::new("automation", "/console/automations/monday-morning"),
    ])
}

async fn of_content(admin: &mut BenchClient) -> anyhow::Result<Vec<MeasuredPage>> {
    let letter = json!({ "text": "Dear Ann,", "filename": "letter.md" });
    let letter = done(admin, "substrate.artifact.upload", letter).await?;
    let entry = |path: &str| json!({ "path": path, "artifact_sha256": letter["sha256"] });
    let entries = json!({ "entries": [entry("about.md"), entry("in/a.md")], "message": "first" });
    let old = done(admin, "substrate.manifest.create", entries).await?;
    let entries = json!({ "entries": [entry("about.md"), entry("in/b.md")], "message": "second", "parent_sha256": old["sha256"] });
    let new = done(admin, "substrate.manifest.create", entries).await?;
    let pointer = json!({ "namespace": "office", "name": "letters", "manifest_sha256": new["sha256"] });
    let pointer = done(admin, "substrate.pointer.create", pointer).await?;
    let schema = json!({ "name": "letter", "definition": { "type": "object" }, "description": "A letter" });
    let schema = done(admin, "schema.register", schema).await?;
    let base = json!({ "name": "letters", "title": "Letters", "description": "All of them",
        "pointers": [{ "namespace": "office", "name": "letters" }] });
    let base = done(admin, "knowledge.kb_create", base).await?;
    let claim = json!({ "statement": "The tenant owes interest.", "submit": true });
    let claim = done(admin, "claim.create", claim).await?;
    let (artifact, old, new) = (text(&letter["sha256"])?, text(&old["sha256"])?, text(&new["sha256"])?);
    Ok(vec![
        MeasuredPage::new("artifact", format!("/console/artifacts/{artifact}")),
        MeasuredPage::new("manifest", format!("/console/manifests/{new}")),
        MeasuredPage::new("manifest, a folder", format!("/console/manifests/{new}?folder=in")),
        MeasuredPage::new("manifest, changes", format!("/console/manifests/{new}/changes?since={old}")),
        MeasuredPage::new("pointer", format!("/console/pointers/{}", text(&pointer["id"])?)),
        MeasuredPage::new("schema", format!("/console/schemas/{}", text(&schema["schema"]["id"])?)),
        MeasuredPage::new("knowledge base", format!("/console/knowledge/{}", text(&base["kb"]["id"])?)),
        MeasuredPage::new("claim", format!("/console/claims/{}", text(&claim["claim"]["id"])?)),
    ])
}

/// The data of a call of a tool of the platform, which must succeed.
async fn done(client: &mut BenchClient, tool: &str, arguments: Value) -> anyhow::Result<Value> {
    let mut said = ask(client, Method::POST, &format!("/tools/{tool}"), arguments).await?;
    ensure!(said["status"] == "succeeded", "{tool}: {said}");
    Ok(said["data"].take())
}

/// A request to the API, which must succeed.
async fn ask(client: &mut BenchClient, method: Method, path: &str, body: Value) -> anyhow::Result<Value> {
    let body = if body.is_null() { String::new() } else { body.to_string() };
    let (status, answer) = client.rest(method, path, &body).await?;
    ensure!(status.is_success(), "{path} was answered {status}: {}", String::from_utf8_lossy(&answer));
    serde_json::from_slice(&answer).with_context(|| format!("read the answer of {path}"))
}

fn text(value: &Value) -> anyhow::Result<&str> {
    value.as_str().with_context(|| format!("an id was expected, and this was answered: {value}"))
}
