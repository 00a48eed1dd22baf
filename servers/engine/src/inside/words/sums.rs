//! Adding the scores of one term to passages: to all that have it, or to chosen ones.

use tantivy::TERMINATED;

use super::bm25::Bm25;
use super::postings::FieldCursor;
use crate::inside::corpus::RankedPassage;
use crate::inside::schema::SCORED;

/// Adds to the sum of every passage of a segment that has the term.
pub(super) fn add_all(bm25: &Bm25, most: f32, mut cursors: Vec<FieldCursor<'_>>, sums: &mut [f32]) {
    // The longest list is read in runs, up to the next passage of another one.
    let Some(longest) = (0..cursors.len()).max_by_key(|at| cursors[*at].len()) else { return };
    let mut longest = cursors.remove(longest);
    loop {
        let other = cursors.iter().map(FieldCursor::passage).min().unwrap_or(TERMINATED);
        let run = run_before(longest.rest_of_block(), other);
        if run > 0 {
            longest.take(run, |passage, worth| sums[passage as usize] += bm25.bounded(most, worth));
            continue;
        }
        let passage = other.min(longest.passage());
        if passage == TERMINATED {
            return;
        }
        let mut worths = [0.0; SCORED];
        for cursor in cursors.iter_mut().chain([&mut longest]) {
            take_worth(cursor, passage, &mut worths);
        }
        sums[passage as usize] += bm25.bounded(most, in_order(worths));
    }
}

/// Adds to the scores of chosen passages, which are sorted; their slots begin at `first` with the segment.
pub(super) fn add_to(
    bm25: &Bm25,
    most: f32,
    mut cursors: Vec<FieldCursor<'_>>,
    first: u32,
    chosen: &mut [RankedPassage],
) {
    for one in chosen {
        let passage = one.slot - first;
        let mut worths = [0.0; SCORED];
        for cursor in &mut cursors {
            cursor.seek(passage);
            if cursor.passage() == passage {
                worths[cursor.field] = cursor.worth();
            }
        }
        let sum = in_order(worths);
        if sum > 0.0 {
            one.score += bm25.bounded(most, sum);
        }
    }
}

/// The number of passages before another one.
#[inline]
fn run_before(passages: &[u32], other: u32) -> usize {
    match passages.last() {
        Some(last) if *last < other => passages.len(),
        _ => passages.partition_point(|passage| *passage < other),
    }
}

fn take_worth(cursor: &mut FieldCursor<'_>, passage: u32, worths: &mut [f32; SCORED]) {
    if cursor.passage() == passage {
        worths[cursor.field] = cursor.worth();
        cursor.advance();
    }
}

/// Always in the same order, since the sum of such numbers depends on it.
#[inline]
fn in_order(worths: [f32; SCORED]) -> f32 {
    worths.into_iter().sum()
}
