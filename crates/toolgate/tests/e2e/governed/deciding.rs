//! Deciding: by command line, API and signed webhook; approve, deny, ask for changes. An approved call runs
//! once.

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;
use toolgate_testkit::gateway::{HttpAnswer, HttpClient};

use super::bank::{Bank, GATED, NO_HOLD, envelope, gate, money, moved, pending, status, stderr};
use super::database::Backing;
use super::on_both;
use crate::doors::modern_meta;
use crate::kit::{call, text};

const TOOL: &str = "bank__transfer";
const SECRET: &str = "whsec_c2l4dGVlbiBsZXR0ZXJzIGFuZCBtb3Jl";

on_both!(
    what_was_approved_runs_exactly_once_however_it_is_spelt,
    a_person_who_says_no_is_obeyed,
    a_person_may_ask_for_something_else,
    what_an_approver_edits_is_what_runs,
    a_yes_to_what_was_edited_meanwhile_is_a_conflict,
    the_first_decision_stands,
);

/// The same arguments in another order, with other escapes and numbers.
async fn call_spelt_otherwise(client: &HttpClient) -> Value {
    let meta = modern_meta(&json!({}));
    let params = format!(
        r#"{{"arguments" : {{ "account":"D\u0045\u0031" ,"amount":  5e2}},"name":"bank:transfer","_meta":{meta}}}"#
    );
    let body = format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{params}}}"#);
    let request =
        client.post().header("mcp-protocol-version", "2026-07-28").header("mcp-method", "tools/call");
    HttpClient::finish(request.header("mcp-name", "bank:transfer").body(body)).await.result()
}

async fn what_was_approved_runs_exactly_once_however_it_is_spelt(backing: Backing) {
    let bank = Bank::open_on(backing, &format!("{GATED}{NO_HOLD}"));
    let agent = bank.agent();
    let asked = call(&agent, TOOL, money(500)).await;
    let id = pending(&asked);
    assert_eq!(asked["isError"], true, "whatever the tool promises, its result is not here: {asked}");
    assert_eq!(asked["structuredContent"]["approval_id"], id.as_str(), "{asked}");
    assert!(text(&asked).contains(&id) && text(&asked).contains("hint: "), "{asked}");
    assert_eq!(
        pending(&call_spelt_otherwise(&agent).await),
        id,
        "the same call attaches to the same approval"
    );
    assert_ne!(pending(&call(&agent, TOOL, money(501)).await), id, "another call does not");
    assert!(bank.say(&["approvals", "list"]).contains(&id[..8]));
    bank.approve(&id);
    let done = call_spelt_otherwise(&agent).await;
    assert_eq!(
        (status(&done), envelope(&done)["approval_id"].as_str()),
        ("succeeded", Some(id.as_str())),
        "{done}"
    );
    assert_eq!(bank.ran().len(), 1, "{:?}", bank.ran());
    let approval = bank.approval(&id);
    assert_eq!(
        (&approval["state"], &approval["used_by"]),
        (&json!("used"), &envelope(&done)["tool_call_id"])
    );
    assert_ne!(pending(&call(&agent, TOOL, money(500)).await), id, "a yes is used up");
    assert_eq!(bank.ran().len(), 1);
    let kinds = |kind: &str| {
        bank.events(&["--kind", kind]).into_iter().filter(|one| one["approval"] == id.as_str()).count()
    };
    assert_eq!(
        [
            kinds("approval.requested"),
            kinds("approval.voted"),
            kinds("approval.resolved"),
            kinds("approval.consumed")
        ],
        [1; 4]
    );
    assert_eq!(kinds("approval.joined"), 2, "the same call came twice more");
    bank.verify();
}

async fn a_person_who_says_no_is_obeyed(backing: Backing) {
    let bank = Bank::open_on(backing, &format!("{GATED}[approvals]\nhold_seconds = 20\n"));
    let agent = bank.agent();
    let held = tokio::spawn(async move { call(&agent, TOOL, money(5)).await });
    let id = wait_for_one(&bank).await;
    bank.say(&["approvals", "deny", &id, "--reason", "wrong account"]);
    let said = held.await.expect("answered");
    assert_eq!((status(&said), &said["isError"]), ("denied", &json!(true)), "{said}");
    assert!(text(&said).contains("wrong account"), "{said}");
    assert_eq!(bank.ran(), Vec::<String>::new());
    assert_eq!(bank.outcomes(), ["denied"]);
}

/// The one approval that waits.
async fn wait_for_one(bank: &Bank) -> String {
    let found = toolgate_testkit::gateway::until_async(crate::doors::WAIT, || async {
        let list = bank.get(&bank.gateway.admin, "/approvals?state=pending").await.json();
        list["approvals"][0]["id"].as_str().map(str::to_owned)
    });
    found.await.expect("somebody is asked")
}

async fn a_person_may_ask_for_something_else(backing: Backing) {
    let bank = Bank::open_on(backing, &format!("{GATED}{NO_HOLD}"));
    let (agent, admin) = (bank.agent(), bank.gateway.admin.clone());
    let id = pending(&call(&agent, TOOL, money(900)).await);
    let without = bank.decide(&admin, &id, json!({ "decision": "request_changes" })).await;
    assert_eq!(
        (without.status, without.json()["code"].as_str()),
        (422, Some("reason_missing")),
        "{without:?}"
    );
    bank.say(&["approvals", "request-changes", &id, "--reason", "split it in two"]);
    assert_eq!(bank.approval(&id)["state"], "changes_requested");
    assert_eq!(
        status(&call(&agent, TOOL, money(900)).await),
        "changes_requested",
        "whoever asked hears of it"
    );
    let again = pending(&call(&agent, TOOL, money(900)).await);
    assert_ne!(again, id, "the same proposal is a new question");
    // An edit without arguments, as the issue calls it.
    let sent_back = bank.decide(&admin, &again, json!({ "decision": "edit", "reason": "in euros" })).await;
    assert_eq!(sent_back.json()["approval"]["state"], "changes_requested", "{sent_back:?}");
    assert_eq!(bank.ran(), Vec::<String>::new());
}

#[tokio::test]
async fn a_held_call_hears_what_should_be_different() {
    let bank = Bank::open(&format!("{GATED}[approvals]\nhold_seconds = 20\n"));
    let agent = bank.agent();
    let held = tokio::spawn(async move { call(&agent, TOOL, money(900)).await });
    let id = wait_for_one(&bank).await;
    bank.say(&["approvals", "request-changes", &id, "--reason", "split it in two"]);
    let said = held.await.expect("answered");
    assert_eq!(status(&said), "changes_requested", "{said}");
    assert!(text(&said).contains("split it in two"), "{said}");
}

async fn what_an_approver_edits_is_what_runs(backing: Backing) {
    let limits = "[policy]\nguard = '''permit (principal, action, resource);\nforbid (principal, action == Action::\"bank:transfer\", resource) when { context.input.amount > 1000 };'''\n\
        gates = '@editable(\"true\") forbid (principal, action == Action::\"bank:transfer\", resource);'\n";
    let bank = Bank::open_on(backing, &format!("{limits}{NO_HOLD}"));
    let (agent, admin) = (bank.agent(), bank.gateway.admin.clone());
    let id = pending(&call(&agent, TOOL, money(900)).await);
    let edit = |arguments: Value| json!({ "decision": "edit", "arguments": arguments });
    let unfit = bank.decide(&admin, &id, edit(json!({ "amount": "much", "account": "DE1" }))).await;
    assert_eq!((unfit.status, unfit.json()["code"].as_str()), (422, Some("invalid_arguments")), "{unfit:?}");
    let forbidden = bank.decide(&admin, &id, edit(money(1001))).await;
    assert_eq!((forbidden.status, forbidden.json()["code"].as_str()), (403, Some("denied")), "{forbidden:?}");
    assert_eq!(bank.approval(&id)["state"], "pending", "an edit that cannot be has changed nothing");
    bank.say(&["approvals", "edit", &id, "--args", &money(90).to_string(), "--reason", "less"]);
    let shown = bank.approval(&id);
    assert_eq!((&shown["arguments"], &shown["proposed_arguments"]), (&money(90), &money(900)), "{shown}");
    let done = call(&agent, TOOL, money(900)).await;
    assert_eq!(status(&done), "succeeded", "{done}");
    assert_eq!(bank.ran(), [moved(90)]);
    bank.verify();
}

async fn a_yes_to_what_was_edited_meanwhile_is_a_conflict(backing: Backing) {
    let bank = Bank::open_on(backing, &format!("{}{NO_HOLD}", gate("@quorum(\"2\") @editable(\"true\")")));
    let agent = bank.agent();
    let approver = |who: &str| bank.token(&format!("--role approver --principal {who}"));
    let (ann, ben) = (approver("ann"), approver("ben"));
    let id = pending(&call(&agent, TOOL, money(10)).await);
    let seen = bank.get(&ben, &format!("/approvals/{id}")).await.json()["effective"].clone();
    let plain = toolgate_core::Digest::of(money(10).to_string());
    assert_ne!(
        seen,
        json!(plain.to_string()),
        "whoever guesses the arguments does not see that they are right"
    );
    let edit = json!({ "decision": "edit", "arguments": money(10_000), "effective": seen });
    let edited = bank.decide(&ann, &id, edit).await.json();
    assert_eq!(
        (&edited["approval"]["state"], &edited["approval"]["agreed"]),
        (&json!("pending"), &json!(1)),
        "{edited}"
    );
    for unseen in [json!({ "decision": "approve", "effective": seen }), json!({ "decision": "approve" })] {
        let refused = bank.decide(&ben, &id, unseen).await;
        assert_eq!(
            (refused.status, refused.json()["code"].as_str()),
            (409, Some("approval_edited")),
            "{refused:?}"
        );
        assert!(
            refused.json()["detail"].as_str().is_some_and(|text| text.contains("changed meanwhile")),
            "{refused:?}"
        );
    }
    let refused = bank.gateway.cli(&["approvals", "approve", &id]);
    let said = stderr(&refused);
    assert!(
        !refused.status.success() && said.contains("\"amount\": 10000") && said.contains("--digest sha256:"),
        "{said}"
    );
    assert_eq!(bank.approval(&id)["votes"].as_array().map(Vec::len), Some(1), "nobody else has voted");
    let digest = edited["approval"]["effective"].as_str().expect("a digest");
    bank.say(&["approvals", "approve", &id, "--digest", digest]);
    assert_eq!(status(&call(&agent, TOOL, money(10)).await), "succeeded");
    assert_eq!(bank.ran(), [moved(10_000)]);
    bank.verify();
}

#[tokio::test]
async fn the_command_line_shows_what_it_decides_on() {
    let bank = Bank::open(&format!("{GATED}{NO_HOLD}"));
    let id = pending(&call(&bank.agent(), TOOL, money(77)).await);
    let wrong = format!("sha256:{}", "0".repeat(64));
    let refused = bank.gateway.cli(&["approvals", "approve", &id, "--digest", &wrong]);
    assert!(!refused.status.success() && stderr(&refused).contains("changed meanwhile"), "{refused:?}");
    let approved = bank.gateway.cli(&["approvals", "approve", &id]);
    assert!(approved.status.success() && stderr(&approved).contains("\"amount\": 77"), "{approved:?}");
}

#[tokio::test]
async fn what_may_not_be_edited_is_approved_as_it_is_or_not_at_all() {
    let bank = Bank::open(&format!("{GATED}{NO_HOLD}"));
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, money(900)).await);
    let answer =
        bank.decide(&bank.gateway.admin, &id, json!({ "decision": "edit", "arguments": money(1) })).await;
    assert_eq!(
        (answer.status, answer.json()["code"].as_str()),
        (422, Some("approval_not_editable")),
        "{answer:?}"
    );
    assert!(!bank.gateway.cli(&["approvals", "edit", &id, "--args", "{}"]).status.success());
    assert_eq!(bank.approval(&id)["state"], "pending");
    let misplaced = json!({ "decision": "approve", "arguments": money(1) });
    assert_eq!(bank.decide(&bank.gateway.admin, &id, misplaced).await.status, 422);
    assert_eq!(bank.approval(&id)["state"], "pending", "a contradictory decision is none");
}

async fn the_first_decision_stands(backing: Backing) {
    let bank = Bank::open_on(backing, &format!("{GATED}{NO_HOLD}"));
    let (agent, admin) = (bank.agent(), bank.gateway.admin.clone());
    let id = pending(&call(&agent, TOOL, money(1)).await);
    bank.approve_as(&admin, &id).await;
    bank.approve_as(&admin, &id).await;
    let contradiction = bank.decide(&admin, &id, json!({ "decision": "deny" })).await;
    assert_eq!(
        (contradiction.status, contradiction.json()["state"].as_str()),
        (409, Some("approved")),
        "{contradiction:?}"
    );
    assert_eq!(
        bank.approval(&id)["votes"].as_array().map(Vec::len),
        Some(1),
        "the same word again is no other vote"
    );
    assert_eq!(status(&call(&agent, TOOL, money(1)).await), "succeeded");
    let too_late = bank.decide(&admin, &id, json!({ "decision": "deny" })).await;
    assert_eq!((too_late.status, too_late.json()["state"].as_str()), (409, Some("used")), "{too_late:?}");
    let unknown = bank.decide(&admin, "apr_nobody", json!({ "decision": "deny" })).await;
    assert_eq!(unknown.status, 404, "{unknown:?}");
    assert_eq!(bank.ran().len(), 1);
}

#[tokio::test]
async fn yes_and_no_at_the_same_moment_have_one_outcome() {
    let bank = Bank::open(&format!("{GATED}{NO_HOLD}"));
    let (ann, ben) =
        (bank.token("--role approver --principal ann"), bank.token("--role approver --principal ben"));
    let agent = bank.agent();
    for amount in 1..=8 {
        let id = pending(&call(&agent, TOOL, money(amount)).await);
        let (yes, no) = tokio::join!(
            bank.decide(&ann, &id, json!({ "decision": "approve" })),
            bank.decide(&ben, &id, json!({ "decision": "deny" })),
        );
        let mut statuses = [yes.status, no.status];
        statuses.sort_unstable();
        assert_eq!(statuses, [200, 409], "{yes:?} {no:?}");
        let said = call(&agent, TOOL, money(amount)).await;
        let ran = bank.ran().contains(&moved(amount));
        assert_eq!(ran, yes.status == 200, "{said}");
    }
    bank.verify();
}

#[tokio::test]
async fn an_approver_with_a_token_decides_over_the_api() {
    let bank = Bank::open(&format!("{}{NO_HOLD}", gate("@approvers(\"finance\")")));
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, money(3)).await);
    let (legal, finance) = (
        bank.token("--role approver --principal lea --group legal"),
        bank.token("--role approver --principal fin --group finance"),
    );
    let wrong = bank.decide(&legal, &id, json!({ "decision": "approve" })).await;
    assert_eq!(
        (wrong.status, wrong.json()["code"].as_str()),
        (403, Some("approval_not_in_group")),
        "{wrong:?}"
    );
    let approval = bank.approve_as(&finance, &id).await;
    assert_eq!((&approval["state"], &approval["votes"][0]["person"]), (&json!("approved"), &json!("fin")));
    assert_eq!(status(&call(&agent, TOOL, money(3)).await), "succeeded");
    assert_eq!(bank.ran(), [moved(3)]);
    let voted = bank.events(&["--kind", "approval.voted"]);
    assert_eq!(
        (&voted[0]["principal"], &voted[0]["detail"]["via"]),
        (&json!("fin"), &json!("api")),
        "{voted:?}"
    );
}

/// A decision through a webhook, signed according to the specification.
async fn send_signed(bank: &Bank, message: &str, at: u64, secret: &str, body: &Value) -> HttpAnswer {
    let body = body.to_string();
    let key = BASE64_STANDARD.decode(secret.trim_start_matches("whsec_")).expect("base64");
    let mut mac = Hmac::<Sha256>::new_from_slice(&key).expect("a key of any length");
    mac.update(format!("{message}.{at}.{body}").as_bytes());
    let signature = format!("v1,{}", BASE64_STANDARD.encode(mac.finalize().into_bytes()));
    let client = bank.agent();
    let request = client.http.post(bank.gateway.url("/webhooks/desk/decisions"));
    let request = request.header("webhook-id", message).header("webhook-timestamp", at.to_string());
    HttpClient::finish(request.header("webhook-signature", signature).body(body)).await
}

fn now() -> u64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.expect("after 1970").as_secs()
}

fn with_webhook(groups: &str) -> String {
    format!(
        "[[webhooks]]\nname = \"desk\"\nurl = \"http://127.0.0.1:9/\"\nsecret = {SECRET:?}\ndecisions = true\ngroups = {groups}\n"
    )
}

#[tokio::test]
async fn a_signed_webhook_decides() {
    let toml = format!("{}{NO_HOLD}{}", gate("@approvers(\"finance\")"), with_webhook("[\"finance\"]"));
    let bank = Bank::open(&toml);
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, money(4)).await);
    let yes = json!({ "approval_id": id, "decision": "approve", "person": "U123", "reason": "seen" });
    let other = "whsec_b3RoZXIgc2l4dGVlbiBsZXR0ZXJz";
    for (message, at, secret) in
        [("m1", now(), other), ("m1", now() - 600, SECRET), ("m1", now() + 600, SECRET)]
    {
        let answer = send_signed(&bank, message, at, secret, &yes).await;
        assert_eq!(answer.status, 401, "{answer:?}");
    }
    let unsigned = bank.agent().http.post(bank.gateway.url("/webhooks/desk/decisions")).body(yes.to_string());
    assert_eq!(HttpClient::finish(unsigned).await.status, 401);
    assert_eq!(bank.approval(&id)["state"], "pending", "whoever cannot sign decides nothing");
    let answer = send_signed(&bank, "m2", now(), SECRET, &yes).await;
    assert_eq!(
        (answer.status, answer.json()["approval"]["state"].as_str()),
        (200, Some("approved")),
        "{answer:?}"
    );
    assert_eq!(send_signed(&bank, "m2", now(), SECRET, &yes).await.status, 409, "a message is taken once");
    assert_eq!(status(&call(&agent, TOOL, money(4)).await), "succeeded");
    assert_eq!(bank.ran(), [moved(4)]);
    let voted = bank.events(&["--kind", "approval.voted"]);
    assert_eq!(voted[0]["principal"], "U123", "{voted:?}");
    assert_eq!(voted[0]["detail"]["via"], "webhook:desk", "{voted:?}");
}

#[tokio::test]
async fn a_webhook_decides_for_its_groups_only() {
    let toml = format!("{}{NO_HOLD}{}", gate("@approvers(\"finance\")"), with_webhook("[\"legal\"]"));
    let bank = Bank::open(&toml);
    let id = pending(&call(&bank.agent(), TOOL, money(4)).await);
    let yes = json!({ "approval_id": id, "decision": "approve", "person": "U123" });
    let answer = send_signed(&bank, "m1", now(), SECRET, &yes).await;
    assert_eq!(
        (answer.status, answer.json()["code"].as_str()),
        (403, Some("approval_not_in_group")),
        "{answer:?}"
    );
    assert_eq!(bank.approval(&id)["state"], "pending");
}

#[tokio::test]
async fn a_person_is_one_person_whichever_way_they_come() {
    let toml = format!("{}{NO_HOLD}{}", gate("@quorum(\"2\")"), with_webhook("[]"));
    let bank = Bank::open(&toml);
    let agent = bank.agent_with(&bank.token("--role agent --principal ann"));
    let ben = bank.token("--role approver --principal ben");
    let id = pending(&call(&agent, TOOL, money(4)).await);
    let said_by = |person: &str| json!({ "approval_id": id, "decision": "approve", "person": person });
    let own = send_signed(&bank, "m1", now(), SECRET, &said_by("ann")).await;
    assert_eq!((own.status, own.json()["code"].as_str()), (403, Some("approval_requester")), "{own:?}");
    assert_eq!(bank.approve_as(&ben, &id).await["state"], "pending");
    let again = send_signed(&bank, "m2", now(), SECRET, &said_by("ben")).await;
    assert_eq!(again.json()["approval"]["state"], "pending", "{again:?}");
    let other = send_signed(&bank, "m3", now(), SECRET, &said_by("cat")).await;
    assert_eq!(other.json()["approval"]["state"], "approved", "{other:?}");
    assert_eq!(status(&call(&agent, TOOL, money(4)).await), "succeeded");
}

#[tokio::test]
async fn one_secret_makes_no_quorum() {
    let toml = format!("{}{NO_HOLD}{}", gate("@quorum(\"2\")"), with_webhook("[]"));
    let bank = Bank::open(&toml);
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, money(4)).await);
    let said_by = |person: &str| json!({ "approval_id": id, "decision": "approve", "person": person });
    for (message, person) in [("m1", "ann"), ("m2", "ben"), ("m3", "cat")] {
        let counted = send_signed(&bank, message, now(), SECRET, &said_by(person)).await.json();
        assert_eq!(
            (&counted["approval"]["state"], &counted["approval"]["agreed"]),
            (&json!("pending"), &json!(1)),
            "{counted}"
        );
    }
    assert_eq!(bank.ran(), Vec::<String>::new());
    let own = bank.token("--role approver --principal cat");
    assert_eq!(bank.approve_as(&own, &id).await["state"], "approved", "cat herself is another");
    assert_eq!(status(&call(&agent, TOOL, money(4)).await), "succeeded");
}

#[tokio::test]
async fn a_webhook_speaks_for_those_it_was_given() {
    let toml =
        format!("{}{NO_HOLD}{}persons = [\"ann\", \"ben\"]\n", gate("@quorum(\"2\")"), with_webhook("[]"));
    let bank = Bank::open(&toml);
    let agent = bank.agent();
    let id = pending(&call(&agent, TOOL, money(4)).await);
    let said_by = |person: &str| json!({ "approval_id": id, "decision": "approve", "person": person });
    let stranger = send_signed(&bank, "m1", now(), SECRET, &said_by("cat")).await;
    assert_eq!(
        (stranger.status, stranger.json()["code"].as_str()),
        (403, Some("person_unknown")),
        "{stranger:?}"
    );
    let ann = send_signed(&bank, "m2", now(), SECRET, &said_by("ann")).await.json();
    assert_eq!(ann["approval"]["state"], "pending", "{ann}");
    let ben = send_signed(&bank, "m3", now(), SECRET, &said_by("ben")).await.json();
    assert_eq!(ben["approval"]["state"], "approved", "{ben}");
}
