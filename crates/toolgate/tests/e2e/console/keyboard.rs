//! The console without a mouse.

use super::office::Office;
use super::person::Person;
use super::webdriver::key;

#[tokio::test]
async fn the_first_tab_leads_past_the_navigation() {
    let office = Office::open().await;
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    person.sees("Overview").await;
    person.press(key::TAB).await;
    assert_eq!(person.focus().await, "skip to the content");
    person.press(key::ENTER).await;
    person.until("the content has the focus", "return document.activeElement.id === 'main'").await;
    person.leaves().await;
}

#[tokio::test]
async fn keys_lead_to_every_room_and_the_help_names_them() {
    let office = Office::open().await;
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    person.sees("Overview").await;
    person.press("?").await;
    person.until("the help is open", "return document.querySelector('dialog[open]') !== null").await;
    person.sees("This help").await;
    person.press(key::ESCAPE).await;
    person.until("the help is closed", "return document.querySelector('dialog[open]') === null").await;
    let doors = person.run("return [...document.querySelectorAll('nav a[data-key]')].map((one) => [one.dataset.key, one.pathname])", vec![]).await;
    let doors = doors.as_array().expect("a list").clone();
    assert!(doors.len() > 8, "{doors:?}");
    for door in doors {
        let (letter, path) = (door[0].as_str().expect("a key"), door[1].as_str().expect("a path"));
        person.open("/").await;
        person.press(&format!("g{letter}")).await;
        person.gets_to(path).await;
    }
    person.leaves().await;
}

#[tokio::test]
async fn an_approval_is_given_without_a_mouse() {
    let office = Office::open().await;
    let id = office.asks(42).await;
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    person.press("gi").await;
    person.gets_to("/console/inbox").await;
    person.sees("bank:transfer").await;
    person.press("j").await;
    person.press(key::ENTER).await;
    person.gets_to(&format!("/console/inbox/approvals/{id}")).await;
    reach(&person, "approve").await;
    person.press(key::ENTER).await;
    person.sees("Approved").await;
    office.comes_back(42).await;
    person.leaves().await;
}

/// Tabs on until this has the focus.
async fn reach(person: &Person, name: &str) {
    for _ in 0..200 {
        person.press(key::TAB).await;
        if person.focus().await == name {
            return;
        }
    }
    panic!("no tab leads to {name:?}: {}", person.text().await);
}
