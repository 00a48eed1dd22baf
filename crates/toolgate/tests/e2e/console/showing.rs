//! The pictures of the documentation. `UPDATE_PICTURES=1` writes them into `docs`; every test run makes them
//! again.

use serde_json::json;

use super::driven::AUTOMATION;
use super::office::{Busy, Office, TRANSFER};
use super::person::{DESK, PHONE, Person};
use super::pictures;
use crate::kit::call;

#[tokio::test]
async fn pictures_for_the_documentation_are_small_and_show_something() {
    let busy = Office::busy().await;
    liven(&busy).await;
    let person = Person::logged_in(busy.office.gateway(), &busy.office.token("admin", "ada")).await;
    for (name, path, word) in [
        ("overview", "/".to_owned(), "Agents, gateway, servers"),
        ("inbox", "/console/inbox".to_owned(), "bank:transfer"),
        ("approval", format!("/console/inbox/approvals/{}", busy.approval), "Why you are asked"),
        ("call", format!("/console/calls/{}", busy.call), "From proposal to result"),
        ("catalogue", "/console/tools".to_owned(), "bank:transfer"),
        ("review", "/console/reviews/jobs%3Arun".to_owned(), "Offered now"),
        ("chat", format!("/console/runs/{}/chat", busy.driven.run), "is in order"),
        ("automation", format!("/console/automations/{AUTOMATION}"), "Next starts"),
        ("spend", "/console/models".to_owned(), "What they cost"),
    ] {
        person.open(&path).await;
        person.sees(word).await;
        person.is_live().await;
        pictures::show(&person, DESK, name).await;
    }
    person.sits_at(PHONE).await;
    person.open(&format!("/console/inbox/approvals/{}", busy.approval)).await;
    person.sees("bank:transfer").await;
    person.is_live().await;
    pictures::show(&person, PHONE, "phone").await;
    person.leaves().await;
}

/// More content for an office's screens.
async fn liven(busy: &Busy) {
    let office = &busy.office;
    for (who, account, amount) in [("invoices", "DE2", 120), ("travel", "DE3", 64_000)] {
        let token = office.site().token(&format!("--role agent --principal {who} --agent clerk"));
        let agent = office.site().agent_with(&token);
        for _ in 0..4 {
            call(&agent, "bank__balance", json!({ "account": account })).await;
        }
        call(&agent, "bank__balance", json!({ "account": 7 })).await;
        call(&agent, TRANSFER, json!({ "account": account, "amount": amount })).await;
    }
}
