//! Tables on a page: words in rows and columns, by lines or gaps.
//!
//! [`rules`] finds areas between drawn lines, [`gaps`] columns without them; both return a
//! [`region::Region`]. [`columns`] and [`rows`] cut a region up, [`cells`] puts words into the cells,
//! [`judge`] refuses look-alikes. [`prose`] separates the columns of running text before.

mod assembly;
mod cells;
mod columns;
mod gaps;
mod judge;
mod leaders;
mod merged;
mod prose;
mod region;
mod rows;
mod rules;
mod strips;
#[cfg(test)]
mod tests;

use super::content::{GlyphDirection, PageContent};
use super::words::{self, PageWord};
use crate::{Bounds, Table};

/// A page with more words is read without tables: it is no page that a person reads.
const WORDS_MAX: usize = 20_000;
/// Fewer words that go in one direction make no table.
const WORDS_MIN: usize = 4;
/// Tables on one page.
const TABLES_MAX: usize = 64;

/// All tables of a page, from top to bottom.
pub(crate) fn find(content: &PageContent) -> Vec<Table> {
    find_among(content, &words::words(content))
}

/// All tables of a page whose words are already known.
pub(crate) fn find_among(content: &PageContent, words: &[PageWord]) -> Vec<Table> {
    if words.len() > WORDS_MAX {
        return Vec::new();
    }
    let mut tables = Vec::new();
    for direction in [GlyphDirection::Right, GlyphDirection::Down, GlyphDirection::Left, GlyphDirection::Up] {
        let usable = |word: &&PageWord| {
            word.direction == direction && !word.artifact && word.frame.is_finite() && word.size > 0.0
        };
        let turned: Vec<&PageWord> = words.iter().filter(usable).collect();
        if turned.len() >= WORDS_MIN {
            tables.extend(find_turned(content, &turned, direction));
        }
    }
    tables.sort_by(|one: &Table, other: &Table| top(one).total_cmp(&top(other)));
    tables.truncate(TABLES_MAX);
    tables
}

/// The tables whose text goes in one direction.
fn find_turned(content: &PageContent, words: &[&PageWord], direction: GlyphDirection) -> Vec<Table> {
    let rules = rules::PageRules::of(content, direction);
    let words = &leaders::left_out(words);
    let mut taken: Vec<Bounds> = Vec::new();
    let mut tables = Vec::new();
    // Program output is shown as it is, not as a table; but some pages are typewritten.
    let typewritten = words.iter().filter(|word| word.style.mono).count() * 2 > words.len();
    let wanted = |region: &region::Region<'_>| typewritten || !region.is_verbatim();
    for region in rules.regions(words).into_iter().filter(wanted) {
        keep(region, &mut taken, &mut tables);
    }
    let rest: Vec<&PageWord> = words.iter().copied().filter(|word| !is_in_any(word, &taken)).collect();
    for part in prose::parts(&rest) {
        for region in gaps::regions(&part, &rules).into_iter().filter(wanted) {
            keep(region, &mut taken, &mut tables);
        }
    }
    for table in &mut tables {
        table.page = content.number;
        table.bounds = table.bounds.map(|frame| direction.page(frame));
    }
    tables
}

fn keep(region: region::Region<'_>, taken: &mut Vec<Bounds>, tables: &mut Vec<Table>) {
    let overlaps = |bounds: &Bounds| {
        let shared = bounds.intersection(&region.bounds);
        shared.width() > 0.0 && shared.height() > 0.0
    };
    if taken.iter().any(overlaps) {
        return;
    }
    if let Some(table) = region.table() {
        taken.push(region.bounds);
        tables.push(table);
    }
}

fn is_in_any(word: &PageWord, places: &[Bounds]) -> bool {
    places.iter().any(|place| place.contains(word.frame.center()))
}

fn top(table: &Table) -> f32 {
    table.bounds.map_or(0.0, |bounds| bounds.top)
}
