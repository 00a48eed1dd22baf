//! The tools `run.*` on the real binary: runs of agents that keep their own loop.

mod bad_input;
mod client;
mod crashes;
mod doors;
mod manifests;
mod replicas;

use serde_json::{Value, json};
use toolgate_testkit::gateway::HttpAnswer;

use crate::files::archive::text;
use crate::live::site::Site;

/// `runner` has the domain.
const AGENTS: &str = r#"
[[capabilities]]
name = "run"
[[agents]]
name = "runner"
capabilities = ["run"]
"#;

/// A call over REST, as the body of its tool.
async fn tell(site: &Site, token: &str, tool: &str, arguments: Value) -> HttpAnswer {
    site.rest(token, "POST", &format!("/tools/{tool}"), Some(arguments)).await
}

/// The data of a call of the site's agent that must succeed.
async fn done(site: &Site, tool: &str, arguments: Value) -> Value {
    let said = tell(site, &site.gateway.agent, tool, arguments).await;
    assert_eq!(said.status, 200, "{tool}: {said:?}");
    said.json()["data"].clone()
}

/// The status and the code of a refusal, which has a hint.
fn refusal(said: &HttpAnswer) -> (u16, String) {
    let body = said.json();
    let error = &body["error"];
    assert!(!text(&error["hint"]).is_empty() && !text(&error["message"]).is_empty(), "{said:?}");
    (said.status, text(&error["code"]).to_owned())
}

/// A run of the site's agent that has started.
async fn begun(site: &Site) -> String {
    let created = done(site, "run.create", json!({ "run_type": "research" })).await;
    let run = text(&created["id"]).to_owned();
    assert_eq!(done(site, "run.start", json!({ "run_id": run })).await["state"], "running");
    run
}

/// All events of a run, page by page.
async fn events(site: &Site, run: &str) -> Vec<Value> {
    let (mut all, mut since) = (Vec::new(), json!(0));
    loop {
        let page =
            done(site, "run.events", json!({ "run_id": run, "since_sequence": since, "limit": 200 })).await;
        all.extend(page["events"].as_array().expect("a list").clone());
        match page.get("next_since") {
            Some(next) => since = next.clone(),
            None => return all,
        }
    }
}

/// Numbers 1, 2, 3 without a gap.
fn contiguous(events: &[Value]) {
    let numbers: Vec<u64> = events.iter().filter_map(|one| one["sequence"].as_u64()).collect();
    assert_eq!(numbers, (1..=events.len() as u64).collect::<Vec<_>>(), "{events:?}");
}
