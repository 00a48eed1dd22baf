//! Searching the documentation. Its pages are few: the first search reads all of them, and keeps what the others look through.

use std::cmp::Reverse;
use std::sync::LazyLock;

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

static PAGES: LazyLock<Vec<SearchedPage>> = LazyLock::new(|| {
    let mut files = Vec::new();
    collect(&FOLDER, &mut files);
    files.into_iter().map(|(name, text)| SearchedPage::of(name, text)).collect()
});

/// A page as searches look through it: in small letters.
struct SearchedPage {
    name: &'static str,
    text: &'static str,
    lower: String,
    titles: Vec<String>,
    headings: Vec<String>,
}

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
    let mut found: Vec<(usize, &SearchedPage)> =
        PAGES.iter().filter_map(|page| Some((page.score(&words)?, page))).collect();
    found.sort_by_key(|(score, page)| (Reverse(*score), page.name));
    found.into_iter().take(limit).map(|(_, page)| hit(page.name, page.text, &words)).collect()
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

impl SearchedPage {
    fn of(name: &'static str, text: &'static str) -> Self {
        let lower = text.to_lowercase();
        let all = lower.lines().filter(|line| line.starts_with('#')).map(str::to_owned);
        let (titles, headings) = all.partition(|line| line.starts_with("# "));
        Self { name, text, lower, titles, headings }
    }

    /// `None` if a word is missing.
    fn score(&self, words: &[&str]) -> Option<usize> {
        let mut sum = 0;
        for word in words {
            let anywhere = self.lower.matches(word).count();
            if anywhere == 0 {
                return None;
            }
            let having = |lines: &[String]| lines.iter().filter(|line| line.contains(word)).count();
            sum += having(&self.titles).min(1) * IN_TITLE
                + having(&self.headings).min(2) * IN_HEADING
                + anywhere.min(IN_TEXT_MAX);
        }
        Some(if self.name.starts_with("reference/") { sum } else { sum * WRITTEN })
    }
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
