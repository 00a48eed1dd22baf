//! Tokens that the gateway fetches with a client's own secret: one for all calls, another after a refusal, and clear words
//! where there is none.

use serde_json::json;
use tokio::task::JoinSet;
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::idp::Idp;
use toolgate_testkit::web_api::{WebAnswer, WebApi};

use super::desk::{Desk, Flow, SECRET, SERVER};
use crate::doors::WAIT;

#[tokio::test(flavor = "multi_thread")]
async fn many_calls_share_one_token_and_a_refused_one_is_replaced_once() {
    let desk = Desk::open(Flow::ClientCredentials).await.healthy().await;
    let step = desk.next_step().await;
    assert!(step.contains("toolgate secrets set connector.desk desk_"), "{step}");
    desk.knows_its_client(SECRET).await;
    let agent = desk.agent();
    let mut running = JoinSet::new();
    for _ in 0..12 {
        let agent = agent.clone();
        running.spawn(async move { crate::kit::call(&agent, "connector.desk:who_am_i", json!({})).await });
    }
    for result in running.join_all().await {
        assert_ne!(result["isError"], true, "{result}");
    }
    assert_eq!(desk.hub.idp.seen("/token").len(), 1, "the status asked for it, and the calls share it");
    let me = desk.me(&agent).await;
    assert_eq!(me["sub"], "gate");
    desk.refuse(&me["jti"]);
    let other = desk.me(&agent).await;
    assert_ne!(other["jti"], me["jti"]);
    assert_eq!(desk.hub.idp.seen("/token").len(), 2);
    // An API that refuses new ones too does not get one for each call.
    desk.refuse(&other["jti"]);
    for _ in 0..3 {
        desk.failure(&agent).await;
    }
    assert_eq!(desk.hub.idp.seen("/token").len(), 2);
    let output = desk.hub.try_login(SERVER, &[]).await;
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("nobody signs in") && said.contains("desk_secret"), "{said}");
    desk.nowhere(SECRET);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_runs_out_is_fetched_anew_and_a_wrong_secret_is_told() {
    let desk = Desk::open(Flow::ClientCredentials).await.healthy().await;
    desk.hub.idp.behave(|idp| idp.expires_in = 1);
    desk.knows_its_client(SECRET).await;
    let agent = desk.agent();
    let first = desk.me(&agent).await;
    let other = until_async(WAIT, || async {
        let me = desk.me(&agent).await;
        (me["jti"] != first["jti"]).then_some(())
    });
    other.await.expect("another one");
    desk.store("desk_secret", "n0t the secret");
    let told = until_async(WAIT, || async {
        let step = desk.next_step().await;
        step.contains("invalid_client").then_some(step)
    });
    let told = told.await.expect("it is refused");
    assert!(told.contains("toolgate secrets set connector.desk"), "{told}");
    assert!(desk.failure(&agent).await.contains("invalid_client"));
    let asked = desk.hub.idp.seen("/token").len();
    for _ in 0..5 {
        desk.failure(&agent).await;
    }
    assert_eq!(desk.hub.idp.seen("/token").len(), asked, "what is refused is not tried with every call");
    desk.store("desk_secret", SECRET);
    let back = until_async(WAIT, || async { desk.next_step().await.is_empty().then_some(()) });
    back.await.expect("the right one is used at once");
    desk.nowhere("n0t the secret");
}

/// The words for a token endpoint that answers so, and the number of requests to another address.
async fn told(answer: impl Fn(&str) -> WebAnswer + Send + Sync + 'static) -> (String, usize) {
    let elsewhere = WebApi::start(|_| WebAnswer::json(200, &json!({ "access_token": "stolen" })));
    let place = elsewhere.url("/token");
    let endpoint = WebApi::start(move |_| answer(&place));
    let idp = Idp::start().await.expect("it listens");
    let desk = Desk::open_at(Flow::ClientCredentials, idp, &endpoint.url("/token")).healthy().await;
    desk.knows_its_client(SECRET).await;
    let told = desk.failure(&desk.agent()).await;
    assert_eq!(desk.api.heard().len(), 0, "the API is not asked without a token");
    desk.nowhere(SECRET);
    (told, elsewhere.heard().len())
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_endpoint_that_redirects_gets_no_secret_carried_on() {
    let (told, elsewhere) = told(|place| WebAnswer::redirect(307, place)).await;
    assert!(told.contains("redirect") && told.contains("not followed"), "{told}");
    assert_eq!(elsewhere, 0, "the secret stays");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_is_no_token() {
    let page = |_: &str| WebAnswer::bytes(200, "text/html", b"<html>Sign in</html>".to_vec());
    let (told, _) = told(page).await;
    assert!(told.contains("text/html instead of a token"), "{told}");
}
