//! The targets of secrets: operators set addresses, and gain no secret that they did not store themselves.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use parking_lot::Mutex;
use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;

use super::secrets::set_secret;
use super::site::{Site, refused, registration};
use super::worker::Worker;
use crate::doors::WAIT;

const SECRET: &str = "geheim-der-firma";
const OWN: &str = "geheim-der-betreiberin";

/// An operator's own server, which keeps its requests and redirects every client.
struct Trap {
    url: String,
    heard: Arc<Mutex<String>>,
}

impl Trap {
    fn set(answer: String) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let url = format!("http://{}/mcp", listener.local_addr().expect("it is bound"));
        let heard = Arc::new(Mutex::new(String::new()));
        let writing = Arc::clone(&heard);
        thread::spawn(move || {
            for mut stream in listener.incoming().flatten() {
                let (writing, answer) = (Arc::clone(&writing), answer.clone());
                thread::spawn(move || {
                    drop(stream.set_read_timeout(Some(Duration::from_millis(500))));
                    let mut bytes = [0; 16 << 10];
                    while let Ok(count @ 1..) = stream.read(&mut bytes) {
                        writing.lock().push_str(&String::from_utf8_lossy(&bytes[..count]));
                        drop(stream.write_all(answer.as_bytes()));
                    }
                });
            }
        });
        Self { url, heard }
    }

    fn usual() -> Self {
        Self::set("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n".into())
    }

    fn heard(&self) -> String {
        self.heard.lock().clone()
    }
}

fn jobs(url: &str) -> Value {
    json!([{ "name": "jobs", "url": url, "headers": { "Authorization": "Bearer ${vault:TOKEN}" } }])
}

fn worker(bearer: &str) -> Worker {
    Worker::start(&["--name", "jobs", "--instance", "a", "--bearer", bearer])
}

fn operator(site: &Site) -> String {
    site.token("--role operator --principal olga")
}

async fn set_by(site: &Site, token: &str, value: Value) -> toolgate_testkit::gateway::HttpAnswer {
    site.rest(token, "PATCH", "/settings/mcp_servers", Some(json!({ "value": value }))).await
}

async fn works(site: &Site) {
    let there = until_async(WAIT, || async {
        // A server that does not exist yet has no tool, which is an error.
        let params = json!({ "name": "jobs__work", "arguments": { "n": 1 } });
        let response = site.agent().modern("tools/call", params).await.response();
        (response["result"]["structuredContent"]["bearer"] == 0).then_some(())
    });
    if there.await.is_none() {
        panic!("it never worked: {}", site.server("jobs").await);
    }
}

#[tokio::test]
async fn an_operator_cannot_have_a_secret_sent_to_an_address_of_their_own() {
    let site = Site::open();
    let (worker, trap, olga) = (worker(SECRET), Trap::usual(), operator(&site));
    assert_eq!(site.set("mcp_servers", jobs(&worker.url)).await.status, 200);
    set_secret(&site, &["jobs", "TOKEN"], SECRET);
    works(&site).await;

    let problem = refused(&set_by(&site, &olga, jobs(&trap.url)).await, 403, "secret_bound");
    assert!(
        problem["hint"].as_str().is_some_and(|hint| hint.contains("secrets allow jobs TOKEN")),
        "{problem}"
    );
    assert_eq!(set_by(&site, &olga, json!([])).await.status, 200, "taking it out is theirs to do");
    refused(&set_by(&site, &olga, jobs(&trap.url)).await, 403, "secret_bound");
    let again = set_by(&site, &olga, jobs(&worker.url)).await;
    assert_eq!(again.status, 200, "where it was allowed it may go: {again:?}");
    works(&site).await;
    let allowing = json!({ "origins": ["*"] });
    let allowed = site.rest(&olga, "PUT", "/secrets/jobs/TOKEN/origins", Some(allowing.clone())).await;
    assert_eq!(allowed.status, 403, "{allowed:?}");
    assert_eq!(trap.heard(), "", "nobody came");

    let by_admin = site.rest(&site.gateway.admin, "PUT", "/secrets/jobs/TOKEN/origins", Some(allowing)).await;
    assert_eq!(by_admin.status, 200, "{by_admin:?}");
    assert_eq!(set_by(&site, &olga, jobs(&trap.url)).await.status, 200);
    let sent = until_async(WAIT, || async { trap.heard().contains(SECRET).then_some(()) });
    sent.await.expect("an admin wanted it so");
    assert_eq!(site.told("credential.allowed").await.len(), 1);
}

#[tokio::test]
async fn an_address_that_was_set_before_the_secret_was_stored_gets_nothing_until_an_admin_says_so() {
    let site = Site::open();
    let (worker, olga) = (worker(SECRET), operator(&site));
    let trap = Trap::usual();
    assert_eq!(set_by(&site, &olga, jobs(&trap.url)).await.status, 200, "there is no secret yet");
    set_secret(&site, &["jobs", "TOKEN"], SECRET);
    let told = site.server_is("jobs", |server| {
        server["reason"].as_str().is_some_and(|reason| reason.contains("toolgate secrets allow jobs TOKEN"))
    });
    told.await;
    assert!(!trap.heard().contains(SECRET));
    // An admin's permission covers the admin's change, and nothing else.
    let mut both = jobs(&trap.url);
    let other = json!({ "name": "other", "url": worker.url, "headers": { "Authorization": "Bearer ${vault:TOKEN}" } });
    both.as_array_mut().expect("a list").push(other);
    assert_eq!(site.set("mcp_servers", both).await.status, 200);
    set_secret(&site, &["other", "TOKEN"], SECRET);
    site.server_is("other", |server| server["health"] == "healthy").await;
    assert!(!trap.heard().contains(SECRET), "the operator's entry was there before");

    assert_eq!(set_by(&site, &olga, jobs(&worker.url)).await.status, 403);
    let origin = worker.url.trim_end_matches("/mcp");
    site.say(&["secrets", "allow", "jobs", "TOKEN", origin]);
    assert_eq!(set_by(&site, &olga, jobs(&worker.url)).await.status, 200);
    works(&site).await;
    let listed = site.get("/secrets/jobs").await;
    assert_eq!(listed["secrets"][0]["origins"], json!([origin]), "{listed}");
}

#[tokio::test]
async fn an_operator_uses_a_secret_of_their_own_without_asking() {
    let site = Site::open();
    let (worker, trap, olga) = (worker(OWN), Trap::usual(), operator(&site));
    assert_eq!(set_by(&site, &olga, jobs(&worker.url)).await.status, 200);
    let put = |token: String, value: &'static str| {
        let site = &site;
        async move {
            let body = Some(json!({ "value": value }));
            site.rest(&token, "PUT", "/secrets/jobs/TOKEN", body).await
        }
    };
    assert_eq!(put(olga.clone(), OWN).await.status, 204);
    works(&site).await;
    // A secret that an admin stores instead is another one: the permissions of the first do not apply.
    assert_eq!(put(site.gateway.admin.clone(), SECRET).await.status, 204);
    let told = site.server_is("jobs", |server| server["health"] == "degraded").await;
    assert!(told["reason"].as_str().is_some_and(|reason| reason.contains("secrets allow")), "{told}");
    refused(&set_by(&site, &olga, jobs(&trap.url)).await, 403, "secret_bound");
    assert!(!trap.heard().contains(SECRET));
}

#[tokio::test]
async fn whoever_registers_an_instance_gets_no_secret_by_it() {
    let trap = Trap::usual();
    let site = Site::open_with(
        "[[servers]]\nname = \"jobs\"\nregistered = true\nheaders = { Authorization = \"Bearer ${vault:TOKEN}\" }\n",
    );
    set_secret(&site, &["jobs", "TOKEN"], SECRET);
    let mut own = registration("jobs", "a");
    own["url"] = json!(trap.url);
    assert_eq!(site.register(&operator(&site), own).await.status, 200);
    let told = site.server_is("jobs", |server| {
        server["reason"].as_str().is_some_and(|reason| reason.contains("secrets allow jobs TOKEN"))
    });
    told.await;
    assert!(!trap.heard().contains(SECRET), "{}", trap.heard());
}

#[tokio::test]
async fn a_redirect_takes_no_secret_along() {
    let trap = Trap::usual();
    let away = format!("HTTP/1.1 307 Elsewhere\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n", trap.url);
    let sender = Trap::set(away);
    let site = Site::open();
    assert_eq!(site.set("mcp_servers", jobs(&sender.url)).await.status, 200);
    set_secret(&site, &["jobs", "TOKEN"], SECRET);
    let sent = until_async(WAIT, || async { sender.heard().contains(SECRET).then_some(()) });
    sent.await.expect("it is sent where an admin wants it");
    site.server_is("jobs", |server| {
        server["reason"].as_str().is_some_and(|reason| reason.contains("redirect"))
    })
    .await;
    assert_eq!(trap.heard(), "", "nobody followed");
}
