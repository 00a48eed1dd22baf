//! A tool whose definition drifts: reviewers read what changed in words.

use serde_json::json;

use crate::live::site::{Site, tool};

#[tokio::test]
async fn a_drifted_tool_is_told_in_the_words_of_schemas() {
    let site = Site::open();
    site.offer("tools.json", &json!([tool("run", "Runs")]));
    let token = site.server_token("jobs");
    let _worker = site.worker(&token, "jobs", "a", &["--tools", &site.word("tools.json")]);
    site.tool_is("jobs:run", "active").await;
    let mut wider = tool("run", "Runs");
    wider["inputSchema"]["properties"]["note"] = json!({ "type": "string" });
    site.offer("tools.json", &json!([wider]));
    site.tool_is("jobs:run", "quarantined").await;
    let diff = site.get("/registry/tools/jobs:run/diff").await;
    assert_eq!(diff["change_summary"], "only optional arguments were added: `note`", "{diff}");
    let shown = site.say(&["tools", "diff", "jobs:run"]);
    assert!(shown.contains("changes  only optional arguments were added: `note`"), "{shown}");
    let mut narrower = tool("run", "Runs");
    narrower["inputSchema"]["properties"]["n"] = json!({ "type": "number" });
    narrower["inputSchema"]["required"] = json!(["n"]);
    site.offer("tools.json", &json!([narrower]));
    let is_told = |diff: &serde_json::Value| {
        diff["changes"]
            == json!(["argument `n` is required now", "type of `n` widened from integer to number"])
    };
    site.becomes("/registry/tools/jobs:run/diff", is_told).await;
}
