//! The relay between Toolgate and a fake Slack: a waiting approval becomes a message, a pressed button a
//! decision.

use std::io::{BufRead, BufReader};
use std::net::TcpListener;
use std::process::Stdio;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use toolgate_testkit::gateway::{Gateway, HttpClient};

use super::{Running, examples, local, read};
use crate::governed::bank::{pending, status};
use crate::governed::receiver::{ReceivedMessage, Receiver};
use crate::kit::call;
use crate::toolgate;

const WEBHOOK_SECRET: &str = "sixteen letters and more";
const SIGNING_SECRET: &str = "what Slack signs with";
const PORT_MIN: u32 = 21_000;
const PORTS: u32 = 10_000;
const PORTS_TRIED: u32 = 100;
const ANN: &str = "U024BE7LH";

/// Slack, the relay, and a gateway with the letter box.
struct Office {
    slack: Receiver,
    relay: String,
    gateway: Gateway,
    _process: Running,
}

impl Office {
    async fn open() -> Self {
        let slack = Receiver::open().await;
        let listen = known_address();
        let relay = format!("http://{listen}");
        let toml = read(&examples().join("slack/toolgate.toml"));
        let quick_start = examples().join("quick-start");
        let toml = toml.replace("../quick-start", quick_start.to_str().expect("paths are text"));
        let hook = format!("{relay}/toolgate");
        let variables = [("WEBHOOK_SECRET", WEBHOOK_SECRET), ("RELAY_URL", hook.as_str())];
        let folder = tempfile::tempdir().expect("a temporary folder");
        let gateway = Gateway::boot_with(toolgate(), &toml, folder, &variables);
        let process = start_relay(&gateway, &slack, &listen);
        Self { slack, relay, gateway, _process: process }
    }

    /// Asks for a letter; the approval, and the message that people see.
    async fn asked(&self) -> (String, Value) {
        let approval = pending(&call(&self.gateway.client(), "letters__send", letter()).await);
        let message = self.slack.find(|message| message.holds(&approval)).await;
        (approval, message.json())
    }

    /// Presses a button, signed with this secret; returns the relay's status.
    async fn press(&self, who: &str, action: &str, message: &Value, secret: &str) -> u16 {
        let buttons =
            message["blocks"].as_array().and_then(|blocks| blocks.last()).expect("there are buttons");
        let value = &buttons["elements"][0]["value"];
        let payload = json!({
            "type": "block_actions",
            "user": { "id": who },
            "actions": [{ "action_id": action, "value": value }],
            "response_url": format!("{}/answer", self.slack.url),
        });
        let form = url::form_urlencoded::Serializer::new(String::new());
        let body = { form }.append_pair("payload", &payload.to_string()).finish();
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs().to_string();
        let client = HttpClient::new("", "");
        let request = client.http.post(format!("{}/slack/actions", self.relay));
        let request = request.header("x-slack-signature", signed(secret, &now, &body));
        let request = request.header("x-slack-request-timestamp", now).body(body);
        request.send().await.expect("the relay answers").status().as_u16()
    }

    /// The relay's answer to the person who pressed.
    async fn told(&self) -> Value {
        self.slack.find(|message: &ReceivedMessage| message.path == "/answer").await.json()
    }
}

fn letter() -> Value {
    json!({ "to": "ann@example.com", "text": "Come to <!channel> & <https://example.com>" })
}

/// The gateway must know the relay and the relay the gateway, so one of them cannot leave its port to the
/// system. These ports are below those that the system assigns: no other process takes one between this check
/// and the start.
fn known_address() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let numbers = (0..PORTS_TRIED).map(|_| std::process::id() + NEXT.fetch_add(1, Ordering::Relaxed));
    let mut addresses = numbers.map(|number| format!("127.0.0.1:{}", PORT_MIN + number % PORTS));
    addresses.find(|address| TcpListener::bind(address).is_ok()).expect("one of them is free")
}

fn start_relay(gateway: &Gateway, slack: &Receiver, listen: &str) -> Running {
    let mut command = local("python3");
    command.arg(examples().join("slack/relay.py")).args(["--listen", listen]);
    command.env("TOOLGATE", gateway.url("")).env("WEBHOOK_SECRET", WEBHOOK_SECRET);
    command.env("SLACK_WEBHOOK_URL", format!("{}/services", slack.url));
    command.env("SLACK_SIGNING_SECRET", SIGNING_SECRET).env("PEOPLE", json!({ ANN: "ann" }).to_string());
    let piped = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
    let mut process = piped.spawn().expect("the relay starts");
    let mut line = String::new();
    let stdout = process.stdout.take().expect("stdout is piped");
    BufReader::new(stdout).read_line(&mut line).expect("stdout can be read");
    assert!(line.starts_with("listening on "), "{line}");
    Running(process)
}

/// As Slack signs: `v0=` and the HMAC in hexadecimal digits.
fn signed(secret: &str, timestamp: &str, body: &str) -> String {
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key of any length");
    mac.update(format!("v0:{timestamp}:{body}").as_bytes());
    let digits = mac.finalize().into_bytes().iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    format!("v0={digits}")
}

#[tokio::test]
async fn a_button_in_slack_lets_the_letter_go() {
    let office = Office::open().await;
    let (_, message) = office.asked().await;
    let shown = message["blocks"][1]["text"]["text"].as_str().expect("the arguments are shown");
    assert!(shown.contains("&lt;!channel&gt; &amp; "), "words of an agent call nobody: {shown}");
    assert_eq!(office.press(ANN, "approve", &message, SIGNING_SECRET).await, 200);
    let told = office.told().await;
    assert_eq!(told["text"], "ann: approve. It is approved now.", "{told}");
    let sent = call(&office.gateway.client(), "letters__send", letter()).await;
    assert_eq!(status(&sent), "succeeded", "{sent}");
    // In its state by then: approved, or used already.
    office.slack.find(|message| message.holds("\"letters:send for")).await;
}

#[tokio::test]
async fn a_second_button_after_the_first_decides_nothing() {
    let office = Office::open().await;
    let (_, message) = office.asked().await;
    office.press(ANN, "deny", &message, SIGNING_SECRET).await;
    office.press(ANN, "approve", &message, SIGNING_SECRET).await;
    let refused = office.slack.find(|message| message.holds("Nothing was decided")).await;
    assert_eq!(refused.path, "/answer");
    let denied = call(&office.gateway.client(), "letters__send", letter()).await;
    assert_ne!(status(&denied), "succeeded", "{denied}");
}

#[tokio::test]
async fn who_is_not_named_decides_nothing() {
    let office = Office::open().await;
    let (approval, message) = office.asked().await;
    assert_eq!(office.press("U0STRANGER", "approve", &message, SIGNING_SECRET).await, 200);
    assert_eq!(office.told().await["response_type"], "ephemeral");
    assert_eq!(pending(&call(&office.gateway.client(), "letters__send", letter()).await), approval);
}

#[tokio::test]
async fn what_slack_did_not_sign_is_not_looked_at() {
    let office = Office::open().await;
    let (approval, message) = office.asked().await;
    assert_eq!(office.press(ANN, "approve", &message, "another secret").await, 401);
    assert_eq!(pending(&call(&office.gateway.client(), "letters__send", letter()).await), approval);
}
