//! Signing in at a server, and the life of the token: used at once, renewed, revoked, forgotten.

use std::collections::BTreeSet;

use serde_json::json;
use tokio::task::JoinSet;
use toolgate_testkit::gateway::{HttpClient, until_async};

use super::hub::{HINT, Hub, WHOAMI, failure, shown};
use crate::doors::WAIT;
use crate::kit::{call, names};

/// Calls the server until another token is shown to it than this one. No call may fail on the way.
async fn another_token(client: &HttpClient, than: &str) -> String {
    let renewed = until_async(WAIT, || async {
        let token = id(&shown(client).await);
        (token != than).then_some(token)
    });
    renewed.await.expect("the token is renewed")
}

fn id(shown: &serde_json::Value) -> String {
    shown["jti"].as_str().expect("every token has an id").to_owned()
}

/// The tokens of `calls` concurrent calls.
async fn at_once(client: &HttpClient, calls: usize) -> BTreeSet<String> {
    let mut running = JoinSet::new();
    for _ in 0..calls {
        let client = client.clone();
        running.spawn(async move { id(&shown(&client).await) });
    }
    running.join_all().await.into_iter().collect()
}

/// The refresh tokens that were used, in order.
fn used(hub: &Hub) -> Vec<String> {
    let requests = hub.idp.seen("/token").into_iter();
    requests.filter_map(|seen| seen.parameters.get("refresh_token").cloned()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_wants_a_sign_in_says_how_and_works_without_a_restart_once_somebody_did() {
    let hub = Hub::open().await;
    let reason = hub.wants_login().await;
    assert!(reason.contains("401"), "{reason}");
    assert_eq!(hub.get("/servers/hub").await["health"], "degraded");
    let listed = hub.say(&["servers", "list"]);
    assert!(listed.contains("degraded") && listed.contains(HINT), "{listed}");
    assert_eq!(names(&hub.agent()).await, Vec::<String>::new());
    let signed_in = hub.login(&[]).await;
    assert_eq!((&signed_in["scopes"], &signed_in["renews"]), (&json!(["read"]), &json!(true)));
    hub.serves().await;
    assert_eq!(names(&hub.agent()).await, ["hub__whoami", "hub__write"]);
    let shown = shown(&hub.agent()).await;
    assert_eq!((&shown["sub"], &shown["scope"]), (&json!("ann"), &json!("read")));
    assert!(!hub.say(&["servers", "list"]).contains(HINT), "nothing is left to do");
    let forms = hub.idp.seen("/token");
    assert_eq!(forms.len(), 1, "one exchange: {forms:?}");
    assert_eq!(forms[0].parameters["resource"], hub.idp.resource(), "the token is for this server alone");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_runs_out_is_renewed_and_the_newest_refresh_token_outlives_the_gateway() {
    let hub = Hub::signed_in_where(|idp| idp.expires_in = 1).await;
    let mut token = id(&shown(&hub.agent()).await);
    for _ in 0..2 {
        token = another_token(&hub.agent(), &token).await;
    }
    let before = used(&hub).len();
    assert!(before >= 2, "each renewal uses a refresh token");
    let hub = hub.restarted();
    hub.serves().await;
    another_token(&hub.agent(), &token).await;
    let used = used(&hub);
    assert!(used.len() > before, "the new gateway renews too");
    let different: BTreeSet<&String> = used.iter().collect();
    assert_eq!(different.len(), used.len(), "no refresh token is used twice: each answer has the next one");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_newest_refresh_token_outlives_a_gateway_that_is_killed() {
    let hub = Hub::signed_in_where(|idp| idp.expires_in = 1).await;
    let token = id(&shown(&hub.agent()).await);
    let token = another_token(&hub.agent(), &token).await;
    let hub = Hub { gateway: hub.gateway.restart(true), idp: hub.idp };
    hub.serves().await;
    another_token(&hub.agent(), &token).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn many_calls_at_once_renew_a_token_once() {
    let hub = Hub::signed_in_where(|idp| idp.expires_in = 2).await;
    let agent = hub.agent();
    let old = id(&shown(&agent).await);
    let before = used(&hub).len();
    let renewed = until_async(WAIT, || async {
        let ids = at_once(&agent, 16).await;
        (!ids.contains(&old)).then_some(ids)
    });
    let ids = renewed.await.expect("the token is renewed");
    let renewals = used(&hub).len() - before;
    assert!(renewals <= ids.len().max(2), "{renewals} renewals for {ids:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refresh_token_that_was_taken_back_ends_in_an_honest_error_until_somebody_signs_in_again() {
    let hub = Hub::signed_in_where(|idp| idp.expires_in = 1).await;
    hub.idp.behave(|idp| idp.refresh_revoked = true);
    let why = until_async(WAIT, || async {
        let result = call(&hub.agent(), WHOAMI, json!({})).await;
        (result["isError"] == true).then(|| crate::kit::text(&result).to_owned())
    });
    let why = why.await.expect("the token runs out");
    assert!(why.contains(HINT) && why.contains("refresh token"), "{why}");
    let asked = used(&hub).len();
    for _ in 0..5 {
        let why = failure(&hub.agent(), WHOAMI).await;
        assert!(why.contains(HINT), "{why}");
    }
    assert_eq!(used(&hub).len(), asked, "what was refused for good is not tried with every call");
    hub.idp.behave(|idp| {
        idp.refresh_revoked = false;
        idp.expires_in = 3_600;
    });
    hub.login(&[]).await;
    hub.serves().await;
    assert_eq!(shown(&hub.agent()).await["sub"], "ann");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_authorization_server_that_is_away_does_not_end_a_sign_in() {
    let hub = Hub::signed_in().await;
    hub.idp.behave(|idp| idp.outage = true);
    failure(&hub.agent(), WHOAMI).await;
    hub.idp.behave(|idp| idp.outage = false);
    hub.serves().await;
    assert_eq!(hub.idp.seen("/token").len(), 1, "the token is as good as before");
}

#[tokio::test(flavor = "multi_thread")]
async fn who_signs_out_is_signed_out_in_the_running_gateway() {
    let hub = Hub::signed_in().await;
    hub.say(&["servers", "logout", "hub"]);
    let why = until_async(WAIT, || async {
        let result = call(&hub.agent(), WHOAMI, json!({})).await;
        (result["isError"] == true).then(|| crate::kit::text(&result).to_owned())
    });
    let why = why.await.expect("the token is forgotten");
    assert!(why.contains(HINT), "{why}");
    hub.wants_login().await;
    let listed = hub.say(&["secrets", "list"]);
    assert!(!listed.contains("sign-in"), "{listed}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_call_that_needs_more_scopes_says_so_and_the_next_sign_in_asks_for_all_of_them() {
    let hub = Hub::signed_in().await;
    let why = failure(&hub.agent(), "hub__write").await;
    assert!(why.contains(HINT) && why.contains("write"), "{why}");
    assert_eq!(shown(&hub.agent()).await["scope"], "read", "the rest goes on");
    assert_eq!(hub.get("/servers/hub").await["health"], "healthy");
    let signed_in = hub.login(&[]).await;
    assert_eq!(signed_in["scopes"], json!(["read", "write"]));
    let done = until_async(WAIT, || async {
        let result = call(&hub.agent(), "hub__write", json!({})).await;
        (result["isError"] != true).then_some(())
    });
    done.await.expect("the new token is used");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_client_that_was_registered_by_hand_is_what_the_file_says() {
    let hub = Hub::open_with("[servers.oauth]\nclient_id = \"by-hand\"\nclient_secret = \"s3cret & more\"\nscopes = [\"read\", \"profile\"]\n").await;
    hub.idp.register("by-hand", Some("s3cret & more"));
    hub.idp.behave(|idp| {
        idp.registers = false;
        idp.expires_in = 1;
    });
    let signed_in = hub.login(&[]).await;
    assert_eq!(signed_in["scopes"], json!(["read", "profile"]));
    hub.serves().await;
    let token = id(&shown(&hub.agent()).await);
    another_token(&hub.agent(), &token).await;
    assert_eq!(hub.idp.seen("/register"), [], "it is known already");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_that_the_provider_answers_for_another_issuer_gives_nothing() {
    let hub = Hub::open().await;
    hub.idp.behave(|idp| idp.callback_issuer = Some("https://other.example".into()));
    let output = hub.try_login("hub", &[]).await;
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(hub.idp.seen("/token"), [], "the code goes nowhere");
    hub.wants_login().await;
}
