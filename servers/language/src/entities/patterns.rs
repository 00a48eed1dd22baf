//! Entities recognised by their form: e-mail, web and IP addresses, numbers with check digits, telephone
//! numbers.

use std::net::IpAddr;
use std::ops::Range;
use std::sync::LazyLock;

use regex::Regex;

use super::found::{EntityFinding, EntityKind};
use crate::entities::checks;

static EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?i)[\p{L}\p{N}][\p{L}\p{N}._%+'-]*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?\.)+\p{L}{2,24}",
    )
});
static URL: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r#"(?i)\b(?:https?://|ftp://|www\.)[^\s<>"'“”«»]+|\b(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+(?:com|org|net|edu|gov|io|dev|de|fr|es|it|pt|nl|eu|uk|ch|at|info)(?:/[^\s<>"'“”«»]*)?\b"#,
    )
});
static IP: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\b\d{1,3}(?:\.\d{1,3}){3}\b|(?i)\b(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}\b"));
static IBAN: LazyLock<Regex> =
    LazyLock::new(|| regex(r"\b[A-Z]{2}\d{2}(?: ?[A-Z0-9]{4}){2,7}(?: ?[A-Z0-9]{1,3})?\b"));
static CARD: LazyLock<Regex> = LazyLock::new(|| regex(r"\b\d(?:[ -]?\d){12,18}\b"));
static PHONE: LazyLock<Regex> = LazyLock::new(|| {
    regex(
        r"(?:\+|\b00)\d{1,3}[ .\-/]?(?:\(\d{1,5}\)[ .\-/]?)?\d(?:[ .\-/]?\d){5,13}\b|\(\d{2,5}\)[ .\-/]?\d(?:[ .\-/]?\d){4,11}\b|\b0\d{1,5}[ \-/]\d(?:[ .\-/]?\d){4,10}\b|\b\d{3}[.\- ]\d{3}[.\- ]\d{4}\b",
    )
});

fn regex(pattern: &str) -> Regex {
    Regex::new(pattern).expect("the patterns are checked by tests")
}

/// All but telephone numbers, the surest first.
pub(super) fn find(text: &str) -> Vec<EntityFinding> {
    let mut found: Vec<EntityFinding> =
        EMAIL.find_iter(text).map(|hit| sure(EntityKind::Email, hit.range(), None)).collect();
    found.extend(URL.find_iter(text).map(|hit| sure(EntityKind::Url, web_address(text, hit.range()), None)));
    found.extend(IP.find_iter(text).filter_map(|hit| ip(hit.as_str(), hit.range())));
    let accounts: Vec<_> = IBAN.find_iter(text).collect();
    found.extend(accounts.iter().filter_map(|hit| iban(hit.as_str(), hit.range())));
    let cards = CARD.find_iter(text).filter(|hit| !is_in_account(&accounts, hit));
    found.extend(cards.filter_map(|hit| card(hit.as_str(), hit.range())));
    found
}

/// After dates and amounts, which can look like them.
pub(super) fn find_phones(text: &str) -> Vec<EntityFinding> {
    let phone = |hit: regex::Match<'_>| {
        let digits: String = hit.as_str().chars().filter(|c| c.is_ascii_digit() || *c == '+').collect();
        let international = digits.starts_with('+') || digits.starts_with("00");
        let confidence = if international { 0.95 } else { 0.75 };
        (7..=16).contains(&digits.len()).then(|| EntityFinding {
            kind: EntityKind::Phone,
            place: hit.range(),
            value: Some(digits),
            confidence,
        })
    };
    let accounts: Vec<_> = IBAN.find_iter(text).collect();
    PHONE.find_iter(text).filter(|hit| !is_in_account(&accounts, hit)).filter_map(phone).collect()
}

/// Digits of an account that is mistyped may look like those of a card or a telephone.
fn is_in_account(accounts: &[regex::Match<'_>], hit: &regex::Match<'_>) -> bool {
    let before = accounts.partition_point(|account| account.start() < hit.start());
    before > 0 && accounts[before - 1].end() > hit.start()
}

fn sure(kind: EntityKind, place: Range<usize>, value: Option<String>) -> EntityFinding {
    EntityFinding { kind, place, value, confidence: 0.99 }
}

/// Without the punctuation of its sentence.
fn web_address(text: &str, place: Range<usize>) -> Range<usize> {
    let mut address = &text[place.clone()];
    loop {
        let shorter =
            address.trim_end_matches(['.', ',', ';', ':', '!', '?', '…', ']', '}', '*', '，', '。']);
        let open = shorter.contains('(');
        let shorter = if open { shorter } else { shorter.trim_end_matches(')') };
        if shorter.len() == address.len() {
            return place.start..place.start + address.len();
        }
        address = shorter;
    }
}

fn ip(written: &str, place: Range<usize>) -> Option<EntityFinding> {
    let address: IpAddr = written.parse().ok()?;
    let plain = address.is_ipv4() || written.bytes().any(|byte| byte.is_ascii_digit());
    plain.then(|| sure(EntityKind::IpAddress, place, Some(address.to_string())))
}

/// Capitalized words may follow an IBAN and look like a part of it: the longest valid prefix is taken.
fn iban(written: &str, place: Range<usize>) -> Option<EntityFinding> {
    let mut end = written.len();
    loop {
        let compact: String = written[..end].chars().filter(|c| !c.is_whitespace()).collect();
        if checks::is_iban(&compact) {
            return Some(sure(EntityKind::Iban, place.start..place.start + end, Some(compact)));
        }
        end = written[..end].rfind(' ')?;
    }
}

fn card(written: &str, place: Range<usize>) -> Option<EntityFinding> {
    let digits: String = written.chars().filter(char::is_ascii_digit).collect();
    checks::is_card(&digits).then_some(EntityFinding {
        kind: EntityKind::CreditCard,
        place,
        value: Some(digits),
        confidence: 0.9,
    })
}
