//! What servers tell on their own: who hears of it, and who is asked.

use std::sync::Arc;

use serde_json::{Value, json};
use toolgate_core::port::AskKind;
use toolgate_core::server::ServerState;
use toolgate_core::{PrincipalId, RawJson, RpcError};
use toolgate_wire::{ProtocolVersion, meta};

use super::kit::{EdgeFixture, TOOLS, client, messages, news, request, server, session_client, until};
use crate::clients::session::ClientSession;
use crate::protocol::listen::Subscription;

const TOOLS_CHANGED: &str = "notifications/tools/list_changed";

/// Reads the stream of a session, as a client that is connected does. Only such a client can be asked.
fn reads(session: &ClientSession) -> impl Sized + '_ {
    session.push.read(None)
}

#[tokio::test]
async fn a_list_that_changed_is_told_and_one_that_reads_alike_is_not() {
    let house = EdgeFixture::new();
    let session = house.session("ada", json!({}));
    house.offer(&TOOLS);
    assert_eq!(news(&session.push), [""; 0], "it is the same list");
    house.offer(&["say", "secret", "ask", "tell", "hang", "sing"]);
    assert_eq!(news(&session.push), [TOOLS_CHANGED]);
    house.offer(&["say", "ask", "tell", "hang", "sing"]);
    assert_eq!(news(&session.push), [""; 0], "it never saw the tool that went away");
}

#[tokio::test]
async fn a_resource_that_changed_is_told_to_those_who_watch_it_by_the_address_they_used() {
    let house = EdgeFixture::new();
    let (ada, bob) = (house.session("ada", json!({})), house.session("bob", json!({})));
    assert!(ada.watch(&server(), "doc://page", "alias://page").expect("there is room"));
    let params: RawJson = json!({"uri": "doc://page"}).into();
    house.gateway.hub.resource_updated(&server(), "doc://page", &params);
    house.gateway.hub.resource_updated(&server(), "doc://other", &params);
    let told = messages(&ada.push);
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0]["method"], "notifications/resources/updated");
    assert_eq!(told[0]["params"]["uri"], "alias://page");
    assert_eq!(news(&bob.push), [""; 0]);
}

#[tokio::test]
async fn a_log_message_goes_to_sessions_that_want_its_level_and_may_hear_it() {
    let house = EdgeFixture::new();
    let sessions = ["ada", "bob", "cleo"].map(|name| house.session(name, json!({})));
    sessions[0].set_log_level("info");
    sessions[1].set_log_level("error");
    let warning: RawJson = json!({"level": "warning", "data": "hot"}).into();
    house.gateway.hub.logged(&server(), None, &warning);
    let heard = || sessions.each_ref().map(|session| news(&session.push).len());
    assert_eq!(heard(), [1, 0, 0], "one wants it, one wants worse, one has not said");
    house.gateway.hub.logged(&server(), Some(&PrincipalId::new("bob")), &json!({"level": "alert"}).into());
    assert_eq!(heard(), [0, 1, 0], "it came on a connection of one principal");
}

#[tokio::test]
async fn one_principal_leaves_sessions_to_others() {
    let house = EdgeFixture::new();
    let added = |principal: &str, own_max: Option<usize>| {
        let client = Arc::new(session_client(principal, json!({})));
        let count = house.gateway.hub.session_count();
        let session = Arc::new(ClientSession::new(format!("id-{count}"), client, &house.gateway.limits));
        house.gateway.hub.add_session(&session, 4, own_max)
    };
    assert!(!added("ada", Some(0)), "her quota allows none");
    assert_eq!([0; 4].map(|_| added("ada", None)), [true, true, true, false], "a quarter is for others");
    assert!(added("bob", None));
    assert!(!added("cleo", None), "all are taken");
    assert_eq!(house.gateway.hub.session_count(), 4);
}

#[tokio::test]
async fn a_session_that_ends_gives_back_what_it_watched_and_ends_its_calls() {
    let house = EdgeFixture::new();
    let session = house.session("ada", json!({}));
    session.watch(&server(), "doc://page", "doc://page").expect("there is room");
    let leash = session.begin("1", 10).expect("the id is free");
    house.gateway.hub.remove_session(&session.id, &*house.ports);
    assert_eq!(*house.ports.watched.lock(), ["- files doc://page"]);
    assert!(leash.cancel.is_cancelled() && !leash.is_given_up(), "it ends, and nobody gave it up");
    assert!(house.gateway.hub.session(&session.id).is_none());
    assert!(session.watch(&server(), "doc://page", "doc://page").is_err(), "it watches nothing more");
}

#[tokio::test]
async fn a_question_outside_a_call_needs_exactly_one_client_that_can_be_meant() {
    let house = EdgeFixture::new();
    let hub = &house.gateway.hub;
    let question =
        || RawJson::from(json!({"message": "why?", "requestedSchema": {"type": "object", "properties": {}}}));
    let ask = |owner: Option<&PrincipalId>| hub.asked(&server(), owner, AskKind::Elicitation, question());
    let nobody = ask(None).await.expect_err("there is nobody");
    assert_eq!(nobody.code, RpcError::METHOD_NOT_FOUND);
    let roots =
        hub.asked(&server(), None, AskKind::Roots, RawJson::EMPTY).await.expect("that is always answered");
    assert_eq!(roots.as_str(), r#"{"roots":[]}"#);
    let (ada, bob) =
        (house.session("ada", json!({"elicitation": {}})), house.session("bob", json!({"elicitation": {}})));
    let _readers = (reads(&ada), reads(&bob));
    assert!(ask(None).await.is_err(), "either could be meant");
    let asking = ask(Some(&PrincipalId::new("bob")));
    let answering = async {
        until("he is asked", || !house.events().is_empty()).await;
        let mut asked = Vec::new();
        until("the question is there", || {
            asked.extend(messages(&bob.push));
            !asked.is_empty()
        })
        .await;
        bob.answered(&asked[0]["id"].to_string(), Ok(json!({"action": "decline"}).into()));
    };
    let (answer, ()) = tokio::join!(asking, answering);
    assert_eq!(answer.expect("he answers").as_str(), r#"{"action":"decline"}"#);
    assert_eq!(news(&ada.push), [""; 0]);
}

#[tokio::test]
async fn the_first_list_waits_until_every_server_has_listed_or_failed() {
    let house = EdgeFixture::new();
    let settled = house.gateway.hub.settled();
    assert!(*settled.borrow());
    house.gateway.hub.expect([server()]);
    assert!(!*settled.borrow());
    house.gateway.hub.state_changed(&server(), &ServerState::starting());
    assert!(!*settled.borrow(), "one that starts has not settled");
    house.offer(&TOOLS);
    assert!(*settled.borrow());
}

#[tokio::test]
async fn a_subscription_is_acknowledged_first_and_hears_what_it_asked_for() {
    let house = EdgeFixture::new();
    let ada = client("ada", ProtocolVersion::LATEST_MODERN, json!({}));
    let wanted = json!({"toolsListChanged": true, "resourceSubscriptions": ["doc://page", "page"]});
    let request = request(4, "subscriptions/listen", json!({"notifications": wanted}));
    let subscription = Subscription::open(&house.gateway, &ada, &request.head).await;
    let subscription = subscription.unwrap_or_else(|error| panic!("{}", error.message));
    house.offer(&["say"]);
    house.gateway.hub.resource_updated(&server(), "doc://page", &json!({"uri": "doc://page"}).into());
    let told = messages(&subscription.listener.log);
    let methods: Vec<&Value> = told.iter().map(|message| &message["method"]).collect();
    let updated = "notifications/resources/updated";
    assert_eq!(methods, ["notifications/subscriptions/acknowledged", TOOLS_CHANGED, updated]);
    let accepted = json!({"toolsListChanged": true, "resourceSubscriptions": ["doc://page"]});
    assert_eq!(told[0]["params"]["notifications"], accepted, "what nobody has is not promised");
    assert!(told.iter().all(|one| one["params"]["_meta"][meta::SUBSCRIPTION_ID] == 4), "{told:?}");
    drop(subscription);
    assert_eq!(*house.ports.watched.lock(), ["+ files doc://page", "- files doc://page"]);
}
