//! The list of calls: searching, counting, periods, columns, saved views, export and the zone of times.

use serde_json::json;

use super::office::Office;
use super::person::Person;
use super::plain::Visitor;

#[tokio::test]
async fn a_call_whose_approval_was_used_waits_no_longer() {
    let office = Office::open().await;
    let id = office.asks(480).await;
    let visitor = Visitor::enters(office.gateway(), &office.admin()).await;
    let list = visitor.get("/console/calls").await.text;
    assert!(list.contains("waits for approval"), "{list}");
    office.decide(&office.token("approver", "ben"), &id, json!({ "decision": "approve" })).await;
    office.comes_back(480).await;
    let list = visitor.get("/console/calls").await.text;
    assert!(list.contains("approved, then ran") && !list.contains("waits for approval"), "{list}");
}

#[tokio::test]
async fn calls_are_searched_counted_and_exported_without_a_script() {
    let office = Office::open().await;
    let visitor = Visitor::enters(office.gateway(), &office.admin()).await;
    let id = office.asks(480).await;
    office.asks(481).await;
    let found = visitor.get("/console/calls?q=TRANSF").await.text;
    assert_eq!(found.matches("data-entry").count(), 2, "{found}");
    assert!(found.contains("2 calls match"), "{found}");
    let whole = visitor.get(&format!("/console/calls?q={id}")).await.text;
    assert_eq!(whole.matches("data-entry").count(), 1, "{whole}");
    let hour = visitor.get("/console/calls?range=1h&column=state&column=error").await.text;
    assert!(
        hour.contains("until now.")
            && hour.contains("data-name=\"Error\"")
            && !hour.contains("data-name=\"Policy\""),
        "{hour}"
    );
    let csv = visitor.get("/console/calls/export?format=csv&range=1h").await;
    assert_eq!(csv.text.lines().count(), 3, "{}", csv.text);
    assert!(csv.text.contains("bank:transfer"), "{}", csv.text);
}

#[tokio::test]
async fn a_view_is_saved_found_again_and_removed() {
    let office = Office::open().await;
    let visitor = Visitor::enters(office.gateway(), &office.admin()).await;
    let csrf = visitor.csrf().await;
    let fields =
        [("csrf", &*csrf), ("name", "Failed <b>ones</b>"), ("query", "outcome=failed&range=24h&other=1")];
    let saved = visitor.post("/console/calls/views", &fields, &[]).await;
    assert_eq!(saved.headers["location"], "/console/calls?outcome=failed&range=24h&said=saved");
    let list = visitor.get("/console/calls").await.text;
    assert!(
        list.contains("/console/calls?outcome=failed&amp;range=24h") && !list.contains("<b>ones"),
        "{list}"
    );
    let fields = [("csrf", &*csrf), ("name", "Failed <b>ones</b>"), ("remove", "yes")];
    assert_eq!(visitor.post("/console/calls/views", &fields, &[]).await.status, 303);
    let list = visitor.get("/console/calls").await.text;
    assert!(!list.contains("Failed &lt;b"), "{list}");
}

#[tokio::test]
async fn times_are_shown_in_the_zone_that_a_person_chooses() {
    let office = Office::open().await;
    let approval = office.asks(480).await;
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    let zone = json!({ "timezoneId": "Asia/Tokyo" });
    person.browser.devtools("Emulation.setTimezoneOverride", zone).await;
    person.open("/console/calls").await;
    let hour = "return +document.querySelector('time[data-at]').textContent.slice(11, 13) \
        - new Date(document.querySelector('time[data-at]').dateTime).getUTCHours()";
    let ahead = person.run(hour, vec![]).await.as_i64().expect("a number");
    assert!(ahead == 9 || ahead == -15, "{ahead}");
    person.click("Local").await;
    assert_eq!(person.run(hour, vec![]).await, json!(0));
    let told = person.run("return document.querySelector('time[data-at]').title", vec![]).await;
    assert!(told.as_str().is_some_and(|told| told.contains(" UTC · ")), "{told}");
    // The steps of a call leave out the day, and follow the same choice.
    let approval = office.site().get(&format!("/approvals/{approval}")).await;
    person.open(&format!("/console/calls/{}", approval["call"].as_str().expect("a call"))).await;
    let hour = "const step = document.querySelector('.timeline time'); \
        return +step.textContent.slice(0, 2) - new Date(step.dateTime).getUTCHours()";
    assert_eq!(person.run(hour, vec![]).await, json!(0));
    person.click("UTC").await;
    let ahead = person.run(hour, vec![]).await.as_i64().expect("a number");
    assert!(ahead == 9 || ahead == -15, "{ahead}");
    let told = person.run("return document.querySelector('.timeline time').title", vec![]).await;
    assert!(told.as_str().is_some_and(|told| told.len() > 19 && !told.contains("UTC")), "{told}");
    person.leaves().await;
}
