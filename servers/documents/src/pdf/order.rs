//! The reading order of a page: columns are found by the gutters between them, and separated; anything across
//! a gutter is read before or after the columns beside it.

use super::gutters::{self, Gutter};
use super::lines::{WordLine, lines};
use super::words::PageWord;
use crate::Bounds;

/// The maximum number of cuts of a page; real documents need five.
const DEPTH_MAX: usize = 24;
/// Rows in this share of the page at the top and the bottom may be headers and footers.
const MARGIN_SHARE: f32 = 0.12;
/// Headers and footers are set apart by at least this much, in their size.
const MARGIN_GAP_MIN: f32 = 0.7;
/// Rows of a header or a footer.
const MARGIN_ROWS_MAX: usize = 3;

/// A part of a page that is read from top to bottom.
pub(super) type PageLeaf = Vec<WordLine>;

/// The order of two columns.
#[derive(Clone, Copy, PartialEq, Eq)]
enum ColumnOrder {
    LeftFirst,
    RightFirst,
}

/// Puts words of one direction into reading order. `page` is the page in the frame of that direction.
pub(super) fn in_reading_order(words: Vec<PageWord>, page: Bounds) -> Vec<PageLeaf> {
    let reading = reading(&words);
    let (header, words) = peel(words, page, PageEdge::Top);
    let (footer, words) = peel(words, page, PageEdge::Bottom);
    let mut leaves = Vec::new();
    leaves.extend(header);
    cut(words, reading, 0, &mut leaves);
    leaves.extend(footer);
    leaves.into_iter().filter(|words| !words.is_empty()).map(leaf).collect()
}

/// Documents in right-to-left scripts have their first column at the right.
fn reading(words: &[PageWord]) -> ColumnOrder {
    let is_to_the_left =
        |word: &&PageWord| word.text.chars().any(|letter| matches!(letter, '\u{590}'..='\u{8FF}'));
    let to_the_left = words.iter().filter(is_to_the_left).count();
    if to_the_left * 2 > words.len() { ColumnOrder::RightFirst } else { ColumnOrder::LeftFirst }
}

fn cut(words: Vec<PageWord>, reading: ColumnOrder, depth: usize, leaves: &mut Vec<Vec<PageWord>>) {
    let gutter = if depth < DEPTH_MAX { gutters::find(&words) } else { None };
    let Some(gutter) = gutter else {
        leaves.push(words);
        return;
    };
    let parts = GutterParts::of(words, &gutter);
    let (first, second) = match reading {
        ColumnOrder::LeftFirst => (parts.left, parts.right),
        ColumnOrder::RightFirst => (parts.right, parts.left),
    };
    for part in [parts.above, first, second, parts.below] {
        cut(part, reading, depth + 1, leaves);
    }
}

/// The parts around a gutter.
#[derive(Default)]
struct GutterParts {
    above: Vec<PageWord>,
    left: Vec<PageWord>,
    right: Vec<PageWord>,
    below: Vec<PageWord>,
}

impl GutterParts {
    fn of(words: Vec<PageWord>, gutter: &Gutter) -> Self {
        let mut parts = Self::default();
        for word in words {
            let (x, y) = word.frame.center();
            let part = if y < gutter.top {
                &mut parts.above
            } else if y > gutter.bottom {
                &mut parts.below
            } else if x < gutter.at {
                &mut parts.left
            } else {
                &mut parts.right
            };
            part.push(word);
        }
        parts
    }
}

/// Words of a region, with tables on separate lines.
fn leaf(words: Vec<PageWord>) -> PageLeaf {
    let (tables, words): (Vec<PageWord>, Vec<PageWord>) = words.into_iter().partition(PageWord::is_table);
    let mut found = lines(words);
    for table in tables {
        let position = found.partition_point(|line| line.frame.center().1 < table.frame.center().1);
        found.insert(position, WordLine::of(vec![table]));
    }
    found
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum PageEdge {
    Top,
    Bottom,
}

/// Takes the rows off an edge of the page that are set apart from the rest: they reach over all columns.
fn peel(mut words: Vec<PageWord>, page: Bounds, edge: PageEdge) -> (Option<Vec<PageWord>>, Vec<PageWord>) {
    // From the edge inwards: the start and the end of a word.
    let depth = |word: &PageWord| match edge {
        PageEdge::Top => (word.frame.top - page.top, word.frame.bottom - page.top),
        PageEdge::Bottom => (page.bottom - word.frame.bottom, page.bottom - word.frame.top),
    };
    words.sort_by(|one, other| depth(one).0.total_cmp(&depth(other).0));
    let (mut reached, mut rows) = (f32::MIN, 0);
    for index in 0..words.len() {
        let (begins, ends) = depth(&words[index]);
        if index > 0 && begins - reached >= MARGIN_GAP_MIN * words[index].size {
            let rest = words.split_off(index);
            return (Some(words), rest);
        }
        rows += usize::from(begins > reached);
        if ends > page.height() * MARGIN_SHARE || rows > MARGIN_ROWS_MAX || words[index].is_table() {
            break;
        }
        reached = reached.max(ends);
    }
    (None, words)
}
