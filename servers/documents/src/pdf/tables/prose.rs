//! Columns of running text: they are separated, so that lines that happen to be side by side make no table.

use super::super::words::PageWord;
use super::columns::usual_size;
use super::strips::{self, Segment, TextStrip};

/// The minimum number of words in a line of running text, and its minimum width relative to the size of the
/// letters.
const WORDS_MIN: usize = 4;
const WIDTH_MIN: f32 = 11.0;
/// The minimum number of lines of a text column.
const LINES_MIN: usize = 8;
/// Lines of one column start at the same place, within this many letters.
const SAME_LEFT: f32 = 0.3;
/// Share of the lines that reach about as far as the widest.
const FULL_MIN: f32 = 0.5;
const FULL_WITHIN: f32 = 0.12;
/// Lines of text this far apart, in the size of the letters, are of different blocks.
const BLOCK_GAP_MAX: f32 = 4.0;
/// The maximum difference between the widths of columns.
const WIDTH_WITHIN: f32 = 0.2;
/// Columns of text on one page.
const LANES_MAX: usize = 8;

/// A column of running text.
#[derive(Clone, Debug)]
struct TextColumn {
    left: f32,
    right: f32,
    /// From, to: the ranges of running text in it.
    blocks: Vec<(f32, f32)>,
}

/// The words of a page, split by the text columns that they are in or between.
pub(super) fn parts<'w>(words: &[&'w PageWord]) -> Vec<Vec<&'w PageWord>> {
    let strips = strips::strips(words);
    let lanes = lanes(&strips);
    let page =
        strips.iter().map(|strip| strip.bounds).reduce(|all, next| all.union(&next)).unwrap_or_default();
    let narrow: Vec<TextColumn> =
        lanes.into_iter().filter(|lane| lane.right - lane.left < page.width() * 0.65).collect();
    let cuts = cuts(&narrow);
    let mut parts: Vec<Vec<&'w PageWord>> = vec![Vec::new(); cuts.len() + 2];
    let mut split = false;
    for strip in &strips {
        // A column continues after the end of the text beside it.
        let goes_on = split && cuts.iter().all(|cut| cut.is_beside(strip));
        split = goes_on || cuts.iter().any(|cut| cut.parts(strip));
        for word in strip.words() {
            let part =
                if split { 1 + cuts.iter().filter(|cut| cut.at <= word.frame.center().0).count() } else { 0 };
            parts[part].push(word);
        }
    }
    parts.retain(|part| !part.is_empty());
    parts
}

/// A line between two columns of text.
struct ColumnCut {
    at: f32,
    blocks: Vec<(f32, f32)>,
}

impl ColumnCut {
    /// True if all of a strip is on one side.
    fn is_beside(&self, strip: &TextStrip<'_>) -> bool {
        strip.bounds.left >= self.at || strip.bounds.right <= self.at
    }

    /// True if it parts a strip: running text is beside it, and no word lies across.
    fn parts(&self, strip: &TextStrip<'_>) -> bool {
        let (_, y) = strip.bounds.center();
        let beside = self.blocks.iter().any(|(from, to)| (*from..=*to).contains(&y));
        beside
            && !strip
                .segments
                .iter()
                .any(|segment| segment.bounds.left < self.at && segment.bounds.right > self.at)
    }
}

/// The cuts between text columns of about the same width. A single one is a cell with much text.
fn cuts(lanes: &[TextColumn]) -> Vec<ColumnCut> {
    let mut cuts: Vec<ColumnCut> = Vec::new();
    for (index, left) in lanes.iter().enumerate() {
        for right in &lanes[index + 1..] {
            let (one, other) = (left.right - left.left, right.right - right.left);
            if right.left <= left.right || (one - other).abs() > one.max(other) * WIDTH_WITHIN {
                continue;
            }
            let at = right.left - 1.0;
            if cuts.iter().all(|cut| (cut.at - at).abs() > 1.0) {
                cuts.push(ColumnCut {
                    at,
                    blocks: left.blocks.iter().chain(&right.blocks).copied().collect(),
                });
            }
        }
    }
    cuts.sort_by(|one, other| one.at.total_cmp(&other.at));
    cuts
}

fn lanes(strips: &[TextStrip<'_>]) -> Vec<TextColumn> {
    let size = usual_size(strips);
    let long = |segment: &&Segment<'_>| {
        segment.words.len() >= WORDS_MIN && segment.bounds.width() >= WIDTH_MIN * size
    };
    let mut lines: Vec<&Segment<'_>> = strips.iter().flat_map(|strip| &strip.segments).filter(long).collect();
    lines.sort_by(|one, other| one.bounds.left.total_cmp(&other.bounds.left));
    let mut lanes = Vec::new();
    let mut from = 0;
    while from < lines.len() && lanes.len() < LANES_MAX {
        let left = lines[from].bounds.left;
        let to = from
            + lines[from..].iter().take_while(|line| line.bounds.left - left <= SAME_LEFT * size).count();
        lanes.extend(lane(&lines[from..to], size));
        from = to;
    }
    lanes
}

fn lane(lines: &[&Segment<'_>], size: f32) -> Option<TextColumn> {
    let left = lines.first()?.bounds.left;
    let right = lines.iter().map(|line| line.bounds.right).fold(left, f32::max);
    let full = lines.iter().filter(|line| right - line.bounds.right <= (right - left) * FULL_WITHIN).count();
    if lines.len() < LINES_MIN || (full as f32) < lines.len() as f32 * FULL_MIN {
        return None;
    }
    let mut heights: Vec<(f32, f32)> =
        lines.iter().map(|line| (line.bounds.top, line.bounds.bottom)).collect();
    heights.sort_by(|one, other| one.0.total_cmp(&other.0));
    let mut blocks: Vec<(f32, f32)> = Vec::new();
    for (top, bottom) in heights {
        match blocks.last_mut() {
            Some(block) if top - block.1 <= BLOCK_GAP_MAX * size => block.1 = bottom,
            _ => blocks.push((top, bottom)),
        }
    }
    Some(TextColumn { left, right, blocks })
}
