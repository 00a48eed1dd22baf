//! The items under one heading as runs of pieces.

use std::collections::BTreeMap;

use docir::{BodyItem, ItemKind};

use super::pieces::{Piece, glue, line_pieces, row_pieces, sentence_pieces, words_of};

/// The measures of runs.
pub(super) struct SectionRule {
    pub(super) words_max: usize,
    /// Rows of each table that are its heading, by its pointer.
    pub(super) heading_rows: BTreeMap<String, usize>,
}

/// All that stands under one heading.
pub(super) struct Section {
    pub(super) headings: Vec<String>,
    pub(super) runs: Vec<Run>,
}

pub(super) enum Run {
    /// Sentences; those that are glued stay together.
    Flow(Vec<Piece>),
    /// Rows under their head, which each passage of them repeats: a table, or a long list under the sentence that leads to it.
    Rows { head: Vec<Piece>, rows: Vec<Piece> },
}

/// A sentence that leads to a list, or the caption of a table, stays with it if it has at most so many words.
const LEAD_WORDS_MAX: usize = 40;
/// Heading rows of a table about which nothing is known.
const HEADING_ROWS_USUAL: usize = 1;

pub(super) fn sections(items: &[BodyItem<'_>], rule: &SectionRule) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut at = 0;
    while let Some(first) = items.get(at) {
        let end = section_end(items, at);
        let runs = match first.kind {
            ItemKind::Heading { level } if is_above_something(items, at, level) => Vec::new(),
            ItemKind::Heading { .. } => vec![Run::Flow(sentence_pieces(at, &first.text))],
            _ => RunMaker { items, rule, done: Vec::new() }.runs(at, end),
        };
        sections.push(Section { headings: first.headings.clone(), runs });
        at = end;
    }
    sections
}

/// A heading by itself, or the items up to the next.
fn section_end(items: &[BodyItem<'_>], at: usize) -> usize {
    let first = &items[at];
    if is_heading(first) {
        return at + 1;
    }
    let belongs = |item: &&BodyItem<'_>| !is_heading(item) && item.headings == first.headings;
    at + items[at..].iter().take_while(belongs).count()
}

fn is_heading(item: &BodyItem<'_>) -> bool {
    matches!(item.kind, ItemKind::Heading { .. })
}

/// The passages below a heading say it. One with nothing below it is a passage itself.
fn is_above_something(items: &[BodyItem<'_>], at: usize, level: u8) -> bool {
    match items.get(at + 1).map(|next| &next.kind) {
        None => false,
        Some(ItemKind::Heading { level: next }) => *next > level,
        Some(_) => true,
    }
}

struct RunMaker<'a> {
    items: &'a [BodyItem<'a>],
    rule: &'a SectionRule,
    done: Vec<Run>,
}

impl RunMaker<'_> {
    fn runs(mut self, from: usize, end: usize) -> Vec<Run> {
        let mut at = from;
        while at < end {
            let text = &self.items[at].text;
            match self.items[at].kind {
                ItemKind::Table => self.table(at),
                ItemKind::ListItem => {
                    let is_item = |item: &&BodyItem<'_>| matches!(item.kind, ItemKind::ListItem);
                    let list_end = at + self.items[at..end].iter().take_while(is_item).count();
                    self.list(at, list_end);
                    at = list_end - 1;
                }
                ItemKind::Code => self.flow(self.whole(line_pieces(at, text))),
                _ => self.flow(sentence_pieces(at, text)),
            }
            at += 1;
        }
        self.done
    }

    fn flow(&mut self, pieces: Vec<Piece>) {
        match self.done.last_mut() {
            Some(Run::Flow(before)) => before.extend(pieces),
            _ => self.done.push(Run::Flow(pieces)),
        }
    }

    fn table(&mut self, at: usize) {
        let item = &self.items[at];
        let mut rows = row_pieces(at, &item.text, self.rule.words_max);
        let heading_rows = self.rule.heading_rows.get(&item.pointer).copied().unwrap_or(HEADING_ROWS_USUAL);
        let below = rows.split_off(heading_rows.min(rows.len()));
        let mut head = self.caption(at);
        head.append(&mut rows);
        self.done.push(Run::Rows { head, rows: below });
    }

    /// Items stay with the sentence that leads to them: all in one piece if they fit in a passage, else under it.
    fn list(&mut self, from: usize, end: usize) {
        let mut list: Vec<Piece> = Vec::new();
        for at in from..end {
            list.extend(self.whole(sentence_pieces(at, &self.items[at].text)));
        }
        let Some(mut lead) = self.lead(from) else { return self.flow(list) };
        lead.glued = false;
        if lead.words + words_of(&list) > self.rule.words_max {
            return self.done.push(Run::Rows { head: vec![lead], rows: list });
        }
        list.insert(0, lead);
        glue(&mut list);
        self.flow(list);
    }

    /// The sentence right before a list, if it leads to it.
    fn lead(&mut self, list: usize) -> Option<Piece> {
        let Some(Run::Flow(before)) = self.done.last_mut() else { return None };
        let last = before.last()?;
        let text = &self.items[last.item].text[last.bytes.clone()];
        let leads = last.item + 1 == list && text.ends_with([':', '：']) && last.words <= LEAD_WORDS_MAX;
        if leads { before.pop() } else { None }
    }

    /// The caption right before a table.
    fn caption(&mut self, table: usize) -> Vec<Piece> {
        let Some(Run::Flow(before)) = self.done.last_mut() else { return Vec::new() };
        let of_caption = |piece: &&Piece| {
            piece.item + 1 == table && matches!(self.items[piece.item].kind, ItemKind::Caption)
        };
        let count = before.iter().rev().take_while(of_caption).count();
        let from = before.len() - count;
        if words_of(&before[from..]) > LEAD_WORDS_MAX { Vec::new() } else { before.split_off(from) }
    }

    /// Together, if they fit in a passage.
    fn whole(&self, mut pieces: Vec<Piece>) -> Vec<Piece> {
        if words_of(&pieces) <= self.rule.words_max {
            glue(&mut pieces);
        }
        pieces
    }
}
