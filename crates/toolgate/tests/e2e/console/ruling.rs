//! Rules and records: tokens created and revoked, a hypothetical call explained, the ledger filtered.

use super::office::Office;
use super::person::Person;
use super::plain::{Visitor, try_login};
use crate::governed::bank::status;
use crate::kit::call;

#[tokio::test]
async fn a_token_is_made_shown_once_and_revoked() {
    let office = Office::open().await;
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    person.open("/console/settings").await;
    person.click("Tokens").await;
    person.choose("Role", "approver: decides on approvals").await;
    person.fill("Label", "laptop").await;
    person.fill("Principal", "nina").await;
    person.click("Create token").await;
    person.sees("Copy it now").await;
    let made = person.run("return document.querySelector('#new-token code').textContent", vec![]).await;
    let made = made.as_str().expect("a token").to_owned();
    assert_eq!(try_login(office.gateway(), &made).await.status, 303, "it opens the console");
    person.open("/console/settings/tokens").await;
    person.sees("laptop").await;
    assert!(!person.text().await.contains(&made), "it is shown once");
    person.click_in("laptop", "Revoke").await;
    person.agrees().await;
    person.sees("Revoked.").await;
    assert_eq!(try_login(office.gateway(), &made).await.status, 401, "it opens nothing any more");
    person.leaves().await;
}

#[tokio::test]
async fn a_call_is_explained_that_nobody_makes() {
    let office = Office::open().await;
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    person.open("/console/policy/explain").await;
    person.fill("Tool", "bank:transfer").await;
    person.fill("Arguments", "{\"account\":\"DE1\",\"amount\":7}").await;
    person.click("Explain").await;
    person.sees("money-needs-a-person").await;
    person.fill("Tool", "bank:balance").await;
    person.fill("Arguments", "{}").await;
    person.click("Explain").await;
    person.sees_no("money-needs-a-person").await;
    assert_eq!(office.ran(), Vec::<String>::new());
    person.leaves().await;
}

#[tokio::test]
async fn policies_are_checked_tried_put_in_force_and_taken_back() {
    let office = Office::open().await;
    call(&office.helper, "bank__balance", serde_json::json!({ "account": "DE1" })).await;
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    person.open("/console/policy").await;
    person.click("Write").await;
    let guard = |tool: &str| {
        format!(
            "permit (principal, action, resource); @id(\"closed\") forbid (principal, action == Action::\"{tool}\", resource) when {{ context.input has account }};"
        )
    };
    person.fill("Guard", "forbid (principal action, resource);").await;
    person.click("Check").await;
    person.sees("The policies do not compile").await;
    person.fill("Guard", &guard("bank:balance")).await;
    person.click("Check").await;
    person.sees("The policies compile").await;
    person.click("Try on the last").await;
    person.sees("This change would have refused 1 call.").await;
    person.click("Put in force").await;
    person.sees("needs a reason").await;
    person.fill("Reason", "closed <b>today</b>").await;
    person.click("Put in force").await;
    person.sees("Saved.").await;
    person.sees("closed <b>today</b>").await;
    let denied = call(&office.helper, "bank__balance", serde_json::json!({ "account": "DE1" })).await;
    assert_eq!(status(&denied), "denied", "{denied}");
    person.fill("Guard", " ").await;
    person.fill("Reason", "open again").await;
    person.click("Put in force").await;
    person.sees("open again").await;
    let served = call(&office.helper, "bank__balance", serde_json::json!({ "account": "DE1" })).await;
    assert_eq!(status(&served), "succeeded", "{served}");
    person.click("Open version 1").await;
    person.sees("This is version 1").await;
    assert_eq!(person.value("Guard").await, guard("bank:balance"));
    person.leaves_forgiving(&["status of 422"]).await;
}

#[tokio::test]
async fn a_configuration_that_does_not_load_is_told_on_every_page() {
    const TOLD: &str = "The configuration file does not load";
    let office = Office::open().await;
    let before = std::fs::read_to_string(office.site().path("toolgate.toml")).expect("it is there");
    office.site().write("toolgate.toml", &format!("{before}\n[nonsense]\n"));
    office.site().becomes("/policy", |policy| policy["config_refused"].is_string()).await;
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    for page in ["/", "/console/inbox", "/console/policy"] {
        person.open(page).await;
        person.sees(TOLD).await;
    }
    person.open("/").await;
    person.sees("Is anything wrong?").await;
    person.sees("What it said before is in force.").await;
    office.site().write("toolgate.toml", &before);
    office.site().becomes("/policy", |policy| policy["config_refused"].is_null()).await;
    person.open("/").await;
    person.sees_no(TOLD).await;
    person.leaves().await;
}

#[tokio::test]
async fn the_ledger_is_filtered_and_says_that_it_is_whole() {
    let office = Office::open().await;
    office.asks(1).await;
    call(&office.helper, "bank__balance", serde_json::json!({ "account": "DE1" })).await;
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    person.click("Calls").await;
    person.sees("bank:transfer").await;
    person.sees("bank:balance").await;
    person.fill("Tool", "bank:balance").await;
    person.click("Filter").await;
    person.sees_no("bank:transfer").await;
    person.sees("bank:balance").await;
    assert!(
        person.path().await.contains("tool=bank%3Abalance"),
        "a filter can be kept: {}",
        person.path().await
    );
    person.open("/console/ledger?kind=approval.requested").await;
    person.sees("approval.requested").await;
    assert_eq!(rows(&person).await, 1, "{}", person.text().await);
    person.open("/console/ledger?from=yesterday").await;
    assert_eq!(rows(&person).await, 0, "what cannot be read filters everything out: {}", person.text().await);
    person.leaves_forgiving(&["status of 4"]).await;
}

#[tokio::test]
async fn the_chain_is_verified_and_the_ledger_saved() {
    let office = Office::open().await;
    office.asks(1).await;
    let token = office.token("auditor", "ines");
    let person = Person::logged_in(office.gateway(), &token).await;
    person.open("/console/ledger?tool=bank%3Atransfer").await;
    person.click("Verify the whole chain").await;
    person.sees("intact").await;
    person.sees_no("not intact").await;
    person.leaves().await;
    let visitor = Visitor::enters(office.gateway(), &token).await;
    let links = visitor.links("/console/ledger?tool=bank%3Atransfer").await;
    let exports: Vec<&String> = links.iter().filter(|link| link.contains("/ledger/export")).collect();
    assert!(!exports.is_empty(), "{links:?}");
    for export in exports {
        let saved = visitor.get(export).await;
        assert_eq!(saved.status, 200, "{export}: {saved:?}");
        assert!(saved.text.contains("bank:transfer"), "{export}: {}", saved.text);
        assert!(!saved.text.contains("session.opened"), "what is filtered out is not saved: {}", saved.text);
    }
}

async fn rows(person: &Person) -> u64 {
    let rows = person.run("return document.querySelectorAll('main tbody tr').length", vec![]).await;
    rows.as_u64().expect("a number")
}
