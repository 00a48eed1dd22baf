//! Filters: data that must not leave in arguments or arrive in results is masked, blocked or asked about, for
//! everyone.

use serde_json::{Value, json};
use toolgate_testkit::gateway::{until, until_async};

use super::bank::{Bank, NO_HOLD, envelope, pending, status, stderr};
use super::records::stands_in_files;
use crate::doors::WAIT;
use crate::kit::{call, text};

const TOOL: &str = "bank__transfer";
const MAIL: &str = "ann.secret@example.com";
const MARK: &str = "[masked: no mail]";

/// A filter for addresses of e-mail.
fn no_mail(action: &str, on: &str) -> String {
    format!(
        "[[filters]]\nname = \"no mail\"\ntools = [\"bank:*\"]\nkinds = [\"email\"]\naction = {action:?}\non = {on:?}\n"
    )
}

fn bank(filters: &str) -> Bank {
    Bank::open(&format!("{NO_HOLD}{filters}"))
}

fn to(account: &str) -> Value {
    json!({ "account": account, "amount": 1 })
}

/// The filter events in the ledger, without principal and time.
fn matched(bank: &Bank) -> Vec<Value> {
    bank.events(&["--kind", "filter.matched"]).iter().map(|event| event["detail"].clone()).collect()
}

fn nowhere(bank: &Bank, what: &str) {
    assert_eq!(stands_in_files(bank, what), Vec::<String>::new(), "{what} was stored");
    let log = bank.gateway.log().join("\n");
    assert!(!log.contains(what), "{log}");
}

#[tokio::test]
async fn arguments_are_masked_before_they_are_sent_and_kept() {
    let bank = bank(&no_mail("mask", "arguments"));
    let done = call(&bank.agent(), TOOL, to(&format!("pay {MAIL} now"))).await;
    assert_eq!(status(&done), "succeeded");
    assert_eq!(bank.ran(), [format!("transfer {}", to(&format!("pay {MARK} now")))]);
    let warning = &envelope(&done)["warnings"][0];
    assert_eq!(warning["code"], "filtered");
    assert!(warning["message"].as_str().is_some_and(|said| said.contains("email at /account")), "{warning}");
    let fired = json!([{ "filter": "no mail", "action": "mask", "kind": "email", "count": 1, "paths": ["/account"] }]);
    assert_eq!(matched(&bank), [json!({ "on": "arguments", "filters": fired })]);
    nowhere(&bank, MAIL);
    bank.verify();
}

#[tokio::test]
async fn a_blocked_call_says_what_and_where_and_never_the_value() {
    let bank = bank(&no_mail("block", "both"));
    let agent = bank.agent();
    let hidden = json!({ "to": MAIL }).to_string();
    for account in [MAIL.to_owned(), hidden] {
        let refused = call(&agent, TOOL, to(&account)).await;
        assert_eq!((status(&refused), &refused["isError"]), ("denied", &json!(true)), "{refused}");
        assert_eq!(refused["structuredContent"]["error"]["code"], "filter_blocked");
        assert!(text(&refused).contains("filter \"no mail\" found email at /account"), "{refused}");
        assert!(text(&refused).contains("hint: ") && !refused.to_string().contains(MAIL), "{refused}");
    }
    assert_eq!(bank.ran(), Vec::<String>::new());
    assert_eq!(bank.outcomes(), ["denied"; 2]);
    nowhere(&bank, MAIL);
}

#[tokio::test]
async fn a_person_is_asked_for_the_filters_reason_and_the_call_is_sent_as_it_was_shown() {
    let filter = no_mail("ask", "arguments") + "approvers = [\"privacy\"]\n";
    let bank = bank(&filter);
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, to(MAIL)).await);
    let shown = bank.approval(&id);
    assert_eq!(shown["arguments"], to(MAIL));
    assert!(
        shown.to_string().contains("filter:no mail") && shown.to_string().contains("email at /account"),
        "{shown}"
    );
    let outsider = bank.token("--role approver --principal bob --group finance");
    assert_ne!(bank.decide(&outsider, &id, json!({ "decision": "approve" })).await.status, 200);
    bank.approve_as(&bank.token("--role approver --principal eve --group privacy"), &id).await;
    assert_eq!(status(&call(&agent, TOOL, to(MAIL)).await), "succeeded");
    assert_eq!(bank.ran(), [format!("transfer {}", to(MAIL))]);
    assert_eq!(
        status(&call(&agent, TOOL, to("DE1")).await),
        "succeeded",
        "nobody is asked about anything else"
    );
}

#[tokio::test]
async fn a_result_is_masked_or_withheld_and_the_call_has_run() {
    let gold =
        "[[filters]]\nname = \"no gold\"\nmatch = '(?i)bars of gold'\naction = \"block\"\non = \"results\"\n";
    let bank = bank(&(no_mail("mask", "results") + gold));
    let agent = bank.agent();
    // The bank repeats its input.
    let done = call(&agent, TOOL, to(MAIL)).await;
    assert_eq!(bank.ran(), [format!("transfer {}", to(MAIL))], "arguments are not its business");
    assert!(text(&done).contains(MARK) && !done.to_string().contains(MAIL), "{done}");
    let withheld = call(&agent, TOOL, to("12 bars of gold")).await;
    assert_eq!((status(&withheld), &withheld["isError"]), ("succeeded", &json!(true)), "{withheld}");
    assert_eq!(withheld["structuredContent"]["error"]["code"], "result_withheld");
    assert!(
        text(&withheld).contains("bank:transfer ran") && !text(&withheld).contains("gold\":"),
        "{withheld}"
    );
    assert_eq!((bank.ran().len(), bank.outcomes()), (2, vec!["succeeded".to_owned(); 2]));
    let read = agent.modern("resources/read", json!({ "uri": "bank://vault/contents" })).await.response();
    assert_eq!(read["error"]["data"]["code"], "result_withheld", "{read}");
    assert!(!read.to_string().contains("bars of gold"), "{read}");
    let ended = bank.events(&["--kind", "tool.call.completed"]);
    let digest = ended[1]["output"].as_str().expect("the result is kept");
    let kept = bank.get(&bank.gateway.admin, &format!("/ledger/bodies/{digest}")).await.json();
    assert!(kept.to_string().contains("12 [masked: no gold]"), "{kept}");
    bank.verify();
}

#[tokio::test]
async fn what_is_kept_by_reference_has_been_looked_through() {
    let bank = bank(&(no_mail("mask", "results") + "[results]\ntext_bytes_max = 1024\n"));
    let agent = bank.agent();
    let long = format!("{} {MAIL} {}", "word ".repeat(400), "word ".repeat(400));
    let done = call(&agent, "bank__balance", json!({ "account": long })).await;
    let id =
        envelope(&done)["refs"][0]["ref_id"].as_str().unwrap_or_else(|| panic!("no ref: {done}")).to_owned();
    let whole = call(&agent, "read_ref", json!({ "ref_id": id, "range": "0-65535" })).await;
    assert!(whole.to_string().contains(MARK) && !whole.to_string().contains(MAIL), "{whole}");
}

#[tokio::test]
async fn filters_are_taken_up_while_the_gateway_runs() {
    let bank = bank("");
    let agent = bank.agent();
    assert_eq!(status(&call(&agent, TOOL, to(MAIL)).await), "succeeded");
    let path = bank.gateway.folder().join("toolgate.toml");
    let before = std::fs::read_to_string(&path).expect("the configuration");
    bank.write("toolgate.toml", &format!("{}\n{before}", no_mail("block", "arguments")));
    let blocked = until_async(WAIT, || async {
        let said = call(&agent, TOOL, to(MAIL)).await;
        (status(&said) == "denied").then_some(())
    });
    blocked.await.expect("the filter is taken up");
    let loaded = bank.events(&["--kind", "config.loaded"]);
    assert!(
        loaded.iter().any(|event| event["detail"].to_string().contains("filter \\\"no mail\\\" is new")),
        "{loaded:?}"
    );
    bank.write(
        "toolgate.toml",
        &format!("[[filters]]\nname = \"bad\"\nmatch = '('\naction = \"mask\"\n{before}"),
    );
    let refused = until(WAIT, || {
        let log = bank.gateway.log();
        log.iter().any(|line| line.contains("does not load")).then_some(())
    });
    refused.expect("a file that does not load changes nothing, and is told");
    assert_eq!(status(&call(&agent, TOOL, to(MAIL)).await), "denied", "what it said before stays");
}

#[tokio::test]
async fn a_dry_run_says_what_would_have_happened_and_shows_no_value() {
    let bank = bank("");
    let agent = bank.agent();
    for account in [MAIL, "DE1", "4111 1111 1111 1111"] {
        call(&agent, TOOL, to(account)).await;
    }
    let cards = "[[filters]]\nname = \"no cards\"\nkinds = [\"card\"]\naction = \"block\"\n";
    bank.write("draft.toml", &(no_mail("mask", "both") + cards));
    let draft = bank.gateway.folder().join("draft.toml");
    let draft = draft.to_str().expect("a path");
    let tried = bank.say_json(&["filters", "test", "--file", draft]);
    assert_eq!(tried["calls"], 3);
    let [mail, cards] = [&tried["filters"][0], &tried["filters"][1]];
    let numbers = |one: &Value| ["calls", "arguments", "results", "cannot_tell"].map(|key| one[key].clone());
    assert_eq!(numbers(mail), [1, 1, 1, 0].map(Value::from));
    assert_eq!(numbers(cards), [0, 0, 0, 1].map(Value::from), "the ledger has no card number to look at");
    let example = &mail["examples"][0];
    assert!(example["call"].as_str().is_some_and(|id| id.starts_with("tc_")), "{example}");
    assert_eq!((&example["paths"], &example["tool"]), (&json!(["/account"]), &json!("bank:transfer")));
    let words = bank.say(&["filters", "test", "--file", draft, "--filter", "no mail", "--last", "10"]);
    assert!(
        words.contains("no mail") && !words.contains(MAIL) && !tried.to_string().contains(MAIL),
        "{words}"
    );
    let unknown = bank.gateway.cli(&["filters", "test", "--file", draft, "--filter", "nothing"]);
    assert!(
        !unknown.status.success() && stderr(&unknown).contains("hint: there are \"no mail\""),
        "{unknown:?}"
    );
    let none = bank.gateway.cli(&["filters", "test"]);
    assert!(!none.status.success() && stderr(&none).contains("there are no filters"), "{none:?}");
}

#[tokio::test]
async fn rest_says_of_filters_what_the_command_line_says() {
    let bank = bank("");
    let agent = bank.agent();
    for account in [MAIL, "DE1"] {
        call(&agent, TOOL, to(account)).await;
    }
    let auditor = bank.token("--role auditor --principal ann");
    let none = bank.rest(&auditor, "POST", "/filters/test", Some(json!({}))).await;
    assert_eq!((none.status, &none.json()["code"]), (404, &json!("not_found")), "{none:?}");
    let path = bank.gateway.folder().join("toolgate.toml");
    let text = std::fs::read_to_string(&path).expect("the configuration");
    bank.write("toolgate.toml", &(text + &no_mail("mask", "both")));
    let taken = until_async(WAIT, || async {
        let listed = bank.get(&auditor, "/filters").await.json();
        (listed["filters"].as_array().is_some_and(|filters| filters.len() == 1)).then_some(listed)
    });
    let mut listed = taken.await.expect("the filter is in force");
    assert_eq!(listed["filters"][0]["matched"].take(), 0);
    let mut by_command = bank.say_json(&["filters", "list"]);
    by_command[0]["matched"] = Value::Null;
    assert_eq!(listed["filters"], by_command);

    let tried = bank.rest(&auditor, "POST", "/filters/test", Some(json!({ "filter": "no mail" }))).await;
    assert_eq!(tried.status, 200, "{tried:?}");
    assert_eq!(tried.json()["filters"][0]["calls"], 1, "{tried:?}");
    assert_eq!(tried.json(), bank.say_json(&["filters", "test"]));
    assert!(!tried.text.contains(MAIL), "{tried:?}");

    call(&agent, TOOL, to(MAIL)).await;
    let matched = bank.get(&auditor, "/filters").await.json()["filters"][0]["matched"].clone();
    assert_eq!(matched, 1, "what was masked on its way does not come back");
}

#[tokio::test]
async fn filters_and_kinds_are_listed() {
    let bank = bank(&no_mail("mask", "both"));
    let listed = bank.say_json(&["filters", "list"]);
    assert_eq!((&listed[0]["name"], &listed[0]["kinds"]), (&json!("no mail"), &json!(["email"])));
    assert!(bank.say(&["filters", "kinds"]).contains("iban"));
}
