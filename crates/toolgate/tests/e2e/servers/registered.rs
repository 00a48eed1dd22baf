//! A capability server that runs elsewhere and registers itself.

use std::process::{Child, Command, Stdio};

use serde_json::json;
use toolgate_testkit::gateway::{signal, until};

use super::house::folder;
use crate::doors::WAIT;
use crate::files::archive::structure;
use crate::kit::{call, listed};
use crate::live::site::Site;

struct RegisteredServer(Child);

impl RegisteredServer {
    fn start(site: &Site, token: &str, more: &[&str]) -> Self {
        let base = site.gateway.endpoint.trim_end_matches("/mcp");
        let mut command = Command::new(folder().join("text-analysis-mcp"));
        command.args(["--http", "127.0.0.1:0", "--gateway", base]).args(more).env("TOOLGATE_TOKEN", token);
        Self(
            command
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("it starts"),
        )
    }

    fn end(&mut self) {
        signal("-TERM", self.0.id());
        let ended = until(WAIT, || self.0.try_wait().expect("it is a child of ours"));
        assert!(ended.is_some_and(|status| status.success()), "it ends by itself: {ended:?}");
    }
}

impl Drop for RegisteredServer {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

#[tokio::test]
async fn it_takes_its_place_and_gives_it_back() {
    let site = Site::open();
    let token = site.server_token("text-analysis-mcp");
    let mut server = RegisteredServer::start(&site, &token, &["--instance", "a"]);
    site.server_is("text-analysis-mcp", |about| about["tools"] == 6).await;
    // A server's listing is reported before it enters the catalogue.
    listed(&site.gateway, "text-analysis-mcp__detect_language").await;
    let found = call(
        &site.agent(),
        "text-analysis-mcp__detect_language",
        json!({ "text": "Das ist ein kurzer deutscher Satz." }),
    )
    .await;
    assert_eq!(structure(&found)["language"], "de", "{found}");
    let tool = site.tool("text-analysis-mcp:detect_language").await;
    assert!(tool.to_string().contains("plain_text_text"), "its file strategy is known: {tool}");
    server.end();
    site.server_is("text-analysis-mcp", |about| about["instances"] == json!([])).await;
}

#[tokio::test]
async fn two_of_a_kind_are_two_instances_and_one_that_is_killed_is_missed() {
    let site = Site::open();
    let token = site.server_token("text-analysis-mcp");
    let short = ["--lease-seconds", "5", "--instance"];
    let _stays = RegisteredServer::start(&site, &token, &[&short[..], &["a"]].concat());
    let killed = RegisteredServer::start(&site, &token, &[&short[..], &["b"]].concat());
    site.healthy("text-analysis-mcp", 2).await;
    drop(killed);
    site.server_is("text-analysis-mcp", |about| {
        about["instances"].as_array().is_some_and(|all| all.len() == 1)
    })
    .await;
    let found =
        call(&site.agent(), "text-analysis-mcp__detect_language", json!({ "text": "This is English text." }))
            .await;
    assert_eq!(structure(&found)["language"], "en", "{found}");
}

#[tokio::test]
async fn one_that_wants_a_token_is_shown_it_and_nobody_else_gets_in() {
    let site = Site::open();
    let token = site.server_token("text-analysis-mcp");
    let mut server =
        RegisteredServer::start(&site, &token, &["--instance", "a", "--http-token", "geheim-des-servers"]);
    site.healthy("text-analysis-mcp", 1).await;
    listed(&site.gateway, "text-analysis-mcp__detect_language").await;
    let found =
        call(&site.agent(), "text-analysis-mcp__detect_language", json!({ "text": "This is English text." }))
            .await;
    assert_eq!(structure(&found)["language"], "en", "{found}");
    let about = site.server("text-analysis-mcp").await;
    let url = about["instances"][0]["url"].as_str().expect("an address");
    let answer = site.agent().http.post(url).body("{}").send().await.expect("it answers");
    assert_eq!(answer.status(), 401);
    let said = site.gateway.log().join("\n")
        + &site.get("/ledger?limit=1000").await.to_string()
        + &about.to_string();
    assert!(!said.contains("geheim-des-servers"), "{said}");
    server.end();
    site.server_is("text-analysis-mcp", |about| about["instances"] == json!([])).await;
    let left = site.get("/secrets/text-analysis-mcp").await;
    assert_eq!(left, json!({ "secrets": [] }), "its token goes with it");
}
