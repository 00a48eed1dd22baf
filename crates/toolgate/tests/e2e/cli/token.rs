//! Tokens: created, shown once, stored as hashes, revoked.

use std::time::Duration;

use serde_json::{Value, json};
use toolgate_testkit::gateway::{Gateway, HttpClient, until_async};

use super::{CliFolder, Said};
use crate::boot;
use crate::doors::WAIT;

fn cli(gateway: &Gateway, args: &[&str]) -> Said {
    Said::from(gateway.cli(args))
}

fn tokens(gateway: &Gateway) -> Vec<Value> {
    let list = cli(gateway, &["token", "list", "--json"]).well().json();
    list.as_array().cloned().expect("a list")
}

#[test]
fn token_create_prints_the_token_alone() {
    let place = CliFolder::new("");
    for role in ["agent", "admin"] {
        let said = place.run(&["token", "create", "--role", role]).well();
        let token = said.stdout.strip_suffix('\n').expect("a line");
        assert!(token.starts_with(&format!("tg_{role}_")) && token.len() > 40, "{said:?}");
        assert!(!token.contains(char::is_whitespace), "{said:?}");
        assert!(!said.stderr.contains(token), "{said:?}");
    }
    let said = place.run(&["token", "create", "--role", "agent", "--label", "laptop", "--json"]).well();
    assert_eq!(said.json()["role"], "agent");
}

#[test]
fn a_token_may_say_whose_it_is() {
    let place = CliFolder::new("");
    let create = ["token", "create", "--role", "approver", "--principal", "alice", "--group", "finance"];
    place.run(&[&create[..], &["--group", "legal", "--label", "phone"]].concat()).well();
    place.run(&["token", "create", "--role", "agent", "--kind", "service"]).well();
    let listed = place.run(&["token", "list", "--json"]).well().json();
    assert_eq!(listed[0]["principal"], "alice");
    assert_eq!((&listed[0]["kind"], &listed[0]["groups"]), (&json!("human"), &json!(["finance", "legal"])));
    assert_eq!((&listed[1]["principal"], &listed[1]["kind"]), (&Value::Null, &json!("service")));
    let table = place.run(&["token", "list"]).well().stdout;
    for word in ["PRINCIPAL", "KIND", "GROUPS", "alice", "finance, legal", "phone"] {
        assert!(table.contains(word), "{word}: {table}");
    }
    let reserved = ["token", "create", "--role", "agent", "--principal", "gateway"];
    place.run(&reserved).badly(1, &["cannot create the token", "\"gateway\"", "hint: "]);
}

#[test]
fn first_start_makes_one_token_of_each_role_and_later_starts_none() {
    let gateway = boot("");
    assert!(gateway.agent.starts_with("tg_agent_") && gateway.admin.starts_with("tg_admin_"));
    let roles = |gateway: &Gateway| {
        let mut roles: Vec<_> = tokens(gateway).iter().map(|token| token["role"].clone()).collect();
        roles.sort_by_key(Value::to_string);
        roles
    };
    assert_eq!(roles(&gateway), ["admin", "agent"]);
    let gateway = gateway.restart(false);
    assert_eq!(roles(&gateway), ["admin", "agent"]);
}

#[tokio::test]
async fn tokens_of_the_first_start_still_work_after_a_restart() {
    let gateway = boot("").restart(true);
    assert_eq!(gateway.client().modern("tools/list", json!({})).await.status, 200);
}

#[tokio::test]
async fn a_token_made_while_the_gateway_runs_works_at_once() {
    let gateway = boot("");
    let said = cli(&gateway, &["token", "create", "--role", "agent"]).well();
    let client = HttpClient::new(&gateway.endpoint, said.stdout.trim());
    assert_eq!(client.modern("tools/list", json!({})).await.status, 200);
}

#[tokio::test]
async fn a_revoked_token_is_refused_by_the_running_gateway_within_two_seconds() {
    let gateway = boot("");
    let made =
        cli(&gateway, &["token", "create", "--role", "agent", "--label", "laptop", "--json"]).well().json();
    let client = HttpClient::new(&gateway.endpoint, made["token"].as_str().expect("a token"));
    assert_eq!(client.modern("tools/list", json!({})).await.status, 200);

    cli(&gateway, &["token", "revoke", "laptop"]).well();
    let refused = || async { (client.modern("tools/list", json!({})).await.status == 401).then_some(()) };
    assert!(until_async(Duration::from_secs(2), refused).await.is_some(), "the token still works");
    assert_eq!(
        gateway.client().modern("tools/list", json!({})).await.status,
        200,
        "other tokens are left alone"
    );
    let revoked: Vec<_> =
        tokens(&gateway).into_iter().filter(|token| !token["revoked_at_ms"].is_null()).collect();
    assert_eq!(revoked.len(), 1);
    assert_eq!(revoked[0]["id"], made["id"]);
}

#[tokio::test]
async fn a_session_ends_with_its_token() {
    let gateway = boot("");
    let made = cli(&gateway, &["token", "create", "--role", "agent", "--json"]).well().json();
    let mut client = HttpClient::new(&gateway.endpoint, made["token"].as_str().expect("a token"));
    client.initialize("2025-11-25").await;
    cli(&gateway, &["token", "revoke", made["id"].as_str().expect("an id")]).well();
    let refused = || async { (client.legacy(1, "tools/list", json!({})).await.status == 401).then_some(()) };
    assert!(until_async(Duration::from_secs(2), refused).await.is_some(), "the session still works");
}

#[test]
fn revoking_a_token_that_is_not_there_says_so() {
    let place = CliFolder::new("");
    place.run(&["token", "revoke", "nobody"]).badly(1, &["nobody", "hint: `toolgate token list`"]);
}

#[test]
fn tokens_are_hashed_at_rest() {
    let gateway = boot("");
    let made = cli(&gateway, &["token", "create", "--role", "agent"]).well();
    let secrets = [gateway.agent.as_str(), gateway.admin.as_str(), made.stdout.trim()];
    let mut looked_at = 0;
    for entry in std::fs::read_dir(gateway.data()).expect("the data folder is there") {
        let path = entry.expect("an entry").path();
        // A gateway without a terminal writes its first tokens here.
        if path.ends_with("first-tokens.json") {
            continue;
        }
        let Ok(bytes) = std::fs::read(&path) else { continue };
        looked_at += bytes.len();
        for secret in secrets {
            // The part after the role is enough.
            let own = secret.rsplit("t_").next().expect("a last part").trim_start_matches("admin_");
            let found = bytes.windows(own.len()).any(|window| window == own.as_bytes());
            assert!(!found, "{} holds a token", path.display());
        }
    }
    assert!(looked_at > 0, "there was nothing to look at");
    let listed = cli(&gateway, &["token", "list"]).well();
    assert!(secrets.iter().all(|secret| !listed.stdout.contains(secret)), "{listed:?}");
}

#[tokio::test]
async fn what_was_opened_with_a_token_ends_when_it_is_revoked() {
    let gateway = boot("");
    let auditor = cli(&gateway, &["token", "create", "--role", "auditor", "--label", "eye"]).well().stdout;
    let agent = cli(&gateway, &["token", "create", "--role", "agent", "--label", "hand"]).well().stdout;
    let mut older = HttpClient::new(&gateway.endpoint, agent.trim());
    older.initialize("2025-11-25").await;
    let events = older.http.get(gateway.url("/events")).bearer_auth(auditor.trim());
    let session = older.session.as_deref().expect("a session");
    let messages =
        older.http.get(&gateway.endpoint).bearer_auth(agent.trim()).header("mcp-session-id", session);
    let mut streams = Vec::new();
    for request in [events, messages] {
        let response = request.header("accept", "text/event-stream").send().await.expect("an answer");
        assert_eq!(response.status(), 200);
        streams.push(response);
    }
    cli(&gateway, &["token", "revoke", "eye"]).well();
    cli(&gateway, &["token", "revoke", "hand"]).well();
    for mut stream in streams {
        let ended = async { while let Ok(Some(_)) = stream.chunk().await {} };
        tokio::time::timeout(WAIT, ended).await.expect("the stream ends");
    }
}

#[tokio::test]
async fn a_token_that_expires_lets_nobody_in_afterwards() {
    let gateway = boot("");
    let create = ["token", "create", "--role", "agent", "--label", "guest", "--expires"];
    let made = cli(&gateway, &[&create[..], &["2s", "--json"]].concat()).well().json();
    let client = HttpClient::new(&gateway.endpoint, made["token"].as_str().expect("a token"));
    let refused = || async { (client.modern("tools/list", json!({})).await.status == 401).then_some(()) };
    assert!(until_async(WAIT, refused).await.is_some(), "the token still works");
    let listed = tokens(&gateway);
    let token = listed.iter().find(|token| token["id"] == made["id"]).expect("it is listed");
    assert!(token["revoked_at_ms"].is_null() && token["expires_at_ms"].is_i64(), "{token}");
    let table = cli(&gateway, &["token", "list"]).well().stdout;
    let row = table.lines().find(|line| line.contains("guest")).expect("a row");
    assert!(row.contains("expired") && row.contains("local"), "{table}");
    for wrong in ["soon", "30", "0s"] {
        let said = cli(&gateway, &[&create[..], &[wrong]].concat());
        assert_ne!(said.code, Some(0), "{said:?}");
    }
}

#[tokio::test]
async fn tokens_tell_who_made_them_and_when_they_were_last_used() {
    let gateway = boot("");
    let secret = cli(&gateway, &["token", "create", "--role", "agent", "--label", "mine"]).well().stdout;
    let mine = || tokens(&gateway).into_iter().find(|token| token["label"] == "mine").expect("it is listed");
    let before = mine();
    assert_eq!((&before["created_by"], &before["used_at_ms"]), (&json!("local"), &Value::Null), "{before}");
    let client = HttpClient::new(&gateway.endpoint, secret.trim());
    assert_eq!(client.modern("tools/list", json!({})).await.status, 200);
    let used = until_async(WAIT, || async { mine()["used_at_ms"].as_i64() }).await.expect("its use is kept");
    assert!(used >= before["created_at_ms"].as_i64().expect("a time"), "{used}");
    let first =
        tokens(&gateway).into_iter().find(|token| token["label"] == "first admin").expect("it is there");
    assert_eq!(first["created_by"], "gateway");
}
