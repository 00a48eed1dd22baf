//! Reading order of text pieces: down one column, then the next; along the rows of a table.

use crate::geometry::{Bounds, Polygon};
use crate::reading::Break;

#[cfg(test)]
mod tests;

/// A piece in its place among the others.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct PlacedPiece {
    /// Among those that were given.
    pub(crate) index: usize,
    pub(crate) before: Break,
}

/// Pieces in a row that are further apart than this many times their height are cells of a table.
const TAB: f32 = 1.5;
/// Rows that are further apart than this many times their height are paragraphs, unless most rows
/// around them are as far apart, as in airy tables and double-spaced text.
const PARAGRAPH: f32 = 0.9;
/// In such text, paragraphs are further apart than this many times the usual gap,
const WIDER: f32 = 1.3;
/// or than this many times their height, regardless of the usual gap.
const FAR: f32 = 2.5;
/// Fewer gaps do not establish a usual gap.
const GAPS_MIN: usize = 2;
/// A column of prose has at least this many lines,
const COLUMN_LINES_MIN: usize = 3;
/// and most of its lines are this many times as long as they are high. Cells of tables are shorter.
const PROSE: f32 = 7.0;
/// In tables, pieces left and right of a gap are in rows; in columns, at most this share of pieces is.
const ALIGNED_MAX: f32 = 0.6;
/// At most this share of pieces may run across the gap between columns, such as headlines.
const ACROSS_MAX: f32 = 0.3;
/// Maximum nesting of columns: three columns are two, one of which is split again.
const DEPTH_MAX: usize = 6;

/// The bounds of a piece on a page whose lines have this slope, with the slope removed.
pub(crate) fn straightened(polygon: &Polygon, degrees: f32) -> Bounds {
    let (sine, cosine) = degrees.to_radians().sin_cos();
    polygon
        .map(|place| {
            crate::geometry::Point::new(place.x * cosine + place.y * sine, place.y * cosine - place.x * sine)
        })
        .bounds()
}

/// All pieces in reading order.
pub(crate) fn arrange(pieces: &[Bounds]) -> Vec<PlacedPiece> {
    let mut regions = Vec::new();
    split((0..pieces.len()).collect(), pieces, DEPTH_MAX, &mut regions);
    regions.iter().flat_map(|region| rows_of(region, pieces)).collect()
}

/// Splits a region at the gap between two columns, if there is one, and continues with the parts.
fn split(region: Vec<usize>, pieces: &[Bounds], depth: usize, regions: &mut Vec<Vec<usize>>) {
    let gap = if depth == 0 { None } else { gap_between_columns(&region, pieces) };
    let Some(gap) = gap else {
        regions.push(region);
        return;
    };
    for band in bands(&region, pieces, gap) {
        match band {
            RegionBand::Across(across) => regions.push(across),
            RegionBand::Columns(left, right) => {
                split(left, pieces, depth - 1, regions);
                split(right, pieces, depth - 1, regions);
            }
        }
    }
}

/// The place of a gap with columns on both sides: the one that the fewest pieces run across, then the widest.
fn gap_between_columns(region: &[usize], pieces: &[Bounds]) -> Option<f32> {
    let mut edges: Vec<f32> = region.iter().map(|&index| pieces[index].right).collect();
    edges.sort_by(f32::total_cmp);
    edges.dedup_by(|a, b| (*a - *b).abs() < 1.0);
    edges
        .into_iter()
        .filter_map(|edge| {
            let sides = RegionSides::at(edge, region, pieces);
            sides.are_columns(pieces).then(|| (sides.across.len(), sides.gap(pieces)))
        })
        .min_by(|(across, gap), (other_across, other_gap)| {
            across.cmp(other_across).then(gap.width.total_cmp(&other_gap.width).reverse())
        })
        .map(|(_, gap)| gap.middle)
}

struct Gap {
    middle: f32,
    width: f32,
}

/// A region parted by an upright line.
struct RegionSides {
    left: Vec<usize>,
    right: Vec<usize>,
    across: Vec<usize>,
}

impl RegionSides {
    fn at(edge: f32, region: &[usize], pieces: &[Bounds]) -> Self {
        let (mut left, mut right, mut across) = (Vec::new(), Vec::new(), Vec::new());
        for &index in region {
            let piece = &pieces[index];
            // Boxes reach a little beyond their letters.
            let slack = piece.height() * 0.25;
            if piece.right <= edge + slack {
                left.push(index);
            } else if piece.left >= edge - slack {
                right.push(index);
            } else {
                across.push(index);
            }
        }
        Self { left, right, across }
    }

    fn are_columns(&self, pieces: &[Bounds]) -> bool {
        let all = self.left.len() + self.right.len() + self.across.len();
        self.left.len() >= COLUMN_LINES_MIN
            && self.right.len() >= COLUMN_LINES_MIN
            && self.across.len() as f32 <= all as f32 * ACROSS_MAX
            && stand_beside(&self.left, &self.right, pieces)
            && (self.are_prose(pieces) || self.are_out_of_step(pieces))
    }

    fn are_prose(&self, pieces: &[Bounds]) -> bool {
        [&self.left, &self.right].into_iter().all(|side| {
            median(side.iter().map(|&index| pieces[index].width() / pieces[index].height().max(1.0))) >= PROSE
        })
    }

    /// True if the lines of both sides have their own heights, as beside the margin column of a resume.
    fn are_out_of_step(&self, pieces: &[Bounds]) -> bool {
        let (few, many) = if self.left.len() < self.right.len() {
            (&self.left, &self.right)
        } else {
            (&self.right, &self.left)
        };
        let aligned = few.iter().filter(|&&index| {
            let piece = &pieces[index];
            many.iter().any(|&other| (pieces[other].middle() - piece.middle()).abs() < piece.height() * 0.25)
        });
        let height = median(few.iter().map(|&index| pieces[index].height()));
        aligned.count() as f32 <= few.len() as f32 * ALIGNED_MAX && self.gap(pieces).width >= height
    }

    fn gap(&self, pieces: &[Bounds]) -> Gap {
        let from = self.left.iter().map(|&index| pieces[index].right).fold(f32::NEG_INFINITY, f32::max);
        let to = self.right.iter().map(|&index| pieces[index].left).fold(f32::INFINITY, f32::min);
        Gap { middle: (from + to) / 2.0, width: to - from }
    }
}

/// True if the sides share at least half of the height of the lower one.
fn stand_beside(left: &[usize], right: &[usize], pieces: &[Bounds]) -> bool {
    let extent = |side: &[usize]| {
        let top = side.iter().map(|&index| pieces[index].top).fold(f32::INFINITY, f32::min);
        let bottom = side.iter().map(|&index| pieces[index].bottom).fold(f32::NEG_INFINITY, f32::max);
        (top, bottom)
    };
    let ((a_top, a_bottom), (b_top, b_bottom)) = (extent(left), extent(right));
    let shared = a_bottom.min(b_bottom) - a_top.max(b_top);
    shared >= (a_bottom - a_top).min(b_bottom - b_top) / 2.0
}

/// A part of a region with columns.
enum RegionBand {
    /// Pieces across both columns.
    Across(Vec<usize>),
    Columns(Vec<usize>, Vec<usize>),
}

/// From top to bottom: columns until something runs across them, then that, then columns again.
fn bands(region: &[usize], pieces: &[Bounds], gap: f32) -> Vec<RegionBand> {
    let sides = RegionSides::at(gap, region, pieces);
    let mut across = sides.across;
    across.sort_by(|&a, &b| pieces[a].middle().total_cmp(&pieces[b].middle()));
    let (mut left, mut right) = (sides.left, sides.right);
    let mut bands: Vec<RegionBand> = Vec::new();
    for index in across {
        let above = |&other: &usize| pieces[other].middle() < pieces[index].middle();
        let (left_above, left_below): (Vec<_>, Vec<_>) = left.into_iter().partition(above);
        let (right_above, right_below): (Vec<_>, Vec<_>) = right.into_iter().partition(above);
        (left, right) = (left_below, right_below);
        if !(left_above.is_empty() && right_above.is_empty()) {
            bands.push(RegionBand::Columns(left_above, right_above));
        }
        match bands.last_mut() {
            Some(RegionBand::Across(together)) => together.push(index),
            _ => bands.push(RegionBand::Across(vec![index])),
        }
    }
    if !(left.is_empty() && right.is_empty()) {
        bands.push(RegionBand::Columns(left, right));
    }
    bands
}

/// The pieces of a region without columns, row by row.
fn rows_of(region: &[usize], pieces: &[Bounds]) -> Vec<PlacedPiece> {
    let rows = grouped_in_rows(region, pieces);
    let spaces: Vec<RowSpace> =
        rows.windows(2).map(|pair| RowSpace::between(&pair[0], &pair[1], pieces)).collect();
    let usual = usual_gap(&spaces);
    let breaks = spaces.iter().map(|space| space.as_break(usual));
    let breaks = std::iter::once(Break::Paragraph).chain(breaks);
    rows.iter().zip(breaks).flat_map(|(row, before)| placed_in_row(row, before, pieces)).collect()
}

/// Rows from top to bottom, each from left to right. None is empty.
fn grouped_in_rows(region: &[usize], pieces: &[Bounds]) -> Vec<Vec<usize>> {
    let mut sorted = region.to_vec();
    sorted.sort_by(|&a, &b| pieces[a].middle().total_cmp(&pieces[b].middle()));
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for index in sorted {
        match rows.last_mut() {
            Some(row) if row.iter().any(|&other| in_one_row(&pieces[other], &pieces[index])) => {
                row.push(index)
            }
            _ => rows.push(vec![index]),
        }
    }
    for row in &mut rows {
        row.sort_by(|&a, &b| pieces[a].left.total_cmp(&pieces[b].left));
    }
    rows
}

/// The pieces of a row, the first of which comes after `before`.
fn placed_in_row(row: &[usize], before: Break, pieces: &[Bounds]) -> Vec<PlacedPiece> {
    let first = PlacedPiece { index: row[0], before };
    let later = row
        .windows(2)
        .map(|pair| PlacedPiece { index: pair[1], before: break_in_row(&pieces[pair[0]], &pieces[pair[1]]) });
    std::iter::once(first).chain(later).collect()
}

/// True if the middle of each lies well within the other.
fn in_one_row(a: &Bounds, b: &Bounds) -> bool {
    (a.middle() - b.middle()).abs() < a.height().min(b.height()) * 0.5
}

fn break_in_row(left: &Bounds, right: &Bounds) -> Break {
    let height = left.height().min(right.height());
    if right.left - left.right >= height * TAB { Break::Tab } else { Break::Space }
}

/// The space between a row and the next.
struct RowSpace {
    gap: f32,
    /// Of the lower one of both rows.
    height: f32,
}

impl RowSpace {
    fn between(above: &[usize], below: &[usize], pieces: &[Bounds]) -> Self {
        let bottom = above.iter().map(|&index| pieces[index].bottom).fold(f32::NEG_INFINITY, f32::max);
        let top = below.iter().map(|&index| pieces[index].top).fold(f32::INFINITY, f32::min);
        let heights = above.iter().chain(below).map(|&index| pieces[index].height());
        Self { gap: top - bottom, height: heights.fold(f32::INFINITY, f32::min) }
    }

    fn as_break(&self, usual: Option<f32>) -> Break {
        let wide = self.gap >= self.height * PARAGRAPH;
        let unusual = usual.is_none_or(|usual| self.gap >= usual * WIDER);
        if wide && (unusual || self.gap >= self.height * FAR) { Break::Paragraph } else { Break::Line }
    }
}

/// The gap between lines that belong together: a quarter of all gaps are not wider. Where many paragraphs have few lines,
/// most gaps are those between paragraphs.
fn usual_gap(spaces: &[RowSpace]) -> Option<f32> {
    let mut gaps: Vec<f32> = spaces.iter().map(|space| space.gap).collect();
    gaps.sort_by(f32::total_cmp);
    if gaps.len() < GAPS_MIN { None } else { Some(gaps[(gaps.len() - 1) / 4]) }
}

fn median(values: impl Iterator<Item = f32>) -> f32 {
    let mut values: Vec<f32> = values.collect();
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}
