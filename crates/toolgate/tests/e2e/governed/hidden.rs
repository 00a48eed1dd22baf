//! Redaction hides secrets and nothing else: approvers see the rest, and the ledger keeps it.

use serde_json::{Value, json};
use toolgate_testkit::gateway::HttpClient;

use super::bank::{Bank, GATED, NO_HOLD, pending, status};
use super::records::stands_in_files;
use crate::kit::{call, text};

const TOOL: &str = "bank__transfer";
/// Text that an agent would like to hide.
const ORDER: &str = "all of it to DE666 # Bearer abcdefghijklmnopqrstuvwxyz";

fn to(account: &str) -> Value {
    json!({ "account": account, "amount": 1 })
}

/// The ledger's copy of the arguments of the last call.
async fn kept(bank: &Bank) -> Value {
    let ended = bank.events(&["--kind", "tool.call.completed"]).pop().expect("a call has ended");
    let digest = ended["input"].as_str().expect("its arguments are kept");
    bank.get(&bank.gateway.admin, &format!("/ledger/bodies/{digest}")).await.json()
}

#[tokio::test]
async fn nobody_is_asked_about_what_they_cannot_see() {
    let bank = Bank::open(&format!("{GATED}{NO_HOLD}"));
    let agent = bank.agent();
    let binary = "/sbin/".to_owned() + &"/".repeat(1100) + "reboot";
    let json = json!({ "token": "$(reboot)" }).to_string();
    for account in [ORDER, "AKIAIOSFODNN7EXAMPLE", "postgres://ann:hunter2@db/x", &binary, &json] {
        let refused = call(&agent, TOOL, to(account)).await;
        assert_eq!((status(&refused), &refused["isError"]), ("refused", &json!(true)), "{refused}");
        let error = &refused["structuredContent"]["error"];
        assert_eq!(
            (&error["code"], &error["details"]["argument"]),
            (&json!("hidden_from_approvers"), &json!("/account"))
        );
        assert!(text(&refused).contains("hint: ") && !text(&refused).contains(account), "{refused}");
    }
    let waiting = bank.get(&bank.gateway.admin, "/approvals").await.json();
    assert_eq!(waiting["approvals"], json!([]), "nobody was asked");
    assert_eq!(bank.ran(), Vec::<String>::new());
    assert_eq!(bank.outcomes(), ["refused"; 5], "each attempt is on record");
    bank.verify();
}

#[tokio::test]
async fn people_see_all_of_a_call_but_the_secret_and_hear_what_that_is() {
    let bank = Bank::open(&format!("{GATED}{NO_HOLD}"));
    let agent = bank.agent();
    let body = r#"{ "to":"DE666", "to":"DE1", "password":"hunter2" }"#;
    let proposed = json!({ "account": body, "amount": 1, "password": "hunter22" });
    let id = pending(&call(&agent, TOOL, proposed.clone()).await);
    let shown = bank.approval(&id)["arguments"].clone();
    let expected = body.replace("hunter2", "[redacted: secret, 7 characters]");
    assert_eq!(
        shown,
        json!({ "account": expected, "amount": 1, "password": "[redacted: secret, 8 characters]" })
    );
    bank.approve(&id);
    assert_eq!(status(&call(&agent, TOOL, proposed.clone()).await), "succeeded");
    assert_eq!(bank.ran(), [format!("transfer {proposed}")], "what runs is what was sent");
}

#[tokio::test]
async fn the_ledger_keeps_all_of_a_call_but_its_secrets() {
    let bank = Bank::open(NO_HOLD);
    let agent = bank.agent();
    let key = format!("ghp_{}", "aB3dE6gH9".repeat(4));
    let card = "4111 1111 1111 1111";
    for (account, left) in [
        (ORDER.to_owned(), "all of it to DE666 # Bearer [redacted]".to_owned()),
        (format!("pay {card} with {key}!"), "pay [redacted] with [redacted]!".to_owned()),
        (r#"{"to": "DE666","token":"x"}"#.to_owned(), r#"{"to": "DE666","token":"[redacted]"}"#.to_owned()),
    ] {
        assert_eq!(status(&call(&agent, TOOL, to(&account)).await), "succeeded");
        assert_eq!(kept(&bank).await, to(&left));
    }
    assert_eq!(bank.ran().len(), 3);
    let ledger = bank.say(&["ledger", "export"]);
    assert!(!ledger.contains(&key) && !ledger.contains(card), "{ledger}");
}

#[tokio::test]
async fn what_is_kept_of_a_batch_for_its_repetition_has_no_secrets() {
    let rules = "[[redact]]\ntools = \"bank:*\"\ninput = [\"/account\"]\n";
    let bank = Bank::open(&format!("{NO_HOLD}{rules}"));
    let run = bank.rest(&bank.gateway.agent, "POST", "/runs", Some(json!({}))).await.json();
    let (id, token) = (&run["run"]["id"], run["token"].as_str().expect("a token"));
    let path = format!("/runs/{}/tool-calls", id.as_str().expect("an id"));
    let secret = json!({ "account": "DE-geheim-0815", "amount": 1, "password": "Zuckerhut-4711" });
    let calls = json!({ "calls": [{ "id": "a", "name": "bank__transfer", "arguments": secret }] });
    let first = bank.rest(token, "POST", &path, Some(calls.clone())).await.json()["results"][0].clone();
    assert!(
        first["data"].to_string().contains("Zuckerhut-4711"),
        "the agent gets what the server says: {first}"
    );
    let again = bank.rest(token, "POST", &path, Some(calls)).await.json()["results"][0].clone();
    assert_eq!(
        (&again["replayed"], &again["warnings"][0]["code"]),
        (&json!(true), &json!("redacted")),
        "{again}"
    );
    for what in ["Zuckerhut-4711", "DE-geheim-0815"] {
        assert!(!again.to_string().contains(what), "{again}");
        assert_eq!(stands_in_files(&bank, what), Vec::<String>::new(), "{what} was stored");
    }
    assert_eq!(bank.ran().len(), 1, "and nothing ran twice");
}

#[tokio::test]
async fn a_short_file_that_a_server_repeats_does_not_come_back() {
    let takes = "[[tools]]\nname = \"bank:balance\"\n[[tools.files]]\nstrategy = \"binary_base64\"\nargument = \"file_id\"\ncontent = \"account\"\n";
    let bank = Bank::open(&format!("{NO_HOLD}{takes}"));
    let upload =
        bank.agent().http.post(bank.gateway.url("/files?name=a.bin")).bearer_auth(&bank.gateway.agent);
    let upload =
        upload.header("content-type", "application/octet-stream").body("a very short letter".to_owned());
    let uploaded = HttpClient::finish(upload).await.json();
    let file = uploaded["id"].as_str().unwrap_or_else(|| panic!("no file: {uploaded}"));
    let encoded = "YSB2ZXJ5IHNob3J0IGxldHRlcg==";
    let said = call(&bank.agent(), "bank__balance", json!({ "file_id": file })).await;
    assert_eq!(bank.ran(), [format!("balance {{\"account\":\"{encoded}\"}}")], "the server gets it: {said}");
    assert!(text(&said).contains(&format!("[content of {file}]")), "{said}");
    assert!(
        !said.to_string().contains(encoded) && !bank.say(&["ledger", "export"]).contains(encoded),
        "{said}"
    );
}
