//! The main pages on the smallest and the widest screens: nothing sticks out, nothing is cut off, and the room is used.

use serde_json::{Value, json};

use super::office::Office;
use super::person::{Person, Screen};
use crate::kit::call;

const SCREENS: [Screen; 3] = [
    Screen { name: "small", width: 320, height: 640 },
    Screen { name: "phone", width: 390, height: 844 },
    Screen { name: "wide", width: 2_560, height: 1_440 },
];
const PAGES: [&str; 11] = [
    "/",
    "/console/metrics?range=1h",
    "/console/inbox",
    "/console/calls",
    "/console/ledger",
    "/console/runs",
    "/console/servers",
    "/console/tools",
    "/console/agents",
    "/console/policy",
    "/console/settings",
];
/// Elements that hide a part of their content at the side. What nobody is to see is clipped, and what is typed scrolls.
const CUT: &str = "return [...document.body.querySelectorAll('*')].filter((one) => { \
    const style = getComputedStyle(one); \
    const hides = ['hidden', 'clip'].includes(style.overflowX) && style.clipPath === 'none'; \
    const is_text = !one.closest('svg') && !one.matches('input, select, textarea, img, meter'); \
    return hides && is_text && one.checkVisibility() && one.scrollWidth > one.clientWidth + 1; \
    }).map((one) => one.outerHTML.slice(0, 160))";
/// Rows of cards that are not equally high, or end before the edge.
const UNEVEN: &str = "const uneven = []; \
    for (const cards of document.querySelectorAll('.summary, .stats')) { \
        const end = cards.getBoundingClientRect().right, rows = {}; \
        for (const card of cards.children) { \
            const box = card.getBoundingClientRect(); (rows[Math.round(box.top)] ??= []).push(box); \
        } \
        for (const row of Object.values(rows)) { \
            const heights = row.map((box) => box.height), last = Math.max(...row.map((box) => box.right)); \
            if (Math.max(...heights) - Math.min(...heights) > 1 || end - last > 2) uneven.push(cards.className); \
        } \
    } return uneven";
/// The share of the screen that the page's content takes.
const USED: &str =
    "const box = document.querySelector('main').getBoundingClientRect(); return box.width / innerWidth";

#[tokio::test]
async fn the_main_pages_fit_small_screens_and_use_wide_ones() {
    let office = Office::open().await;
    let approval = office.asks(480).await;
    call(&office.helper, "bank__balance", json!({ "account": "DE1" })).await;
    call(&office.helper, "bank__balance", json!({ "account": 7 })).await;
    let pages = PAGES.map(str::to_owned).into_iter();
    let pages: Vec<String> = pages.chain([format!("/console/inbox/approvals/{approval}")]).collect();
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    let mut wrong = Vec::new();
    for screen in SCREENS {
        person.sits_at(screen).await;
        for page in &pages {
            person.open(page).await;
            let faults = faults(&person).await;
            wrong.extend(faults.into_iter().map(|what| format!("{} {page}: {what}", screen.name)));
        }
    }
    for page in &pages[..2] {
        person.open(page).await;
        let used = person.run(USED, vec![]).await;
        assert!(used.as_f64() > Some(0.85), "{page} takes {used} of a wide screen");
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    person.leaves().await;
}

async fn faults(person: &Person) -> Vec<String> {
    let mut faults: Vec<String> = person.sticks_out().await.into_iter().collect();
    for (what, script) in [("cut off", CUT), ("uneven", UNEVEN)] {
        let found = person.run(script, vec![]).await;
        if found != Value::Array(Vec::new()) {
            faults.push(format!("{what}: {found}"));
        }
    }
    faults
}
