//! Right-to-left scripts. Text on a page is found from left to right; these functions turn it into reading
//! order.

use unicode_bidi::{BidiClass, bidi_class};

#[derive(Clone, Copy, PartialEq, Eq)]
enum TextDirection {
    RightToLeft,
    LeftToRight,
    /// Takes the flow of its surroundings.
    Neutral,
}

/// The text of a word from its glyphs, given from left to right.
pub(super) fn word_in_reading_order(glyphs: &[&str]) -> String {
    if glyphs.iter().all(|glyph| flow(glyph) != TextDirection::RightToLeft) {
        return glyphs.concat();
    }
    in_reading_order(glyphs, |glyph| flow(glyph)).concat()
}

/// Words of a line, given from left to right, in the order in which they are read.
pub(super) fn line_in_reading_order<Word: Copy>(words: &[Word], text: impl Fn(&Word) -> &str) -> Vec<Word> {
    let right_to_left = words.iter().filter(|word| flow(text(word)) == TextDirection::RightToLeft).count();
    let left_to_right = words.iter().filter(|word| is_letters(text(word))).count();
    if right_to_left <= left_to_right {
        return words.to_vec();
    }
    in_reading_order(words, |word| flow(text(word)))
}

/// Everything is reversed; left-to-right parts are reversed back.
fn in_reading_order<Part: Copy>(parts: &[Part], flow: impl Fn(&Part) -> TextDirection) -> Vec<Part> {
    let mut ordered: Vec<Part> = Vec::with_capacity(parts.len());
    let mut run: Vec<Part> = Vec::new();
    let mut neutral: Vec<Part> = Vec::new();
    for part in parts.iter().rev() {
        match flow(part) {
            TextDirection::LeftToRight => {
                // Neutral parts between two such parts belong to the same run.
                run.append(&mut neutral);
                run.push(*part);
            }
            TextDirection::Neutral if !run.is_empty() => neutral.push(*part),
            _ => {
                ordered.extend(run.drain(..).rev());
                ordered.append(&mut neutral);
                ordered.push(*part);
            }
        }
    }
    ordered.extend(run.into_iter().rev());
    ordered.append(&mut neutral);
    ordered
}

fn flow(text: &str) -> TextDirection {
    let mut found = TextDirection::Neutral;
    for letter in text.chars() {
        // Most text by far: not worth a look into the tables.
        if letter.is_ascii_alphanumeric() {
            found = TextDirection::LeftToRight;
            continue;
        }
        match bidi_class(letter) {
            BidiClass::R | BidiClass::AL => return TextDirection::RightToLeft,
            BidiClass::L | BidiClass::EN | BidiClass::AN => found = TextDirection::LeftToRight,
            _ => {}
        }
    }
    found
}

fn is_letters(text: &str) -> bool {
    text.chars().any(|letter| bidi_class(letter) == BidiClass::L)
}
