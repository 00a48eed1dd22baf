//! Servers that are disabled and enabled while the gateway runs, whatever their source.

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;

use super::site::{Ending, Site, refused};
use crate::conforming;
use crate::doors::WAIT;
use crate::kit::{call, names, text};

const ECHO: &str = "conf__echo";

/// The server as the command line shows it.
fn shown(site: &Site) -> Value {
    let shown = site.say(&["servers", "show", "conf", "--json"]);
    serde_json::from_str(&shown).expect("JSON")
}

async fn echoes(site: &Site) {
    let agent = site.agent();
    let listed =
        until_async(WAIT, || async { names(&agent).await.iter().any(|name| name == ECHO).then_some(()) });
    listed.await.expect("agents see its tools");
    let said = call(&agent, ECHO, json!({ "text": "hello" })).await;
    assert!(text(&said).contains("hello"), "{said}");
}

/// True if the metrics tell whether the server is up.
async fn is_counted(site: &Site) -> bool {
    let metrics = site.agent().http.get(site.gateway.url("/metrics")).send().await.expect("an answer");
    metrics.text().await.expect("text").contains("toolgate_server_up{server=\"conf\"}")
}

#[tokio::test]
async fn a_server_of_the_file_is_disabled_and_enabled_again_without_a_restart() {
    let site = Site::open_with(&conforming("conf", &[]));
    echoes(&site).await;
    let running = until_async(WAIT, || async { shown(&site)["pid"].as_u64() });
    let process = format!("/proc/{}", running.await.expect("it has a process"));
    assert!(is_counted(&site).await);
    let admin = site.gateway.admin.clone();
    let reason = Some(json!({ "reason": "an audit" }));
    assert_eq!(site.rest(&admin, "POST", "/servers/conf/disable", reason).await.status, 204);
    site.sees(&site.agent(), &[]).await;
    let ended = until_async(WAIT, || async { (!std::path::Path::new(&process).exists()).then_some(()) });
    ended.await.expect("its process ends");
    assert!(!is_counted(&site).await, "it is neither up nor down");

    let params = json!({ "name": ECHO, "arguments": { "text": "hello" } });
    let answer = site.agent().modern("tools/call", params).await.response();
    let error = &answer["error"];
    assert_eq!(error["data"]["code"], "server_disabled", "{answer}");
    assert!(
        error["message"].as_str().is_some_and(|message| message.ends_with("disabled: an audit")),
        "{answer}"
    );
    let restart = site.rest(&admin, "POST", "/servers/conf/restart", None).await;
    refused(&restart, 409, "server_disabled");
    assert_eq!(shown(&site)["state"], "disabled");
    let listed: Value = serde_json::from_str(&site.say(&["servers", "list", "--json"])).expect("JSON");
    assert_eq!((&listed[0]["state"], &listed[0]["reason"]), (&json!("disabled"), &json!("an audit")));
    let doctor = site.say(&["doctor"]);
    assert!(doctor.contains("server conf: is disabled, so it was not tried: an audit"), "{doctor}");
    assert!(site.refuse(&["servers", "test", "conf"]).contains("toolgate servers enable conf"));

    // It stays so over a restart, and the command line takes it back.
    let site = site.restarted(Ending::Asked);
    let server = site.server("conf").await;
    assert_eq!((&server["health"], &server["reason"]), (&json!("disabled"), &json!("an audit")));
    assert!(names(&site.agent()).await.is_empty());
    site.say(&["servers", "enable", "conf", "--reason", "it is over"]);
    echoes(&site).await;
    let told = site.told("setting.changed").await;
    let details: Vec<[&Value; 3]> = told
        .iter()
        .map(|event| &event["detail"])
        .map(|detail| [&detail["reason"], &detail["added"], &detail["removed"]])
        .collect();
    let (conf, none) = (json!(["conf"]), json!([]));
    assert_eq!(details, [[&json!("an audit"), &conf, &none], [&json!("it is over"), &none, &conf]]);
    assert_eq!(site.told("registry.tool.retired").await, Vec::<Value>::new());
}

#[tokio::test]
async fn what_the_file_turns_off_is_not_enabled_by_a_command() {
    let off = format!("{}enabled = false\n", conforming("conf", &[]));
    let site = Site::open_with(&off);
    let said = site.refuse(&["servers", "enable", "conf"]);
    assert!(said.contains("`enabled = false` in toolgate.toml") && said.contains("hint: "), "{said}");
    assert!(site.refuse(&["servers", "disable", "cnf"]).contains("did you mean \"conf\"?"));
    assert!(
        site.refuse(&["servers", "disable", "conf", "--reason", &"x".repeat(501)]).contains("500 characters")
    );
    assert_eq!(site.get("/settings/disabled_servers").await["version"], 0);
}
