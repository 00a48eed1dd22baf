//! The requested pages of a document, as people write them: `1-3,7`.

use std::str::FromStr;

/// Some of the pages of a document.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PageRange {
    /// From 1, both ends included, in the order in which they were written.
    spans: Vec<(u32, u32)>,
}

/// The reason why a text is not a list of pages.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{text:?} is not a list of pages: write pages as \"3\", \"1-5\" or \"1-3,7\", starting at 1")]
pub struct BadPageRange {
    text: String,
}

impl PageRange {
    /// Pages `first` to `last`, both included.
    pub fn between(first: u32, last: u32) -> Self {
        Self { spans: vec![(first, last)] }
    }

    pub fn contains(&self, number: u32) -> bool {
        self.spans.iter().any(|&(first, last)| (first..=last).contains(&number))
    }

    /// The first requested page number beyond `count`.
    pub fn beyond(&self, count: usize) -> Option<u32> {
        self.spans.iter().map(|&(first, _)| first).find(|&first| first as usize > count)
    }
}

impl FromStr for PageRange {
    type Err = BadPageRange;

    fn from_str(text: &str) -> Result<Self, BadPageRange> {
        let bad = || BadPageRange { text: text.to_owned() };
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        let spans: Option<Vec<(u32, u32)>> = parts.map(span).collect();
        match spans {
            Some(spans) if !spans.is_empty() => Ok(Self { spans }),
            _ => Err(bad()),
        }
    }
}

/// `4`, `4-6`, `4-` or `4–6`.
fn span(part: &str) -> Option<(u32, u32)> {
    let number = |text: &str| text.trim().parse::<u32>().ok().filter(|&number| number > 0);
    let Some((first, last)) = part.split_once(['-', '–']) else {
        let page = number(part)?;
        return Some((page, page));
    };
    let first = number(first)?;
    let last = if last.trim().is_empty() { u32::MAX } else { number(last)? };
    (first <= last).then_some((first, last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Vec<(u32, u32)>, BadPageRange> {
        text.parse::<PageRange>().map(|range| range.spans)
    }

    #[test]
    fn pages_are_read_as_people_write_them() {
        assert_eq!(read("3"), Ok(vec![(3, 3)]));
        assert_eq!(read(" 1-3, 7 "), Ok(vec![(1, 3), (7, 7)]));
        assert_eq!(read("5-"), Ok(vec![(5, u32::MAX)]));
        assert_eq!(read("2–4"), Ok(vec![(2, 4)]));
    }

    #[test]
    fn what_names_no_pages_is_refused() {
        for text in ["", ",", "0", "3-1", "-2", "a", "1-b", "1,,x", "99999999999"] {
            assert!(read(text).is_err(), "{text:?}");
        }
    }

    #[test]
    fn a_page_beyond_the_last_is_found_out() {
        let range: PageRange = "1-3,9-".parse().unwrap();
        assert_eq!((range.beyond(8), range.beyond(9)), (Some(9), None));
        assert!(range.contains(2) && range.contains(1000) && !range.contains(4));
    }
}
