//! Searching the documentation. Its pages are few, so each search reads all of them, and nothing is kept between two.

use std::cmp::Reverse;

use include_dir::{Dir, DirEntry};

use super::folder::FOLDER;
use super::markdown;

const WORDS_MAX: usize = 8;
const SNIPPET_CHARS: usize = 220;
/// Words of a title count most, then those of headings; of the same word in the text only so many count.
const IN_TITLE: usize = 20;
const IN_HEADING: usize = 6;
const IN_TEXT_MAX: usize = 5;
/// Generated pages have every word somewhere: written ones come first.
const WRITTEN: usize = 3;

/// A page that has all words of a search.
pub(crate) struct DocHit {
    pub(crate) title: String,
    pub(crate) address: String,
    pub(crate) snippet: String,
}

/// The best pages for the words, best first.
pub(crate) fn find(query: &str, limit: usize) -> Vec<DocHit> {
    let lower = query.to_lowercase();
    let words: Vec<&str> = lower
        .split(|one: char| !one.is_alphanumeric() && one != '_')
        .filter(|word| !word.is_empty())
        .take(WORDS_MAX)
        .collect();
    if words.is_empty() {
        return Vec::new();
    }
    let mut files = Vec::new();
    collect(&FOLDER, &mut files);
    let mut found: Vec<(usize, &str, &str)> = files
        .into_iter()
        .filter_map(|(name, text)| score(name, text, &words).map(|score| (score, name, text)))
        .collect();
    found.sort_by_key(|(score, name, _)| (Reverse(*score), *name));
    found.into_iter().take(limit).map(|(_, name, text)| hit(name, text, &words)).collect()
}

fn collect(folder: &'static Dir<'static>, files: &mut Vec<(&'static str, &'static str)>) {
    for entry in folder.entries() {
        match entry {
            DirEntry::Dir(inner) => collect(inner, files),
            DirEntry::File(file) => {
                let name = file.path().to_str().filter(|name| name.ends_with(".md"));
                files.extend(name.zip(file.contents_utf8()));
            }
        }
    }
}

/// `None` if a word is missing.
fn score(name: &str, text: &str, words: &[&str]) -> Option<usize> {
    let lower = text.to_lowercase();
    let mut sum = 0;
    for word in words {
        let anywhere = lower.matches(word).count();
        if anywhere == 0 {
            return None;
        }
        let headings = lower.lines().filter(|line| line.starts_with('#') && line.contains(word));
        let (titles, headings): (Vec<&str>, Vec<&str>) = headings.partition(|line| line.starts_with("# "));
        sum +=
            titles.len().min(1) * IN_TITLE + headings.len().min(2) * IN_HEADING + anywhere.min(IN_TEXT_MAX);
    }
    Some(if name.starts_with("reference/") { sum } else { sum * WRITTEN })
}

fn hit(name: &str, text: &str, words: &[&str]) -> DocHit {
    let page = markdown::plain(text);
    let has = |part: &&String| words.iter().filter(|word| part.to_lowercase().contains(**word)).count();
    let best = page
        .paragraphs
        .iter()
        .filter(|part| has(part) > 0)
        .max_by_key(|part| (has(part), Reverse(part.len())));
    DocHit {
        title: page.title.unwrap_or_else(|| name.to_owned()),
        address: markdown::address_of(name, ""),
        snippet: best.map(|part| around(part, words)).unwrap_or_default(),
    }
}

/// The part of a paragraph that begins a little before the first word.
fn around(part: &str, words: &[&str]) -> String {
    let chars: Vec<char> = part.chars().collect();
    if chars.len() <= SNIPPET_CHARS {
        return part.to_owned();
    }
    let lower = part.to_lowercase();
    let at = words.iter().filter_map(|word| lower.find(word)).min().unwrap_or(0);
    let before = lower[..at].chars().count().saturating_sub(SNIPPET_CHARS / 4).min(chars.len());
    let start = chars[..before].iter().rposition(|one| *one == ' ').map_or(0, |space| space + 1);
    let end = (start + SNIPPET_CHARS).min(chars.len());
    let shown: String = chars[start..end].iter().collect();
    format!("{}{shown}{}", if start > 0 { "… " } else { "" }, if end < chars.len() { " …" } else { "" })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn first(query: &str) -> String {
        find(query, 5).first().map(|hit| hit.address.clone()).unwrap_or_default()
    }

    #[test]
    fn pages_that_people_look_for_come_first() {
        for (query, page) in [
            ("nginx TLS", "/docs/how-to/behind-a-proxy"),
            ("rotate secrets", "/docs/how-to/rotate-secrets"),
            ("limit spend", "/docs/how-to/limit-spend"),
            ("alerts", "/docs/how-to/get-alerts"),
            ("back up", "/docs/how-to/back-up-restore-upgrade"),
        ] {
            assert_eq!(first(query), page, "{query}");
        }
    }

    #[test]
    fn an_error_code_leads_to_its_page() {
        assert!(
            find("origin_not_allowed", 10)
                .iter()
                .any(|hit| hit.address.starts_with("/docs/reference/errors"))
        );
    }

    #[test]
    fn nothing_finds_nothing() {
        for query in ["", "  ", "…", "zzzzqqq", &"x".repeat(100_000)] {
            assert!(find(query, 5).is_empty(), "{query:.20}");
        }
    }

    #[test]
    fn a_snippet_has_the_word_and_is_short() {
        let long = format!("{} needle {}", "before ".repeat(100), "after ".repeat(100));
        let shown = around(&long, &["needle"]);
        assert!(shown.contains("needle") && shown.starts_with("… before") && shown.ends_with('…'), "{shown}");
        assert!(shown.chars().count() <= SNIPPET_CHARS + 4);
        // Letters that grow when they are made small do not cut through a character.
        assert!(
            around(&format!("{} needle {}", "İ".repeat(300), "ß".repeat(300)), &["needle"]).chars().count()
                > 0
        );
    }
}
