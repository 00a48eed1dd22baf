//! Whole profiles out of short texts.

use super::extract;
use crate::draft::is_supported;
use crate::reading;

const LINES: [&str; 24] = [
    "Nadia Petrov",
    "Platform Engineer",
    "Vienna, Austria | nadia@example.at | +43 1 555 0142",
    "",
    "Experience",
    "BERUFSERFAHRUNG",
    "Engineer, Donau GmbH, Wien  03/2019 - present",
    "- Wrote the tool in Rust.",
    "Sept. '17 – Dec. '19",
    "2016–18",
    "Company — Title",
    "Formación",
    "BSc in Physics, University of Graz, 2010 - 2014 (1,7)",
    "Skills",
    "Languages: Rust, Go",
    "Rust, Go; k8s | SQL",
    "Languages",
    "German (native), English C1",
    "https://nadia.example.at linkedin.com/in/nadia",
    "(((",
    "– – –",
    "Dates 06.2020 – now",
    "工作经历",
    "since 2020",
];

/// Every value matches the text at its position, in any order of the lines.
#[test]
fn nothing_is_invented() {
    let mut state: usize = 7;
    for _ in 0..400 {
        let mut text = String::new();
        for _ in 0..20 {
            // A plain generator: the same lines in every run.
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            text.push_str(LINES[(state >> 33) % LINES.len()]);
            text.push('\n');
        }
        let parsed = reading::text(&text);
        let profile = extract(&parsed);
        for source in &profile.sources {
            let value = profile.resume.pointer(&source.path).and_then(|value| value.as_str()).unwrap();
            let written = source.span.of(&parsed.text);
            assert!(
                is_supported(&source.path, value, written),
                "{}: {value:?} is not {written:?} in\n{text}",
                source.path
            );
        }
    }
}

#[test]
fn what_is_not_there_is_said_to_be_missing() {
    let profile =
        extract(&reading::text("Ben Carter\n\nExperience\n\nBaker at Golden Crust Bakery\n- Bread\n"));
    assert!(
        profile.missing.iter().any(|missing| missing.starts_with("/basics/email")),
        "{:?}",
        profile.missing
    );
    assert!(
        profile.missing.iter().any(|missing| missing.starts_with("/work/0/startDate")),
        "{:?}",
        profile.missing
    );
}
