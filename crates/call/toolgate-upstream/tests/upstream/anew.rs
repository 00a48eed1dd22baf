//! The trust in a server that may have become another one: nothing that was judged by its lists is sent,
//! until they have been read again.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use http::Response;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::watch;
use toolgate_core::server::ServerSpec;

use crate::fleet::{
    all_well, basics, call, definition, descriptions, fleet, instance, judged, reason_of, said,
};
use crate::kit::{UpstreamGateway, call_of, fault_code, someone, text_of};
use crate::web::{Body, Seen, Web, empty, events, ok, reply};

const OTHER_VERSION: &str = "no instance offers the version that was reviewed";
/// Longer than lists without notifications are left alone.
const LOOKED_AT_AGAIN: Duration = Duration::from_secs(61);

/// An instance of another version that withholds its list until it is told to show it.
async fn hesitant(at: &str, shows: watch::Receiver<bool>) -> Web {
    Web::start_at(at.parse().unwrap(), move |seen| {
        let mut shows = shows.clone();
        async move {
            if seen.rpc() == "tools/list" {
                shows.wait_for(|shows| *shows).await.unwrap();
            }
            basics(&seen, &json!([definition("2")])).map_or_else(|| said(&seen, "other"), |body| ok(&body))
        }
    })
    .await
}

async fn asked_for_its_list(web: &Web) {
    web.until("its list to be asked for", |seen| seen.iter().any(|seen| seen.rpc() == "tools/list")).await;
}

/// The lists of a new connection are read twice; after that they are left alone for a while.
async fn listed_twice(web: &Web) {
    let twice = |seen: &[Seen]| seen.iter().filter(|seen| seen.rpc() == "tools/list").count() >= 2;
    web.until("the second reading", twice).await;
}

async fn listed(gateway: &UpstreamGateway, description: &str) {
    let newest = |listing: &toolgate_core::server::ServerListing| descriptions(listing) == [description];
    gateway.recorder.until(description, |told| told.listings.last().is_some_and(newest)).await;
}

#[tokio::test]
async fn a_judged_call_waits_for_the_first_list_of_the_only_instance() {
    let (show, shows) = watch::channel(false);
    let (old, new) = (instance("old", "1").await, hesitant("127.0.0.1:0", shows).await);
    let gateway = UpstreamGateway::with(fleet(&[("a", &old)]));
    all_well(&gateway, 1).await;
    gateway.manager.apply(vec![fleet(&[("a", &new)])]);
    asked_for_its_list(&new).await;
    let waiting = tokio::spawn(gateway.request(call(judged("1")), &someone()));
    assert_eq!(text_of(&gateway.request(call_of("t", "{}"), &someone()).await.unwrap()), "other");
    assert!(!waiting.is_finished(), "only what was not judged goes through");
    show.send(true).unwrap();
    assert_eq!(reason_of(waiting.await.unwrap().unwrap_err()), OTHER_VERSION);
    assert_eq!(new.count("tools/call"), 1);
    gateway.end().await;
}

#[tokio::test]
async fn a_judged_call_waits_no_longer_than_it_may() {
    let (_show, shows) = watch::channel(false);
    let web = hesitant("127.0.0.1:0", shows).await;
    let gateway = UpstreamGateway::with(ServerSpec { timeout: Duration::from_millis(200), ..web.spec() });
    asked_for_its_list(&web).await;
    let error = gateway.request(call(judged("2")), &someone()).await.unwrap_err();
    assert_eq!(reason_of(error), "it is still starting");
    assert_eq!(web.count("tools/call"), 0);
    gateway.end().await;
}

#[tokio::test]
async fn what_was_listed_before_a_reconnection_does_not_count_after_it() {
    let web = instance("old", "1").await;
    let address = web.address.to_string();
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    drop(web);
    assert!(gateway.request(call(judged("1")), &someone()).await.is_err());
    gateway.recorder.degraded().await;
    let (show, shows) = watch::channel(false);
    let web = hesitant(&address, shows).await;
    asked_for_its_list(&web).await;
    let waiting = tokio::spawn(gateway.request(call(judged("1")), &someone()));
    gateway.request(call_of("t", "{}"), &someone()).await.unwrap();
    show.send(true).unwrap();
    assert_eq!(reason_of(waiting.await.unwrap().unwrap_err()), OTHER_VERSION);
    assert_eq!(web.count("tools/call"), 1);
    gateway.end().await;
}

/// A server of the older era without notifications: its description can be changed, and its sessions
/// forgotten.
#[derive(Clone)]
struct Quiet {
    description: Arc<Mutex<&'static str>>,
    sessions: Arc<Mutex<Vec<String>>>,
}

impl Quiet {
    fn new() -> Self {
        Self { description: Arc::new(Mutex::new("1")), sessions: Arc::default() }
    }

    async fn serve(&self) -> Web {
        let quiet = self.clone();
        Web::start(move |seen| std::future::ready(quiet.answer(&seen))).await
    }

    /// As after a restart with another version.
    fn become_another(&self, description: &'static str) {
        self.sessions.lock().clear();
        *self.description.lock() = description;
    }

    fn answer(&self, seen: &Seen) -> Response<Body> {
        let mut sessions = self.sessions.lock();
        match seen.rpc() {
            "initialize" => {
                let result = json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}});
                let mut response = ok(&seen.result(result));
                let id = format!("s-{}", seen.id());
                response.headers_mut().insert("mcp-session-id", id.parse().unwrap());
                sessions.push(id);
                response
            }
            "server/discover" => reply(400, &seen.error(-32000, Value::Null)),
            _ if !sessions.iter().any(|id| seen.header("mcp-session-id") == Some(id)) => empty(404),
            "tools/list" => ok(&seen.result(json!({"tools": [definition(*self.description.lock())]}))),
            "tools/call" => said(seen, "quiet"),
            "ping" => ok(&seen.result(json!({}))),
            _ => empty(202),
        }
    }
}

#[tokio::test]
async fn a_server_that_forgot_a_session_is_asked_for_its_lists_again() {
    let quiet = Quiet::new();
    let web = quiet.serve().await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    gateway.request(call(judged("1")), &someone()).await.unwrap();
    listed_twice(&web).await;
    quiet.become_another("2");
    gateway.call("t", "{}", &someone()).await.unwrap();
    listed(&gateway, "2").await;
    gateway.end().await;
}

#[tokio::test]
async fn a_server_that_tells_nothing_is_looked_at_every_minute() {
    let quiet = Quiet::new();
    let web = quiet.serve().await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    listed_twice(&web).await;
    // Answered after the list was, so that has been taken too.
    gateway.call("t", "{}", &someone()).await.unwrap();
    *quiet.description.lock() = "2";
    tokio::time::pause();
    tokio::time::advance(LOOKED_AT_AGAIN).await;
    tokio::time::resume();
    listed(&gateway, "2").await;
    gateway.end().await;
}

#[tokio::test]
async fn a_server_that_lost_a_call_is_asked_for_its_lists_again() {
    let is_another = Arc::new(AtomicBool::new(false));
    let changed = is_another.clone();
    let web = Web::start(move |seen| {
        let description = if changed.load(Ordering::SeqCst) { "2" } else { "1" };
        let basic = basics(&seen, &json!([definition(description)]));
        // The stream ends without the answer.
        std::future::ready(basic.map_or_else(|| events(&[]), |body| ok(&body)))
    })
    .await;
    let gateway = UpstreamGateway::with(web.spec());
    gateway.recorder.healthy().await;
    listed_twice(&web).await;
    is_another.store(true, Ordering::SeqCst);
    let error = gateway.request(call(judged("1")), &someone()).await.unwrap_err();
    assert_eq!(fault_code(error), "server_lost");
    listed(&gateway, "2").await;
    gateway.end().await;
}
