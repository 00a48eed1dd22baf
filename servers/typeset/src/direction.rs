//! The direction of a text: the first letter with a direction decides.

/// Left to right, or right to left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Direction {
    LeftToRight,
    RightToLeft,
}

impl Direction {
    /// `None` for a text without letters.
    pub(crate) fn of(text: &str) -> Option<Self> {
        text.chars().find_map(|letter| match letter {
            _ if is_right_to_left(letter) => Some(Self::RightToLeft),
            _ if letter.is_alphabetic() => Some(Self::LeftToRight),
            _ => None,
        })
    }

    pub(crate) fn of_language(language: &str) -> Self {
        match language {
            "ar" | "he" | "fa" | "ur" | "yi" | "ps" | "sd" | "ug" | "dv" | "syr" | "ckb" => Self::RightToLeft,
            _ => Self::LeftToRight,
        }
    }

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::LeftToRight => "ltr",
            Self::RightToLeft => "rtl",
        }
    }
}

/// Hebrew, Arabic and their neighbours, with the forms for presentation.
fn is_right_to_left(letter: char) -> bool {
    matches!(letter,
        '\u{0590}'..='\u{08FF}' | '\u{FB1D}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFF}' | '\u{10800}'..='\u{10FFF}'
        | '\u{1E800}'..='\u{1EFFF}')
        && letter.is_alphabetic()
}

/// The language a text without one is taken to be in, where its letters tell.
pub(crate) fn language_of_letters(text: &str) -> Option<&'static str> {
    let letter = text.chars().find(|letter| letter.is_alphabetic())?;
    match letter {
        '\u{0590}'..='\u{05FF}' | '\u{FB1D}'..='\u{FB4F}' => Some("he"),
        '\u{0600}'..='\u{06FF}' | '\u{0750}'..='\u{08FF}' | '\u{FB50}'..='\u{FEFF}' => Some("ar"),
        '\u{3040}'..='\u{30FF}' => Some("ja"),
        '\u{AC00}'..='\u{D7AF}' | '\u{1100}'..='\u{11FF}' => Some("ko"),
        // Japanese may begin with a Chinese character too; kana further on tell.
        '\u{4E00}'..='\u{9FFF}' if text.contains(|c| matches!(c, '\u{3040}'..='\u{30FF}')) => Some("ja"),
        '\u{4E00}'..='\u{9FFF}' => Some("zh"),
        '\u{0370}'..='\u{03FF}' => Some("el"),
        '\u{0E00}'..='\u{0E7F}' => Some("th"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_letter_decides() {
        assert_eq!(Direction::of("123 (שלום) world"), Some(Direction::RightToLeft));
        assert_eq!(Direction::of("Hello שלום"), Some(Direction::LeftToRight));
        assert_eq!(Direction::of("12 %"), None);
    }

    #[test]
    fn letters_tell_the_language() {
        assert_eq!(language_of_letters("مرحبا"), Some("ar"));
        assert_eq!(language_of_letters("日本語です"), Some("ja"));
        assert_eq!(language_of_letters("漢字"), Some("zh"));
        assert_eq!(language_of_letters("Hello"), None);
    }
}
