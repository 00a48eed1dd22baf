//! Captions: a paragraph beside a table or a picture that begins with its name and number.

/// The thing that a caption belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Captioned {
    Table,
    Picture,
}

const OF_TABLES: &[&str] = &["table", "tab.", "tabelle", "tableau", "tabla", "tabella", "tabela", "exhibit"];
const OF_PICTURES: &[&str] =
    &["figure", "fig.", "fig", "abbildung", "abb.", "figura", "image", "plate", "chart", "diagram"];
/// Longer paragraphs are no captions.
const LETTERS_MAX: usize = 600;

/// The thing that a text may be the caption of: `Table 3. Sizes`, `Fig. 2a: A gate`, `Abbildung IV`.
pub(super) fn captioned(text: &str) -> Option<Captioned> {
    let (first, rest) = text.trim_start().split_once(char::is_whitespace)?;
    if !first.starts_with(char::is_uppercase) || text.chars().count() > LETTERS_MAX {
        return None;
    }
    let number = rest.trim_start().split(char::is_whitespace).next()?;
    if !is_number(number.trim_end_matches(['.', ':', ')', '–', '—', '-'])) {
        return None;
    }
    let first = first.to_lowercase();
    let is_of = |names: &[&str]| names.contains(&first.as_str());
    match (is_of(OF_TABLES), is_of(OF_PICTURES)) {
        (true, _) => Some(Captioned::Table),
        (false, true) => Some(Captioned::Picture),
        (false, false) => None,
    }
}

/// `3`, `2a`, `A.1`, `IV`.
fn is_number(word: &str) -> bool {
    let has_digit = word.chars().any(|letter| letter.is_ascii_digit());
    let is_roman = !word.is_empty() && word.chars().all(|letter| "IVXLC".contains(letter));
    word.len() <= 8 && (has_digit || is_roman)
}
