//! A text as sentences, with their positions. Ends of sentences are distinguished from points in
//! abbreviations, numbers and ellipses; blank lines and bullets end a sentence without a point.

#[cfg(test)]
mod tests;

/// A sentence with its position, without surrounding blanks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sentence<'a> {
    pub text: &'a str,
    /// In bytes.
    pub start: usize,
}

impl Sentence<'_> {
    pub fn end(&self) -> usize {
        self.start + self.text.len()
    }
}

/// Shorter lines that end without a full stop are headings or list items.
const HEADING_CHARS_MAX: usize = 60;
/// Texts without full stops are cut at a space before this length, so that no sentence is too long to
/// process.
const SENTENCE_BYTES_MAX: usize = 4096;

/// The full stop after these ends a sentence only at the end of the text. English, German, French, Spanish,
/// Italian, Portuguese, Dutch.
const ABBREVIATIONS: [&str; 96] = [
    "abb", "abs", "adv", "al", "allg", "approx", "apr", "art", "aug", "av", "bd", "bspw", "bzw", "ca", "cap",
    "capt", "cf", "chap", "col", "corp", "dec", "dept", "dipl", "dir", "dott", "dr", "dra", "drs", "ed",
    "eds", "eg", "eq", "est", "etc", "evtl", "feb", "fig", "figs", "geb", "gen", "ggf", "gov", "hon", "hr",
    "hrsg", "ie", "inc", "ing", "jan", "jr", "jul", "jun", "lt", "ltd", "mag", "max", "min", "mio", "mlle",
    "mme", "mr", "mrd", "mrs", "ms", "mt", "nov", "nr", "núm", "oct", "okt", "op", "pag", "pág", "pp",
    "pres", "prof", "pt", "ref", "rev", "sec", "sen", "sep", "sept", "sgt", "sig", "sr", "sra", "st", "str",
    "tel", "usw", "vgl", "vol", "vs", "zb", "zzgl",
];

/// Abbreviations that end a sentence as often as not: the next word decides.
const OPEN_ABBREVIATIONS: [&str; 7] = ["etc", "usw", "inc", "corp", "ltd", "jr", "al"];

pub fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let mut found = Vec::new();
    let mut start = 0;
    while let Some(end) = next_end(text, start) {
        push(&mut found, text, start, end);
        start = end;
    }
    push(&mut found, text, start, text.len());
    found
}

/// The end of the sentence that begins at `start`.
fn next_end(text: &str, start: usize) -> Option<usize> {
    for (offset, character) in text[start..].char_indices() {
        let here = start + offset;
        let after = here + character.len_utf8();
        let ends = match character {
            _ if after - start > SENTENCE_BYTES_MAX && character.is_whitespace() => Some(after),
            _ if after - start > 2 * SENTENCE_BYTES_MAX => Some(after),
            '。' | '！' | '？' | '｡' | '।' | '॥' | '؟' | '۔' | '።' | '։' => {
                Some(closers(text, after))
            }
            '.' | '!' | '?' | '…' if !continues(text, after) => stop(text, start, here),
            '\n' => line_end(text, start, here),
            _ => None,
        };
        if ends.is_some() {
            return ends;
        }
    }
    None
}

/// More points, or other signs of the same end, follow at once.
fn continues(text: &str, after: usize) -> bool {
    text[after..].starts_with(['.', '!', '?', '…'])
}

/// Behind quotes and brackets that close with the sentence.
fn closers(text: &str, after: usize) -> usize {
    let closes = |character: char| {
        matches!(
            character,
            '"' | '\'' | '”' | '’' | '»' | '«' | '“' | ')' | ']' | '」' | '』' | '）' | '】' | '〉' | '》'
        )
    };
    let rest = &text[after..];
    after + rest.find(|character| !closes(character)).unwrap_or(rest.len())
}

/// The end of the sentence, if the sign at `here` ends it.
fn stop(text: &str, start: usize, here: usize) -> Option<usize> {
    let sign = text[here..].chars().next()?;
    let after = closers(text, here + sign.len_utf8());
    let rest = &text[after..];
    if !rest.is_empty() && !rest.starts_with(char::is_whitespace) {
        return None;
    }
    let follower = rest
        .trim_start()
        .trim_start_matches(['"', '“', '„', '«', '»', '(', '[', '‘', '\'', '¿', '¡', '-', '–', '—', ' ']);
    let next = follower.chars().next();
    if next.is_some_and(char::is_lowercase) {
        return None;
    }
    let inside = sign == '.' && next.is_some() && is_inside(&text[start..here], follower);
    (!inside).then_some(after)
}

/// True if a point after `before` belongs to an abbreviation, an initial or a number.
fn is_inside(before: &str, follower: &str) -> bool {
    let word = before
        .rsplit(|c: char| c.is_whitespace() || matches!(c, '(' | '[' | '"' | '“'))
        .next()
        .unwrap_or_default();
    let plain = word.trim_end_matches('.').replace('.', "").to_lowercase();
    let next_upper = follower.starts_with(char::is_uppercase);
    if OPEN_ABBREVIATIONS.contains(&plain.as_str()) {
        return !next_upper;
    }
    let initial =
        word.chars().count() == 1 && word.chars().all(char::is_uppercase) && !is_last_letter(before);
    let pointed =
        word.contains('.') && word.split('.').all(|part| part.chars().count() <= 1) && plain.len() < 3;
    ABBREVIATIONS.contains(&plain.as_str()) || initial || pointed || is_ordinal(word, follower)
}

/// `Plan B. Then …`, `vitamin C. It …`: a capital letter after a lower-case word is a name, not an initial,
/// if it does not follow another capital.
fn is_last_letter(before: &str) -> bool {
    let mut words = before.split_whitespace().rev();
    words.next();
    let Some(word) = words.next() else { return false };
    [
        "plan",
        "vitamin",
        "hepatitis",
        "appendix",
        "figure",
        "table",
        "section",
        "option",
        "type",
        "grade",
        "class",
    ]
    .contains(&word.to_lowercase().as_str())
}

/// `am 3. Mai`, `No. 5`, `1. First`: a number of a list or a date.
fn is_ordinal(word: &str, follower: &str) -> bool {
    const MONTHS: [&str; 12] =
        ["jan", "feb", "mär", "apr", "mai", "jun", "jul", "aug", "sep", "okt", "nov", "dez"];
    let short = word.len() <= 2 && !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_digit());
    let follower = follower.to_lowercase();
    short && MONTHS.iter().any(|month| follower.starts_with(month))
        || matches!(word.to_lowercase().as_str(), "no" | "nr" | "fig")
            && follower.starts_with(|c: char| c.is_ascii_digit())
}

/// A line ends a sentence if a blank line or a bullet follows, or if it is a heading.
fn line_end(text: &str, start: usize, here: usize) -> Option<usize> {
    let after = here + 1;
    let next = text[after..].lines().next().unwrap_or_default().trim();
    let line = text[start..here].trim();
    let bullet = next.starts_with(['•', '-', '*', '–', '·', '‣', '▪', '○', '#', '|']) || is_numbered(next);
    let last_line = line.lines().next_back().unwrap_or_default();
    let heading = last_line.chars().count() < HEADING_CHARS_MAX
        && line.lines().count() == 1
        && !last_line.ends_with([',', ';', '-', '(', '&'])
        && next.starts_with(|c: char| c.is_uppercase() || c.is_ascii_digit());
    (!line.is_empty() && (next.is_empty() || bullet || heading)).then_some(after)
}

/// `1. …`, `2) …`.
fn is_numbered(line: &str) -> bool {
    let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
    (1..=3).contains(&(line.len() - rest.len())) && (rest.starts_with(". ") || rest.starts_with(") "))
}

fn push<'a>(found: &mut Vec<Sentence<'a>>, text: &'a str, start: usize, end: usize) {
    let part = &text[start..end];
    let trimmed = part.trim_start();
    let start = start + (part.len() - trimmed.len());
    let trimmed = trimmed.trim_end();
    if trimmed.chars().any(char::is_alphanumeric) {
        found.push(Sentence { text: trimmed, start });
    }
}
