//! Packing: as much as a number of tokens allows, the best first. A sentence is whole or not there.

use std::ops::Range;

use toolgate_search::tokens;

use crate::selection::{OfferedPassage, OfferedSentence};

/// Less room is not worth a passage.
const PASSAGE_TOKENS_MIN: usize = 12;

/// The passages that fit.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct PackedAnswer {
    pub(crate) passages: Vec<PackedPassage>,
    /// Of the text that the caller's model reads.
    pub(crate) tokens: usize,
    /// Passages for which there was no room.
    pub(crate) left_out: usize,
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct PackedPassage {
    /// With the sentences that fit.
    pub(crate) passage: OfferedPassage,
    /// A mark for each sentence that has a citation, as in the text: `[3]`.
    pub(crate) marks: Vec<Option<u32>>,
    /// Sentences of it that did not fit.
    pub(crate) cut: usize,
}

/// Packs passages into a number of tokens. The first mark is the one after `marks_used`.
pub(crate) fn pack(passages: Vec<OfferedPassage>, tokens_max: usize, marks_used: u32) -> PackedAnswer {
    let mut packed = PackedAnswer::default();
    let mut next_mark = marks_used + 1;
    for passage in passages {
        let room = tokens_max.saturating_sub(packed.tokens);
        let Some(fitting) = fitting(&passage, room, next_mark) else {
            packed.left_out += 1;
            continue;
        };
        let one = narrowed(passage, fitting, &mut next_mark);
        packed.tokens += tokens::count(&text_of(&one));
        packed.passages.push(one);
    }
    packed
}

/// The sentences around the strongest one that fit into the room.
fn fitting(passage: &OfferedPassage, room: usize, mark: u32) -> Option<Range<usize>> {
    let count = passage.sentences.len();
    let costs: Vec<usize> = passage.sentences.iter().map(|one| sentence_tokens(one, mark)).collect();
    let room = room.checked_sub(tokens::count(&head(passage))).filter(|room| *room >= PASSAGE_TOKENS_MIN)?;
    let best = passage.best();
    let mut left = room.checked_sub(costs[best])?;
    let mut range = best..best + 1;
    while range.len() < count {
        let before = range.start.checked_sub(1).filter(|at| costs[*at] <= left);
        let after = Some(range.end).filter(|at| *at < count && costs[*at] <= left);
        let at = match (before, after) {
            (Some(before), Some(after)) => stronger(passage, before, after),
            (Some(one), None) | (None, Some(one)) => one,
            (None, None) => break,
        };
        left -= costs[at];
        range = range.start.min(at)..range.end.max(at + 1);
    }
    Some(range)
}

/// Of two neighbours the stronger one; of equals the later one, since texts are read forwards.
fn stronger(passage: &OfferedPassage, before: usize, after: usize) -> usize {
    let strength = |at: usize| passage.sentences[at].strength;
    if strength(before) > strength(after) { before } else { after }
}

/// Counted with the space behind it. Marks of later sentences may have a digit more, which is within this.
fn sentence_tokens(sentence: &OfferedSentence, mark: u32) -> usize {
    const SPARE: usize = 1;
    let mark = if sentence.citation.is_some() { format!(" [{mark}]") } else { String::new() };
    tokens::count(&format!("{}{mark} ", sentence.text)) + SPARE
}

fn narrowed(mut passage: OfferedPassage, range: Range<usize>, next_mark: &mut u32) -> PackedPassage {
    let cut = passage.sentences.len() - range.len();
    passage.sentences = passage.sentences.drain(range).collect();
    let mark = |sentence: &OfferedSentence| {
        sentence.citation.is_some().then(|| {
            let mark = *next_mark;
            *next_mark += 1;
            mark
        })
    };
    let marks = passage.sentences.iter().map(mark).collect();
    PackedPassage { passage, marks, cut }
}

impl PackedAnswer {
    /// The highest mark, 0 for none.
    pub(crate) fn last_mark(&self) -> u32 {
        self.passages.iter().flat_map(|one| &one.marks).flatten().copied().max().unwrap_or(0)
    }

    /// All of it as a model reads it.
    pub(crate) fn text(&self) -> String {
        self.passages.iter().map(text_of).collect()
    }
}

/// The source, the sentences with their marks, and an empty line.
fn text_of(packed: &PackedPassage) -> String {
    let mut text = head(&packed.passage);
    for (sentence, mark) in packed.passage.sentences.iter().zip(&packed.marks) {
        text.push_str(sentence.text.trim());
        if let Some(mark) = mark {
            text.push_str(&format!(" [{mark}]"));
        }
        text.push(' ');
    }
    text.truncate(text.trim_end().len());
    text.push_str("\n\n");
    text
}

/// `contracts/lease.pdf, page 3, Termination > Notice:`
fn head(passage: &OfferedPassage) -> String {
    let page = passage.page.map(|page| format!(", page {page}")).unwrap_or_default();
    let headings = match passage.headings.is_empty() {
        true => String::new(),
        false => format!(", {}", passage.headings.join(" > ")),
    };
    format!("{}{page}{headings}:\n", passage.path)
}
