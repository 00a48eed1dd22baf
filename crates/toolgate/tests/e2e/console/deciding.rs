//! The inbox: items arrive live, and are read, changed, approved or denied, by one person or by several.

use serde_json::json;

use super::links::attribute;
use super::office::{Office, TRANSFER, tone};
use super::person::Person;
use super::plain::Visitor;
use crate::files::archive::text;
use crate::governed::bank::{envelope, money, moved, pending, status};
use crate::kit::call;

async fn approver(office: &Office, who: &str) -> Person {
    Person::logged_in(office.gateway(), &office.token("approver", who)).await
}

#[tokio::test]
async fn a_call_arrives_in_the_inbox_while_somebody_looks() {
    let office = Office::open().await;
    let person = approver(&office, "ann").await;
    person.open("/console/inbox").await;
    person.sees("Nothing is waiting for a decision").await;
    person.is_live().await;
    person.marks_the_page().await;
    let id = office.asks(480).await;
    person.sees("amount: 480").await;
    person.sees("money that left does not come back").await;
    person
        .until(
            "the way to the inbox counts it",
            "return document.getElementById('waiting').dataset.count === '1'",
        )
        .await;
    office.decide(&office.admin(), &id, json!({ "decision": "deny" })).await;
    person.sees("Nothing is waiting for a decision").await;
    person.stayed().await;
    person.leaves().await;
}

#[tokio::test]
async fn whoever_wants_to_is_notified() {
    let office = Office::open().await;
    let token = office.token("approver", "ann");
    let person = Person::logged_in_to_be_notified(office.gateway(), &token).await;
    person.open("/console/inbox").await;
    person.click("Notify me on this device").await;
    person.sees("Stop notifying me").await;
    person.is_live().await;
    office.asks(480).await;
    person.until("there is a notification", "return window.notified.length > 0").await;
    let notified = person.run("return window.notified", vec![]).await;
    assert_eq!(notified, json!([["An approval waits", "helper · bank:transfer"]]));
    person.leaves().await;
}

#[tokio::test]
async fn somebody_changes_a_call_approves_it_and_sees_it_run() {
    let office = Office::open().await;
    office.asks(900).await;
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    person.open("/console/inbox").await;
    person.click("bank:transfer").await;
    person.sees("helper asks").await;
    person.sees("money-needs-a-person").await;
    person.fill("amount", "90").await;
    person.sees("Your changes").await;
    person.sees("/amount").await;
    person.click("Approve as edited").await;
    person.gets_to("/console/inbox").await;
    person.sees("Approved").await;
    assert_eq!(office.ran(), Vec::<String>::new(), "nothing runs before its caller comes back");
    office.comes_back(900).await;
    assert_eq!(office.ran(), [moved(90)]);
    person.click("Calls").await;
    person.click_in("succeeded", "bank:transfer").await;
    person.sees("From proposal to result").await;
    person.sees("An approver changed them").await;
    person.sees("transfer done").await;
    person.leaves().await;
}

#[tokio::test]
async fn changed_arguments_are_sent_only_from_the_page_that_shows_the_difference() {
    let office = Office::open().await;
    let id = office.asks(900).await;
    let state = || async { office.site().get(&format!("/approvals/{id}")).await["state"].clone() };
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    person.open(&format!("/console/inbox/approvals/{id}")).await;
    // No key is pressed, so the page shows no difference by itself: the normal approval does not let it
    // through.
    person.run("field('amount').value = '90'", vec![]).await;
    person.click("Approve").await;
    person.sees("nothing was sent yet").await;
    person.sees("/amount").await;
    assert_eq!(state().await, "pending");
    // The approval beside the difference applies to the shown difference.
    person.run("field('amount').value = '91'", vec![]).await;
    person.click("Approve as edited").await;
    person.sees("nothing was sent yet").await;
    person.sees("91").await;
    assert_eq!(state().await, "pending");
    person.click("Approve as edited").await;
    person.gets_to("/console/inbox").await;
    assert_eq!(state().await, "approved");
    office.comes_back(900).await;
    assert_eq!(office.ran(), [moved(91)]);
    person.leaves_forgiving(&["status of 422"]).await;
}

#[tokio::test]
async fn an_edit_that_the_tool_would_not_take_is_explained_and_kept() {
    let office = Office::open().await;
    let id = office.asks(900).await;
    let person = approver(&office, "ann").await;
    person.open(&format!("/console/inbox/approvals/{id}")).await;
    person.fill("amount", "much").await;
    person.click("Show the difference").await;
    person
        .until(
            "the field says what is wrong",
            "return field('amount').getAttribute('aria-invalid') === 'true'",
        )
        .await;
    assert_eq!(person.value("amount").await, "much", "what was typed stays");
    assert_eq!(office.site().get(&format!("/approvals/{id}")).await["state"], "pending");
    person.leaves_forgiving(&["status of 422"]).await;
}

#[tokio::test]
async fn a_no_reaches_the_caller_with_its_reason() {
    let office = Office::open().await;
    let id = office.asks(900).await;
    let person = approver(&office, "ann").await;
    person.open(&format!("/console/inbox/approvals/{id}")).await;
    person.fill("Reason", "the invoice is paid already").await;
    person.click("Deny").await;
    person.sees("Denied").await;
    let refused = call(&office.helper, TRANSFER, money(900)).await;
    assert_ne!(status(&refused), "succeeded", "{refused}");
    person.click("Decided").await;
    person.sees("the invoice is paid already").await;
    person.sees("denied").await;
    assert_eq!(office.ran(), Vec::<String>::new());
    person.leaves().await;
}

#[tokio::test]
async fn somebody_asks_for_changes_and_must_say_which() {
    let office = Office::open().await;
    let id = office.asks(900).await;
    let person = approver(&office, "ann").await;
    person.open(&format!("/console/inbox/approvals/{id}")).await;
    person.click("Ask for changes").await;
    person.sees("Describe what should change").await;
    person.fill("Requested changes", "half of it").await;
    person.click("Ask for changes").await;
    person.sees("The caller sees what to change").await;
    assert_eq!(office.site().get(&format!("/approvals/{id}")).await["state"], "changes_requested");
    person.leaves_forgiving(&["status of 422"]).await;
}

#[tokio::test]
async fn what_somebody_else_decides_shows_at_once() {
    let office = Office::open().await;
    let id = office.asks(77).await;
    let (ann, ben) = (approver(&office, "ann").await, approver(&office, "ben").await);
    let path = format!("/console/inbox/approvals/{id}");
    ann.open(&path).await;
    ben.open(&path).await;
    ben.is_live().await;
    ben.fill("Reason", "I would rather not").await;
    ann.click("Approve").await;
    ann.sees("Approved").await;
    ben.sees("ann approved it").await;
    assert!(!ben.can_click("Deny").await, "{}", ben.text().await);
    ann.leaves().await;
    ben.leaves().await;
}

#[tokio::test]
async fn whoever_comes_second_is_told_who_was_first() {
    let office = Office::open().await;
    let id = office.asks(77).await;
    let (ann, ben) = (approver(&office, "ann").await, approver(&office, "ben").await);
    // Otherwise the page would know before Ben does.
    ben.hears_nothing().await;
    let path = format!("/console/inbox/approvals/{id}");
    ann.open(&path).await;
    ben.open(&path).await;
    ann.click("Approve").await;
    ann.sees("Approved").await;
    ben.fill("Reason", "I would rather not").await;
    ben.click("Deny").await;
    ben.sees("Someone else decided first").await;
    ben.sees("ann approved it").await;
    ben.sees("I would rather not").await;
    assert_eq!(office.site().get(&format!("/approvals/{id}")).await["state"], "approved");
    ann.leaves().await;
    ben.leaves_forgiving(&["status of 409", "ERR_BLOCKED_BY_CLIENT", "/console/events"]).await;
}

#[tokio::test]
async fn several_are_decided_at_once() {
    let office = Office::open().await;
    for amount in [11, 12, 13] {
        office.asks(amount).await;
    }
    let person = approver(&office, "ann").await;
    person.open("/console/inbox").await;
    person.tick_in("amount: 11").await;
    person.tick_in("amount: 13").await;
    person.click("Approve selected").await;
    person.agrees().await;
    person.sees("2 of 2 succeeded").await;
    for amount in [11, 13] {
        office.comes_back(amount).await;
    }
    pending(&call(&office.helper, TRANSFER, money(12)).await);
    assert_eq!(office.ran(), [moved(11), moved(13)]);
    person.leaves().await;
}

#[tokio::test]
async fn what_need_not_be_asked_again_is_not_until_it_is_revoked() {
    let office = Office::open().await;
    let id = office.asks(5).await;
    let person = approver(&office, "ann").await;
    person.open(&format!("/console/inbox/approvals/{id}")).await;
    person.click("Don't ask again for this").await;
    person.tick("Let calls like this run").await;
    person.click("Approve").await;
    person.gets_to("/console/inbox").await;
    for _ in 0..3 {
        office.comes_back(5).await;
    }
    person.open("/console/grants").await;
    person.sees("bank:transfer").await;
    person.click("Revoke").await;
    person.agrees().await;
    person.sees("The next such call needs approval again").await;
    pending(&call(&office.helper, TRANSFER, money(5)).await);
    person.leaves().await;
}

#[tokio::test]
async fn a_question_is_answered_and_the_run_goes_on() {
    let office = Office::open().await;
    let work = office.works().await;
    let person = approver(&office, "ann").await;
    person.open("/console/inbox").await;
    person.click("Which tone shall the letter have?").await;
    person.fill("Your answer", "warm").await;
    person.click("Answer").await;
    person.sees("Answered").await;
    work.becomes(&office.archive, "running").await;
    let told = work.call("request_user_input", tone()).await;
    assert!(told.to_string().contains("warm"), "{told}");
    let answered = office.site().rest(&office.admin(), "GET", "/inputs?state=answered", None).await;
    assert!(answered.text.contains(r#""via":"console""#), "{answered:?}");
    person.leaves().await;
}

#[tokio::test]
async fn a_ref_in_a_result_leads_to_what_it_names() {
    let office = Office::open().await;
    let long = call(&office.helper, "docs__big_text", json!({ "bytes": 100_000 })).await;
    let reference = text(&envelope(&long)["refs"][0]["ref_id"]).to_owned();
    let id = text(&envelope(&long)["tool_call_id"]).to_owned();
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    person.open(&format!("/console/calls/{id}")).await;
    person.click(&reference).await;
    person.gets_to(&format!("/console/refs/{reference}")).await;
    person.sees("All work and no play makes a dull text").await;
    person.click(&id).await;
    person.gets_to(&format!("/console/calls/{id}")).await;
    person.leaves().await;
}

#[tokio::test]
async fn a_key_decides_in_the_list_and_another_takes_it_back() {
    let office = Office::open().await;
    let (kept, gone) = (office.asks(11).await, office.asks(12).await);
    let person = approver(&office, "ann").await;
    person.open("/console/inbox").await;
    person.sees("amount: 12").await;
    person.sees("If nobody answers: when the time is over, the call is denied.").await;
    person.press("j").await;
    person.press("a").await;
    person.sees("Approve bank:transfer: is sent in").await;
    person.press("u").await;
    person.sees_no("is sent in").await;
    // The newest is at the top of its kind, and has the focus first.
    person.press("k").await;
    person.press("d").await;
    person.sees("Deny bank:transfer: Denied.").await;
    person.sees_no("amount: 12").await;
    assert_eq!(office.site().get(&format!("/approvals/{gone}")).await["state"], "denied");
    assert_eq!(office.site().get(&format!("/approvals/{kept}")).await["state"], "pending");
    person.leaves().await;
}

#[tokio::test]
async fn an_approver_opens_the_call_that_waits_and_no_other() {
    let office = Office::open().await;
    let id = office.asks(480).await;
    let other = call(&office.helper, "docs__big_text", json!({ "bytes": 10 })).await;
    let other = text(&envelope(&other)["tool_call_id"]).to_owned();
    let approval = office.site().get(&format!("/approvals/{id}")).await;
    let place = format!("/console/calls/{}", text(&approval["call"]));
    let visitor = Visitor::enters(office.gateway(), &office.token("approver", "ann")).await;
    assert!(visitor.links("/console/inbox").await.contains(&place));
    assert!(visitor.links(&format!("/console/inbox/approvals/{id}")).await.contains(&place));
    let page = visitor.get(&place).await;
    assert_eq!(page.status, 200, "{page:?}");
    assert!(page.text.contains("waits for approval") && page.text.contains("480"), "{page:?}");
    for hidden in ["/console/ledger", "/console/sessions/", "/console/calls?", "/console/servers/"] {
        assert!(!page.text.contains(&format!("\"{hidden}")), "{hidden} is linked");
    }
    assert_eq!(visitor.get(&format!("/console/calls/{other}")).await.status, 404);
}

#[tokio::test]
async fn the_buttons_of_the_list_decide_without_a_script() {
    let office = Office::open().await;
    let (one, other) = (office.asks(11).await, office.asks(12).await);
    let visitor = Visitor::enters(office.gateway(), &office.token("approver", "ann")).await;
    let list = visitor.get("/console/inbox").await.text;
    let shown = list.split('<').find(|tag| tag.contains(&format!("name=\"shown:{one}\""))).expect("a field");
    let effective = attribute(shown, "value").expect("the name of the arguments");
    let csrf = visitor.csrf().await;
    let (field, value) = (format!("shown:{one}"), format!("approve {one}"));
    let unseen = [("csrf", &*csrf), ("one", &*value)];
    assert_eq!(visitor.post("/console/inbox", &unseen, &[]).await.status, 422);
    // What else is selected is not decided.
    let fields = [("csrf", &*csrf), ("one", &*value), (&*field, &*effective), ("approval", &*other)];
    let answer = visitor.post("/console/inbox", &fields, &[]).await;
    assert_eq!(answer.headers["location"], "/console/inbox?said=approved");
    let no = format!("deny {one}");
    let no = [("csrf", &*csrf), ("one", &*no), (&*field, &*effective)];
    assert_eq!(visitor.post("/console/inbox", &no, &[]).await.status, 409, "it is decided");
    assert_eq!(office.site().get(&format!("/approvals/{one}")).await["state"], "approved");
    assert_eq!(office.site().get(&format!("/approvals/{other}")).await["state"], "pending");
}
