//! The first sentence of a description, as plain text.

use crate::plain;

/// The part of a description that is read: the essential text is at the beginning.
const READ_CHARS_MAX: usize = 2_000;

/// Words with a full stop that ends nothing.
const ABBREVIATIONS: [&str; 20] = [
    "e.g", "i.e", "eg", "ie", "etc", "vs", "cf", "approx", "incl", "excl", "no", "nr", "dr", "mr", "mrs",
    "ms", "st", "inc", "ltd", "resp",
];

/// The first sentence of a text, without its markup; empty if there is none.
pub(super) fn first_sentence(description: &str) -> String {
    let head: String = description.chars().take(READ_CHARS_MAX).collect();
    let paragraph = plain::line(&first_paragraph(&without_tags(&head)));
    let text = without_markup(&paragraph);
    plain::line(&text[..sentence_end(&text)])
}

/// The lines up to the first gap, list or code block. A heading only counts if nothing follows it.
fn first_paragraph(text: &str) -> String {
    let mut paragraph: Vec<&str> = Vec::new();
    let mut heading = "";
    for line in text.split(['\n', '\r', '\u{2028}', '\u{2029}']).map(str::trim) {
        if is_heading(line) && paragraph.is_empty() {
            heading = if heading.is_empty() { line } else { heading };
        } else if has_words(line) && (paragraph.is_empty() || !starts_apart(line)) {
            paragraph.push(line);
        } else if !paragraph.is_empty() {
            break;
        }
    }
    if paragraph.is_empty() { heading.trim_matches(['#', ' ']).to_owned() } else { paragraph.join(" ") }
}

fn has_words(line: &str) -> bool {
    line.chars().any(char::is_alphanumeric)
}

fn is_heading(line: &str) -> bool {
    line.starts_with('#') && line.trim_start_matches('#').starts_with(' ')
}

/// True if a line starts something other than the rest of a paragraph.
fn starts_apart(line: &str) -> bool {
    let number = line.trim_start_matches(|c: char| c.is_ascii_digit());
    is_heading(line)
        || ["- ", "* ", "• ", "+ ", "|", "```", "@"].iter().any(|mark| line.starts_with(mark))
        || (number.len() < line.len() && (number.starts_with(". ") || number.starts_with(") ")))
}

/// The text without `<tag>`, `</tag>` and `<!-- … -->`. A lone `<`, as in `a < b`, and a placeholder such as `<id>`
/// inside a sentence are text.
fn without_tags(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('<') {
        kept.push_str(&rest[..at]);
        rest = match tag_bytes(&rest[at..], text) {
            Some(bytes) => {
                kept.push(' ');
                &rest[at + bytes..]
            }
            None => {
                kept.push('<');
                &rest[at + 1..]
            }
        };
    }
    kept + rest
}

const TAG_BYTES_MAX: usize = 80;

/// The length of the tag at the start of a text: a comment, an end, or a beginning with its end.
fn tag_bytes(text: &str, whole: &str) -> Option<usize> {
    if text.starts_with("<!--") {
        return text.find("-->").map(|end| end + "-->".len());
    }
    let end = text.bytes().take(TAG_BYTES_MAX).position(|byte| byte == b'>')?;
    let inside = &text[1..end];
    let name = inside.trim_start_matches('/').split([' ', '/']).next().unwrap_or_default();
    let is_name = name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    let is_tag = inside.starts_with('/')
        || inside.ends_with('/')
        || name.eq_ignore_ascii_case("br")
        || whole.contains(&format!("</{name}>"));
    (is_name && is_tag).then_some(end + 1)
}

/// The text without emphasis, code marks, quotation and list marks; of links only their words.
fn without_markup(text: &str) -> String {
    let text = text.trim_start_matches(['>', '-', '*', '•', '+', '#', ' ', '|', '=', '~']);
    let text = without_links(text).replace("**", "").replace('`', "");
    // One underscore or asterisk may belong to a name or a pattern, two underscores around a word are
    // emphasis.
    text.split(' ').map(without_emphasis).collect::<Vec<_>>().join(" ")
}

fn without_emphasis(word: &str) -> &str {
    let inner = word.strip_prefix("__").and_then(|word| word.strip_suffix("__"));
    inner.filter(|inner| !inner.is_empty()).unwrap_or(word)
}

/// `[words](address)` as `words`.
fn without_links(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, words, after)) = next_link(rest) {
        kept.push_str(before.strip_suffix('!').unwrap_or(before));
        kept.push_str(words);
        rest = after;
    }
    kept + rest
}

fn next_link(text: &str) -> Option<(&str, &str, &str)> {
    let middle = text.find("](")?;
    let start = text[..middle].rfind('[')?;
    let end = middle + text[middle..].find(')')?;
    Some((&text[..start], &text[start + 1..middle], &text[end + 1..]))
}

/// The end of the first sentence, including its stop.
fn sentence_end(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = at + c.len_utf8();
        let ends = match c {
            '。' | '！' | '？' | '｡' | '।' | '؟' => true,
            '!' | '?' => ends_word(chars.peek()),
            '.' => ends_word(chars.peek()) && !is_abbreviation(&text[..at], &text[after..]),
            _ => false,
        };
        if ends && has_words(&text[..at]) {
            return after;
        }
    }
    text.len()
}

fn ends_word(next: Option<&(usize, char)>) -> bool {
    next.is_none_or(|(_, c)| c.is_whitespace() || matches!(c, '"' | '\'' | '”' | ')'))
}

/// True if a full stop after `before` belongs to an abbreviation. Most are followed by a lower-case letter,
/// initials by a name.
fn is_abbreviation(before: &str, after: &str) -> bool {
    let word = before.rsplit([' ', '(', '[', '"', '\'', ',', '/']).next().unwrap_or_default();
    let next = after.trim_start();
    let is_known = ABBREVIATIONS.contains(&word.to_lowercase().as_str());
    let is_initial = word.chars().count() == 1 && word.chars().all(char::is_uppercase) && !next.is_empty();
    let goes_on = next.starts_with(char::is_lowercase) || is_known && next.starts_with(char::is_numeric);
    is_known && word.contains('.') || is_initial || goes_on
}
