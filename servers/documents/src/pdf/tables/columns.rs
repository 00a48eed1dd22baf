//! The columns of a region: between drawn lines, and between gaps that go through all of its strips.

use super::super::words::PageWord;
use super::region::Region;
use super::strips::{self, TextStrip};

/// Lines this close are one line.
const SAME_LINE: f32 = 3.0;
/// Lines with less than this between them, relative to the size of the letters, enclose no column: double
/// lines.
const NARROW_MAX: f32 = 0.8;
/// Spaces between words, in the size of their letters, are narrower than this; those of typewriter fonts are wide.
const WORD_GAP_MAX: f32 = 0.45;
const MONO_WORD_GAP_MAX: f32 = 0.8;
/// Gaps through few strips must be wider to count: up to this many strips, this wide.
const GAP_WIDTH_MIN: [(usize, f32); 3] = [(3, 0.9), (7, 0.7), (usize::MAX, 0.5)];
/// Between drawn lines, a gap must be this wide and go through this many parted strips.
const INNER_GAP_MIN: f32 = 1.2;
const INNER_STRIPS_MIN: usize = 4;
/// One strip in this many may reach across a gap.
const CROSSING_SHARE: usize = 12;

/// The left edge of a column.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ColumnEdge {
    /// The region begins.
    Start,
    /// A drawn line.
    Rule,
    Gap,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Column {
    pub(super) edge: ColumnEdge,
    /// Up to the middle of the gaps beside it.
    pub(super) left: f32,
    pub(super) right: f32,
}

impl Column {
    pub(super) fn center(&self) -> f32 {
        (self.left + self.right) / 2.0
    }

    pub(super) fn overlap(&self, left: f32, right: f32) -> f32 {
        right.min(self.right) - left.max(self.left)
    }
}

pub(super) fn columns(region: &Region<'_>) -> Vec<Column> {
    let mut edges = vec![(region.bounds.left, ColumnEdge::Start)];
    edges.extend(ruled(region).into_iter().map(|x| (x, ColumnEdge::Rule)));
    let ends: Vec<f32> = edges[1..].iter().map(|edge| edge.0).chain([region.bounds.right]).collect();
    let alone = ends.len() == 1;
    let mut columns = Vec::new();
    for ((left, edge), right) in edges.into_iter().zip(ends) {
        let gaps = if alone { gaps(&region.strips) } else { inner_gaps(&region.strips, left, right) };
        push_parts(&mut columns, Column { edge, left, right }, &gaps);
    }
    columns
}

fn push_parts(columns: &mut Vec<Column>, whole: Column, gaps: &[(f32, f32)]) {
    let mut rest = whole;
    for (from, to) in gaps {
        let middle = (from + to) / 2.0;
        columns.push(Column { right: middle, ..rest });
        rest = Column { edge: ColumnEdge::Gap, left: middle, right: whole.right };
    }
    columns.push(rest);
}

/// The positions of drawn lines in a region.
fn ruled(region: &Region<'_>) -> Vec<f32> {
    let mut places: Vec<(f32, f32)> = region.vertical.iter().map(|line| (line.at, line.length())).collect();
    places.sort_by(|one, other| one.0.total_cmp(&other.0));
    let size = usual_size(&region.strips);
    let mut lines: Vec<(f32, f32)> = Vec::new();
    for (at, length) in places {
        match lines.last_mut() {
            Some(last) if at - last.0 <= SAME_LINE.max(size * NARROW_MAX) => last.1 += length,
            _ => lines.push((at, length)),
        }
    }
    let inside =
        |at: f32| at > region.bounds.left + SAME_LINE * 2.0 && at < region.bounds.right - SAME_LINE * 2.0;
    lines.into_iter().filter(|(at, length)| inside(*at) && *length >= size).map(|(at, _)| at).collect()
}

/// Gaps between two drawn lines.
fn inner_gaps(strips: &[TextStrip<'_>], left: f32, right: f32) -> Vec<(f32, f32)> {
    let parts: Vec<TextStrip<'_>> = strips.iter().filter_map(|strip| part_of(strip, left, right)).collect();
    let parted = parts.iter().filter(|part| part.is_parted()).count();
    if parted < INNER_STRIPS_MIN || parted * 10 < parts.len() * 7 {
        return Vec::new();
    }
    let size = usual_size(&parts);
    gaps(&parts).into_iter().filter(|(from, to)| to - from >= INNER_GAP_MIN * size).collect()
}

fn part_of<'w>(strip: &TextStrip<'w>, left: f32, right: f32) -> Option<TextStrip<'w>> {
    let words: Vec<_> = strip.words().filter(|word| (left..right).contains(&word.frame.center().0)).collect();
    strips::strips(&words).into_iter().next()
}

/// Gaps that go through the strips: from, to; from left to right.
pub(super) fn gaps(strips: &[TextStrip<'_>]) -> Vec<(f32, f32)> {
    let regular = regular(strips);
    if regular.len() < 2 {
        return Vec::new();
    }
    let size = usual_size(strips);
    let covered: Vec<(f32, f32)> = regular.iter().flat_map(|strip| covered(strip)).collect();
    let width_min =
        GAP_WIDTH_MIN.iter().find(|(most, _)| regular.len() <= *most).map_or(0.5, |(_, width)| *width) * size;
    let mut gaps: Vec<(f32, f32)> = Vec::new();
    for open in open(&covered, regular.len() / CROSSING_SHARE) {
        gaps.extend(around(open, &covered).into_iter().filter(|(from, to)| to - from >= width_min));
    }
    gaps
}

/// The strips that have about as many parts as most with many have: not headings over several columns, not the second
/// lines of cells.
pub(super) fn regular<'s, 'w>(strips: &'s [TextStrip<'w>]) -> Vec<&'s TextStrip<'w>> {
    let least = usual_parts(strips).div_ceil(2).max(2);
    strips.iter().filter(|strip| strip.segments.len() >= least).collect()
}

/// The usual number of parts of strips with many parts.
pub(super) fn usual_parts(strips: &[TextStrip<'_>]) -> usize {
    let mut counts: Vec<usize> =
        strips.iter().filter(|strip| strip.is_parted()).map(|strip| strip.segments.len()).collect();
    counts.sort_unstable();
    counts.get(counts.len() * 4 / 5).copied().unwrap_or(0)
}

/// Words closer than this, in the size of their letters, are never of two columns.
pub(super) fn word_gap_max(word: &PageWord) -> f32 {
    if word.style.mono { MONO_WORD_GAP_MAX } else { WORD_GAP_MAX }
}

/// The ranges that the words of a strip cover, including ordinary spaces.
fn covered(strip: &TextStrip<'_>) -> Vec<(f32, f32)> {
    let words: Vec<_> = strip.words().collect();
    let gap_max = words.first().map_or(WORD_GAP_MAX, |word| word_gap_max(word));
    strips::cut(&words, gap_max)
        .into_iter()
        .map(|segment| (segment.bounds.left, segment.bounds.right))
        .collect()
}

/// The ranges with at most `crossing_max` of the pieces, between the first and the last of them.
fn open(covered: &[(f32, f32)], crossing_max: usize) -> Vec<(f32, f32)> {
    let mut events: Vec<(f32, i32)> = covered.iter().flat_map(|(from, to)| [(*from, 1), (*to, -1)]).collect();
    events.sort_by(|one, other| one.0.total_cmp(&other.0).then(other.1.cmp(&one.1)));
    let (mut depth, mut since, mut open) = (0_i32, None, Vec::new());
    let most = i32::try_from(crossing_max).unwrap_or(i32::MAX);
    for (at, step) in events {
        let before = depth;
        depth += step;
        if before > most && depth <= most {
            since = Some(at);
        } else if before <= most
            && depth > most
            && let Some(from) = since.take()
        {
            open.push((from, at));
        }
    }
    open
}

/// The parts of an open stretch beside pieces that lie wholly in it: a column that few strips fill.
fn around((from, to): (f32, f32), covered: &[(f32, f32)]) -> Vec<(f32, f32)> {
    let mut inside: Vec<(f32, f32)> =
        covered.iter().copied().filter(|piece| piece.0 >= from && piece.1 <= to).collect();
    inside.sort_by(|one, other| one.0.total_cmp(&other.0));
    let (mut parts, mut at) = (Vec::new(), from);
    for (left, right) in inside {
        parts.push((at, left));
        at = at.max(right);
    }
    parts.push((at, to));
    parts
}

pub(super) fn usual_size(strips: &[TextStrip<'_>]) -> f32 {
    let mut sizes: Vec<f32> = strips.iter().map(|strip| strip.size).collect();
    sizes.sort_by(f32::total_cmp);
    sizes.get(sizes.len() / 2).copied().unwrap_or(10.0)
}

/// The column of a position, for uses of both directions at once.
pub(super) fn column_of(columns: &[Column], x: f32) -> usize {
    columns.iter().position(|column| x < column.right).unwrap_or(columns.len().saturating_sub(1))
}
