//! The tagger: an averaged perceptron that gives each token a label, from left to right.

use std::collections::HashMap;
use std::sync::OnceLock;

use super::features::{features, tokens};
use super::kinds::{FoundBy, PersonalKind, PersonalSpan, TEXT_CHARS_MAX};

/// The factor of weights in the file.
const SCALE: f64 = 24.0;
const LABELS: usize = 18;

/// Labels in the order of the file. The first is for what is not personal.
const NAMES: [(&str, Option<PersonalKind>); LABELS] = [
    ("O", None),
    ("PERSON", Some(PersonalKind::Person)),
    ("STREET_ADDRESS", Some(PersonalKind::StreetAddress)),
    ("GPE", Some(PersonalKind::Place)),
    ("ORGANIZATION", Some(PersonalKind::Organization)),
    ("CREDIT_CARD", Some(PersonalKind::CreditCard)),
    ("DATE_TIME", Some(PersonalKind::DateTime)),
    ("TITLE", Some(PersonalKind::Title)),
    ("PHONE_NUMBER", Some(PersonalKind::PhoneNumber)),
    ("AGE", Some(PersonalKind::Age)),
    ("NRP", Some(PersonalKind::Nationality)),
    ("EMAIL_ADDRESS", Some(PersonalKind::EmailAddress)),
    ("DOMAIN_NAME", Some(PersonalKind::WebAddress)),
    ("ZIP_CODE", Some(PersonalKind::Postcode)),
    ("IBAN_CODE", Some(PersonalKind::Iban)),
    ("IP_ADDRESS", Some(PersonalKind::IpAddress)),
    ("US_SSN", Some(PersonalKind::NationalId)),
    ("US_DRIVER_LICENSE", Some(PersonalKind::DriverLicense)),
];

struct TaggerModel {
    weights: HashMap<u32, [i16; LABELS]>,
    /// The handicap of `O`: a name that is missed costs more than one too many.
    margin: i32,
}

fn model() -> &'static TaggerModel {
    static MODEL: OnceLock<TaggerModel> = OnceLock::new();
    MODEL.get_or_init(|| read(include_bytes!("tagger.bin")))
}

fn read(bytes: &[u8]) -> TaggerModel {
    let number = |at: usize| <[u8; 4]>::try_from(&bytes[at..at + 4]).map_or(0, u32::from_le_bytes);
    let (count, margin) = (number(0), number(4) as i32);
    let mut weights: HashMap<u32, [i16; LABELS]> = HashMap::new();
    let (mut at, mut feature) = (8, 0u32);
    for _ in 0..count {
        let (mut gap, mut shift) = (0u32, 0);
        while bytes[at] & 0x80 != 0 {
            gap |= u32::from(bytes[at] & 0x7f) << shift;
            shift += 7;
            at += 1;
        }
        feature += gap | (u32::from(bytes[at]) << shift);
        let row = weights.entry(feature).or_default();
        row[usize::from(bytes[at + 1])] = i16::from(bytes[at + 2] as i8);
        at += 3;
    }
    TaggerModel { weights, margin }
}

pub(super) fn find(text: &str) -> Vec<PersonalSpan> {
    let end = text.char_indices().nth(TEXT_CHARS_MAX).map_or(text.len(), |(at, _)| at);
    let tokens = tokens(&text[..end]);
    let model = model();
    let mut found: Vec<PersonalSpan> = Vec::new();
    let (mut previous, mut before) = ("^", "^");
    for (index, token) in tokens.iter().enumerate() {
        let (label, confidence) = model.label(&features(&tokens, index, previous, before));
        let (name, kind) = NAMES[label];
        if let Some(kind) = kind {
            let goes_on = previous == name && token.gap != 'n';
            match found.last_mut().filter(|_| goes_on) {
                Some(last) => {
                    last.to = token.to;
                    last.confidence = last.confidence.max(confidence);
                }
                None => found.push(PersonalSpan {
                    kind,
                    from: token.from,
                    to: token.to,
                    confidence,
                    by: FoundBy::Tagger,
                    country: None,
                }),
            }
        }
        (before, previous) = (previous, name);
    }
    found
}

impl TaggerModel {
    fn label(&self, features: &[u32]) -> (usize, f64) {
        let mut scores = [0i32; LABELS];
        for row in features.iter().filter_map(|it| self.weights.get(it)) {
            scores.iter_mut().zip(row).for_each(|(score, weight)| *score += i32::from(*weight));
        }
        scores[0] -= self.margin;
        let mut best = 0;
        for label in 1..LABELS {
            if scores[label] > scores[best] {
                best = label;
            }
        }
        let lead = f64::from(scores[best] - scores[0]) / SCALE;
        (best, (100.0 / (1.0 + (-lead / 2.0).exp())).round() / 100.0)
    }
}
