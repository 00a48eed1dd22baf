//! The same advertisement, and others that look like it.

use super::{ListedJob, find};

const TEXT: &str = "We look for an engineer who runs the services that our customers rely on, writes tests and \
    talks with the people who use what we make. You know Rust and PostgreSQL and you like to explain things.";

fn job(title: &str, company: &str, location: &str, text: &str) -> ListedJob {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    ListedJob {
        title: title.to_owned(),
        company: some(company),
        location: some(location),
        text: some(text),
        url: None,
    }
}

#[test]
fn one_advertisement_on_three_boards_is_one() {
    let jobs = [
        job("Senior Rust Engineer", "Acme Ltd", "Berlin, Germany", TEXT),
        job(
            "Cook",
            "Acme Ltd",
            "Berlin",
            "We look for a cook who likes soup and bread and early mornings in our canteen.",
        ),
        job(
            "Sr. Rust Engineer (m/f/d) - Berlin",
            "Acme",
            "Berlin",
            &format!("<p>{TEXT}</p><p>Apply now!</p>"),
        ),
        job("Senior Rust Engineer", "ACME Limited", "", &TEXT[..120]),
    ];
    let groups = find(&jobs);
    assert_eq!(groups.len(), 1, "{groups:?}");
    assert_eq!(groups[0].jobs, [0, 2, 3]);
    assert!(groups[0].why.contains(&"text"), "{groups:?}");
}

#[test]
fn another_town_level_or_number_is_another_job() {
    let base = job("Rust Engineer", "Acme", "Berlin", TEXT);
    for other in [
        job("Rust Engineer", "Acme", "Hamburg", TEXT),
        job("Junior Rust Engineer", "Acme", "Berlin", TEXT),
        job("Rust Engineer", "Acme", "Berlin", &format!("Ref: AB-1234 {TEXT}")),
    ] {
        let numbered = job("Rust Engineer", "Acme", "Berlin", &format!("Ref: AB-9999 {TEXT}"));
        let first = if other.text.as_deref().is_some_and(|text| text.starts_with("Ref")) {
            numbered
        } else {
            base.clone()
        };
        let levelled = if other.title.starts_with("Junior") {
            ListedJob { title: "Senior Rust Engineer".to_owned(), ..first }
        } else {
            first
        };
        assert!(find(&[levelled, other.clone()]).is_empty(), "{other:?}");
    }
}

#[test]
fn nothing_given_is_no_duplicate_of_nothing() {
    assert!(find(&[ListedJob::default(), ListedJob::default()]).is_empty());
    assert!(find(&[]).is_empty());
}
