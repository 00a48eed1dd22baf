//! Personal data in the texts of presidio-research, by its own measure: tokens, and F2 over whether they are personal at all.
//!
//! The data folder has `dev.json`. Tokens are runs of letters and digits and single other characters, as its tokenizer makes them but for rare
//! cases. The tagger was trained on these texts, so this says what is learned; `model/train.py --folds` says what carries over.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::Context;
use audit_compliance_mcp::personal::{PersonalKind, find};
use serde::Deserialize;

#[derive(Deserialize)]
struct LabelledText {
    full_text: String,
    spans: Vec<LabelledSpan>,
}

#[derive(Deserialize)]
struct LabelledSpan {
    entity_type: String,
    start_position: usize,
    end_position: usize,
}

/// Right, told, true.
#[derive(Default, Clone, Copy)]
struct TokenCounts(usize, usize, usize);

impl TokenCounts {
    fn scores(self) -> (f64, f64, f64) {
        let (precision, recall) =
            (self.0 as f64 / self.1.max(1) as f64, self.0 as f64 / self.2.max(1) as f64);
        (precision, recall, 5.0 * precision * recall / (4.0 * precision + recall).max(1e-9))
    }
}

/// Prints the scores over all kinds and for each.
pub(crate) fn run(data: &Path) -> anyhow::Result<()> {
    let path = data.join("dev.json");
    let text = fs::read_to_string(&path)
        .with_context(|| format!("{} (half of synth_dataset_v2)", path.display()))?;
    let texts: Vec<LabelledText> = serde_json::from_str(&text)?;
    let (mut all, mut kinds) = (TokenCounts::default(), BTreeMap::<String, TokenCounts>::new());
    for text in &texts {
        count(text, &mut all, &mut kinds);
    }
    println!("\npersonal-data: {} texts; F2 of default Presidio .618, tuned .845", texts.len());
    println!("{:<20} {:>9} {:>7} {:>7}", "kind", "precision", "recall", "F2");
    for (name, counts) in
        std::iter::once(("all", all)).chain(kinds.iter().map(|(name, it)| (name.as_str(), *it)))
    {
        let (precision, recall, f2) = counts.scores();
        println!("{name:<20} {precision:>9.3} {recall:>7.3} {f2:>7.3}");
    }
    Ok(())
}

fn count(text: &LabelledText, all: &mut TokenCounts, kinds: &mut BTreeMap<String, TokenCounts>) {
    let found = find(&text.full_text);
    for (from, to, first) in tokens(&text.full_text) {
        let truth = text.spans.iter().find(|it| it.start_position <= first && first < it.end_position);
        let told = found.iter().find(|it| it.from < to && from < it.to);
        let told_name = told.map(|it| name(it.kind));
        *all = TokenCounts(
            all.0 + usize::from(truth.is_some() && told.is_some()),
            all.1 + usize::from(told.is_some()),
            all.2 + usize::from(truth.is_some()),
        );
        if let Some(truth) = truth {
            let own = kinds.entry(truth.entity_type.clone()).or_default();
            own.2 += 1;
            own.0 += usize::from(told_name == Some(truth.entity_type.as_str()));
        }
        if let Some(name) = told_name {
            kinds.entry(name.to_owned()).or_default().1 += 1;
        }
    }
}

/// The name of a kind in the set.
fn name(kind: PersonalKind) -> &'static str {
    match kind {
        PersonalKind::Person => "PERSON",
        PersonalKind::StreetAddress => "STREET_ADDRESS",
        PersonalKind::Place => "GPE",
        PersonalKind::Organization => "ORGANIZATION",
        PersonalKind::CreditCard => "CREDIT_CARD",
        PersonalKind::DateTime => "DATE_TIME",
        PersonalKind::Title => "TITLE",
        PersonalKind::PhoneNumber => "PHONE_NUMBER",
        PersonalKind::Age => "AGE",
        PersonalKind::Nationality => "NRP",
        PersonalKind::EmailAddress => "EMAIL_ADDRESS",
        PersonalKind::WebAddress => "DOMAIN_NAME",
        PersonalKind::Postcode => "ZIP_CODE",
        PersonalKind::Iban => "IBAN_CODE",
        PersonalKind::IpAddress => "IP_ADDRESS",
        PersonalKind::NationalId => "US_SSN",
        PersonalKind::DriverLicense | PersonalKind::Passport => "US_DRIVER_LICENSE",
    }
}

/// First and last byte of each token, and the number of its first character.
fn tokens(text: &str) -> Vec<(usize, usize, usize)> {
    let mut found: Vec<(usize, usize, usize)> = Vec::new();
    let mut last = None;
    for (index, (at, character)) in text.char_indices().enumerate() {
        let kind = if character.is_whitespace() {
            None
        } else if character.is_alphanumeric() {
            Some(true)
        } else {
            Some(false)
        };
        let end = at + character.len_utf8();
        match (kind, found.last_mut()) {
            (Some(true), Some(token)) if last == Some(true) => token.1 = end,
            (Some(_), _) => found.push((at, end, index)),
            (None, _) => {}
        }
        last = kind;
    }
    found
}
