//! One search for everything, and that of the documentation.

use super::office::Office;
use super::person::Person;
use super::webdriver::key;

const FIELD: &str = "return document.activeElement.id";

#[tokio::test]
async fn words_find_what_exists_and_an_id_leads_to_its_page() {
    let busy = Office::busy().await;
    let person = Person::logged_in(busy.office.gateway(), &busy.office.token("admin", "ada")).await;
    person.open("/console/search?q=transfer").await;
    person.sees("bank:transfer").await;
    person.sees("Search calls for").await;
    person.open(&format!("/console/search?q={}", busy.call)).await;
    person.gets_to(&format!("/console/calls/{}", busy.call)).await;
    person.open("/console/search?q=nginx").await;
    person.click("Behind nginx, Caddy or Traefik, with TLS").await;
    person.gets_to("/docs/how-to/behind-a-proxy").await;
    person.open("/console/search?q=%3Cimg%20src%3Dx%3E").await;
    person.sees("Nothing matches all of these words").await;
    person.leaves().await;
}

#[tokio::test]
async fn the_search_is_reached_without_a_mouse() {
    let busy = Office::busy().await;
    let person = Person::logged_in(busy.office.gateway(), &busy.office.token("admin", "ada")).await;
    person.open("/console/calls").await;
    person.press("/").await;
    assert_eq!(person.run(FIELD, vec![]).await, "q", "the page's own search comes first");
    person.open("/console/ledger/checkpoints").await;
    person.press("/").await;
    assert_eq!(person.run(FIELD, vec![]).await, "find");
    person.press("bookkeeper").await;
    person.press(key::ENTER).await;
    person.gets_to("/console/search").await;
    person.click("bookkeeper").await;
    person.gets_to("/console/agents/bookkeeper").await;
    person.leaves().await;
}

#[tokio::test]
async fn the_documentation_is_searched_by_anybody() {
    let busy = Office::busy().await;
    let person = Person::logged_in(busy.office.gateway(), &busy.office.token("admin", "ada")).await;
    person.open("/docs/search?q=rotate+secrets").await;
    person.click("Rotate secrets and tokens").await;
    person.gets_to("/docs/how-to/rotate-secrets").await;
    person.open("/docs/search?q=zzzzqqq").await;
    person.sees("No page has all of these words").await;
    person.leaves().await;
}
