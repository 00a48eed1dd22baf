//! The numbering of lists: numbers, letters, Roman numerals, and the signs before items.

/// The marker of an item without a number.
pub(crate) const BULLET: &str = "•";

/// The numbering of a list level.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum NumberFormat {
    #[default]
    Decimal,
    DecimalZero,
    LowerLetter,
    UpperLetter,
    LowerRoman,
    UpperRoman,
    Bullet,
    Nothing,
}

impl NumberFormat {
    pub(crate) fn write(self, number: u32) -> String {
        match self {
            NumberFormat::Decimal => number.to_string(),
            NumberFormat::DecimalZero => format!("{number:02}"),
            NumberFormat::LowerLetter => letters(number),
            NumberFormat::UpperLetter => letters(number).to_uppercase(),
            NumberFormat::LowerRoman => roman(number),
            NumberFormat::UpperRoman => roman(number).to_uppercase(),
            NumberFormat::Bullet | NumberFormat::Nothing => String::new(),
        }
    }
}

/// a, b, … z, aa, bb, as word processors count.
fn letters(number: u32) -> String {
    let Some(index) = number.checked_sub(1) else { return String::new() };
    let letter = char::from(b'a' + u8::try_from(index % 26).expect("less than 26"));
    // No real list has thousands of items, but files claim to.
    let times = (index / 26 + 1).min(8);
    (0..times).map(|_| letter).collect()
}

fn roman(number: u32) -> String {
    const ROMAN_MAX: u32 = 3_999;
    const VALUES: [(u32, &str); 13] = [
        (1000, "m"),
        (900, "cm"),
        (500, "d"),
        (400, "cd"),
        (100, "c"),
        (90, "xc"),
        (50, "l"),
        (40, "xl"),
        (10, "x"),
        (9, "ix"),
        (5, "v"),
        (4, "iv"),
        (1, "i"),
    ];
    if number > ROMAN_MAX {
        return number.to_string();
    }
    let mut left = number;
    let mut written = String::new();
    for (value, sign) in VALUES {
        while left >= value {
            left -= value;
            written.push_str(sign);
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_as_word_processors_do() {
        let written = |count: NumberFormat| [1, 4, 27, 1999].map(|number| count.write(number)).join(" ");
        assert_eq!(written(NumberFormat::Decimal), "1 4 27 1999");
        assert_eq!(NumberFormat::LowerLetter.write(28), "bb");
        assert_eq!(written(NumberFormat::UpperRoman), "I IV XXVII MCMXCIX");
        assert_eq!(NumberFormat::DecimalZero.write(3), "03");
        assert_eq!(
            (NumberFormat::LowerLetter.write(0), NumberFormat::LowerRoman.write(90_000)),
            (String::new(), "90000".into())
        );
    }
}
