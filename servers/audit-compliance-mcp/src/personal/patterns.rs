//! Numbers and addresses that follow a pattern.

use std::sync::OnceLock;

use regex::Regex;

use super::checks;
use super::kinds::{FoundBy, PersonalKind, PersonalSpan};

/// Characters before a number in which the word that explains it is looked for.
const CONTEXT_CHARS: usize = 40;

/// A pattern with what makes it certain.
struct PersonalPattern {
    kind: PersonalKind,
    country: Option<&'static str>,
    pattern: &'static str,
    check: Option<fn(&str) -> bool>,
    /// One of these words stands before it; empty if none is needed.
    words: &'static [&'static str],
    confidence: f64,
}

const fn plain(kind: PersonalKind, pattern: &'static str, confidence: f64) -> PersonalPattern {
    PersonalPattern { kind, country: None, pattern, check: None, words: &[], confidence }
}

const fn number(
    country: &'static str,
    pattern: &'static str,
    check: fn(&str) -> bool,
    words: &'static [&'static str],
) -> PersonalPattern {
    let check = Some(check);
    PersonalPattern {
        kind: PersonalKind::NationalId,
        country: Some(country),
        pattern,
        check,
        words,
        confidence: 0.95,
    }
}

fn card(text: &str) -> bool {
    let digits = checks::digits(text);
    (12..=19).contains(&digits.len()) && matches!(digits[0], 2..=6) && checks::luhn(&digits)
}

fn canadian(text: &str) -> bool {
    checks::luhn(&checks::digits(text))
}

/// Certain ones first: what they take is not looked at again.
const PATTERNS: &[PersonalPattern] = &[
    plain(PersonalKind::EmailAddress, r"(?i)\b[\w.%+'-]+@[\w-]+(?:\.[\w-]+)*\.\p{L}{2,}\b", 0.99),
    plain(PersonalKind::WebAddress, r#"(?i)\b(?:https?://|www\.)[^\s<>"')\]]+[^\s<>"')\].,;:!?]"#, 0.95),
    PersonalPattern {
        kind: PersonalKind::Iban,
        country: None,
        pattern: r"(?i)\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b",
        check: Some(checks::iban),
        words: &[],
        confidence: 0.99,
    },
    PersonalPattern {
        kind: PersonalKind::CreditCard,
        country: None,
        pattern: r"\b\d(?:[ -]?\d){11,18}\b",
        check: Some(card),
        words: &[],
        confidence: 0.97,
    },
    number("IT", r"(?i)\b[A-Z]{6}\d{2}[A-EHLMPRST]\d{2}[A-Z]\d{3}[A-Z]\b", checks::italian_code, &[]),
    number("ES", r"(?i)\b(?:\d{8}|[XYZ]-?\d{7})-?[A-Z]\b", checks::spanish_dni, &[]),
    number("FI", r"(?i)\b\d{6}[-+A]\d{3}[0-9A-Y]\b", checks::finnish, &[]),
    number("SG", r"(?i)\b[STFG]\d{7}[A-Z]\b", checks::singaporean, &[]),
    number(
        "FR",
        r"\b[12] ?\d{2} ?(?:0[1-9]|1[0-2]|[2-9]\d) ?(?:\d{2}|2[AB]) ?\d{3} ?\d{3} ?\d{2}\b",
        checks::french_nir,
        &[],
    ),
    number(
        "CN",
        r"\b\d{6}(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx]\b",
        checks::chinese,
        &[],
    ),
    number("BE", r"\b\d{2}\.(?:0[1-9]|1[0-2])\.(?:0[1-9]|[12]\d|3[01])-\d{3}\.\d{2}\b", checks::belgian, &[]),
    number("BR", r"\b\d{3}\.\d{3}\.\d{3}-\d{2}\b", checks::cpf, &[]),
    number("KR", r"\b\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])-[1-8]\d{6}\b", checks::korean, &[]),
    number(
        "SE",
        r"\b(?:19|20)?\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[-+]\d{4}\b",
        checks::swedish,
        &[],
    ),
    number("US", r"\b\d{3}-\d{2}-\d{4}\b", checks::social_security, &[]),
    number("GB", r"\b\d{3} \d{3} \d{4}\b", checks::nhs, &["nhs", "health"]),
    number("GB", r"(?i)\b[ABCEGHJ-PRSTW-Z][ABCEGHJ-NPRSTW-Z] ?\d{2} ?\d{2} ?\d{2} ?[A-D]\b", |_| true, &[]),
    number(
        "DE",
        r"\b[1-9]\d ?\d{3} ?\d{3} ?\d{3}\b",
        checks::german_tax,
        &["steuer", "tax", "idnr", "identifikation"],
    ),
    number("PL", r"\b\d{11}\b", checks::pesel, &["pesel"]),
    number("NO", r"\b\d{6} ?\d{5}\b", checks::norwegian, &["fødsel", "personnummer", "birth number"]),
    number("NL", r"\b\d{9}\b", checks::dutch_bsn, &["bsn", "burgerservice", "sofi"]),
    number("PT", r"\b\d{3} ?\d{3} ?\d{3}\b", checks::portuguese, &["nif", "contribuinte"]),
    number("IN", r"\b[2-9]\d{3} ?\d{4} ?\d{4}\b", checks::aadhaar, &[]),
    number("IN", r"\b[A-Z]{3}[ABCFGHLJPT][A-Z]\d{4}[A-Z]\b", |_| true, &[]),
    number("AU", r"\b\d{3} ?\d{3} ?\d{3}\b", checks::australian, &["tfn", "tax file"]),
    number("CA", r"\b\d{3}[ -]?\d{3}[ -]?\d{3}\b", canadian, &["sin", "social insurance"]),
    PersonalPattern {
        kind: PersonalKind::Passport,
        country: None,
        pattern: r"(?i)\b[A-Z]{0,2}\d{6,9}\b",
        check: None,
        words: &["passport", "passeport", "reisepass", "pasaporte"],
        confidence: 0.7,
    },
    PersonalPattern {
        kind: PersonalKind::DriverLicense,
        country: None,
        pattern: r"(?i)\b[A-Z]{0,2}\d[A-Z0-9-]{4,13}\b",
        check: None,
        words: &["driver's license", "driver license", "driving licence", "drivers license", "führerschein"],
        confidence: 0.7,
    },
    plain(
        PersonalKind::IpAddress,
        r"\b(?:(?:25[0-5]|2[0-4]\d|1?\d?\d)\.){3}(?:25[0-5]|2[0-4]\d|1?\d?\d)\b",
        0.9,
    ),
    plain(PersonalKind::IpAddress, r"(?i)\b(?:[0-9a-f]{1,4}:){4,7}[0-9a-f]{1,4}\b", 0.9),
    plain(PersonalKind::PhoneNumber, r"\+\d{1,3}[ .()/-]?(?:\(?\d{1,4}\)?[ ./-]?){2,5}\d{2,4}\b", 0.9),
];

fn compiled() -> &'static [Regex] {
    static ALL: OnceLock<Vec<Regex>> = OnceLock::new();
    ALL.get_or_init(|| {
        PATTERNS.iter().map(|it| Regex::new(it.pattern).expect("the patterns are tested")).collect()
    })
}

pub(super) fn find(text: &str) -> Vec<PersonalSpan> {
    let mut found: Vec<PersonalSpan> = Vec::new();
    for (own, regex) in PATTERNS.iter().zip(compiled()) {
        for hit in regex.find_iter(text) {
            let overlaps = found.iter().any(|it| it.from < hit.end() && hit.start() < it.to);
            if overlaps
                || !own.check.is_none_or(|check| check(hit.as_str()))
                || !explained(own, text, hit.start())
            {
                continue;
            }
            let by = if own.check.is_some() { FoundBy::CheckDigits } else { FoundBy::Pattern };
            found.push(PersonalSpan {
                kind: own.kind,
                from: hit.start(),
                to: hit.end(),
                confidence: own.confidence,
                by,
                country: own.country,
            });
        }
    }
    found
}

fn explained(pattern: &PersonalPattern, text: &str, at: usize) -> bool {
    if pattern.words.is_empty() {
        return true;
    }
    let from = text[..at].char_indices().rev().nth(CONTEXT_CHARS).map_or(0, |(at, _)| at);
    let before = text[from..at].to_lowercase();
    pattern.words.iter().any(|word| before.contains(word))
}
