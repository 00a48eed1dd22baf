//! Words side by side: strips of text across a region, and the pieces that wide gaps cut them into.

use super::super::words::PageWord;
use crate::Bounds;

/// A gap at least this wide, in the size of the letters, may lie between columns.
pub(super) const COLUMN_GAP_MIN: f32 = 0.9;
/// The share of its height that a word has in common with its strip.
const OVERLAP_MIN: f32 = 0.5;

/// Words without a wide gap between them.
#[derive(Clone, Debug)]
pub(super) struct Segment<'w> {
    pub(super) words: Vec<&'w PageWord>,
    pub(super) bounds: Bounds,
}

/// Everything on one line of a region, from left to right.
#[derive(Clone, Debug)]
pub(super) struct TextStrip<'w> {
    pub(super) segments: Vec<Segment<'w>>,
    pub(super) bounds: Bounds,
    pub(super) baseline: f32,
    pub(super) size: f32,
}

impl<'w> Segment<'w> {
    fn of(word: &'w PageWord) -> Self {
        Self { words: vec![word], bounds: word.frame }
    }

    fn push(&mut self, word: &'w PageWord) {
        self.bounds = self.bounds.union(&word.frame);
        self.words.push(word);
    }
}

impl<'w> TextStrip<'w> {
    fn of(mut words: Vec<&'w PageWord>) -> Self {
        words.sort_by(|one, other| one.frame.left.total_cmp(&other.frame.left));
        let bounds =
            words.iter().map(|word| word.frame).reduce(|all, next| all.union(&next)).unwrap_or_default();
        let main = words.iter().max_by_key(|word| word.text.chars().count());
        let (size, baseline) = main.map_or((1.0, bounds.bottom), |word| (word.size, word.baseline));
        Self { segments: cut(&words, COLUMN_GAP_MIN), bounds, baseline, size }
    }

    /// True if it has a wide gap.
    pub(super) fn is_parted(&self) -> bool {
        self.segments.len() > 1
    }

    pub(super) fn words(&self) -> impl Iterator<Item = &'w PageWord> {
        self.segments.iter().flat_map(|segment| segment.words.iter().copied())
    }

    /// The gaps between its segments: from, to.
    pub(super) fn gaps(&self) -> impl Iterator<Item = (f32, f32)> {
        self.segments.windows(2).map(|pair| (pair[0].bounds.right, pair[1].bounds.left))
    }
}

/// Puts words into strips, from top to bottom.
pub(super) fn strips<'w>(words: &[&'w PageWord]) -> Vec<TextStrip<'w>> {
    let mut sorted = words.to_vec();
    sorted.sort_by(|one, other| one.baseline.total_cmp(&other.baseline));
    let mut groups: Vec<(Bounds, usize, Vec<&'w PageWord>)> = Vec::new();
    for word in sorted {
        let letters = word.text.chars().count();
        match groups.last_mut() {
            Some((core, core_letters, group)) if core.vertical_overlap(&word.frame) >= OVERLAP_MIN => {
                group.push(word);
                if letters > *core_letters {
                    (*core, *core_letters) = (word.frame, letters);
                }
            }
            _ => groups.push((word.frame, letters, vec![word])),
        }
    }
    groups.into_iter().map(|(_, _, words)| TextStrip::of(words)).collect()
}

/// Cuts words, from left to right, where gaps are wider than `gap_min` letters.
pub(super) fn cut<'w>(words: &[&'w PageWord], gap_min: f32) -> Vec<Segment<'w>> {
    let mut segments: Vec<Segment<'w>> = Vec::new();
    for word in words {
        match segments.last_mut() {
            Some(last)
                if word.frame.left - last.bounds.right < gap_min * word.size.min(last.words[0].size) =>
            {
                last.push(word)
            }
            _ => segments.push(Segment::of(word)),
        }
    }
    segments
}
