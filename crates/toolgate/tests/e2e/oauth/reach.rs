//! The allowed addresses of an authorization server: addresses from the network stay within the operator's
//! rules.

use serde_json::json;
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::idp::Idp;

use super::hub::{Hub, OPEN, boot_in};
use crate::doors::WAIT;

const ALLOWED: &str = "[network]\nallow_loopback = true\n";

async fn open(toml: &str) -> Hub {
    let idp = Idp::start().await.expect("it listens");
    let gateway = boot_in(tempfile::tempdir().expect("a temporary folder"), toml);
    Hub { idp, gateway }
}

async fn set(hub: &Hub) -> toolgate_testkit::gateway::HttpAnswer {
    let value = json!({ "value": [{ "name": "hub", "url": hub.idp.resource() }] });
    hub.rest(&hub.gateway.admin, "PATCH", "/settings/mcp_servers", Some(value)).await
}

fn configure(hub: &Hub, toml: &str) {
    let half = hub.gateway.folder().join("half");
    std::fs::write(&half, toml).expect("the file can be written");
    std::fs::rename(half, hub.gateway.folder().join("toolgate.toml")).expect("the file can be moved");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_authorization_server_on_this_machine_is_not_asked_for_a_server_that_somebody_sent() {
    let hub = open(&format!("{ALLOWED}{OPEN}")).await;
    assert_eq!(set(&hub).await.status, 200);
    hub.wants_login().await;
    // The operator changes the rules: the setting stays, and leads nowhere any more.
    configure(&hub, OPEN);
    hub.server_is(|server| server["reason"].to_string().contains("allow_loopback")).await;
    let before = requests(&hub);
    let output = hub.try_login("hub", &[]).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.contains("allow_loopback"), "{said}");
    assert_eq!(requests(&hub), before, "nobody was asked anything");
    assert_eq!(set(&hub).await.status, 422, "and it cannot be set anew");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_is_not_renewed_where_the_gateway_may_not_go_any_more() {
    let hub = open(&format!("{ALLOWED}{OPEN}")).await;
    assert_eq!(set(&hub).await.status, 200);
    hub.idp.behave(|idp| idp.expires_in = 1);
    hub.login(&[]).await;
    hub.serves().await;
    configure(&hub, OPEN);
    hub.server_is(|server| server["health"] != "healthy").await;
    let before = requests(&hub);
    let quiet = until_async(WAIT, || async {
        let server = hub.get("/servers/hub").await;
        (server["restarts"].as_u64() >= Some(2)).then_some(())
    });
    quiet.await.expect("it is tried again");
    assert_eq!(requests(&hub), before, "neither the server nor its authorization server is asked");
    configure(&hub, &format!("{ALLOWED}{OPEN}"));
    hub.serves().await;
}

/// The number of requests to the identity provider and the server beside it.
fn requests(hub: &Hub) -> usize {
    let paths = ["/mcp", "/token", "/register", "/authorize", "/.well-known/oauth-authorization-server"];
    let more = ["/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-protected-resource"];
    paths.iter().chain(&more).map(|path| hub.idp.seen(path).len()).sum()
}
