//! Tokens are shown to their server, and appear nowhere else: not in logs, ledger, API or on disk. The
//! callers' tokens stay at the door.

use std::path::Path;

use serde_json::json;
use toolgate_testkit::gateway::{HttpClient, until_async};
use toolgate_testkit::idp::{Idp, Mint};

use super::hub::{Hub, OPEN, WHOAMI, boot_in, failure, shown};
use crate::doors::WAIT;
use crate::kit::{call, names, remote};

/// The beginning of every token of the identity provider: its header up to the key's id.
const TOKEN_START: &str = "eyJhbGciOiJFUzI1NiIsImtpZCI6";

fn files(folder: &Path, found: &mut Vec<(String, Vec<u8>)>) {
    for entry in std::fs::read_dir(folder).expect("a folder").filter_map(Result::ok) {
        let path = entry.path();
        match entry.file_type().expect("a type") {
            kind if kind.is_dir() => files(&path, found),
            kind if kind.is_file() => {
                // Files of a database come and go.
                found.extend(std::fs::read(&path).ok().map(|bytes| (path.display().to_string(), bytes)));
            }
            _ => {}
        }
    }
}

fn holds(bytes: &[u8], what: &str) -> bool {
    bytes.windows(what.len()).any(|window| window == what.as_bytes())
}

/// Everything that others than the server could read.
async fn everything(hub: &Hub) -> Vec<(String, Vec<u8>)> {
    let mut all = vec![("the log".to_owned(), hub.gateway.log().join("\n").into_bytes())];
    for path in ["/servers", "/servers/hub", "/ledger?limit=1000", "/secrets/hub", "/settings", "/tools"] {
        all.push((path.to_owned(), hub.get(path).await.to_string().into_bytes()));
    }
    for words in [
        &["--json", "servers", "show", "hub"][..],
        &["secrets", "list"],
        &["--json", "secrets", "list"],
        &["ledger", "export"],
        &["doctor"],
    ] {
        let output = hub.gateway.cli(words);
        all.push((words.join(" "), [output.stdout, output.stderr].concat()));
    }
    files(&hub.gateway.data(), &mut all);
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn tokens_appear_in_no_log_no_ledger_no_answer_and_on_no_disk() {
    let hub = Hub::open().await;
    hub.idp.behave(|idp| {
        idp.expires_in = 1;
        idp.gives_secrets = true;
    });
    let output = hub.try_login("hub", &[]).await;
    assert!(output.status.success(), "{output:?}");
    hub.serves().await;
    let first = shown(&hub.agent()).await["jti"].clone();
    let renewed = until_async(WAIT, || async { (shown(&hub.agent()).await["jti"] != first).then_some(()) });
    renewed.await.expect("the token is renewed");
    hub.idp.behave(|idp| idp.refresh_revoked = true);
    failure_in_time(&hub).await;
    assert!(
        hub.idp.mint(&Mint::new("a", "b")).starts_with(TOKEN_START),
        "what is looked for is what is given"
    );
    let mut secrets = vec![TOKEN_START.to_owned()];
    for seen in hub.idp.seen("/token") {
        let of = |name: &str| seen.parameters.get(name).cloned();
        secrets.extend([of("refresh_token"), of("code"), of("code_verifier")].into_iter().flatten());
    }
    assert!(secrets.len() >= 4, "a code, its verifier and a refresh token at least: {secrets:?}");
    let mut all = everything(&hub).await;
    all.push(("the sign-in".into(), [output.stdout, output.stderr].concat()));
    assert!(all.iter().any(|(place, _)| place.contains("toolgate.db")), "the database is looked at");
    for (place, bytes) in &all {
        let found = secrets.iter().find(|secret| holds(bytes, secret));
        assert!(found.is_none(), "{found:?} is in {place}");
    }
}

async fn failure_in_time(hub: &Hub) {
    let failed = until_async(WAIT, || async {
        (call(&hub.agent(), WHOAMI, json!({})).await["isError"] == true).then_some(())
    });
    failed.await.expect("the token runs out");
}

/// A gateway whose callers may use tokens that its own server would accept too.
async fn tempting() -> (Hub, String) {
    let idp = Idp::start().await.expect("it listens");
    let oauth = format!(
        "[oauth]\nissuer = \"{}\"\naudience = \"{}\"\nscopes = {{ \"toolgate:call\" = \"agent\" }}\n",
        idp.issuer(),
        idp.resource()
    );
    let toml = format!("{OPEN}{oauth}{}", remote("hub", &idp.resource()));
    let gateway = boot_in(tempfile::tempdir().expect("a temporary folder"), &toml);
    let mut mint = Mint::new(&idp.resource(), "toolgate:call");
    mint.subject = "carl".into();
    let token = idp.mint(&mint);
    (Hub { idp, gateway }, token)
}

#[tokio::test(flavor = "multi_thread")]
async fn a_callers_own_token_is_never_passed_on_though_the_server_would_take_it() {
    let (hub, token) = tempting().await;
    let carl = hub.agent_with(&token);
    hub.wants_login().await;
    assert_eq!(names(&carl).await, Vec::<String>::new(), "carl is let in, and the server is closed");
    let direct = HttpClient::new(&hub.idp.resource(), &token);
    let listed = direct.raw(r#"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#).await;
    assert_eq!(listed.status, 200, "the server would have taken it: {listed:?}");
    hub.login(&[]).await;
    hub.serves().await;
    for agent in [&carl, &hub.agent()] {
        let shown = shown(agent).await;
        assert_eq!(
            (&shown["sub"], &shown["scope"]),
            (&json!("ann"), &json!("read")),
            "the gateway's own token"
        );
    }
    hub.say(&["servers", "logout", "hub"]);
    hub.wants_login().await;
    let why = failure(&carl, WHOAMI).await;
    assert!(why.contains("toolgate servers login hub"), "{why}");
}
