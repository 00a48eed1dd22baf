//! The connection to the gateway is cut, or the gateway itself is down for a while: the page says so, and
//! recovers by itself.

use super::office::Office;
use super::person::Person;
use super::wire::Wire;
use crate::governed::bank::money;
use crate::kit::call;
use crate::live::site::Ending;

/// The browser's errors about a cut connection.
const CUT: [&str; 2] = ["net::ERR_", "/console/events"];

async fn watcher(office: &Office, wire: &Wire) -> Person {
    let mut person = Person::at(office.gateway()).await;
    person.goes_to(&wire.base);
    person.log_in(&office.token("approver", "ann")).await;
    person.sees("Log out").await;
    person.open("/console/inbox").await;
    person.sees("Nothing is waiting for a decision").await;
    person.is_live().await;
    person.marks_the_page().await;
    person
}

#[tokio::test]
async fn a_page_whose_line_is_cut_says_so_and_catches_up() {
    let office = Office::open().await;
    let wire = Wire::to(office.gateway()).await;
    let person = watcher(&office, &wire).await;
    wire.cut();
    person.sees("reconnecting").await;
    office.asks(31).await;
    wire.lead_to(office.gateway());
    person.sees("amount: 31").await;
    person.is_live().await;
    office.asks(32).await;
    person.sees("amount: 32").await;
    person.stayed().await;
    person.leaves_forgiving(&CUT).await;
}

#[tokio::test]
async fn a_page_outlives_a_gateway_that_is_killed() {
    let office = Office::open().await;
    office.asks(41).await;
    let wire = Wire::to(office.gateway()).await;
    let mut person = Person::at(office.gateway()).await;
    person.goes_to(&wire.base);
    person.log_in(&office.token("approver", "ann")).await;
    person.sees("Log out").await;
    person.open("/console/inbox").await;
    person.sees("amount: 41").await;
    person.is_live().await;
    person.marks_the_page().await;
    let office = office.restarted(Ending::Killed).await;
    person.sees("reconnecting").await;
    wire.lead_to(office.gateway());
    person.is_live().await;
    call(&office.helper, super::office::TRANSFER, money(42)).await;
    person.sees("amount: 42").await;
    person.sees("amount: 41").await;
    person.stayed().await;
    person.leaves_forgiving(&CUT).await;
}
