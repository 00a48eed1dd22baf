//! Numbers of payment cards: recognised by their first digits, their length and the check digit, written in
//! one piece or in the groups printed on the card.

use std::ops::Range;

pub(crate) const CARD: &str = "card number";

/// The shortest ones.
const CARD_BYTES_MIN: usize = 14;
const CARD_DIGITS_MAX: usize = 16;
/// The groups of digits on cards.
const GROUPS: [&[usize]; 6] = [&[16], &[15], &[14], &[4, 4, 4, 4], &[4, 6, 5], &[4, 6, 4]];
/// Smaller numbers are not card numbers.
const NUMBER_MIN: u64 = 10_u64.pow(13);

/// The positions of card numbers.
pub(super) fn cards(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    each_card(text.as_bytes(), |place| {
        if stands_alone(text.as_bytes(), &place) {
            found.push(place);
        }
    });
    found
}

/// True if a JSON text may contain one: an escape may precede it.
pub(crate) fn may_hold_card(json: &str) -> bool {
    let mut any = false;
    each_card(json.as_bytes(), |place| any |= !is_fraction(json.as_bytes(), &place));
    any
}

/// The digits of a card, if a number is one.
pub(crate) fn card_of_number(number: u64) -> Option<String> {
    let digits = (number >= NUMBER_MIN).then(|| number.to_string())?;
    is_card(digits.as_bytes()).then_some(digits)
}

/// A run of digits and separators that is long enough covers one of the positions that are its minimum length
/// apart, so only these are checked.
fn each_card(text: &[u8], mut see: impl FnMut(Range<usize>)) {
    let mut at = CARD_BYTES_MIN - 1;
    while at < text.len() {
        if !belongs(text[at]) {
            at += CARD_BYTES_MIN;
            continue;
        }
        let start = at - text[..at].iter().rev().take_while(|byte| belongs(**byte)).count();
        let end = at + text[at..].iter().take_while(|byte| belongs(**byte)).count();
        if end - start >= CARD_BYTES_MIN {
            cards_in_run(text, start..end, &mut see);
        }
        at = end + CARD_BYTES_MIN;
    }
}

fn belongs(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b' ' | b'-')
}

fn cards_in_run(text: &[u8], run: Range<usize>, see: &mut impl FnMut(Range<usize>)) {
    let mut at = run.start;
    while at < run.end {
        if !text[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        match GROUPS.iter().find_map(|groups| grouped(text, at..run.end, groups)) {
            Some(end) => {
                see(at..end);
                at = end;
            }
            None => at += text[at..run.end].iter().take_while(|byte| byte.is_ascii_digit()).count(),
        }
    }
}

/// The end of the card number that starts here, if its digits are in these groups with one separator between
/// them.
fn grouped(text: &[u8], run: Range<usize>, groups: &[usize]) -> Option<usize> {
    let mut digits = [0; CARD_DIGITS_MAX];
    let mut count = 0;
    let mut at = run.start;
    let mut separator = None;
    for (place, group) in groups.iter().enumerate() {
        if place > 0 {
            let between = *text[..run.end].get(at)?;
            if *separator.get_or_insert(between) != between {
                return None;
            }
            at += 1;
        }
        let length = text[at..run.end].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if length != *group {
            return None;
        }
        digits[count..count + length].copy_from_slice(&text[at..at + length]);
        count += length;
        at += length;
    }
    is_card(&digits[..count]).then_some(at)
}

fn is_card(digits: &[u8]) -> bool {
    let number =
        |length: usize| digits[..length].iter().fold(0_u32, |all, digit| all * 10 + u32::from(digit - b'0'));
    let is_issued = match digits.len() {
        14 => matches!(number(3), 300..=305 | 360..=369 | 380..=389),
        15 => matches!(number(2), 34 | 37),
        16 => {
            matches!(number(1), 4)
                || matches!(number(2), 51..=55 | 62 | 65)
                || matches!(number(3), 644..=649)
                || matches!(number(4), 2221..=2720 | 3528..=3589 | 6011)
        }
        _ => false,
    };
    is_issued && checks(digits)
}

/// Luhn's check.
fn checks(digits: &[u8]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| {
            let digit = u32::from(digit - b'0');
            match place % 2 {
                0 => digit,
                _ if digit > 4 => digit * 2 - 9,
                _ => digit * 2,
            }
        })
        .sum();
    sum.is_multiple_of(10)
}

/// True if it is not part of a name, of an id or of a fraction.
fn stands_alone(text: &[u8], place: &Range<usize>) -> bool {
    let of_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let before = text[..place.start].last().is_some_and(of_word);
    let after = text.get(place.end).is_some_and(of_word);
    !before && !after && !is_fraction(text, place)
}

fn is_fraction(text: &[u8], place: &Range<usize>) -> bool {
    matches!(text[..place.start], [.., digit, b'.'] if digit.is_ascii_digit())
}
