//! Words out of glyphs. Spaces are often not drawn at all, so gaps decide; letters of a word are usually
//! drawn one after the other, but need not be.

use std::collections::BTreeMap;

use unicode_normalization::UnicodeNormalization;

use super::content::{Glyph, GlyphDirection, GlyphStyle, PageContent};
use super::{bidi, letters};
use crate::Bounds;

/// A gap this wide is a space, in the size of the letters. The narrowest spaces of justified text are 0.2.
const SPACE_MIN: f32 = 0.12;
/// A drawn space counts from this gap on. Text laid over scans has spaces of no width.
const DRAWN_SPACE_MIN: f32 = -0.2;
/// Letters may overlap the one before by this much, in their size.
const OVERLAP_MAX: f32 = 0.35;
/// Letters farther apart are not spaced out, but apart.
const STRIP_GAP_MAX: f32 = 1.0;
/// The maximum difference of baselines and sizes between neighbours of one strip.
const BASELINE_SHIFT_MAX: f32 = 0.12;
const SIZE_RATIO_MAX: f32 = 1.3;
/// Spaced-out words: gaps between all letters are at least, and at most, this wide.
const SPACED_OUT_MIN: f32 = 0.06;
const SPACED_OUT_MAX: f32 = 0.4;
const SPACED_OUT_LETTERS_MIN: usize = 4;
/// Letters this much larger than their neighbours are initials that reach over several lines.
const INITIAL_RATIO_MIN: f32 = 1.8;
/// The maximum number of pieces checked that start at about the same distance from the left.
const NEIGHBOURS_MAX: usize = 2_000;

/// Letters without a space between them.
#[derive(Clone, Debug)]
pub(crate) struct PageWord {
    /// In reading order, composed.
    pub(crate) text: String,
    /// On the page.
    pub(crate) bounds: Bounds,
    /// In the frame of its direction: as if it went to the right.
    pub(crate) frame: Bounds,
    /// In the frame.
    pub(crate) baseline: f32,
    pub(crate) size: f32,
    pub(crate) style: GlyphStyle,
    pub(crate) direction: GlyphDirection,
    /// Part of a header or footer, according to the file.
    pub(crate) artifact: bool,
}

/// Stands for a table among the words of a page, followed by its number.
const TABLE_MARK: char = '\u{FFFC}';

impl PageWord {
    /// A placeholder word for a table, so that it is ordered like words.
    pub(super) fn for_table(number: usize, bounds: Bounds) -> Self {
        Self {
            text: format!("{TABLE_MARK}{number}"),
            bounds,
            frame: bounds,
            baseline: bounds.bottom,
            size: 10.0,
            style: GlyphStyle::default(),
            direction: GlyphDirection::Right,
            artifact: false,
        }
    }

    pub(super) fn is_table(&self) -> bool {
        self.text.starts_with(TABLE_MARK)
    }

    /// The number of the table that it stands for.
    pub(super) fn table(&self) -> Option<usize> {
        self.text.strip_prefix(TABLE_MARK)?.parse().ok()
    }
}

/// All words of a page, approximately in drawing order.
pub(crate) fn words(content: &PageContent) -> Vec<PageWord> {
    let mut by_direction: BTreeMap<GlyphDirection, Vec<Glyph>> = BTreeMap::new();
    for glyph in &content.glyphs {
        by_direction.entry(glyph.direction).or_default().push(glyph.clone());
    }
    by_direction.into_values().flat_map(|glyphs| words_of(with_accents_joined(glyphs))).collect()
}

fn words_of(glyphs: Vec<Glyph>) -> Vec<PageWord> {
    let mut pieces: Vec<WordPart> = Vec::new();
    for strip in strips(&glyphs) {
        split(&glyphs, &strip, &mut pieces);
    }
    joined(&pieces).into_iter().filter_map(|chain| finish(&glyphs, &pieces, &chain)).collect()
}

/// Glyphs that were drawn one after the other along one line, without a space among them.
struct GlyphStrip {
    from: usize,
    to: usize,
    after_space: bool,
}

/// Part of a word: letters drawn one after the other without a gap.
struct WordPart {
    from: usize,
    to: usize,
    frame: Bounds,
    baseline: f32,
    size: f32,
    after_space: bool,
}

fn strips(glyphs: &[Glyph]) -> Vec<GlyphStrip> {
    let mut strips: Vec<GlyphStrip> = Vec::new();
    let mut open: Option<GlyphStrip> = None;
    let mut after_space = false;
    for (index, glyph) in glyphs.iter().enumerate() {
        if glyph.is_space() {
            strips.extend(open.take());
            after_space = true;
            continue;
        }
        match &mut open {
            Some(strip) if follows(&glyphs[strip.to - 1], glyph) => strip.to = index + 1,
            _ => {
                strips.extend(open.take());
                open = Some(GlyphStrip { from: index, to: index + 1, after_space });
            }
        }
        after_space = false;
    }
    strips.extend(open);
    strips
}

fn follows(last: &Glyph, next: &Glyph) -> bool {
    let size = last.size.min(next.size);
    let gap = gap(last, next);
    let level = (last.baseline - next.baseline).abs() <= BASELINE_SHIFT_MAX * size;
    let alike = last.size.max(next.size) <= size * SIZE_RATIO_MAX && last.artifact == next.artifact;
    level && alike && gap >= -OVERLAP_MAX * size && gap <= STRIP_GAP_MAX * size
}

fn gap(last: &Glyph, next: &Glyph) -> f32 {
    next.frame.left - last.frame.right
}

fn split(glyphs: &[Glyph], strip: &GlyphStrip, pieces: &mut Vec<WordPart>) {
    let letters = &glyphs[strip.from..strip.to];
    let space_min = space_min(letters);
    let mut from = strip.from;
    for (offset, pair) in letters.windows(2).enumerate() {
        let next = strip.from + offset + 1;
        if gap(&pair[0], &pair[1]) > space_min * pair[0].size.min(pair[1].size) {
            pieces.push(piece(glyphs, from, next, strip));
            from = next;
        }
    }
    pieces.push(piece(glyphs, from, strip.to, strip));
}

/// The minimum width of a space among these letters; wider if the letters are spaced out.
fn space_min(letters: &[Glyph]) -> f32 {
    let alphabetic = letters.iter().filter(|glyph| glyph.text.chars().all(char::is_alphabetic)).count();
    if letters.len() < SPACED_OUT_LETTERS_MIN || alphabetic * 5 < letters.len() * 4 {
        return SPACE_MIN;
    }
    let mut gaps: Vec<f32> = letters.windows(2).map(|pair| gap(&pair[0], &pair[1]) / pair[0].size).collect();
    let middle = gaps.len() / 2;
    let (_, usual, _) = gaps.select_nth_unstable_by(middle, f32::total_cmp);
    if (SPACED_OUT_MIN..=SPACED_OUT_MAX).contains(usual) {
        (*usual * 1.6 + 0.06).max(SPACE_MIN)
    } else {
        SPACE_MIN
    }
}

fn piece(glyphs: &[Glyph], from: usize, to: usize, strip: &GlyphStrip) -> WordPart {
    let letters = &glyphs[from..to];
    let frame =
        letters.iter().map(|glyph| glyph.frame).reduce(|all, next| all.union(&next)).unwrap_or_default();
    let size = letters.iter().map(|glyph| glyph.size).fold(0.0, f32::max);
    WordPart {
        from,
        to,
        frame,
        baseline: letters[0].baseline,
        size,
        after_space: from == strip.from && strip.after_space,
    }
}

/// Pieces that touch are one word, in any order of drawing. Returns, for each word, its pieces from left to
/// right.
fn joined(pieces: &[WordPart]) -> Vec<Vec<usize>> {
    let mut by_left: Vec<usize> = (0..pieces.len()).collect();
    by_left.sort_by(|&one, &other| pieces[one].frame.left.total_cmp(&pieces[other].frame.left));
    let lefts: Vec<f32> = by_left.iter().map(|&index| pieces[index].frame.left).collect();
    let mut next: Vec<Option<usize>> = vec![None; pieces.len()];
    let mut has_before = vec![false; pieces.len()];
    for &index in &by_left {
        let piece = &pieces[index];
        let start = lefts.partition_point(|&left| left < piece.frame.right - OVERLAP_MAX * piece.size);
        let near = by_left[start..].iter().copied().take(NEIGHBOURS_MAX);
        let reach = piece.frame.right + SPACE_MIN * piece.size;
        let near = near.take_while(|&other| pieces[other].frame.left <= reach);
        let touching =
            near.filter(|&other| other != index && !has_before[other] && touches(pieces, index, other));
        // Of several lines beside an initial, the first one counts.
        let found = touching.min_by(|&one, &other| pieces[one].frame.top.total_cmp(&pieces[other].frame.top));
        if let Some(found) = found {
            next[index] = Some(found);
            has_before[found] = true;
        }
    }
    let heads = (0..pieces.len()).filter(|&index| !has_before[index]);
    heads.map(|head| std::iter::successors(Some(head), |&index| next[index]).collect()).collect()
}

fn touches(pieces: &[WordPart], left: usize, right: usize) -> bool {
    let (one, other) = (&pieces[left], &pieces[right]);
    let (small, large) = (one.size.min(other.size), one.size.max(other.size));
    let gap = other.frame.left - one.frame.right;
    if large >= small * INITIAL_RATIO_MIN {
        let same_top = (one.frame.top - other.frame.top).abs() <= small * 0.8;
        let initial = one.size == large && one.to - one.from == 1;
        return initial && same_top && gap.abs() <= SPACE_MIN * large && other.frame.right > one.frame.right;
    }
    let level = one.frame.vertical_overlap(&other.frame) >= 0.4;
    let apart =
        left.abs_diff(right) == 1 && pieces[left.max(right)].after_space && gap > DRAWN_SPACE_MIN * small;
    // Ends only grow along a word, so that no piece occurs twice.
    let forward = other.frame.right > one.frame.right;
    level && forward && !apart && gap <= SPACE_MIN * small && gap >= -OVERLAP_MAX * small
}

fn finish(glyphs: &[Glyph], pieces: &[WordPart], chain: &[usize]) -> Option<PageWord> {
    let largest = chain
        .iter()
        .map(|&index| &pieces[index])
        .max_by(|one, other| one.frame.width().total_cmp(&other.frame.width()))?;
    let letters: Vec<&Glyph> =
        chain.iter().flat_map(|&index| &glyphs[pieces[index].from..pieces[index].to]).collect();
    let texts: Vec<&str> = letters.iter().map(|glyph| glyph.text.as_str()).collect();
    let text: String = bidi::word_in_reading_order(&texts).nfc().collect();
    if text.trim().is_empty() {
        return None;
    }
    let frame = letters.iter().map(|glyph| glyph.frame).reduce(|all, next| all.union(&next))?;
    let bounds = letters.iter().map(|glyph| glyph.bounds).reduce(|all, next| all.union(&next))?;
    let main = &glyphs[largest.from];
    Some(PageWord {
        text,
        bounds,
        frame,
        baseline: largest.baseline,
        size: largest.size,
        style: main.style,
        direction: main.direction,
        artifact: main.artifact,
    })
}

/// Joins accents that are drawn separately to the letter below them.
fn with_accents_joined(glyphs: Vec<Glyph>) -> Vec<Glyph> {
    let mut kept: Vec<Glyph> = Vec::with_capacity(glyphs.len());
    let mut waiting: Option<(Glyph, char)> = None;
    for mut glyph in glyphs {
        if let Some((accent, mark)) = waiting.take() {
            if is_over(&accent, &glyph) {
                glyph.text.push(mark);
            } else {
                kept.push(accent);
            }
        }
        let Some(mark) = letters::combining(&glyph.text) else {
            kept.push(glyph);
            continue;
        };
        match kept.last_mut() {
            Some(base) if is_over(&glyph, base) => base.text.push(mark),
            _ => waiting = Some((glyph, mark)),
        }
    }
    kept.extend(waiting.map(|(accent, _)| accent));
    kept
}

fn is_over(accent: &Glyph, base: &Glyph) -> bool {
    let (over, under) = (accent.frame, base.frame);
    let (middle, _) = over.center();
    let slack = 0.1 * base.size;
    let letter = base.text.chars().next().is_some_and(char::is_alphabetic);
    letter
        && middle >= under.left - slack
        && middle <= under.right + slack
        && over.vertical_overlap(&under) > 0.3
}
