//! Signing in at addresses that a connector file names: the code flow, the life of its tokens, and their end.

use serde_json::json;
use toolgate_testkit::gateway::until_async;

use super::desk::{Desk, Flow, SECRET, SERVER};
use crate::doors::WAIT;

#[tokio::test(flavor = "multi_thread")]
async fn a_sign_in_happens_where_the_connector_file_says() {
    let desk = Desk::open(Flow::Code).await.healthy().await;
    let agent = desk.agent();
    let output = desk.hub.try_login(SERVER, &[]).await;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && said.contains("toolgate secrets set connector.desk desk_id"),
        "{said}"
    );
    desk.wants_a_sign_in().await;
    assert!(desk.failure(&agent).await.contains("toolgate servers login"), "the call says so too");
    assert_eq!(desk.api.heard().len(), 0, "nothing is sent without the token");
    desk.store("desk_id", "gate");
    desk.store("desk_secret", SECRET);
    let signed_in = desk.hub.login_at(SERVER, &[]).await;
    assert_eq!((&signed_in["scopes"], &signed_in["renews"]), (&json!(["read"]), &json!(true)));
    let there = until_async(WAIT, || async { desk.next_step().await.is_empty().then_some(()) });
    there.await.expect("nothing is left to do");
    assert_eq!(desk.me(&agent).await["sub"], "ann");
    let asked = &desk.hub.idp.seen("/authorize")[0].parameters;
    assert_eq!((asked["prompt"].as_str(), asked["scope"].as_str()), ("consent", "read"));
    assert!(!asked.contains_key("resource"), "some refuse what they do not know");
    let probed = desk.hub.rest(
        &desk.hub.gateway.admin,
        "POST",
        "/tools/connector.test",
        Some(json!({ "provider": "desk" })),
    );
    assert_eq!(probed.await.json()["data"]["probe"], "who_am_i");
    desk.nowhere(SECRET);
}

/// A signed-in desk whose tokens are good for so long.
async fn signed_in(expires_in: u64) -> Desk {
    let desk = Desk::open(Flow::Code).await.healthy().await;
    desk.knows_its_client(SECRET).await;
    desk.hub.idp.behave(|idp| idp.expires_in = expires_in);
    desk.hub.login_at(SERVER, &[]).await;
    let there = until_async(WAIT, || async { desk.next_step().await.is_empty().then_some(()) });
    there.await.expect("the gateway hears of the sign-in");
    desk
}

#[tokio::test(flavor = "multi_thread")]
async fn such_a_token_is_renewed_at_the_address_that_was_kept_with_it() {
    let desk = signed_in(1).await;
    let agent = desk.agent();
    let first = desk.me(&agent).await;
    let another = until_async(WAIT, || async {
        let me = desk.me(&agent).await;
        (me["jti"] != first["jti"]).then_some(())
    });
    another.await.expect("it is renewed before it runs out");
    desk.hub.idp.behave(|idp| idp.refresh_revoked = true);
    desk.wants_a_sign_in().await;
    let why = desk.failure(&agent).await;
    assert!(why.contains("refresh token"), "{why}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_the_api_takes_back_is_replaced_in_the_middle_of_a_call() {
    let desk = signed_in(3_600).await;
    let agent = desk.agent();
    let first = desk.me(&agent).await;
    desk.refuse(&first["jti"]);
    let second = desk.me(&agent).await;
    assert_ne!(second["jti"], first["jti"]);
    assert_eq!(desk.hub.idp.seen("/token").len(), 2, "one for the code, one for the renewal");
}
