//! Words of a line in a picture, by the gaps between them.

use std::ops::Range;

use capability_documents::pdf::RenderedPage;

/// Brightness that parts ink from paper.
const INK_DISTANCE: i32 = 60;
/// A gap between words is this much wider than any gap between letters.
const GAP_RATIO: usize = 3;
const GAP_RATIO_OF: usize = 2;

/// Columns of each of so many words in a box of pixels; `None` if the gaps do not tell them apart for sure.
pub(super) fn word_columns(
    drawn: &RenderedPage,
    bounds: [f32; 4],
    words: usize,
) -> Option<Vec<Range<usize>>> {
    let inked = inked_columns(drawn, bounds);
    let (first, last) = (inked.iter().position(|it| *it)?, inked.iter().rposition(|it| *it)?);
    let gaps = gaps(&inked[first..=last]);
    let mut by_width = gaps.clone();
    by_width.sort_by_key(|it| std::cmp::Reverse(it.len()));
    let narrowest = if words == 1 { usize::MAX } else { by_width.get(words.checked_sub(2)?)?.len() };
    let widest_inside = by_width.get(words.checked_sub(1)?).map_or(0, |it| it.len());
    if words > 1 && narrowest * GAP_RATIO_OF < widest_inside * GAP_RATIO {
        return None;
    }
    let from = (bounds[0].max(0.0) as usize) + first;
    let mut columns: Vec<Range<usize>> = std::iter::once(from..from + last - first + 1).collect();
    for gap in gaps.iter().filter(|it| it.len() >= narrowest) {
        let end = columns.last()?.end;
        columns.last_mut()?.end = from + gap.start;
        columns.push(from + gap.end..end);
    }
    (columns.len() == words).then_some(columns)
}

/// Runs of columns without ink.
fn gaps(inked: &[bool]) -> Vec<Range<usize>> {
    let mut gaps: Vec<Range<usize>> = Vec::new();
    for at in inked.iter().enumerate().filter(|(_, it)| !**it).map(|(at, _)| at) {
        match gaps.last_mut().filter(|last| last.end == at) {
            Some(last) => last.end = at + 1,
            None => gaps.push(at..at + 1),
        }
    }
    gaps
}

/// The columns of a box with something in them that is not its paper.
fn inked_columns(drawn: &RenderedPage, bounds: [f32; 4]) -> Vec<bool> {
    let [left, top, right, bottom] = bounds;
    let columns = left.max(0.0) as usize..(right.max(0.0).ceil() as usize).min(drawn.width as usize);
    let rows = top.max(0.0) as usize..(bottom.max(0.0).ceil() as usize).min(drawn.height as usize);
    let level = |column: usize, row: usize| {
        let at = (row * drawn.width as usize + column) * 3;
        drawn.rgb.get(at..at + 3).map_or(255, |it| it.iter().map(|it| i32::from(*it)).sum::<i32>() / 3)
    };
    let mut counts = [0usize; 16];
    for row in rows.clone() {
        columns.clone().for_each(|column| counts[level(column, row) as usize / 16] += 1);
    }
    let paper = (0..16).max_by_key(|it| counts[*it]).unwrap_or(15) as i32 * 16 + 8;
    let is_ink = |column: usize, row: usize| (level(column, row) - paper).abs() > INK_DISTANCE;
    columns.map(|column| rows.clone().any(|row| is_ink(column, row))).collect()
}
