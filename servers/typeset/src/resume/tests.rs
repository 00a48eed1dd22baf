//! Résumés, set and read back.

use capability_documents::{OpenOptions, open};
use serde_json::json;

use super::*;

pub(crate) fn sample() -> Resume {
    let json = json!({
        "$schema": "https://example.com/schema.json",
        "basics": {
            "name": "Ada Example", "label": "Engineer", "email": "ada@example.com", "phone": "+49 30 123",
            "url": "https://ada.example.com/", "summary": "Builds engines & fixes them.",
            "location": { "city": "Berlin", "countryCode": "DE" },
            "profiles": [{ "network": "GitHub", "username": "ada", "url": "https://github.com/ada" }],
        },
        "work": [{
            "name": "Analytical Engines Ltd", "position": "Staff engineer", "startDate": "2020-03", "location": "London",
            "summary": "Leads the office of efficiency.", "highlights": ["Cut the cost by 40 %", "Wrote #read(\"/etc/passwd\")"],
        }, { "name": "Difference", "position": "Engineer", "startDate": "2015", "endDate": "2020-02" }],
        "education": [{ "institution": "University", "area": "Mathematics", "studyType": "BSc", "endDate": "2014", "courses": ["Analysis"] }],
        "skills": [{ "name": "Rust", "level": "Expert", "keywords": ["typst", "tokio"] }, { "keywords": ["loose"] }],
        "languages": [{ "language": "English", "fluency": "Native" }, { "language": "German" }],
        "projects": [{ "name": "Office of fi ligatures", "description": "efficient", "keywords": ["k1"], "type": "application" }],
        "certificates": [{ "name": "Cert", "date": "2021-05-01", "issuer": "Org" }],
        "references": [{ "name": "Charles", "reference": "Good." }],
    });
    serde_json::from_value(json).unwrap()
}

fn words(made: &FinishedFile) -> String {
    let document = open(&made.bytes, None, &OpenOptions::default()).unwrap();
    document.text().split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn everything_is_set_in_order_and_nothing_else() {
    let made = resume_pdf(&sample(), &ResumeOptions::default()).unwrap();
    assert_eq!(made.pages, Some(1));
    assert_eq!(made.warnings, Vec::<String>::new());
    let words = words(&made);
    let places = [
        "Ada Example",
        "Engineer",
        "Berlin",
        "ada@example.com",
        "Builds engines & fixes them.",
        "Experience",
        "Staff engineer",
        "Cut the cost by 40 %",
        "#read(\"/etc/passwd\")",
        "Projects",
        "Office of fi ligatures",
        "efficient",
        "Education",
        "BSc, Mathematics",
        "Skills",
        "typst, tokio",
        "loose",
        "Certificates",
        "Languages",
        "English (Native), German",
        "References",
        "Charles",
    ]
    .map(|word| words.find(word).unwrap_or_else(|| panic!("{word} is missing in {words}")));
    assert!(places.is_sorted(), "{words}");
    assert!(words.contains("Mar 2020 – present") && words.contains("2015 – Feb 2020"), "{words}");
    assert!(!words.contains("Awards") && !words.contains("Volunteering"), "{words}");
    assert!(String::from_utf8_lossy(&made.bytes).contains("pdfaid:part"));
}

#[test]
fn the_order_can_be_changed() {
    let options =
        ResumeOptions { order: vec!["skills".to_owned(), "nonsense".to_owned()], ..ResumeOptions::default() };
    let article = resume_article(&sample(), &options);
    let headings: Vec<String> = (article.blocks.iter())
        .filter_map(|block| match block {
            crate::article::Block::Heading { text, .. } => Some(text.to_plain()),
            _ => None,
        })
        .collect();
    assert_eq!(headings[..3], ["Skills", "Experience", "Projects"]);
}

#[test]
fn headings_are_in_the_language_of_the_resume() {
    let options = ResumeOptions { language: Some("de-CH".to_owned()), ..ResumeOptions::default() };
    let words = words(&resume_pdf(&sample(), &options).unwrap());
    assert!(words.contains("Berufserfahrung") && words.contains("03/2020 – heute"), "{words}");
}

#[test]
fn a_docx_reads_back_too() {
    let words = words(&resume_docx(&sample(), &ResumeOptions::default()).unwrap());
    for word in ["Ada Example", "Staff engineer", "Mar 2020 – present", "typst, tokio"] {
        assert!(words.contains(word), "{word} is missing in {words}");
    }
}

#[test]
fn an_empty_resume_is_refused() {
    assert!(matches!(
        resume_pdf(&Resume::default(), &ResumeOptions::default()),
        Err(TypesetError::Empty { .. })
    ));
}

#[test]
fn json_goes_round_without_what_is_missing() {
    let json = serde_json::to_value(sample()).unwrap();
    assert_eq!(json["basics"]["location"]["countryCode"], "DE");
    assert_eq!(json["projects"][0]["type"], "application");
    assert!(json.get("awards").is_none() && json["work"][1].get("summary").is_none());
    assert_eq!(serde_json::from_value::<Resume>(json).unwrap(), sample());
}

/// A letter without a font breaks PDF/A; people would rather have the file.
#[test]
fn a_name_without_a_font_is_set_all_the_same() {
    let mut resume = sample();
    resume.basics.name = Some("漢字 Example".to_owned());
    let options = ResumeOptions { fonts: FontSource::Embedded, ..ResumeOptions::default() };
    let made = resume_pdf(&resume, &options).unwrap();
    assert!(made.warnings.iter().any(|warning| warning.contains("PDF/A-2b")), "{:?}", made.warnings);
    assert!(made.warnings.iter().any(|warning| warning.contains("fonts-noto-cjk")), "{:?}", made.warnings);
}
