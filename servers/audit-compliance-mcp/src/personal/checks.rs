//! Check digits, by the rule of each number.

/// Digits of a text without what people write between them.
pub(super) fn digits(text: &str) -> Vec<u32> {
    text.chars().filter_map(|it| it.to_digit(10)).collect()
}

/// Cards, Canadian, South African and Swedish numbers.
pub(super) fn luhn(digits: &[u32]) -> bool {
    let sum: u32 = digits
        .iter()
        .rev()
        .enumerate()
        .map(|(at, digit)| if at % 2 == 1 { digit * 2 / 10 + digit * 2 % 10 } else { *digit })
        .sum();
    !digits.is_empty() && sum.is_multiple_of(10) && digits.iter().any(|it| *it != digits[0])
}

/// The sum of digits times weights.
fn weighted(digits: &[u32], weights: &[u32]) -> u32 {
    digits.iter().zip(weights).map(|(digit, weight)| digit * weight).sum()
}

pub(super) fn iban(text: &str) -> bool {
    let plain: Vec<char> = text.chars().filter(|it| it.is_ascii_alphanumeric()).collect();
    if !(15..=34).contains(&plain.len()) {
        return false;
    }
    let moved = plain[4..].iter().chain(&plain[..4]);
    let rest = moved.fold(0u64, |sum, it| match it.to_digit(36) {
        Some(value) if value > 9 => (sum * 100 + u64::from(value)) % 97,
        Some(value) => (sum * 10 + u64::from(value)) % 97,
        None => sum,
    });
    rest == 1
}

/// United Kingdom, National Health Service.
pub(super) fn nhs(text: &str) -> bool {
    let it = digits(text);
    let rest = 11 - weighted(&it[..9.min(it.len())], &[10, 9, 8, 7, 6, 5, 4, 3, 2]) % 11;
    it.len() == 10 && rest != 10 && it[9] == rest % 11
}

/// Germany, tax.
pub(super) fn german_tax(text: &str) -> bool {
    let it = digits(text);
    if it.len() != 11 || it[0] == 0 {
        return false;
    }
    let product = it[..10].iter().fold(10, |product, digit| {
        let sum = match (digit + product) % 10 {
            0 => 10,
            sum => sum,
        };
        sum * 2 % 11
    });
    (11 - product) % 10 == it[10]
}

/// France, social security: 97 minus the remainder.
pub(super) fn french_nir(text: &str) -> bool {
    let plain = text.replace(['A', 'a'], "0").replace(['B', 'b'], "0");
    let it = digits(&plain);
    if it.len() != 15 {
        return false;
    }
    let number = |it: &[u32]| it.iter().fold(0u64, |sum, digit| sum * 10 + u64::from(*digit));
    97 - number(&it[..13]) % 97 == number(&it[13..])
}

/// Spain, identity: the letter follows from the number.
pub(super) fn spanish_dni(text: &str) -> bool {
    const LETTERS: &[u8; 23] = b"TRWAGMYFPDXBNJZSQVHLCKE";
    let upper = text.to_ascii_uppercase().replace(['-', ' ', '.'], "");
    let number = upper.replacen('X', "0", 1).replacen('Y', "1", 1).replacen('Z', "2", 1);
    let plain = if upper.starts_with(['X', 'Y', 'Z']) { &number } else { &upper };
    let Some((number, letter)) = plain.split_at_checked(plain.len().saturating_sub(1)) else { return false };
    let Ok(number) = number.parse::<usize>() else { return false };
    letter.as_bytes().first() == Some(&LETTERS[number % 23])
}

/// Italy, fiscal code.
pub(super) fn italian_code(text: &str) -> bool {
    const ODD: [u32; 26] =
        [1, 0, 5, 7, 9, 13, 15, 17, 19, 21, 2, 4, 18, 20, 11, 3, 6, 8, 12, 14, 16, 10, 22, 25, 24, 23];
    let upper = text.to_ascii_uppercase();
    let value = |it: char| it.to_digit(10).or_else(|| it.to_digit(36).map(|it| it - 10));
    let letters: Vec<char> = upper.chars().collect();
    if letters.len() != 16 {
        return false;
    }
    let sum: Option<u32> = letters[..15]
        .iter()
        .enumerate()
        .map(|(at, it)| value(*it).map(|it| if at % 2 == 0 { ODD[it as usize] } else { it }))
        .sum();
    sum.and_then(|sum| char::from_digit(sum % 26 + 10, 36))
        .is_some_and(|it| it.to_ascii_uppercase() == letters[15])
}

/// Netherlands, citizen service number.
pub(super) fn dutch_bsn(text: &str) -> bool {
    let it = digits(text);
    it.len() == 9
        && it.iter().any(|digit| *digit > 0)
        && (weighted(&it[..8], &[9, 8, 7, 6, 5, 4, 3, 2]) + it[8] * 10).is_multiple_of(11)
}

/// Belgium, national number.
pub(super) fn belgian(text: &str) -> bool {
    let it = digits(text);
    if it.len() != 11 {
        return false;
    }
    let number = it[..9].iter().fold(0u64, |sum, digit| sum * 10 + u64::from(*digit));
    let check = u64::from(it[9] * 10 + it[10]);
    97 - number % 97 == check || 97 - (2_000_000_000 + number) % 97 == check
}

/// Poland, PESEL.
pub(super) fn pesel(text: &str) -> bool {
    let it = digits(text);
    it.len() == 11 && (10 - weighted(&it[..10], &[1, 3, 7, 9, 1, 3, 7, 9, 1, 3]) % 10) % 10 == it[10]
}

/// Sweden, personal number: the last ten digits.
pub(super) fn swedish(text: &str) -> bool {
    let it = digits(text);
    matches!(it.len(), 10 | 12) && luhn(&it[it.len() - 10..])
}

/// Norway, birth number.
pub(super) fn norwegian(text: &str) -> bool {
    let it = digits(text);
    let check = |sum: u32| (11 - sum % 11) % 11;
    it.len() == 11
        && check(weighted(&it[..9], &[3, 7, 6, 1, 8, 9, 4, 5, 2])) == it[9]
        && check(weighted(&it[..10], &[5, 4, 3, 2, 7, 6, 5, 4, 3, 2])) == it[10]
}

/// Finland, personal identity code.
pub(super) fn finnish(text: &str) -> bool {
    const SIGNS: &[u8; 31] = b"0123456789ABCDEFHJKLMNPRSTUVWXY";
    let it = digits(&text[..text.len().min(10)]);
    let number = it.iter().fold(0usize, |sum, digit| sum * 10 + *digit as usize);
    text.len() == 11 && it.len() == 9 && text.as_bytes()[10].to_ascii_uppercase() == SIGNS[number % 31]
}

/// Portugal, tax.
pub(super) fn portuguese(text: &str) -> bool {
    let it = digits(text);
    let check = |sum: u32| match 11 - sum % 11 {
        10 | 11 => 0,
        other => other,
    };
    it.len() == 9 && check(weighted(&it[..8], &[9, 8, 7, 6, 5, 4, 3, 2])) == it[8]
}

/// Brazil, CPF.
pub(super) fn cpf(text: &str) -> bool {
    let it = digits(text);
    let check = |length: usize| {
        let sum: u32 = (0..length).map(|at| it[at] * (length as u32 + 1 - at as u32)).sum();
        sum * 10 % 11 % 10
    };
    it.len() == 11 && it.iter().any(|digit| *digit != it[0]) && check(9) == it[9] && check(10) == it[10]
}

/// India, Aadhaar: the scheme of Verhoeff, in which digits are elements of the symmetry group of the pentagon.
pub(super) fn aadhaar(text: &str) -> bool {
    const TURNS: [[u32; 10]; 8] = [
        [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
        [1, 5, 7, 6, 2, 8, 3, 0, 9, 4],
        [5, 8, 0, 3, 7, 9, 6, 1, 4, 2],
        [8, 9, 1, 6, 0, 4, 3, 5, 2, 7],
        [9, 4, 5, 3, 1, 2, 6, 8, 7, 0],
        [4, 2, 8, 6, 5, 7, 3, 9, 0, 1],
        [2, 7, 9, 3, 8, 0, 6, 4, 1, 5],
        [7, 0, 4, 6, 9, 1, 3, 2, 5, 8],
    ];
    let product = |a: u32, b: u32| match (a < 5, b < 5) {
        (true, true) => (a + b) % 5,
        (true, false) => (a + b - 5) % 5 + 5,
        (false, true) => (a - 5 + 5 - b) % 5 + 5,
        (false, false) => (a + 5 - b) % 5,
    };
    let it = digits(text);
    let rest = it
        .iter()
        .rev()
        .enumerate()
        .fold(0, |rest, (at, digit)| product(rest, TURNS[at % 8][*digit as usize]));
    it.len() == 12 && it[0] > 1 && rest == 0
}

/// Australia, tax file number.
pub(super) fn australian(text: &str) -> bool {
    let it = digits(text);
    it.len() == 9 && weighted(&it, &[1, 4, 3, 7, 5, 8, 6, 9, 10]).is_multiple_of(11)
}

/// China, resident identity.
pub(super) fn chinese(text: &str) -> bool {
    const WEIGHTS: [u32; 17] = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
    let it = digits(&text[..text.len().min(17)]);
    it.len() == 17
        && b"10X98765432"[(weighted(&it, &WEIGHTS) % 11) as usize] == text.as_bytes()[17].to_ascii_uppercase()
}

/// Singapore, NRIC and FIN.
pub(super) fn singaporean(text: &str) -> bool {
    let upper = text.to_ascii_uppercase();
    let it = digits(&upper);
    if upper.len() != 9 || it.len() != 7 {
        return false;
    }
    let first = upper.as_bytes()[0];
    let sum = weighted(&it, &[2, 7, 6, 5, 4, 3, 2]) + if matches!(first, b'T' | b'G') { 4 } else { 0 };
    let letters: &[u8; 11] = if matches!(first, b'S' | b'T') { b"JZIHGFEDCBA" } else { b"XWUTRQPNMLK" };
    letters[(sum % 11) as usize] == upper.as_bytes()[8]
}

/// South Korea, resident registration.
pub(super) fn korean(text: &str) -> bool {
    let it = digits(text);
    it.len() == 13 && (11 - weighted(&it[..12], &[2, 3, 4, 5, 6, 7, 8, 9, 2, 3, 4, 5]) % 11) % 10 == it[12]
}

/// United States: no area 000, 666 or 9xx, no group 00, no serial 0000.
pub(super) fn social_security(text: &str) -> bool {
    let it = digits(text);
    let part = |from: usize, to: usize| it[from..to].iter().fold(0, |sum, digit| sum * 10 + digit);
    it.len() == 9 && !matches!(part(0, 3), 0 | 666) && part(3, 5) > 0 && part(5, 9) > 0
}
