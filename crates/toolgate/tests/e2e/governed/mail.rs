//! Mail to people who approve: what they are told, and what they are never told.

use serde_json::{Value, json};
use toolgate_testkit::gateway::until_async;
use toolgate_testkit::mailbox::{KeptMail, MailServer};
use toolgate_testkit::pki::Authority;

use super::bank::{Bank, GATED, NO_HOLD, pending, stderr};
use super::database::Backing;
use crate::doors::WAIT;
use crate::kit::call;

const TOOL: &str = "bank__transfer";

fn with_mail(smtp: &str, password: &str, more: &str) -> String {
    let user = MailServer::USER;
    format!(
        "{GATED}{NO_HOLD}[mail]\nsmtp = {smtp:?}\nuser = {user:?}\npassword = {password:?}\n\
         from = \"Toolgate <gate@example.com>\"\nto = [\"ann@example.com\", \"ben@example.com\"]\n\
         notices = [\"approvals\"]\n{more}"
    )
}

async fn kept(server: &MailServer, count: usize) -> Vec<KeptMail> {
    let there = until_async(WAIT, || async { Some(server.kept()).filter(|kept| kept.len() >= count) });
    there.await.unwrap_or_else(|| panic!("fewer than {count} mails: {:?}", server.kept()))
}

/// The recipients as soon as each has had so many mails, and nothing waits.
async fn delivered(bank: &Bank, count: u64) -> Value {
    let is_done = |one: &Value| one["delivered"] == count && one["waiting"] == 0;
    let there = until_async(WAIT, || async {
        let shown = bank.say_json(&["mail", "show"]);
        let recipients = shown["recipients"].as_array().expect("a list");
        (recipients.len() == 2 && recipients.iter().all(is_done)).then_some(shown)
    });
    there.await.unwrap_or_else(|| panic!("not delivered: {}", bank.say(&["mail", "show"])))
}

#[tokio::test(flavor = "multi_thread")]
async fn approvers_hear_once_of_a_call_that_waits_and_never_what_it_says() {
    let authority = Authority::new("Operators");
    let server = MailServer::start(Some(authority.server(&authority.sign(&["localhost"])))).await;
    let smtp = format!("localhost:{}", server.address.port());
    let toml = with_mail(&smtp, MailServer::PASSWORD, "[network]\nca_file = \"ca.pem\"\n");
    let bank = Bank::open_with(Backing::Sqlite, &toml, &[("ca.pem", &authority.pem())]);
    let arguments = json!({ "account": "Zwiebelkuchen", "amount": 987_654 });
    let id = pending(&call(&bank.agent(), TOOL, arguments).await);
    let mails = kept(&server, 2).await;
    let mut to: Vec<&str> = mails.iter().map(|mail| mail.to.as_str()).collect();
    to.sort_unstable();
    assert_eq!(to, ["ann@example.com", "ben@example.com"]);
    for KeptMail { text, .. } in &mails {
        let link = format!("/console/inbox/approvals/{id}");
        assert!(text.contains("Subject: bank:transfer waits for approval") && text.contains(&link), "{text}");
        assert!(!text.contains("Zwiebelkuchen") && !text.contains("987654"), "{text}");
    }
    let shown = delivered(&bank, 1).await;
    assert_eq!((&shown["tls"], &shown["server"]), (&json!("starttls"), &json!(smtp)));
    assert!(!shown.to_string().contains(MailServer::PASSWORD));
    // A gateway that was killed begins where the one before it was.
    let bank = bank.killed();
    pending(&call(&bank.agent(), TOOL, json!({ "account": "DE2", "amount": 2 })).await);
    delivered(&bank, 1).await;
    assert_eq!(server.kept().len(), 4, "one mail for each call and person");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_test_of_mail_says_how_far_it_came_and_what_to_do() {
    let server = MailServer::start(None).await;
    let smtp = server.address.to_string();
    let wrong = Bank::open(&with_mail(&smtp, "Rumpelstilz", "tls = \"none\"\n"));
    let tested = wrong.gateway.cli(&["mail", "test"]);
    let said = String::from_utf8_lossy(&tested.stdout).into_owned();
    assert!(!tested.status.success(), "{tested:?}");
    assert!(said.contains("ok      connection\n  failed  sign-in: the server says 535"), "{said}");
    assert!(stderr(&tested).contains("hint: check `user` and `password` in `[mail]`"), "{tested:?}");
    assert!(!format!("{said}{}", stderr(&tested)).contains("Rumpelstilz"), "{tested:?}");
    let right = Bank::open(&with_mail(&smtp, MailServer::PASSWORD, "tls = \"none\"\n"));
    let tested = right.say_json(&["mail", "test"]);
    let all = json!(["connection", "sign-in", "sender", "recipient", "mail"]);
    let tests = tested["tests"].as_array().expect("a list");
    assert!(tests.iter().all(|test| test["delivered"] == true && test["passed"] == all), "{tested}");
    assert_eq!(server.kept().len(), 2);
    let none = Bank::open(NO_HOLD);
    assert_eq!(none.say_json(&["mail", "show"])["configured"], false);
    let refused = none.gateway.cli(&["mail", "test"]);
    assert!(!refused.status.success() && stderr(&refused).contains("no mail is configured"), "{refused:?}");
}
