//! Entities in running text, and look-alikes.

use proptest::prelude::*;

use super::*;

/// Each as `kind text`, with ` = value` if there is one.
fn found(text: &str, kinds: &[EntityKind]) -> Vec<String> {
    let line = |entity: Entity| {
        let kind = serde_json::to_value(entity.kind).unwrap();
        let value = entity.value.map(|value| format!(" = {value}")).unwrap_or_default();
        format!("{} {}{value}", kind.as_str().unwrap(), entity.text)
    };
    entities(text, kinds).into_iter().map(line).collect()
}

fn check(text: &str, expected: &[&str]) {
    assert_eq!(found(text, &[]), expected);
}

#[test]
fn addresses_are_found() {
    check(
        "Write to jane.doe+x@mail.example.org or see https://example.com/a?b=(c), www.test.de.",
        &["email jane.doe+x@mail.example.org", "url https://example.com/a?b=(c)", "url www.test.de"],
    );
    check(
        "at 192.168.0.1 and fe80::1, not 999.1.1.1",
        &["ip_address 192.168.0.1 = 192.168.0.1", "ip_address fe80::1 = fe80::1"],
    );
}

#[test]
fn numbers_with_check_digits_must_be_right() {
    check(
        "Pay to DE89 3704 0044 0532 0130 00 BIC",
        &["iban DE89 3704 0044 0532 0130 00 = DE89370400440532013000"],
    );
    check("to DE89 3704 0044 0532 0130 01", &[]);
    check("card 4111 1111 1111 1111", &["credit_card 4111 1111 1111 1111 = 4111111111111111"]);
}

#[test]
fn telephone_numbers_are_found() {
    check(
        "call +49 30 901820 or (555) 123-4567",
        &["phone +49 30 901820 = +4930901820", "phone (555) 123-4567 = 5551234567"],
    );
}

#[test]
fn dates_are_read_in_many_forms() {
    check(
        "2024-05-03, 3 May 2024, May 3rd, 2024, 3. Mai 2024, le 3 mai 2024, 3 de mayo de 2024",
        &[
            "date 2024-05-03 = 2024-05-03",
            "date 3 May 2024 = 2024-05-03",
            "date May 3rd, 2024 = 2024-05-03",
            "date 3. Mai 2024 = 2024-05-03",
            "date 3 mai 2024 = 2024-05-03",
            "date 3 de mayo de 2024 = 2024-05-03",
        ],
    );
    check(
        "03.05.2024 and 13/05/2024 and 05/13/24",
        &["date 03.05.2024 = 2024-05-03", "date 13/05/2024 = 2024-05-13", "date 05/13/24 = 2024-05-13"],
    );
    check("2024年5月3日", &["date 2024年5月3日 = 2024-05-03"]);
}

#[test]
fn a_date_that_can_be_read_in_two_ways_has_no_value() {
    check("on 03/05/2024", &["date 03/05/2024"]);
}

#[test]
fn days_that_are_not_in_the_calendar_are_no_dates() {
    check("2023-02-29 and 31 April 2024", &["date April 2024 = 2024-04"]);
}

#[test]
fn amounts_have_a_value() {
    check(
        "It cost $1,250.50 or 1.250,50 € or EUR 3 million, up 15 % over 20 km",
        &[
            "money $1,250.50 = USD 1250.50",
            "money 1.250,50 € = EUR 1250.50",
            "money EUR 3 million = EUR 3 million",
            "percentage 15 % = 15%",
            "quantity 20 km = 20 km",
        ],
    );
}

#[test]
fn names_are_guessed_from_their_surroundings() {
    check(
        "Yesterday Dr. Anna Berger of the University of Vienna met John Smith in Paris.",
        &["person Anna Berger", "organization University of Vienna", "person John Smith", "place Paris"],
    );
    check(
        "The merger of Acme Corp. and Siemens AG was approved near Hudson River.",
        &["organization Acme Corp", "organization Siemens AG", "place Hudson River"],
    );
}

#[test]
fn guesses_say_that_they_are() {
    let all = entities("Then John Smith said that Dr. Miller left.", &[EntityKind::Person]);
    assert_eq!(all.len(), 2);
    assert!(all.iter().all(|entity| entity.confidence < 0.95));
    assert!(all[1].confidence > all[0].confidence, "a title is a better clue: {all:?}");
}

#[test]
fn common_words_with_capitals_are_no_names() {
    check("The report is new. Many people came. However, Monday was fine.", &[]);
    check("Die neue Brücke wurde gestern von der Stadt eröffnet und alle waren da.", &[]);
}

#[test]
fn only_wanted_kinds_are_told() {
    let text = "a@b.org paid $5 on 2024-01-02";
    assert_eq!(found(text, &[EntityKind::Money]), ["money $5 = USD 5"]);
}

#[test]
fn offsets_count_characters() {
    let text = "😀é → a@b.org";
    let entity = &entities(text, &[])[0];
    let there: String = text.chars().skip(entity.start).take(entity.end - entity.start).collect();
    assert_eq!(there, "a@b.org");
}

proptest! {
    #[test]
    fn any_text_gives_places_that_are_in_it(text in "[\\PC]{0,120}") {
        let chars = text.chars().count();
        let mut end = 0;
        for entity in entities(&text, &[]) {
            prop_assert!(entity.start >= end && entity.end <= chars && entity.start < entity.end);
            end = entity.end;
        }
    }
}
