//! The distinction between tables and look-alikes: running text in columns, lists, contents pages, forms,
//! drawings.

use super::cells::WordGrid;
use super::columns::{Column, ColumnEdge};
use super::region::{Region, TableOrigin};
use super::strips::{Segment, TextStrip};

const GRID_CONFIDENCE: f32 = 0.95;
const STACK_CONFIDENCE: f32 = 0.85;
/// The minimum share of filled cells in a ruled table. Drawings have less.
const FILLED_MIN: f32 = 0.2;
/// Share of parted strips between horizontal rules.
const PARTED_MIN: f32 = 0.4;
/// Strips in columns without any rule: fewer are chance.
const STRIPS_MIN: usize = 3;
const TWO_COLUMN_STRIPS_MIN: usize = 3;
/// Cells with more words are running text.
const LONG_CELL_WORDS: usize = 9;
/// The minimum alignment of columns without rules.
const ALIGNED_MIN: f32 = 0.55;
const TWO_COLUMN_ALIGNED_MIN: f32 = 0.75;
/// Edges that differ by less, in the size of the letters, are aligned.
const ALIGNED_WITHIN: f32 = 0.25;

/// The confidence that a region is a table; `None` if it is not.
pub(super) fn confidence(region: &Region<'_>, columns: &[Column], grid: &WordGrid<'_>) -> Option<f32> {
    if grid.rows() < 2 || grid.columns() < 2 {
        return None;
    }
    let ruled = columns.iter().any(|column| column.edge == ColumnEdge::Rule);
    match region.origin {
        TableOrigin::Grid if ruled => (filled(grid) >= FILLED_MIN).then_some(GRID_CONFIDENCE),
        TableOrigin::Grid | TableOrigin::Stack => stack_confidence(region, grid),
        TableOrigin::Gaps => gaps_confidence(region, columns, grid),
    }
}

fn filled(grid: &WordGrid<'_>) -> f32 {
    let cells = (0..grid.rows()).flat_map(|row| (0..grid.columns()).map(move |column| (row, column)));
    let filled = cells.filter(|(row, column)| !grid.is_empty(*row, *column)).count();
    filled as f32 / (grid.rows() * grid.columns()) as f32
}

fn stack_confidence(region: &Region<'_>, grid: &WordGrid<'_>) -> Option<f32> {
    let parted = region.strips.iter().filter(|strip| strip.is_parted()).count();
    let share = parted as f32 / region.strips.len().max(1) as f32;
    (parted >= 2 && share >= PARTED_MIN && !is_list(region) && !is_numbered(grid) && !is_running_text(region))
        .then_some(STACK_CONFIDENCE)
}

fn gaps_confidence(region: &Region<'_>, columns: &[Column], grid: &WordGrid<'_>) -> Option<f32> {
    let parted = region.strips.iter().filter(|strip| strip.is_parted()).count();
    let least = if columns.len() == 2 { TWO_COLUMN_STRIPS_MIN } else { STRIPS_MIN.min(columns.len()) };
    if parted < least
        || is_list(region)
        || is_numbered(grid)
        || is_running_text(region)
        || columns.len() == 2 && is_form(grid)
    {
        return None;
    }
    let aligned = alignment(region, columns);
    let wanted = if columns.len() == 2 { TWO_COLUMN_ALIGNED_MIN } else { ALIGNED_MIN };
    (aligned >= wanted && filled(grid) >= FILLED_MIN).then_some(0.4 + 0.4 * aligned)
}

/// Bullets or numbers before each item.
fn is_list(region: &Region<'_>) -> bool {
    let parted: Vec<&TextStrip<'_>> = region.strips.iter().filter(|strip| strip.is_parted()).collect();
    let marked =
        parted.iter().filter(|strip| strip.segments.len() == 2 && is_marker(&strip.segments[0])).count();
    marked * 10 >= parted.len() * 7
}

fn is_marker(segment: &Segment<'_>) -> bool {
    let [word] = segment.words.as_slice() else { return false };
    let text = word.text.as_str();
    let core = text.trim_matches(|letter| matches!(letter, '(' | ')' | '[' | ']' | '.' | ':'));
    let short =
        core.chars().count() <= 3 && core.chars().all(char::is_alphanumeric) && core.len() < text.len();
    let bullet = text.chars().count() == 1 && !text.chars().all(char::is_alphanumeric);
    short || bullet
}

/// Lines with their numbers: listings of programs.
fn is_numbered(grid: &WordGrid<'_>) -> bool {
    let number = |row: usize| grid.words(row, 0).next().and_then(|word| word.text.parse::<u32>().ok());
    let follows = |row: &usize| {
        number(*row).zip(number(*row - 1)).is_some_and(|(this, last)| this == last.saturating_add(1))
    };
    grid.columns() == 2 && (1..grid.rows()).filter(follows).count() * 10 >= (grid.rows() - 1) * 8
}

/// Columns of running text: most pieces are long.
fn is_running_text(region: &Region<'_>) -> bool {
    let pieces: Vec<&Segment<'_>> =
        region.strips.iter().filter(|strip| strip.is_parted()).flat_map(|strip| &strip.segments).collect();
    let long = pieces.iter().filter(|piece| piece.words.len() >= LONG_CELL_WORDS).count();
    let words: usize = pieces.iter().map(|piece| piece.words.len()).sum();
    long * 2 > pieces.len()
        || words > pieces.len() * 6
        || region.origin == TableOrigin::Gaps && is_text_beside_text(region)
}

/// Two columns, both of several words a line.
fn is_text_beside_text(region: &Region<'_>) -> bool {
    let pairs = || region.strips.iter().filter(|strip| strip.segments.len() == 2);
    let words = |side: usize| pairs().map(|strip| strip.segments[side].words.len()).sum::<usize>();
    let count = pairs().count();
    let parted = region.strips.iter().filter(|strip| strip.is_parted()).count();
    count * 2 >= parted && words(0).min(words(1)) > count * 7 / 2
}

/// `Name: value` lines.
fn is_form(grid: &WordGrid<'_>) -> bool {
    let labelled = |row: &usize| grid.words(*row, 0).last().is_some_and(|word| word.text.ends_with(':'));
    (0..grid.rows()).filter(labelled).count() * 2 > grid.rows()
}

/// The alignment of pieces: the mean over columns of the share with a common left, right or middle.
fn alignment(region: &Region<'_>, columns: &[Column]) -> f32 {
    let mut sum = 0.0;
    for (index, _) in columns.iter().enumerate() {
        let pieces: Vec<&Segment<'_>> = region
            .strips
            .iter()
            .filter(|strip| strip.is_parted())
            .flat_map(|strip| &strip.segments)
            .filter(|piece| super::columns::column_of(columns, piece.bounds.center().0) == index)
            .collect();
        sum += column_alignment(&pieces);
    }
    sum / columns.len().max(1) as f32
}

fn column_alignment(pieces: &[&Segment<'_>]) -> f32 {
    let size = pieces.first().map_or(10.0, |piece| piece.words[0].size);
    let share = |edge: fn(&Segment<'_>) -> f32| {
        let mut edges: Vec<f32> = pieces.iter().map(|piece| edge(piece)).collect();
        edges.sort_by(f32::total_cmp);
        let within = |from: usize| {
            edges[from..].iter().take_while(|edge| **edge - edges[from] <= ALIGNED_WITHIN * size).count()
        };
        (0..edges.len()).map(within).max().unwrap_or(0) as f32 / pieces.len().max(1) as f32
    };
    let left = share(|piece| piece.bounds.left);
    let right = share(|piece| piece.bounds.right);
    let middle = share(|piece| piece.bounds.center().0);
    left.max(right).max(middle)
}
