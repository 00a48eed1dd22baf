//! Check digits: whether a number can be valid.

/// The last digit of the number of a card proves the others (Luhn).
pub(super) fn is_card(digits: &str) -> bool {
    let double = |digit: u32| if digit > 4 { digit * 2 - 9 } else { digit * 2 };
    let digits: Vec<u32> = digits.chars().filter_map(|digit| digit.to_digit(10)).collect();
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(place, digit)| if place % 2 == 1 { double(*digit) } else { *digit })
        .sum();
    let one_digit = digits.iter().all(|digit| Some(digit) == digits.first());
    (13..=19).contains(&digits.len()) && sum.is_multiple_of(10) && !one_digit
}

/// An IBAN without blanks leaves 1 when it is divided by 97.
pub(super) fn is_iban(compact: &str) -> bool {
    if !(15..=34).contains(&compact.len()) || !compact.is_ascii() {
        return false;
    }
    let (head, rest) = compact.split_at(4);
    let remainder = rest.chars().chain(head.chars()).try_fold(0_u32, |remainder, character| {
        let value = character.to_digit(36)?;
        let shift = if value > 9 { 100 } else { 10 };
        Some((remainder * shift + value) % 97)
    });
    remainder == Some(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn check_digits_prove_numbers() {
        assert!(is_card("4111111111111111"));
        assert!(!is_card("4111111111111112"));
        assert!(!is_card("0000000000000000"));
        assert!(is_iban("DE89370400440532013000"));
        assert!(is_iban("GB82WEST12345698765432"));
        assert!(!is_iban("DE89370400440532013001"));
        assert!(!is_iban("DE89"));
    }
}
