//! The words of a query.

use crate::words::{self, WordKind};

/// Characters beyond this number are ignored.
const CHARS_MAX: usize = 10_000;
/// Words beyond this number are ignored: a request for a tool is clear by then.
const CONCEPTS_MAX: usize = 48;

pub(super) struct ParsedQuery {
    /// In the order of the text, which is the order in which scores are added up.
    pub(super) concepts: Vec<Concept>,
}

/// One word of a query.
pub(super) struct Concept {
    pub(super) stem: String,
    pub(super) kind: WordKind,
}

impl ParsedQuery {
    pub(super) fn read(text: &str) -> Self {
        let mut concepts: Vec<Concept> = Vec::new();
        let words = words::words(beginning(text)).into_iter().filter(|word| !words::is_filler(&word.text));
        for word in words {
            let stem = words::stem(&word.text);
            if concepts.iter().all(|concept| concept.stem != stem) {
                concepts.push(Concept { stem: stem.into_owned(), kind: word.kind });
            }
            if concepts.len() == CONCEPTS_MAX {
                break;
            }
        }
        Self { concepts }
    }
}

fn beginning(text: &str) -> &str {
    text.char_indices().nth(CHARS_MAX).map_or(text, |(end, _)| &text[..end])
}
