//! Words in columns without drawn lines.

use super::super::content::Ruling;
use super::super::words::PageWord;
use super::columns;
use super::region::{Region, TableOrigin};
use super::rules::PageRules;
use super::strips::{self, TextStrip};
use crate::Bounds;

/// The maximum distance between lines of one table, relative to the size of the letters, from baseline to
/// baseline.
const PITCH_MAX: f32 = 3.2;
/// Lines of one cell.
const TIGHT_PITCH_MAX: f32 = 1.6;
/// The number of last parted strips that one more must share a gap with.
const LOOK_BACK: usize = 4;
/// The minimum shared part of gaps, relative to the size of the letters.
const SHARED_GAP_MIN: f32 = 0.4;
/// Strips that are not parted between two that are.
const WHOLE_STRIPS_MAX: usize = 12;
/// The number of these that may lie across the gaps.
const CROSSING_MAX: usize = 1;
/// A line across the gaps with this many words is a sentence, not a title between rows.
const SENTENCE_WORDS_MIN: usize = 8;
/// Lines of a heading above the first parted strip.
const HEADING_STRIPS_MAX: usize = 2;

/// The parts of some words, all of one column of text, that are in columns.
pub(super) fn regions<'w>(words: &[&'w PageWord], rules: &PageRules) -> Vec<Region<'w>> {
    let strips = strips::strips(words);
    let mut regions = Vec::new();
    let mut done = 0;
    for run in runs(&strips) {
        let run = with_neighbours(&strips, run, done);
        done = run.end;
        regions.extend(region(&strips[run], rules));
    }
    regions
}

fn region<'w>(strips: &[TextStrip<'w>], rules: &PageRules) -> Option<Region<'w>> {
    let bounds = strips.iter().map(|strip| strip.bounds).reduce(|all, next| all.union(&next))?;
    let within = |rule: &&Ruling| {
        rule.at > bounds.top && rule.at < bounds.bottom && rule.start < bounds.right && rule.end > bounds.left
    };
    let clip = |rule: &Ruling| Ruling {
        start: rule.start.max(bounds.left),
        end: rule.end.min(bounds.right),
        ..*rule
    };
    let horizontal = rules.horizontal.iter().filter(within).map(clip).collect();
    let wide =
        Bounds { left: bounds.left - 1.0, top: bounds.top, right: bounds.right + 1.0, bottom: bounds.bottom };
    Some(Region {
        origin: TableOrigin::Gaps,
        bounds: wide,
        strips: strips.to_vec(),
        horizontal,
        vertical: Vec::new(),
    })
}

/// Strips one after the other that share gaps.
fn runs(strips: &[TextStrip<'_>]) -> Vec<std::ops::Range<usize>> {
    let mut runs = Vec::new();
    let mut open: Option<GapRun> = None;
    for index in 0..strips.len() {
        let goes_on = open.as_mut().is_some_and(|run| run.take(strips, index));
        if goes_on {
            continue;
        }
        runs.extend(open.take().and_then(GapRun::finish));
        if strips[index].is_parted() {
            open = Some(GapRun { parted: vec![index], crossing: 0, last: index });
        }
    }
    runs.extend(open.and_then(GapRun::finish));
    runs
}

/// A run in the making.
struct GapRun {
    parted: Vec<usize>,
    crossing: usize,
    last: usize,
}

impl GapRun {
    /// True if a strip belongs to the run, or may lie within it.
    fn take(&mut self, strips: &[TextStrip<'_>], index: usize) -> bool {
        let strip = &strips[index];
        if strip.baseline - strips[index - 1].baseline > PITCH_MAX * strip.size.max(strips[index - 1].size) {
            return false;
        }
        if strip.is_parted() {
            let shares =
                self.parted.iter().rev().take(LOOK_BACK).any(|&other| share_gap(&strips[other], strip));
            if shares {
                self.parted.push(index);
                (self.last, self.crossing) = (index, 0);
            }
            return shares;
        }
        if index - self.last > WHOLE_STRIPS_MAX {
            return false;
        }
        if self.lies_across(strips, strip) {
            self.crossing += 1;
        }
        self.crossing <= CROSSING_MAX && !(self.crossing > 0 && strip.words().count() >= SENTENCE_WORDS_MIN)
    }

    /// True if a strip covers the gap of most of the last parted strips.
    fn lies_across(&self, strips: &[TextStrip<'_>], strip: &TextStrip<'_>) -> bool {
        let last = &strips[self.last];
        last.gaps().any(|(from, to)| strip.bounds.left < from && strip.bounds.right > to)
    }

    fn finish(self) -> Option<std::ops::Range<usize>> {
        (self.parted.len() > 1).then(|| self.parted[0]..self.last + 1)
    }
}

fn share_gap(one: &TextStrip<'_>, other: &TextStrip<'_>) -> bool {
    let least = SHARED_GAP_MIN * one.size.min(other.size);
    one.gaps().any(|(from, to)| other.gaps().any(|(start, end)| to.min(end) - from.max(start) >= least))
}

/// Adds the neighbours of the first and last rows: headings above, further lines of a cell below.
fn with_neighbours(
    strips: &[TextStrip<'_>],
    run: std::ops::Range<usize>,
    done: usize,
) -> std::ops::Range<usize> {
    let gaps = columns::gaps(&strips[run.clone()]);
    let (Some(first), Some(bounds)) = (gaps.first(), bounds_of(&strips[run.clone()])) else { return run };
    let beside_first = |strip: &TextStrip<'_>| {
        strip.bounds.left > first.0 && strip.bounds.right <= bounds.right + strip.size
    };
    let mut start = run.start.max(done);
    while start > done && run.start - start < HEADING_STRIPS_MAX {
        let (above, below) = (&strips[start - 1], &strips[start]);
        if !beside_first(above) || below.baseline - above.baseline > TIGHT_PITCH_MAX * below.size {
            break;
        }
        start -= 1;
    }
    let mut end = run.end;
    while end < strips.len() && end - run.end < WHOLE_STRIPS_MAX {
        let (above, below) = (&strips[end - 1], &strips[end]);
        if !beside_first(below)
            || below.is_parted()
            || below.baseline - above.baseline > TIGHT_PITCH_MAX * below.size
        {
            break;
        }
        end += 1;
    }
    start..end
}

fn bounds_of(strips: &[TextStrip<'_>]) -> Option<Bounds> {
    strips.iter().map(|strip| strip.bounds).reduce(|all, next| all.union(&next))
}
