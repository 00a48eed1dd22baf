//! Places as they are written: within their page, rounded, and with spans in their texts.

use super::NewLine;
use crate::model::{LinePlace, PageBox, WordPlace};

/// Boxes are written to a hundredth of a point.
const STEPS_PER_POINT: f32 = 100.0;
/// Confidences are written to a thousandth.
const STEPS_OF_SHARE: f32 = 1_000.0;

/// A page that things are placed on.
pub(super) struct Placing {
    pub(super) page: u32,
    pub(super) size: Option<(f32, f32)>,
}

impl Placing {
    pub(super) fn line(&self, line: NewLine, letters: usize) -> LinePlace {
        let bbox = self.page_box(line.left, line.top, line.right, line.bottom);
        let words = line.words.iter().map(|word| {
            let sides = self.page_box(word.left, line.top, word.right, line.bottom);
            let (start, end) = within(word.start, word.end, letters);
            WordPlace(start, end, sides.left, sides.right)
        });
        LinePlace { bbox, charspan: within(line.start, line.end, letters), words: words.collect() }
    }

    /// The part of a box that is on the page.
    pub(super) fn page_box(&self, left: f32, top: f32, right: f32, bottom: f32) -> PageBox {
        let (width, height) = self.size.unwrap_or_default();
        let on =
            |value: f32, side: f32| if value.is_finite() { rounded(value).clamp(0.0, side) } else { 0.0 };
        PageBox::new(on(left, width), on(top, height), on(right, width), on(bottom, height))
    }
}

fn within(start: usize, end: usize, letters: usize) -> (usize, usize) {
    let end = end.min(letters);
    (start.min(end), end)
}

pub(super) fn rounded(value: f32) -> f32 {
    if value.is_finite() { (value * STEPS_PER_POINT).round() / STEPS_PER_POINT } else { 0.0 }
}

/// A share from 0 to 1.
pub(super) fn share(value: f32) -> f32 {
    if value.is_finite() {
        (value * STEPS_OF_SHARE).round().clamp(0.0, STEPS_OF_SHARE) / STEPS_OF_SHARE
    } else {
        0.0
    }
}
