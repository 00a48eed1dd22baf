//! A foreign client with a loop of its own, on the official SDK: it dies, goes on from its last state, and follows refs.

use std::process::Command;

use serde_json::{Value, json};

use super::{AGENTS, contiguous, events};
use crate::files::archive::text;
use crate::live::site::Site;
use crate::outside::{fetched, repository};

/// Its exit status where it dies.
const DIED: i32 = 9;

fn client(site: &Site, more: Value) -> (Option<i32>, Value) {
    let mut request = json!({ "url": site.gateway.endpoint, "token": site.gateway.agent });
    request.as_object_mut().expect("an object").extend(more.as_object().cloned().unwrap_or_default());
    let mut command = Command::new(fetched("python-newer/bin/python"));
    command.arg(repository().join("tests/clients/python/own_loop.py")).arg(request.to_string());
    crate::sdk::local(&mut command);
    let output = command.output().expect("the client starts");
    let talk = String::from_utf8_lossy(&output.stderr);
    let saw = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("the client reported nothing ({error}): {:?}\n{talk}", output.stdout));
    (output.status.code(), saw)
}

#[tokio::test]
async fn a_loop_that_died_goes_on_from_its_last_state() {
    let site = Site::open_with(AGENTS);
    for era in ["legacy", "modern"] {
        let (status, saw) = client(&site, json!({ "era": era, "dies_after": 2 }));
        assert_eq!(status, Some(DIED), "{saw}");
        let run = text(&saw["run_id"]).to_owned();
        let (status, saw) = client(&site, json!({ "era": era, "run_id": run }));
        assert_eq!(status, Some(0), "{saw}");
        assert_eq!(saw["resumed_at"], 2, "{saw}");
        assert_eq!(saw["state"], "completed", "{saw}");
        assert_eq!(saw["artifacts"], json!(["step 0, step 1, step 2, step 3"]), "{saw}");
        assert_eq!(saw["followed"], json!({ "report.md": "step 0, step 1, step 2, step 3" }), "{saw}");
        let all = events(&site, &run).await;
        contiguous(&all);
        let steps =
            all.iter().filter(|one| one["type"] == "run.step" && one["detail"]["event"] == "complete");
        let steps: Vec<&str> = steps.map(|one| text(&one["detail"]["name"])).collect();
        assert_eq!(steps, ["step 0", "step 1", "step 2", "step 3"], "each was done once");
    }
    site.say(&["ledger", "verify"]);
}
