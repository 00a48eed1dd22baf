//! A text as lines of tokens, as the tagger was trained on: split at blanks, brackets and the ends of sentences
//! apart, commas and quotes left out.

/// A token with its place, in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) start: usize,
    pub(super) end: usize,
    /// A comma or a semicolon follows.
    pub(super) comma: bool,
}

impl Token {
    pub(super) fn text<'a>(&self, text: &'a str) -> &'a str {
        &text[self.start..self.end]
    }
}

/// A line without an end is cut here, so that no sentence is too long to tag.
const LINE_TOKENS_MAX: usize = 200;
/// Longer words are no words.
const TOKEN_BYTES_MAX: usize = 120;

const OPENING: [char; 8] = ['"', '“', '„', '«', '\'', '‘', ',', ';'];
const CLOSING: [char; 8] = ['"', '”', '“', '»', '\'', '’', ',', ';'];

pub(super) fn token_lines(text: &str) -> Vec<Vec<Token>> {
    let mut lines = Vec::new();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let mut tokens = Vec::new();
        for (at, word) in words(line) {
            push_word(&mut tokens, text, start + at, start + at + word.len());
            let ends = tokens.last().is_some_and(|last: &Token| matches!(last.text(text), "." | "!" | "?"));
            if ends || tokens.len() >= LINE_TOKENS_MAX {
                lines.push(std::mem::take(&mut tokens));
            }
        }
        if !tokens.is_empty() {
            lines.push(tokens);
        }
        start += line.len();
    }
    lines
}

fn words(line: &str) -> impl Iterator<Item = (usize, &str)> {
    line.split_whitespace()
        .filter(|word| word.len() <= TOKEN_BYTES_MAX)
        .map(move |word| (word.as_ptr() as usize - line.as_ptr() as usize, word))
}

fn push_word(tokens: &mut Vec<Token>, text: &str, mut start: usize, mut end: usize) {
    while let Some(first) =
        text[start..end].chars().next().filter(|first| "([".contains(*first) || OPENING.contains(first))
    {
        let next = start + first.len_utf8();
        if "([".contains(first) {
            tokens.push(Token { start, end: next, comma: false });
        }
        start = next;
    }
    let mut after: Vec<Token> = Vec::new();
    let mut comma = false;
    while let Some(last) =
        text[start..end].chars().next_back().filter(|last| is_closing(&text[start..end], *last))
    {
        let before = end - last.len_utf8();
        match last {
            ',' | ';' => comma = true,
            ')' | ']' | '.' | '!' | '?' => after.push(Token { start: before, end, comma: false }),
            _ => {}
        }
        end = before;
    }
    if start < end {
        tokens.push(Token { start, end, comma });
    } else if let Some(last) = tokens.last_mut() {
        last.comma |= comma;
    }
    tokens.extend(after.into_iter().rev());
}

/// The points of `e.g.` stay; that of a last word does not.
fn is_closing(word: &str, last: char) -> bool {
    match last {
        ')' | ']' | '!' | '?' => true,
        '.' => word[..word.len() - 1].split('.').any(|part| part.chars().count() > 1),
        _ => CLOSING.contains(&last),
    }
}
