//! Rust as a sequence of words, as far as needed to find the arguments of a call.

use std::ops::Range;

pub(super) struct Tokens {
    words: Vec<String>,
    /// The blocks of `impl`, and the type each is for.
    impls: Vec<(Range<usize>, String)>,
}

/// The text of a literal that could be a code.
pub(super) fn is_code(literal: &str) -> Option<&str> {
    let text = literal.strip_prefix('"')?.strip_suffix('"')?;
    let legal = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    (text.starts_with(|c: char| c.is_ascii_lowercase()) && text.chars().all(legal)).then_some(text)
}

impl Tokens {
    pub(super) fn of(text: &str) -> Self {
        let mut tokens = Self { words: words(text), impls: Vec::new() };
        tokens.impls = (0..tokens.len()).filter_map(|at| tokens.impl_at(at)).collect();
        tokens
    }

    pub(super) fn len(&self) -> usize {
        self.words.len()
    }

    /// Empty after the end.
    pub(super) fn text(&self, at: usize) -> &str {
        self.words.get(at).map_or("", String::as_str)
    }

    pub(super) fn is(&self, at: usize, word: &str) -> bool {
        self.text(at) == word
    }

    /// True if these words come right before; `_` is any.
    pub(super) fn before(&self, at: usize, pattern: &[&str]) -> bool {
        let Some(start) = at.checked_sub(pattern.len()) else { return false };
        pattern.iter().enumerate().all(|(offset, word)| *word == "_" || self.is(start + offset, word))
    }

    /// The codes in this range.
    pub(super) fn codes_in(&self, range: Range<usize>) -> Vec<String> {
        range.filter_map(|at| is_code(self.text(at)).map(str::to_owned)).collect()
    }

    /// The start of a function's parameters.
    pub(super) fn opening(&self, at: usize) -> usize {
        let mut at = at + 2;
        let mut depth = 0;
        while at < self.len() {
            match self.text(at) {
                "<" => depth += 1,
                ">" => depth -= 1,
                _ if depth == 0 => return at,
                _ => {}
            }
            at += 1;
        }
        at
    }

    /// The text between the bracket that opens here and its end, split at each comma.
    pub(super) fn parts(&self, open: usize) -> Vec<Range<usize>> {
        self.split(open + 1..self.closing(open))
    }

    /// The parameters of a closure that begins here.
    pub(super) fn closure_parts(&self, at: usize) -> Vec<Range<usize>> {
        let end = (at + 1..self.len()).find(|end| self.is(*end, "|")).unwrap_or(at + 1);
        self.split(at + 1..end)
    }

    /// The block of a function.
    pub(super) fn body(&self, at: usize) -> Range<usize> {
        let open = (at..self.len()).find(|at| self.is(*at, "{")).unwrap_or(self.len());
        open..self.closing(open)
    }

    pub(super) fn end_of_statement(&self, at: usize) -> usize {
        let mut depth = 0_i32;
        for end in at..self.len() {
            depth += self.step(end);
            if depth < 0 || (depth == 0 && self.is(end, ";")) {
                return end;
            }
        }
        self.len()
    }

    /// The type of the surrounding `impl`.
    pub(super) fn type_around(&self, at: usize) -> Option<String> {
        self.impls.iter().find(|(range, _)| range.contains(&at)).map(|(_, name)| name.clone())
    }

    /// Constants that are texts.
    pub(super) fn constants(&self) -> Vec<(String, String)> {
        let constant = |at: usize| {
            let code = is_code(self.text(at))?;
            let named = self.before(at, &["const", "_", ":", "&", "str", "="]);
            named.then(|| (self.text(at - 5).to_owned(), code.to_owned()))
        };
        (0..self.len()).filter_map(constant).collect()
    }

    fn impl_at(&self, at: usize) -> Option<(Range<usize>, String)> {
        if !self.is(at, "impl") || !(at == 0 || [";", "}", "]"].contains(&self.text(at - 1))) {
            return None;
        }
        let open = (at..self.len()).find(|at| self.is(*at, "{"))?;
        let head = at + 1..open;
        let start = head.clone().find(|at| self.is(*at, "for")).unwrap_or(at);
        let name = (start..open).map(|at| self.text(at)).find(|word| word.starts_with(char::is_uppercase))?;
        Some((open..self.closing(open), name.to_owned()))
    }

    fn step(&self, at: usize) -> i32 {
        match self.text(at) {
            "(" | "[" | "{" => 1,
            ")" | "]" | "}" => -1,
            _ => 0,
        }
    }

    fn closing(&self, open: usize) -> usize {
        let mut depth = 0;
        for at in open..self.len() {
            depth += self.step(at);
            if depth == 0 {
                return at;
            }
        }
        self.len()
    }

    fn split(&self, range: Range<usize>) -> Vec<Range<usize>> {
        let (mut parts, mut depth, mut start) = (Vec::new(), 0, range.start);
        for at in range.clone() {
            depth += self.step(at);
            if depth == 0 && self.is(at, ",") {
                parts.push(start..at);
                start = at + 1;
            }
        }
        if start < range.end {
            parts.push(start..range.end);
        }
        parts
    }
}

fn words(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            _ if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '"' => 1 + closing_quote(&rest[1..]),
            'r' if rest.starts_with("r#\"") => rest.find("\"#").map_or(rest.len(), |end| end + 2),
            '\'' => quoted(rest),
            c if c.is_alphanumeric() || c == '_' => {
                rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len())
            }
            _ if ["::", "=>", "->"].iter().any(|pair| rest.starts_with(pair)) => 2,
            c => c.len_utf8(),
        };
        let (word, after) = rest.split_at(length);
        if !word.starts_with("//") && !first.is_whitespace() {
            found.push(word.to_owned());
        }
        rest = after;
    }
    found
}

/// The length of a text up to and including its closing quote.
fn closing_quote(text: &str) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// A character, or the mark of a lifetime alone.
fn quoted(text: &str) -> usize {
    let inside = &text[1..];
    if let Some(escaped) = inside.strip_prefix('\\') {
        return escaped[1..].find('\'').map_or(1, |end| end + 4);
    }
    let mut chars = inside.char_indices();
    chars.next();
    match chars.next() {
        Some((at, '\'')) => at + 2,
        _ => 1,
    }
}
