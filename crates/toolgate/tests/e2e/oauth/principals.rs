//! A principal's sign-in is its own; a shared sign-in is for everyone without one.

use serde_json::json;
use tokio::task::JoinSet;
use toolgate_testkit::gateway::{HttpClient, until_async};

use super::hub::{HINT, Hub, WHOAMI, failure, shown};
use crate::doors::WAIT;
use crate::kit::call;

/// Waits until the running gateway has noticed which token to use for this caller.
async fn is_shown(client: &HttpClient, scope: &str) {
    let noticed = until_async(WAIT, || async { (shown(client).await["scope"] == scope).then_some(()) });
    noticed.await.unwrap_or_else(|| panic!("the token for {scope} was never shown"));
}

#[tokio::test(flavor = "multi_thread")]
async fn one_principals_token_is_never_shown_for_another() {
    let hub = Hub::open().await;
    hub.login(&["--scope", "everybody"]).await;
    hub.login(&["--scope", "anns", "--principal", "ann"]).await;
    hub.login(&["--scope", "bobs", "--principal", "bob"]).await;
    hub.serves().await;
    let callers = [("ann", "anns"), ("bob", "bobs"), ("carl", "everybody")];
    let agents = callers.map(|(principal, scope)| (hub.agent_of(principal), scope));
    for (agent, scope) in &agents {
        is_shown(agent, scope).await;
    }
    // Many at once, over the same connections.
    let mut mixed = JoinSet::new();
    for n in 0..60 {
        let (agent, scope) = agents[n % agents.len()].clone();
        mixed.spawn(async move { assert_eq!(shown(&agent).await["scope"], scope) });
    }
    mixed.join_all().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_principal_who_signs_out_has_what_everybody_has() {
    let hub = Hub::open().await;
    hub.login(&["--scope", "everybody"]).await;
    hub.login(&["--scope", "anns", "--principal", "ann"]).await;
    hub.serves().await;
    let ann = hub.agent_of("ann");
    is_shown(&ann, "anns").await;
    hub.say(&["servers", "logout", "hub", "--principal", "ann"]);
    is_shown(&ann, "everybody").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nobody_signed_in_for_everybody_others_are_told_and_nobody_elses_token_is_lent() {
    let hub = Hub::open().await;
    hub.login(&["--scope", "everybody"]).await;
    hub.login(&["--scope", "anns", "--principal", "ann"]).await;
    hub.serves().await;
    let (ann, bob) = (hub.agent_of("ann"), hub.agent_of("bob"));
    is_shown(&ann, "anns").await;
    hub.say(&["servers", "logout", "hub"]);
    let told = until_async(WAIT, || async {
        let result = call(&bob, WHOAMI, json!({})).await;
        (result["isError"] == true).then(|| crate::kit::text(&result).to_owned())
    });
    let told = told.await.expect("bob has nothing to show");
    // The first request may find the vault changed before the gateway has checked it again, and gets another
    // wording.
    let nobody = ["there is no sign-in", "has ended"].iter().any(|words| told.contains(words));
    assert!(nobody && told.contains(HINT), "{told}");
    assert_eq!(shown(&ann).await["scope"], "anns", "ann goes on");
    let told = failure(&bob, WHOAMI).await;
    assert!(told.contains(HINT), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_end_of_one_principals_sign_in_is_told_to_that_principal_with_their_own_command() {
    let hub = Hub::open().await;
    hub.login(&["--scope", "everybody"]).await;
    hub.idp.behave(|idp| {
        idp.expires_in = 1;
        idp.gives_refresh_tokens = false;
    });
    hub.login(&["--scope", "anns", "--principal", "ann"]).await;
    hub.serves().await;
    let (ann, bob) = (hub.agent_of("ann"), hub.agent_of("bob"));
    let told = until_async(WAIT, || async {
        let result = call(&ann, WHOAMI, json!({})).await;
        (result["isError"] == true).then(|| crate::kit::text(&result).to_owned())
    });
    let told = told.await.expect("the token runs out");
    assert!(told.contains("toolgate servers login hub --principal ann"), "{told}");
    assert_eq!(shown(&bob).await["scope"], "everybody", "others do not notice");
    assert_eq!(hub.get("/servers/hub").await["health"], "healthy");
}
