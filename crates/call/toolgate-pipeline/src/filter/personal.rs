//! Personal data by its look: an expression that finds candidates, and a check that confirms them. A plain
//! number or a file's name must not match.

use std::ops::Range;

use regex::Regex;

use super::search::{FilterSearch, FilterSet};

/// Narrows a match to the relevant part, or discards it.
pub(super) type MatchCheck = fn(&str, Range<usize>) -> Option<Range<usize>>;

#[derive(Debug)]
pub(super) struct PatternFinder {
    pub(super) pattern: &'static str,
    check: MatchCheck,
}

impl PatternFinder {
    pub(super) fn search(&self, kind: &'static str, wanted_by: FilterSet) -> FilterSearch {
        let regex = Regex::new(self.pattern).expect("an expression of ours");
        FilterSearch { regex, check: Some(self.check), kind, wanted_by }
    }
}

pub(super) const EMAIL: PatternFinder = PatternFinder {
    pattern: r"(?i-u)\b[a-z0-9][a-z0-9._%+'-]{0,63}@(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,24}\b",
    check: email,
};
pub(super) const IBAN: PatternFinder = PatternFinder { pattern: r"(?i-u)\b[a-z]{2}[0-9]{2}", check: iban };
pub(super) const SSN: PatternFinder =
    PatternFinder { pattern: r"(?-u)\b[0-9]{3}-[0-9]{2}-[0-9]{4}\b", check: ssn };
pub(super) const PHONE: [PatternFinder; 2] = [
    PatternFinder { pattern: r"(?-u)\+[1-9][0-9]{0,2}(?:[ .-]?\(?[0-9]{1,4}\)?){2,7}", check: phone_abroad },
    PatternFinder {
        pattern: r"(?-u)(?:\([2-9][0-9]{2}\) ?|\b[2-9][0-9]{2}-)[2-9][0-9]{2}-[0-9]{4}\b",
        check: phone_of_north_america,
    },
];

/// The extensions of pictures and sources, as in `logo@2x.png`.
const FILE_ENDINGS: [&str; 12] =
    ["png", "jpg", "jpeg", "gif", "svg", "webp", "avif", "ico", "css", "js", "mjs", "map"];

fn email(text: &str, found: Range<usize>) -> Option<Range<usize>> {
    let (before, address, after) = around(text, &found);
    let ending = address.rsplit('.').next().unwrap_or_default();
    let is_file = FILE_ENDINGS.iter().any(|file| ending.eq_ignore_ascii_case(file));
    // `git@github.com:toolgate/x` and `ssh://git@host` are places and no persons.
    let is_place = before.ends_with("://") || (address.starts_with("git@") && after.starts_with([':', '/']));
    (!is_file && !is_place).then_some(found)
}

/// The length of each country's numbers, by the registry of SWIFT.
const IBAN_LENGTHS: [(&str, usize); 86] = [
    ("AD", 24),
    ("AE", 23),
    ("AL", 28),
    ("AT", 20),
    ("AZ", 28),
    ("BA", 20),
    ("BE", 16),
    ("BG", 22),
    ("BH", 22),
    ("BI", 27),
    ("BR", 29),
    ("BY", 28),
    ("CH", 21),
    ("CR", 22),
    ("CY", 28),
    ("CZ", 24),
    ("DE", 22),
    ("DJ", 27),
    ("DK", 18),
    ("DO", 28),
    ("EE", 20),
    ("EG", 29),
    ("ES", 24),
    ("FI", 18),
    ("FK", 18),
    ("FO", 18),
    ("FR", 27),
    ("GB", 22),
    ("GE", 22),
    ("GI", 23),
    ("GL", 18),
    ("GR", 27),
    ("GT", 28),
    ("HR", 21),
    ("HU", 28),
    ("IE", 22),
    ("IL", 23),
    ("IQ", 23),
    ("IS", 26),
    ("IT", 27),
    ("JO", 30),
    ("KW", 30),
    ("KZ", 20),
    ("LB", 28),
    ("LC", 32),
    ("LI", 21),
    ("LT", 20),
    ("LU", 20),
    ("LV", 21),
    ("LY", 25),
    ("MC", 27),
    ("MD", 24),
    ("ME", 22),
    ("MK", 19),
    ("MN", 20),
    ("MR", 27),
    ("MT", 31),
    ("MU", 30),
    ("NI", 28),
    ("NL", 18),
    ("NO", 15),
    ("OM", 23),
    ("PK", 24),
    ("PL", 28),
    ("PS", 29),
    ("PT", 25),
    ("QA", 29),
    ("RO", 24),
    ("RS", 22),
    ("RU", 33),
    ("SA", 24),
    ("SC", 31),
    ("SD", 18),
    ("SE", 24),
    ("SI", 19),
    ("SK", 24),
    ("SM", 27),
    ("SO", 23),
    ("ST", 25),
    ("SV", 28),
    ("TL", 23),
    ("TN", 24),
    ("TR", 26),
    ("UA", 29),
    ("VA", 22),
    ("VG", 24),
];
/// The number of characters per group on paper.
const IBAN_GROUP: usize = 4;

fn iban(text: &str, found: Range<usize>) -> Option<Range<usize>> {
    let country = text[found.start..found.start + 2].to_ascii_uppercase();
    let length = IBAN_LENGTHS.iter().find(|(known, _)| *known == country)?.1;
    let mut written: Vec<u8> = Vec::with_capacity(length);
    let mut at = found.start;
    while written.len() < length {
        let byte = *text.as_bytes().get(at)?;
        // One space, after a whole group.
        let between_groups = !written.is_empty()
            && written.len().is_multiple_of(IBAN_GROUP)
            && text.as_bytes()[at - 1].is_ascii_alphanumeric();
        match byte {
            b' ' if between_groups => {}
            byte if byte.is_ascii_alphanumeric() => written.push(byte.to_ascii_uppercase()),
            _ => return None,
        }
        at += 1;
    }
    let goes_on = text.as_bytes().get(at).is_some_and(u8::is_ascii_alphanumeric);
    (!goes_on && has_iban_check(&written)).then_some(found.start..at)
}

/// The first four characters last, letters as two digits, modulo 97.
fn has_iban_check(written: &[u8]) -> bool {
    let (head, rest) = written.split_at(IBAN_GROUP);
    let remainder = rest.iter().chain(head).fold(0_u32, |remainder, byte| match byte {
        b'0'..=b'9' => (remainder * 10 + u32::from(byte - b'0')) % 97,
        letter => (remainder * 100 + u32::from(letter - b'A') + 10) % 97,
    });
    remainder == 1
}

/// Areas, groups and serial numbers that are never given out.
fn ssn(text: &str, found: Range<usize>) -> Option<Range<usize>> {
    let (before, number, after) = around(text, &found);
    let (area, group, serial) = (&number[..3], &number[4..6], &number[7..]);
    let is_given =
        !matches!(area, "000" | "666") && !area.starts_with('9') && group != "00" && serial != "0000";
    let stands_alone = !before.ends_with(['-', '.', '+', '/']) && !after.starts_with(['-', '/']);
    (is_given && stands_alone).then_some(found)
}

/// The maximum length of a number by the rules of the ITU, and the minimum length worth checking.
const PHONE_DIGITS: std::ops::RangeInclusive<usize> = 8..=15;

fn phone_abroad(text: &str, found: Range<usize>) -> Option<Range<usize>> {
    let number = text[found.clone()].trim_end_matches([' ', '.', '-', '(']);
    let end = found.start + number.len();
    let digits: String = number.chars().filter(char::is_ascii_digit).collect();
    let before = text[..found.start].chars().next_back();
    // `x12` behind a number is an extension.
    let behind = text[end..].strip_prefix('x').filter(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let stands_alone = !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '+' | '=' | '.' | ')'))
        && (behind.is_some() || !text[end..].starts_with(|c: char| c.is_alphanumeric()));
    let is_it = stands_alone && PHONE_DIGITS.contains(&digits.len()) && is_calling_code(&digits);
    is_it.then_some(found.start..end)
}

/// True if a number starts with a country code: one, two or three digits, none of which is a prefix of
/// another.
fn is_calling_code(digits: &str) -> bool {
    const OF_TWO: [&str; 44] = [
        "20", "27", "30", "31", "32", "33", "34", "36", "39", "40", "41", "43", "44", "45", "46", "47", "48",
        "49", "51", "52", "53", "54", "55", "56", "57", "58", "60", "61", "62", "63", "64", "65", "66", "81",
        "82", "84", "86", "90", "91", "92", "93", "94", "95", "98",
    ];
    const TENS_OF_THREE: [&str; 20] = [
        "21", "22", "23", "24", "25", "26", "29", "35", "37", "38", "42", "50", "59", "67", "68", "69", "85",
        "88", "96", "99",
    ];
    const BEGINNINGS_OF_THREE: [&str; 8] = ["970", "971", "972", "973", "974", "975", "976", "977"];
    digits.starts_with(['1', '7'])
        || OF_TWO.contains(&&digits[..2])
        || TENS_OF_THREE.contains(&&digits[..2])
        || BEGINNINGS_OF_THREE.contains(&&digits[..3])
}

fn phone_of_north_america(text: &str, found: Range<usize>) -> Option<Range<usize>> {
    let (before, _, after) = around(text, &found);
    // With the country's code in front it is found as a whole.
    let has_code = before.trim_end_matches([' ', '-', '.']).ends_with("+1");
    let stands_alone = !has_code
        && !before.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '.' | '/'))
        && !after.starts_with(['-', '/']);
    stands_alone.then_some(found)
}

fn around<'t>(text: &'t str, found: &Range<usize>) -> (&'t str, &'t str, &'t str) {
    (&text[..found.start], &text[found.clone()], &text[found.end..])
}
