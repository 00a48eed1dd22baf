//! Fields of advertisements.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context;
use job_search_mcp::posting::ParsedPosting;
use job_search_mcp::reading::JobSource;
use serde::Deserialize;
use serde_json::{Value, json};

use super::counts::AnswerCounts;

/// An advertisement with its truth.
#[derive(Deserialize)]
pub(super) struct CorpusAdvert {
    pub(super) id: String,
    pub(super) held_out: bool,
    format: String,
    pub(super) text: String,
    pub(super) truth: Value,
}

const FIELDS: [&str; 17] = [
    "title",
    "company",
    "places",
    "region",
    "country",
    "salary",
    "employment",
    "hours",
    "remote",
    "seniority",
    "must",
    "nice",
    "posted",
    "until",
    "start",
    "email",
    "url",
];

pub(super) fn adverts(corpus: &Path) -> anyhow::Result<Vec<CorpusAdvert>> {
    let text =
        fs::read_to_string(corpus.join("ads.jsonl")).context("is corpus the folder of job-search-mcp?")?;
    Ok(text.lines().map(serde_json::from_str).collect::<Result<_, _>>()?)
}

pub(super) fn run(corpus: &Path) -> anyhow::Result<()> {
    let adverts = adverts(corpus)?;
    for (title, held_out, format) in [
        ("texts that the rules were written with", false, "text"),
        ("texts held out", true, "text"),
        ("pages with JSON-LD", false, "html"),
        ("pages with JSON-LD held out", true, "html"),
    ] {
        let chosen: Vec<&CorpusAdvert> =
            adverts.iter().filter(|advert| advert.held_out == held_out && advert.format == format).collect();
        print(title, &chosen);
    }
    Ok(())
}

fn print(title: &str, adverts: &[&CorpusAdvert]) {
    let mut ours: BTreeMap<&str, AnswerCounts> = BTreeMap::new();
    let mut labels: BTreeMap<&str, AnswerCounts> = BTreeMap::new();
    for advert in adverts {
        let found =
            JobSource::of_text(&advert.text).map(|source| shown(&source.parse().0)).unwrap_or_default();
        let by_label = labelled(&advert.text);
        for field in FIELDS {
            let counts = compare(field, &advert.truth[field], &found[field]);
            if counts.right < counts.found.max(counts.wanted) && !advert.held_out {
                println!("  {} {field}: {} for {}", advert.id, found[field], advert.truth[field]);
            }
            ours.entry(field).or_default().add(counts);
            labels.entry(field).or_default().add(compare(field, &advert.truth[field], &by_label[field]));
        }
    }
    println!("\nfields: {title} ({})", adverts.len());
    println!("{:<14}{:>14}{:>14}", "F1", "this project", "labels alone");
    for field in FIELDS {
        println!("{field:<14}{:>14.3}{:>14.3}", ours[field].f1(), labels[field].f1());
    }
    let all = |counts: &BTreeMap<&str, AnswerCounts>| {
        let mut all = AnswerCounts::default();
        counts.values().for_each(|counts| all.add(*counts));
        all.f1()
    };
    println!("{:<14}{:>14.3}{:>14.3}", "all values", all(&ours), all(&labels));
}

/// A parsed posting in the words of the truth.
fn shown(parsed: &ParsedPosting) -> Value {
    let posting = &parsed.posting;
    let addresses: Vec<_> = posting.job_location.iter().map(|place| &place.address).collect();
    let salary = posting.base_salary.as_ref().map(|salary| {
        json!({ "currency": salary.currency, "min": salary.value.min_value, "max": salary.value.max_value, "unit": salary.value.unit_text })
    });
    json!({
        "title": posting.title,
        "company": posting.hiring_organization.as_ref().map(|company| &company.name),
        "places": addresses.iter().filter_map(|address| address.address_locality.as_ref()).collect::<Vec<_>>(),
        "region": addresses.iter().find_map(|address| address.address_region.as_ref()),
        "country": addresses.iter().find_map(|address| address.address_country.as_ref()),
        "salary": salary,
        "employment": posting.employment_type,
        "hours": parsed.hours,
        "remote": parsed.workplace,
        "seniority": parsed.seniority,
        "must": parsed.must,
        "nice": parsed.nice,
        "posted": posting.date_posted,
        "until": posting.valid_through,
        "start": posting.job_start_date,
        "email": posting.application_contact.as_ref().map(|contact| &contact.email),
        "url": posting.url,
    })
}

/// The finds of a parser of `Label: value` lines: the usual way without rules.
fn labelled(text: &str) -> Value {
    const LABELS: [(&str, &str); 9] = [
        ("title", "title"),
        ("company", "company"),
        ("employer", "company"),
        ("location", "places"),
        ("posted", "posted"),
        ("deadline", "until"),
        ("start date", "start"),
        ("email", "email"),
        ("apply", "url"),
    ];
    let mut found = json!({});
    for (label, value) in text.lines().filter_map(|line| line.split_once(':')) {
        let label = label.trim().to_lowercase();
        let Some((_, field)) = LABELS.iter().find(|(name, _)| label.ends_with(name)) else { continue };
        let value = value.trim();
        found[*field] = match *field {
            "places" => json!([value.split(',').next().unwrap_or(value)]),
            _ => json!(value),
        };
    }
    if let Some(first) = text.lines().next().filter(|_| found.get("title").is_none()) {
        found["title"] = json!(first.trim_start_matches(['#', ' ']));
    }
    found
}

/// Lists value by value, everything else as a whole.
fn compare(field: &str, wanted: &Value, found: &Value) -> AnswerCounts {
    let list = |value: &Value| match (field, value) {
        ("hours", value) if !value.is_null() => vec![value.clone()],
        (_, Value::Array(values)) => values.clone(),
        (_, Value::Null) => Vec::new(),
        (_, value) => vec![value.clone()],
    };
    let (wanted, mut found) = (list(wanted), list(found));
    let mut counts = AnswerCounts { right: 0, found: found.len(), wanted: wanted.len() };
    for value in &wanted {
        if let Some(at) = found.iter().position(|other| same(value, other)) {
            found.remove(at);
            counts.right += 1;
        }
    }
    counts
}

fn same(wanted: &Value, found: &Value) -> bool {
    match (wanted, found) {
        (Value::Number(wanted), Value::Number(found)) => wanted.as_f64() == found.as_f64(),
        (Value::String(wanted), Value::String(found)) => bare(wanted) == bare(found),
        (Value::Array(wanted), Value::Array(found)) => {
            wanted.len() == found.len() && wanted.iter().zip(found).all(|(wanted, found)| same(wanted, found))
        }
        (Value::Object(wanted), Value::Object(found)) => {
            wanted.iter().all(|(name, value)| same(value, found.get(name).unwrap_or(&Value::Null)))
        }
        (wanted, found) => wanted == found,
    }
}

fn bare(text: &str) -> String {
    text.trim_end_matches(['.', '/']).to_lowercase()
}
