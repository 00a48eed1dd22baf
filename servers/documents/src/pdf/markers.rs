//! The markers of list items.

/// Signs that are markers if they are alone before a text.
const SIGNS: &[&str] = &[
    "•", "‣", "◦", "▪", "▫", "●", "○", "■", "□", "◆", "◇", "➢", "➤", "►", "▸", "✓", "✔", "⁃", "∙", "·", "*",
    "–", "—", "-", "o",
];
/// Signs that may touch the text after them.
const TOUCHING: &[char] = &['•', '‣', '◦', '▪', '●', '■', '➢', '➤', '►', '▸', '✓', '✔'];

/// The marker at the start of a line and the text after it.
pub(super) fn marker(line: &str) -> Option<(&str, &str)> {
    if let Some((first, rest)) = line.split_once(' ') {
        let rest = rest.trim_start();
        if !rest.is_empty() && (SIGNS.contains(&first) || is_number(first)) {
            return Some((first, rest));
        }
    }
    let rest = line.strip_prefix(TOUCHING)?;
    let rest_trimmed = rest.trim_start();
    (!rest_trimmed.is_empty()).then(|| (&line[..line.len() - rest.len()], rest_trimmed))
}

/// `1.`, `12)`, `(3)`, `a)`, `(iv)`, `b.`, `[7]`; not a year or an initial.
fn is_number(word: &str) -> bool {
    let inner = word.trim_start_matches(['(', '[']);
    let opened = inner.len() < word.len();
    let Some(inner) = inner.strip_suffix(['.', ')', ']']) else { return false };
    let closed_round = word.ends_with([')', ']']);
    let digits = !inner.is_empty() && inner.len() <= 3 && inner.bytes().all(|byte| byte.is_ascii_digit());
    let letter = inner.len() == 1 && inner.bytes().all(|byte| byte.is_ascii_lowercase());
    let roman = (1..=5).contains(&inner.len()) && inner.bytes().all(|byte| b"ivx".contains(&byte));
    digits || (letter && (closed_round || !opened)) || (roman && closed_round)
}

/// True if a line begins with the number of a section, such as `3.1` or `4`.
pub(super) fn has_section_number(line: &str) -> bool {
    let Some((first, rest)) = line.split_once(' ') else { return false };
    let number = first.trim_end_matches('.');
    let numeric = !number.is_empty()
        && number.len() <= 8
        && number.split('.').all(|part| {
            !part.is_empty() && part.len() <= 2 && part.bytes().all(|byte| byte.is_ascii_digit())
        });
    numeric && rest.chars().next().is_some_and(char::is_uppercase)
}
