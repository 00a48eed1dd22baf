//! A server from a registry at a gateway that runs: it waits for its secret, and then its tools for a person.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};
use toolgate_testkit::gateway::{Gateway, until};
use toolgate_testkit::registry::StandInRegistry;

use super::{WEATHER, remote, table};
use crate::boot;
use crate::cli::Said;
use crate::doors::WAIT;
use crate::kit::{Remote, listed, names};

fn say(gateway: &Gateway, args: &[&str]) -> Said {
    Said::from(gateway.cli(args))
}

fn quarantined(gateway: &Gateway) -> Vec<Value> {
    let rows =
        say(gateway, &["tools", "list", "--status", "quarantined", "--server", "weather", "--json"]).well();
    rows.json().as_array().cloned().unwrap_or_default()
}

fn store_secret(gateway: &Gateway) {
    let mut command = gateway.cli_command(&["secrets", "set", "weather", "token"]);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it runs");
    child.stdin.take().expect("piped").write_all(b"hunter2-of-the-weather").expect("it reads");
    assert!(child.wait().expect("it ends").success());
}

#[tokio::test]
async fn a_server_waits_for_its_secret_and_its_tools_for_a_review() {
    let far = Remote::start("conformance-server", &[]);
    let registry = StandInRegistry::start();
    let header =
        json!([{ "name": "X-Weather-Key", "value": "Key {token}", "isRequired": true, "isSecret": true }]);
    registry.publish(remote("1.0.0", &far.url, header));
    let gateway = boot(&format!("{}[network]\nallow_loopback = true\n", table(&registry)));
    let added = say(&gateway, &["servers", "add", WEATHER, "--yes"]).well();
    assert!(added.stderr.contains("toolgate secrets set weather token"), "{added:?}");

    let waits = until(WAIT, || {
        let shown = say(&gateway, &["servers", "show", "weather", "--json"]).json();
        shown["reason"].as_str().filter(|reason| reason.contains("secret")).map(str::to_owned)
    });
    assert!(waits.is_some_and(|reason| reason.contains("token")), "it says which secret is missing");
    store_secret(&gateway);
    let origin = far.url.split('/').take(3).collect::<Vec<_>>().join("/");
    assert!(added.stderr.contains(&format!("toolgate secrets allow weather token {origin}")), "{added:?}");
    say(&gateway, &["secrets", "allow", "weather", "token", &origin]).well();
    let rows = until(WAIT, || Some(quarantined(&gateway)).filter(|rows| !rows.is_empty()));
    let rows = rows.expect("its tools wait for a review");
    assert!(rows.iter().all(|row| row["reason"] == "new"), "{rows:?}");
    assert_eq!(names(&gateway.client()).await, [""; 0], "agents see none of them");

    say(&gateway, &["tools", "accept", "--all", "--server", "weather"]).well();
    listed(&gateway, "weather__test_simple_text").await;
}
