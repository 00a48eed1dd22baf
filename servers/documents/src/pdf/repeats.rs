//! Letters that were drawn more than once at nearly the same place, to look bold or to throw a shadow.

use super::content::Glyph;

/// The maximum distance of two equal letters that count as one, relative to their size. The narrowest letters
/// are twice as wide.
const SHIFT_MAX: f32 = 0.12;
/// The maximum number of equal letters above and below each other that are compared; limits the cost of a
/// hostile page.
const COMPARED_MAX: usize = 256;

/// Keeps the first of each.
pub(super) fn drop_overprinted(glyphs: &mut Vec<Glyph>) {
    let mut by_place: Vec<usize> = (0..glyphs.len()).filter(|&index| !glyphs[index].is_space()).collect();
    by_place.sort_unstable_by(|&one, &other| {
        let (one, other) = (&glyphs[one], &glyphs[other]);
        one.text.cmp(&other.text).then(one.bounds.left.total_cmp(&other.bounds.left))
    });
    let mut dropped = vec![false; glyphs.len()];
    for (position, &index) in by_place.iter().enumerate() {
        if dropped[index] {
            continue;
        }
        mark_later(glyphs, index, &by_place[position + 1..], &mut dropped);
    }
    let mut index = 0;
    glyphs.retain(|_| {
        index += 1;
        !dropped[index - 1]
    });
}

fn mark_later(glyphs: &[Glyph], index: usize, later: &[usize], dropped: &mut [bool]) {
    let kept = &glyphs[index];
    let shift_max = kept.size * SHIFT_MAX;
    for &next in later.iter().take(COMPARED_MAX) {
        let other = &glyphs[next];
        if other.bounds.left - kept.bounds.left > shift_max || other.text != kept.text {
            return;
        }
        let near = (other.bounds.top - kept.bounds.top).abs() <= shift_max;
        if near && (other.size - kept.size).abs() <= shift_max && other.direction == kept.direction {
            dropped[next] = true;
        }
    }
}
