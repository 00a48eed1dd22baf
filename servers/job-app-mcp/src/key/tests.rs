use super::*;

fn of(url: &str, title: &str, company: &str, place: &str) -> Vec<String> {
    let facts = KeyFacts {
        url: Url::parse(url).ok(),
        identifier: None,
        title: title.to_owned(),
        company: company.to_owned(),
        place: place.to_owned(),
    };
    keys(&facts).into_iter().map(|key| key.key).collect()
}

fn id(url: &str) -> Option<String> {
    of(url, "", "", "").into_iter().next()
}

#[test]
fn a_host_and_its_id_are_found_in_the_address() {
    for (url, expected) in [
        ("https://www.indeed.example/viewjob?jk=ab12cd&from=serp", "id:indeed.example:ab12cd"),
        ("https://indeed.example/viewjob?from=mail&jk=ab12cd#top", "id:indeed.example:ab12cd"),
        ("https://boards.example/acme/jobs/4012345", "id:boards.example:4012345"),
        ("https://boards.example/acme/jobs/4012345/apply", "id:boards.example:4012345"),
        ("https://jobs.example/view/senior-welder-at-acme-4012345", "id:jobs.example:4012345"),
        ("https://jobs.example/R0048213.html", "id:jobs.example:R0048213"),
        ("http://127.0.0.1:8080/jobs/7", "id:127.0.0.1:8080:jobs/7"),
        (
            "https://jobs.example/x/0198c0de-0000-7000-8000-000000000001",
            "id:jobs.example:0198c0de-0000-7000-8000-000000000001",
        ),
    ] {
        assert_eq!(id(url).as_deref(), Some(expected), "{url}");
    }
}

#[test]
fn short_numbers_count_within_their_section_and_dates_are_no_ids() {
    assert_ne!(id("https://ats.example/acme/jobs/7"), id("https://ats.example/other/jobs/7"));
    assert_eq!(id("https://jobs.example/2026/11/welder").as_deref(), Some("at:jobs.example/2026/11/welder"));
    assert_eq!(id("https://jobs.example/"), None);
}

#[test]
fn one_advertisement_on_two_boards_has_the_same_words() {
    let one = of("https://a.example/jobs/123456", "Senior Wélder (m/f/d)", "ACME GmbH", "Köln, Germany");
    let other = of("https://b.example/?jobId=99", "senior welder", "Acme", "Koln");
    assert_eq!(one.last().unwrap(), "ad:acme|senior welder|koln");
    assert_eq!(one.last(), other.last());
    assert_ne!(one.first(), other.first());
}

#[test]
fn another_title_town_or_company_has_other_words() {
    let base = of("", "Welder", "Acme", "Oslo");
    for other in [("Welder II", "Acme", "Oslo"), ("Welder", "Acme Two", "Oslo"), ("Welder", "Acme", "Bergen")]
    {
        assert_ne!(of("", other.0, other.1, other.2), base, "{other:?}");
    }
    assert_ne!(of("", "Welder (night shift)", "Acme", "Oslo"), base);
}

#[test]
fn a_company_that_is_called_like_a_legal_form_keeps_its_name() {
    assert_eq!(of("", "Welder", "SE", ""), ["ad:se|welder|"]);
}

#[test]
fn nothing_tells_a_posting_without_company_and_address_from_others() {
    assert!(of("", "Welder", "", "Oslo").is_empty());
    assert!(of("", "", "Acme", "Oslo").is_empty());
}

#[test]
fn an_id_of_the_data_counts_where_the_address_has_none() {
    let facts = KeyFacts {
        url: Url::parse("https://acme.example/careers/welder").ok(),
        identifier: Some("REQ-9".to_owned()),
        ..KeyFacts::default()
    };
    assert_eq!(keys(&facts)[0].key, "id:acme.example:REQ-9");
}

#[test]
fn keys_stay_short() {
    let long = "x".repeat(5_000);
    let made = of(&format!("https://a.example/?id={long}"), &long, &long, &long);
    assert!(
        made.iter().all(|key| key.len() < 1_000),
        "{:?}",
        made.iter().map(String::len).collect::<Vec<_>>()
    );
}
