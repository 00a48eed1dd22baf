//! Gutters: white strips between columns. A strip is one only if both sides can be read on their own; the
//! columns of a table have strips between them too.

use std::collections::BTreeMap;

use super::lines::{WordLine, lines};
use super::words::PageWord;
use crate::Bounds;

/// A gutter is at least this wide, in the size of the letters around it: between nearly all lines, and between the usual ones.
const WIDTH_MIN: f32 = 0.5;
const USUAL_WIDTH_MIN: f32 = 0.85;
/// The minimum height in lines.
const LINES_MIN: f32 = 2.2;
/// Strips that begin this close together are one.
const STEP: f32 = 1.5;
/// Over the width of a page.
const STEPS_MAX: f32 = 800.0;
/// The number of strips, the highest first, that are checked closely.
const CANDIDATES_MAX: usize = 24;
/// Words in a part of a page; a part with more is not readable text.
const WORDS_MAX: usize = 20_000;
/// Share of the lines of the shorter side that have a neighbour on the other side, from which on it may be a table.
const ALIGNED_MIN: f32 = 0.7;
/// Texts of table cells have fewer words, and are narrower in their size.
const CELL_WORDS: usize = 3;
const CELL_WIDTH: f32 = 10.0;
/// A gap in a line that is as wide as this sets two texts apart.
const CELL_GAP: f32 = 1.0;

/// A white strip with text at both sides.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Gutter {
    pub(super) at: f32,
    pub(super) top: f32,
    pub(super) bottom: f32,
}

/// A white strip without further knowledge.
#[derive(Clone, Copy)]
struct WhiteStrip {
    left: f32,
    right: f32,
    top: f32,
    bottom: f32,
}

/// The highest gutter between these words.
pub(super) fn find(words: &[PageWord]) -> Option<Gutter> {
    if words.len() < 4 || words.len() > WORDS_MAX {
        return None;
    }
    let size = usual_size(words);
    let mut strips = strips(words, size);
    strips.sort_by(|one, other| (other.bottom - other.top).total_cmp(&(one.bottom - one.top)));
    strips
        .iter()
        .take(CANDIDATES_MAX)
        .filter_map(|strip| judged(words, strip, size))
        .max_by(|one, other| height(one).total_cmp(&height(other)))
}

fn height(gutter: &Gutter) -> f32 {
    gutter.bottom - gutter.top
}

fn usual_size(words: &[PageWord]) -> f32 {
    let mut sizes: Vec<f32> = words.iter().map(|word| word.size).collect();
    let middle = sizes.len() / 2;
    let (_, usual, _) = sizes.select_nth_unstable_by(middle, f32::total_cmp);
    usual.max(1.0)
}

/// All strips without words over some lines, one for each end of a word.
fn strips(words: &[PageWord], size: f32) -> Vec<WhiteStrip> {
    let mut boxes: Vec<Bounds> = words.iter().map(|word| word.frame).collect();
    boxes.sort_by(|one, other| one.top.total_cmp(&other.top));
    let bottom = boxes.iter().map(|word| word.bottom).fold(f32::MIN, f32::max);
    let right = boxes.iter().map(|word| word.right).fold(f32::MIN, f32::max);
    let left = boxes.iter().map(|word| word.left).fold(f32::MAX, f32::min);
    let step = STEP.max((right - left) / STEPS_MAX);
    // Of neighbouring ends the last is taken: the others are inside of its line.
    let mut ends: BTreeMap<i64, f32> = BTreeMap::new();
    for end in boxes.iter().map(|word| word.right).filter(|&end| end + size < right) {
        let last = ends.entry((end / step) as i64).or_insert(end);
        *last = last.max(end);
    }
    let mut strips = Vec::new();
    for end in ends.into_values() {
        free_spans(&boxes, (end + 0.01, end + WIDTH_MIN * size), (bottom, LINES_MIN * size), &mut strips);
    }
    strips
}

/// The spans of a strip that no word reaches into. `boxes` are sorted by their tops.
fn free_spans(
    boxes: &[Bounds],
    (left, right): (f32, f32),
    (bottom, height_min): (f32, f32),
    strips: &mut Vec<WhiteStrip>,
) {
    let mut free_from = boxes.first().map_or(0.0, |first| first.top);
    for word in boxes.iter().filter(|word| word.left < right && word.right > left) {
        if word.top - free_from >= height_min {
            strips.push(WhiteStrip { left, right, top: free_from, bottom: word.top });
        }
        free_from = free_from.max(word.bottom);
    }
    if bottom - free_from >= height_min {
        strips.push(WhiteStrip { left, right, top: free_from, bottom });
    }
}

/// The gutter in a strip, if its sides are columns.
fn judged(words: &[PageWord], strip: &WhiteStrip, size: f32) -> Option<Gutter> {
    let inside = |word: &&PageWord| {
        let (_, y) = word.frame.center();
        y >= strip.top && y <= strip.bottom
    };
    let (left, right): (Vec<&PageWord>, Vec<&PageWord>) =
        words.iter().filter(inside).partition(|word| word.frame.right <= strip.left);
    let (left, right) = (StripSide::of(left)?, StripSide::of(right)?);
    let shared = left.bounds.bottom.min(right.bounds.bottom) - left.bounds.top.max(right.bounds.top);
    let few = left.lines.len().min(right.lines.len());
    if shared < LINES_MIN * size * 0.4 || usual_gap(&left, &right) < USUAL_WIDTH_MIN * size {
        return None;
    }
    if few < 2 && left.lines.len().max(right.lines.len()) < 3 {
        return None;
    }
    if are_cells(&left, &right, size) {
        return None;
    }
    Some(Gutter { at: (strip.left + strip.right) / 2.0, top: strip.top, bottom: strip.bottom })
}

/// Text at one side of a strip.
struct StripSide {
    lines: Vec<WordLine>,
    bounds: Bounds,
}

impl StripSide {
    fn of(words: Vec<&PageWord>) -> Option<Self> {
        let lines = lines(words.into_iter().filter(|word| !word.is_table()).cloned().collect());
        let bounds = lines.iter().map(|line| line.frame).reduce(|all, next| all.union(&next))?;
        Some(Self { lines, bounds })
    }

    /// Texts that are set apart within the lines: how many words they usually have, and how wide they are.
    fn usual_text(&self) -> (usize, f32) {
        let mut texts: Vec<(usize, f32)> = self.lines.iter().flat_map(texts).collect();
        texts.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
        texts.get(texts.len() / 2).copied().unwrap_or_default()
    }

    fn looks_like_cells(&self, size: f32) -> bool {
        let (words, width) = self.usual_text();
        words < CELL_WORDS && width < CELL_WIDTH * size
    }

    /// True if its lines are centred, as names and addresses above a paper are.
    fn is_centered(&self, size: f32) -> bool {
        let spread = |value: fn(&WordLine) -> f32| {
            let values = self.lines.iter().map(value);
            values.clone().fold(f32::MIN, f32::max) - values.fold(f32::MAX, f32::min)
        };
        self.lines.len() > 1
            && spread(|line| line.frame.center().0) < 0.6 * size
            && spread(|line| line.frame.left) > size
    }
}

fn texts(line: &WordLine) -> Vec<(usize, f32)> {
    let mut texts: Vec<(usize, f32, f32)> = Vec::new();
    for word in &line.words {
        match texts.last_mut() {
            Some((words, _, right)) if word.frame.left - *right < CELL_GAP * line.size => {
                *words += 1;
                *right = word.frame.right;
            }
            _ => texts.push((1, word.frame.left, word.frame.right)),
        }
    }
    texts.into_iter().map(|(words, left, right)| (words, right - left)).collect()
}

/// The usual gap between lines side by side; without such lines, the gap between the sides.
fn usual_gap(left: &StripSide, right: &StripSide) -> f32 {
    let mut gaps: Vec<f32> = Vec::new();
    for line in &left.lines {
        if let Some(other) = right.lines.iter().find(|other| other.frame.vertical_overlap(&line.frame) > 0.4)
        {
            gaps.push(other.frame.left - line.frame.right);
        }
    }
    gaps.sort_by(f32::total_cmp);
    gaps.get(gaps.len() / 2).copied().unwrap_or(right.bounds.left - left.bounds.right)
}

/// True if the two sides are columns of a table, or labels with their values: short texts on common lines.
fn are_cells(left: &StripSide, right: &StripSide, size: f32) -> bool {
    if !left.looks_like_cells(size) && !right.looks_like_cells(size) {
        return false;
    }
    if left.is_centered(size) && right.is_centered(size) {
        return false;
    }
    let (few, many) = if left.lines.len() <= right.lines.len() { (left, right) } else { (right, left) };
    let level =
        |line: &&WordLine| many.lines.iter().any(|other| (other.baseline - line.baseline).abs() < 0.2 * size);
    let aligned = few.lines.iter().filter(level).count();
    aligned as f32 >= ALIGNED_MIN * few.lines.len() as f32
}
