//! Getting in, and being kept out.

use serde_json::json;
use toolgate_testkit::gateway::{Gateway, HttpClient, until_async};

use super::office::Office;
use super::person::Person;
use super::plain::{Visitor, client, cookies, form, try_login};
use super::webdriver::key;
use crate::boot;
use crate::doors::WAIT;

/// The browser's own message about an unsuccessful answer.
const UNAUTHORIZED: &str = "status of 401";
const FORBIDDEN: &str = "status of 403";

#[tokio::test]
async fn somebody_logs_in_with_a_token_and_out_again() {
    let gateway = boot("");
    let person = Person::at(&gateway).await;
    person.open("/").await;
    person.gets_to("/console/login").await;
    person.log_in(&gateway.admin).await;
    person.sees("Overview").await;
    assert_eq!(person.path().await, "/");
    let secret = person.run("return document.cookie", vec![]).await;
    assert_eq!(secret, "", "no script reads the cookie");
    person.click("Log out").await;
    person.gets_to("/console/login").await;
    person.open("/console/inbox").await;
    person.gets_to("/console/login").await;
    person.leaves().await;
}

#[tokio::test]
async fn events_end_with_the_login() {
    let gateway = boot("");
    let made = gateway.cli(&["token", "create", "--role", "auditor", "--label", "leaving"]);
    let token = String::from_utf8(made.stdout).expect("text");
    let visitor = Visitor::enters(&gateway, token.trim()).await;
    let events = visitor.listens().await;
    assert_eq!(events.status(), 200);
    assert!(gateway.cli(&["token", "revoke", "leaving"]).status.success());
    let all = tokio::time::timeout(WAIT, events.bytes()).await;
    assert!(all.is_ok(), "the events of somebody who may not hear them go on");
}

#[tokio::test]
async fn a_login_leads_to_the_page_that_was_asked_for() {
    let gateway = boot("");
    let person = Person::at(&gateway).await;
    person.open("/console/calls?outcome=failed").await;
    person.gets_to("/console/login").await;
    person.fill("token", &gateway.admin).await;
    person.press(key::ENTER).await;
    person.gets_to("/console/calls?outcome=failed").await;
    person.leaves().await;
}

#[tokio::test]
async fn whoever_has_no_right_token_is_told_why() {
    let gateway = boot("");
    let person = Person::at(&gateway).await;
    person.log_in("tg_nobody").await;
    person.sees("unknown to the gateway").await;
    person.log_in(&gateway.agent).await;
    person.sees("a token with the role agent cannot log in here").await;
    person.open("/").await;
    person.gets_to("/console/login").await;
    person.leaves_forgiving(&[UNAUTHORIZED, FORBIDDEN]).await;
}

#[tokio::test]
async fn a_link_logs_in_once() {
    let office = Office::open().await;
    let said = office.site().say(&["console"]);
    let link = said.split_whitespace().find(|word| word.contains("/console/enter/")).expect("a link");
    // A program that looks at links in advance does not use it up.
    let looked = reqwest::Client::builder().no_proxy().build().expect("a client").get(link).send().await;
    assert_eq!(looked.expect("an answer").status(), 200);
    let first = Person::at(office.gateway()).await;
    first.open_address(link).await;
    first.click("Log in").await;
    first.sees("Overview").await;
    let second = Person::at(office.gateway()).await;
    second.open_address(link).await;
    second.click("Log in").await;
    second.sees("has been used").await;
    second.leaves_forgiving(&[UNAUTHORIZED]).await;
    first.leaves().await;
}

#[tokio::test]
async fn a_login_that_has_ended_leads_back_to_where_it_was() {
    let office = Office::open().await;
    let token = office.token("approver", "ann");
    let person = Person::logged_in(office.gateway(), &token).await;
    person.open("/console/inbox").await;
    person.sees("Inbox").await;
    let listed = office.site().say(&["--json", "token", "list"]);
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("JSON");
    let of_ann = listed.as_array().expect("a list").iter().find(|one| one["principal"] == "ann");
    let id = of_ann.and_then(|one| one["id"].as_str()).expect("the token is listed").to_owned();
    office.site().say(&["token", "revoke", &id]);
    person.until("the login is over", "return fetch('/console/inbox').then((said) => said.redirected)").await;
    person.click("Tools").await;
    person.sees("Your login has expired").await;
    person.fill("token", &office.token("approver", "ann")).await;
    person.click("Log in").await;
    person.gets_to("/console/tools").await;
    person.leaves().await;
}

#[tokio::test]
async fn an_approver_finds_no_settings() {
    let office = Office::open().await;
    let person = Person::logged_in(office.gateway(), &office.token("approver", "ann")).await;
    person.sees("Inbox").await;
    assert!(!person.can_click("Settings").await, "{}", person.text().await);
    person.open("/console/settings").await;
    person.sees("Your role does not allow this").await;
    person.leaves_forgiving(&[FORBIDDEN]).await;
}

#[tokio::test]
async fn an_auditor_sees_what_waits_and_decides_nothing() {
    let office = Office::open().await;
    let id = office.asks(700).await;
    let token = office.token("auditor", "ines");
    let person = Person::logged_in(office.gateway(), &token).await;
    let path = format!("/console/inbox/approvals/{id}");
    person.open(&path).await;
    person.sees("bank:transfer").await;
    person.sees("700").await;
    for verb in ["Approve", "Deny"] {
        assert!(!person.can_click(verb).await, "{verb}: {}", person.text().await);
    }
    person.leaves().await;
    // Nor by a form that the page does not show.
    let visitor = Visitor::enters(office.gateway(), &token).await;
    let csrf = visitor.csrf().await;
    let refused = visitor.post(&path, &[("csrf", &csrf), ("decision", "approve")], &[]).await;
    assert_eq!(refused.status, 403, "{refused:?}");
    assert_eq!(office.site().get(&format!("/approvals/{id}")).await["state"], json!("pending"));
    // The very same form is accepted from an approver.
    let ann = Visitor::enters(office.gateway(), &office.token("approver", "ann")).await;
    let csrf = ann.csrf().await;
    let taken = ann.post(&path, &[("csrf", &csrf), ("decision", "approve")], &[]).await;
    assert_eq!(taken.status, 303, "{taken:?}");
    assert_eq!(office.site().get(&format!("/approvals/{id}")).await["state"], json!("approved"));
}

#[tokio::test]
async fn the_cookie_is_for_this_host_and_no_script() {
    let gateway = boot("");
    let answer = try_login(&gateway, &gateway.admin).await;
    let cookies = cookies(&answer.headers);
    assert_eq!(cookies.len(), 1, "{cookies:?}");
    for word in ["HttpOnly", "SameSite=Strict", "Path=/"] {
        assert!(cookies[0].contains(word), "{cookies:?}");
    }
    assert!(!cookies[0].contains(gateway.admin.as_str()), "the token itself is not in it");
}

#[tokio::test]
async fn a_form_that_is_not_ours_does_nothing() {
    let gateway = boot("");
    let visitor = Visitor::enters(&gateway, &gateway.admin).await;
    let csrf = visitor.csrf().await;
    for fields in [&[][..], &[("csrf", "guessed")][..]] {
        let refused = visitor.post("/console/logout", fields, &[]).await;
        assert_eq!(refused.status, 403, "{refused:?}");
    }
    let elsewhere = [("origin", "https://evil.example"), ("sec-fetch-site", "cross-site")];
    let refused = visitor.post("/console/logout", &[("csrf", &csrf)], &elsewhere).await;
    assert_eq!(refused.status, 403, "{refused:?}");
    assert_eq!(visitor.get("/").await.status, 200, "still logged in");
    let done = visitor.post("/console/logout", &[("csrf", &csrf)], &[]).await;
    assert_eq!(done.status, 303, "{done:?}");
    assert_eq!(visitor.get("/").await.status, 303, "the cookie opens nothing any more");
}

#[tokio::test]
async fn a_login_ends_by_the_clock() {
    let gateway = boot("[console]\nlogin_seconds = 2\n");
    let visitor = Visitor::enters(&gateway, &gateway.admin).await;
    assert_eq!(visitor.get("/").await.status, 200, "it holds at first");
    let sent_away = until_async(WAIT, || async {
        Some(visitor.get("/console/inbox").await).filter(|answer| answer.status == 303)
    });
    let sent_away = sent_away.await.expect("the login is over at last");
    assert_eq!(sent_away.headers["location"], "/console/login?ended=1&next=%2Fconsole%2Finbox");
}

#[tokio::test]
async fn over_https_the_cookie_never_travels_in_the_open() {
    let gateway = boot("allowed_origins = [\"https://gate.example\"]\n");
    let request = client().post(gateway.url("/console/login"));
    let request = request.header("content-type", "application/x-www-form-urlencoded");
    let request = request.header("origin", "https://gate.example").header("sec-fetch-site", "same-origin");
    let answer = HttpClient::finish(request.body(form(&[("token", &gateway.admin)]))).await;
    let cookies = cookies(&answer.headers);
    assert!(
        cookies.iter().any(|one| one.starts_with("__Host-toolgate-") && one.contains("; Secure")),
        "{answer:?}"
    );
}

#[tokio::test]
async fn what_another_port_of_the_host_sets_opens_and_fixates_nothing() {
    let (here, other) = (boot(""), boot(""));
    let login = async |gateway: &Gateway| {
        let answer = try_login(gateway, &gateway.admin).await;
        let kept = cookies(&answer.headers).remove(0);
        let (name, secret) = kept.split(';').next().and_then(|pair| pair.split_once('=')).expect("a cookie");
        (name.to_owned(), secret.to_owned())
    };
    let ((ours, secret), (theirs, foreign)) = (login(&here).await, login(&other).await);
    assert_ne!(ours, theirs, "a login there does not end one here");
    let opens = async |cookie: String, more: (&'static str, &'static str)| {
        let request = client().get(here.url("/")).header("cookie", cookie).header(more.0, more.1);
        HttpClient::finish(request).await.status == 200
    };
    let plain = ("accept", "text/html");
    assert!(opens(format!("{theirs}={foreign}; {ours}={secret}"), plain).await);
    for name in [theirs.as_str(), "toolgate-console", "__Host-toolgate"] {
        assert!(!opens(format!("{name}={secret}"), plain).await, "{name}");
    }
    // A program on another port sets a conflicting login cookie.
    assert!(!opens(format!("{ours}={foreign}; {ours}={secret}"), plain).await);
    assert!(!opens(format!("{ours}={secret}"), ("x-forwarded-proto", "https")).await, "set in the open");
}

#[tokio::test]
async fn a_gateway_without_a_console_has_no_pages_and_logs_nobody_in() {
    let gateway = boot("[console]\nenabled = false\n");
    for path in ["/console/login", "/docs"] {
        let answer = HttpClient::finish(client().get(gateway.url(path)).bearer_auth(&gateway.admin)).await;
        assert_eq!(answer.status, 404, "{path}: {answer:?}");
    }
    assert_eq!(try_login(&gateway, &gateway.admin).await.status, 401, "nobody is logged in");
}
