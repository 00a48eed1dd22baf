//! The length of a text in words.

/// Words between blanks, without lone signs. In scripts without blanks two characters count as a word, which is about what an encoder makes of them.
pub(super) fn count_words(text: &str) -> usize {
    let (mut words, mut dense, mut in_word) = (0, 0, false);
    for character in text.chars() {
        if is_dense(character) {
            dense += 1;
            in_word = false;
        } else if character.is_whitespace() {
            in_word = false;
        } else if !in_word && character.is_alphanumeric() {
            words += 1;
            in_word = true;
        }
    }
    words + usize::div_ceil(dense, 2)
}

/// Chinese, Japanese, Thai, Lao, Khmer and Burmese are written without blanks.
fn is_dense(character: char) -> bool {
    matches!(character,
        '\u{0E00}'..='\u{0EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}'
        | '\u{3040}'..='\u{30FF}' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_in_scripts_with_and_without_blanks() {
        for (text, words) in
            [("", 0), (" one  two\nthree ", 3), ("東京タワー", 3), ("in 東京 today", 3), ("a | b — c !", 3)]
        {
            assert_eq!(count_words(text), words, "{text:?}");
        }
    }
}
