//! A text as words, with their positions. A word includes everything written together: `out-of-print`,
//! `don't`, `3.14`, `C++`.

use std::ops::Range;

/// A word with its position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Word<'a> {
    pub text: &'a str,
    /// In bytes.
    pub start: usize,
}

impl Word<'_> {
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub fn range(&self) -> Range<usize> {
        self.start..self.end()
    }

    /// Written with Chinese characters or kana, where blanks do not part words.
    pub fn is_cjk(&self) -> bool {
        self.text.chars().next().is_some_and(|first| CharacterKind::of(first).is_cjk())
    }

    pub fn is_number(&self) -> bool {
        self.text.chars().all(|c| c.is_numeric() || matches!(c, '.' | ',' | '-' | '/' | '%'))
    }

    pub fn starts_upper(&self) -> bool {
        self.text.chars().next().is_some_and(char::is_uppercase)
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum CharacterKind {
    Letter,
    Han,
    Hiragana,
    Katakana,
    Other,
}

impl CharacterKind {
    fn of(character: char) -> Self {
        match character {
            '\u{3040}'..='\u{309F}' => CharacterKind::Hiragana,
            '\u{30A0}'..='\u{30FF}' | '\u{31F0}'..='\u{31FF}' | '\u{FF66}'..='\u{FF9F}' => {
                CharacterKind::Katakana
            }
            '々' | '〇' | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{323AF}' => {
                CharacterKind::Han
            }
            _ if character.is_alphanumeric() || is_mark(character) => CharacterKind::Letter,
            _ => CharacterKind::Other,
        }
    }

    fn is_cjk(self) -> bool {
        matches!(self, CharacterKind::Han | CharacterKind::Hiragana | CharacterKind::Katakana)
    }
}

/// Combining marks, which belong to the letter before them.
fn is_mark(character: char) -> bool {
    matches!(character,
        '\u{0300}'..='\u{036F}' | '\u{0591}'..='\u{05BD}' | '\u{05BF}'..='\u{05C7}' | '\u{0610}'..='\u{061A}'
        | '\u{064B}'..='\u{065F}' | '\u{0670}' | '\u{06D6}'..='\u{06ED}' | '\u{0900}'..='\u{0903}'
        | '\u{093A}'..='\u{094F}' | '\u{0981}'..='\u{0983}' | '\u{09BC}'..='\u{09CD}' | '\u{0A3C}'..='\u{0A4D}'
        | '\u{0ABC}'..='\u{0ACD}' | '\u{0B3C}'..='\u{0B57}' | '\u{0BBE}'..='\u{0BCD}' | '\u{0C3C}'..='\u{0C56}'
        | '\u{0CBC}'..='\u{0CD6}' | '\u{0D3B}'..='\u{0D4D}' | '\u{0DCA}'..='\u{0DDF}' | '\u{0E31}'
        | '\u{0E34}'..='\u{0E4E}' | '\u{1AB0}'..='\u{1AFF}' | '\u{1DC0}'..='\u{1DFF}' | '\u{200C}' | '\u{200D}'
        | '\u{20D0}'..='\u{20FF}' | '\u{FE20}'..='\u{FE2F}')
}

/// All words, in order. Runs of Chinese characters and of kana are one word each; `statistics` splits them.
pub fn words(text: &str) -> Vec<Word<'_>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let kind = CharacterKind::of(first);
        if kind == CharacterKind::Other || is_mark(first) {
            at += first.len_utf8();
            continue;
        }
        let end = at + if kind.is_cjk() { run(&text[at..], kind) } else { letters(&text[at..]) };
        found.push(Word { text: &text[at..end], start: at });
        at = end;
    }
    found
}

fn run(text: &str, kind: CharacterKind) -> usize {
    let belongs = |character: char| CharacterKind::of(character) == kind || is_mark(character);
    text.find(|character| !belongs(character)).unwrap_or(text.len())
}

/// The end of a word of letters at the start of `text`.
fn letters(text: &str) -> usize {
    let mut end = 0;
    loop {
        end += run(&text[end..], CharacterKind::Letter);
        let mut rest = text[end..].chars();
        let (joint, after) = (rest.next(), rest.next());
        match (joint, after) {
            (Some(joint), Some(after))
                if CharacterKind::of(after) == CharacterKind::Letter && joins(&text[..end], joint, after) =>
            {
                end += joint.len_utf8();
            }
            _ => return end + tail(&text[..end], &text[end..]),
        }
    }
}

fn joins(word: &str, joint: char, after: char) -> bool {
    let before = word.chars().next_back().unwrap_or(' ');
    match joint {
        '-' | '\u{2010}' | '\u{2011}' | '\'' | '’' | '_' | '&' | '·' => true,
        '.' => (before.is_numeric() && after.is_numeric()) || is_initials(word),
        ',' => before.is_numeric() && after.is_numeric(),
        _ => false,
    }
}

/// `U`, `U.S`, `o`: letters one by one with points between them.
fn is_initials(word: &str) -> bool {
    word.split('.').all(|part| part.chars().count() == 1 && part.chars().all(char::is_alphabetic))
}

/// `C++`, `C#`, `F#`.
fn tail(word: &str, rest: &str) -> usize {
    match word {
        "C" | "c" if rest.starts_with("++") => 2,
        "C" | "F" | "c" | "f" if rest.starts_with('#') => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let found = words(text);
        assert_eq!(found.iter().map(|word| word.text).collect::<Vec<_>>(), expected);
        assert!(found.iter().all(|word| &text[word.range()] == word.text));
    }

    #[test]
    fn what_is_written_together_stays_together() {
        check(
            "Out-of-print books don't cost 1,000.50 EUR.",
            &["Out-of-print", "books", "don't", "cost", "1,000.50", "EUR"],
        );
        check("C++ and C#, U.S.A. and AT&T", &["C++", "and", "C#", "U.S.A", "and", "AT&T"]);
    }

    #[test]
    fn combining_characters_belong_to_their_letter() {
        check("cafe\u{301} nai\u{308}ve", &["cafe\u{301}", "nai\u{308}ve"]);
    }

    #[test]
    fn scripts_without_blanks_are_cut_where_the_script_changes() {
        check("東京タワーは高い。", &["東京", "タワー", "は", "高", "い"]);
    }

    #[test]
    fn pictures_and_signs_are_no_words() {
        check("😀 — … !?", &[]);
        check("مرحبا بالعالم", &["مرحبا", "بالعالم"]);
    }
}
