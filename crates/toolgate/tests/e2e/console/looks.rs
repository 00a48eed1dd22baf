//! Every page on a desktop and on a phone, light and dark: accessible, without overflow, and with a
//! screenshot of each.

use super::axe;
use super::office::Office;
use super::person::{DESK, PHONE, Person, Screen, Theme};
use super::pictures;

/// The one missing page, which says so.
const MISSING: &str = "nothing";

#[tokio::test]
async fn everybody_can_use_every_page_at_a_desk_by_day() {
    look(DESK, Theme::Light).await;
}

#[tokio::test]
async fn everybody_can_use_every_page_at_a_desk_by_night() {
    look(DESK, Theme::Dark).await;
}

#[tokio::test]
async fn everybody_can_use_every_page_on_a_phone_by_day() {
    look(PHONE, Theme::Light).await;
}

#[tokio::test]
async fn everybody_can_use_every_page_on_a_phone_by_night() {
    look(PHONE, Theme::Dark).await;
}

#[tokio::test]
async fn whoever_chose_the_dark_keeps_it() {
    let office = Office::open().await;
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    let shade = "const shade = getComputedStyle(document.documentElement).backgroundColor.match(/[0-9.]+/g); \
        return Number(shade[0]) + Number(shade[1]) + Number(shade[2])";
    let light = person.run(shade, vec![]).await.as_f64();
    person.click("Light or dark").await;
    let dark = person.run(shade, vec![]).await.as_f64();
    assert!(dark < light, "{dark:?} is no darker than {light:?}");
    person.open("/console/inbox").await;
    assert_eq!(person.run(shade, vec![]).await.as_f64(), dark, "the next page is as dark");
    person.leaves().await;
}

#[tokio::test]
async fn the_rooms_are_behind_a_menu_on_a_phone() {
    let office = Office::open().await;
    let person = Person::logged_in(office.gateway(), &office.admin()).await;
    person.sits_at(PHONE).await;
    person.open("/").await;
    assert!(!person.can_click("Reviews").await, "{}", person.text().await);
    person.click("Menu").await;
    person.click("Reviews").await;
    person.gets_to("/console/reviews").await;
    person.leaves().await;
}

async fn look(screen: Screen, theme: Theme) {
    let busy = Office::busy().await;
    let person = Person::at(busy.office.gateway()).await;
    person.sits_at(screen).await;
    person.prefers(theme).await;
    let mut wrong = examine(&person, screen, theme, ("login", "/console/login")).await;
    person.log_in(&busy.office.admin()).await;
    person.sees("Overview").await;
    for (name, path) in busy.pages().await {
        wrong.extend(examine(&person, screen, theme, (name, &path)).await);
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    person.leaves_forgiving(&["status of 404"]).await;
}

/// The faults of a page.
async fn examine(person: &Person, screen: Screen, theme: Theme, (name, path): (&str, &str)) -> Vec<String> {
    person.open(path).await;
    let mut wrong = axe::findings(person).await;
    wrong.extend(person.sticks_out().await);
    let status = person.status().await;
    let expected = if name == MISSING { 404 } else { 200 };
    if status != expected {
        wrong.push(format!("it answers {status}"));
    }
    wrong.extend(untitled(person).await);
    pictures::keep(person, &format!("{}-{}/{name}", screen.name, theme.word())).await;
    wrong.into_iter().map(|what| format!("{path}: {what}")).collect()
}

/// Each page names itself in one heading, and in its title.
async fn untitled(person: &Person) -> Option<String> {
    let said = person.run("return [document.querySelectorAll('h1').length, document.title]", vec![]).await;
    let titled = said[0] == 1 && said[1].as_str().is_some_and(|title| title.ends_with("Toolgate"));
    (!titled).then(|| format!("headings and title: {said}"))
}
