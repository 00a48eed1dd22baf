//! Invalid properties of a session, each named.

use serde_json::{Value, json};

use super::stage::{AGENTS, Stage};
use crate::kit::names;
use crate::live::site::{Site, refused};
use crate::toolgate;

const MORE: &str = r#"
[[capabilities]]
name = "lost"
tools = ["githup:*", "one:*"]
servers = ["nowhere*"]
[[agents]]
name = "hopeful"
capabilities = ["lost"]
pinned = ["one:wrok"]
[[agents]]
name = "strict"
policy_template = "regulated"
"#;

#[tokio::test]
async fn what_there_is_not_is_named_with_what_is_nearest() {
    let stage = Stage::open(MORE).await;
    let wrong = json!({ "agent": "raeder" });
    let answer = stage.site.rest(&stage.site.gateway.agent, "POST", "/sessions", Some(wrong)).await;
    let problem = refused(&answer, 422, "unknown_agent");
    assert!(!problem.to_string().contains("reader"), "agents are not told who else there is: {problem}");
    for (body, code, field, hint) in [
        (json!({ "agent": "raeder" }), "unknown_agent", "agent", "reader"),
        (json!({ "mounts": { "servers": ["twoo"] } }), "unknown_mount", "mounts.servers", "two"),
        (json!({ "mounts": { "providers": ["slack"] } }), "unknown_mount", "mounts.providers", ""),
        (json!({ "policy_template": "regulatde" }), "unknown_template", "policy_template", "regulated"),
        (
            json!({ "agent": "strict", "policy_template": "standard" }),
            "template_too_weak",
            "policy_template",
            "",
        ),
    ] {
        let answer =
            stage.site.rest(&stage.site.gateway.admin, "POST", "/sessions", Some(body.clone())).await;
        let problem = refused(&answer, 422, code);
        assert_eq!(problem["field"], field, "{body}: {problem}");
        assert!(problem["hint"].as_str().unwrap_or_default().contains(hint), "{body}: {problem}");
    }
    let somebody_else = json!({ "principal": "ann" });
    let answer = stage.site.rest(&stage.site.gateway.agent, "POST", "/sessions", Some(somebody_else)).await;
    refused(&answer, 403, "not_allowed");
    for role in ["approver", "auditor"] {
        let token = stage.site.token(&format!("--role {role} --principal {role}-1"));
        let answer = stage.site.rest(&token, "POST", "/sessions", Some(json!({}))).await;
        assert_eq!(answer.status, 403, "{role}: {answer:?}");
    }
    let all = stage.site.get("/sessions?state=active").await;
    let explicit = all["sessions"].as_array().expect("a list").iter().filter(|one| one["kind"] == "explicit");
    assert_eq!(explicit.count(), 0, "nothing was opened: {all}");
}

#[tokio::test]
async fn a_pattern_that_fits_nothing_is_warned_of_and_named() {
    let stage = Stage::open(MORE).await;
    let opened = stage.session(&stage.site.gateway.admin, json!({ "agent": "hopeful" })).await;
    let warnings = opened.said["warnings"].as_array().expect("a list").clone();
    let mut patterns: Vec<&str> = warnings.iter().filter_map(|one| one["pattern"].as_str()).collect();
    patterns.sort_unstable();
    assert_eq!(patterns, ["githup:*", "nowhere*", "one:wrok"], "{warnings:?}");
    for warning in &warnings {
        assert_eq!(warning["code"], "pattern_unmatched", "{warning}");
        let (message, pattern) = (warning["message"].as_str(), warning["pattern"].as_str());
        assert!(message.zip(pattern).is_some_and(|(said, it)| said.contains(it)), "{warning}");
    }
    let plain = stage.session(&stage.site.gateway.admin, json!({ "agent": "writer" })).await;
    assert_eq!(plain.said["warnings"], json!([]), "{}", plain.said);
}

#[tokio::test]
async fn a_file_with_definitions_that_do_not_go_together_is_refused() {
    for (more, named) in [
        ("[[agents]]\nname = \"a b\"\n", "a b"),
        ("[[agents]]\nname = \"ses_1\"\n", "ses_1"),
        ("[[agents]]\nname = \"a\"\ntoken_budget = -1\n", "budget"),
        ("[[agents]]\nname = \"a\"\npolicy_template = \"strictest\"\n", "strictest"),
        ("[[agents]]\nname = \"a\"\npined = []\n", "pined"),
        ("[[agents]]\nname = \"a\"\n[[agents]]\nname = \"a\"\n", "\"a\""),
        (
            "[[agents]]\nname = \"a\"\nprincipals = [\"x\"]\n[[agents]]\nname = \"b\"\nprincipals = [\"x\"]\n",
            "\"x\"",
        ),
        ("[[capabilities]]\nname = \"c\"\ntools = [\"a b\"]\n", "a b"),
        ("[[servers]]\nname = \"toolgate\"\nurl = \"http://127.0.0.1:9/mcp\"\n", "toolgate"),
    ] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let config = folder.path().join("toolgate.toml");
        std::fs::write(&config, format!("{AGENTS}{more}")).expect("written");
        let mut command = std::process::Command::new(toolgate());
        command.arg("--config").arg(&config).arg("--data").arg(folder.path().join("data"));
        let output = command.args(["serve", "--listen", "127.0.0.1:0"]).output().expect("it runs");
        let said = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && said.contains(named), "{more}: {said}");
    }
}

#[tokio::test]
async fn a_capability_that_nobody_defines_is_warned_of_named_and_gives_nothing() {
    let stage = Stage::open("[[agents]]\nname = \"typing\"\ncapabilities = [\"frist\", \"second\"]\n").await;
    stage.site.logged("\"frist\"").await;
    assert_eq!(names(&stage.bound("typing")).await, ["two__work", "two__write"]);
    let shown = stage.site.get("/agents/typing").await;
    assert!(shown["problems"].to_string().contains("frist"), "{shown}");
    // It may be defined later.
    let body = json!({ "tools": ["one:work"] });
    let put = stage.site.rest(&stage.site.gateway.admin, "PUT", "/capabilities/frist", Some(body)).await;
    assert_eq!(put.status, 200, "{put:?}");
    stage.site.sees(&stage.bound("typing"), &["one__work", "two__work", "two__write"]).await;
}

#[tokio::test]
async fn settings_that_cannot_be_are_refused_and_change_nothing() {
    let site = Site::open_with(AGENTS);
    for (key, value) in [
        ("agents", json!([{ "name": "x", "capabilities": ["nowhere"] }])),
        ("agents", json!([{ "name": "x", "pined": [] }])),
        ("agents", json!([{ "name": "x" }, { "name": "x" }])),
        ("agents", json!({ "x": {} })),
        ("capabilities", json!([{ "name": "x", "tools": ["a b"] }])),
        ("capabilities", json!([{ "name": "x/y" }])),
    ] {
        let answer = site.set(key, value.clone()).await;
        assert!((400..500).contains(&answer.status), "{key} {value}: {answer:?}");
        let problem = answer.json();
        assert!(problem["code"].is_string() && problem["detail"].is_string(), "{problem}");
    }
    for key in ["agents", "capabilities"] {
        let value = site.get(&format!("/settings/{key}")).await["value"].clone();
        assert!(value == json!([]) || value == Value::Null, "{key}: {value}");
    }
}
