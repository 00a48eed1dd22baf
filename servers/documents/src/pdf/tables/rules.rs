//! Areas enclosed by drawn lines: grids, frames, and stacks of horizontal rules as in books.

use super::super::content::{GlyphDirection, Orientation, PageContent, Ruling};
use super::super::words::PageWord;
use super::region::{Region, TableOrigin};
use super::strips;
use crate::Bounds;

/// Pieces of one line may be this far off each other, and this far apart along it.
const SAME_LINE: f32 = 1.6;
const PIECE_GAP_MAX: f32 = 3.0;
/// The maximum distance between the end of a line and the one that it meets.
const MEET: f32 = 3.0;
/// Shorter lines bound no cells.
const LENGTH_MIN: f32 = 5.0;
/// Horizontal rules of one table start and end at the same places, within this.
const SAME_EXTENT: f32 = 4.0;
/// Horizontal rules of a table are at least this long.
const RULE_LENGTH_MIN: f32 = 40.0;
/// Drawings have more lines than any table.
const RULINGS_MAX: usize = 3_000;
/// This many lines of text between two rules, most of them running text, are not part of a table.
const TEXT_STRIPS_MAX: usize = 3;

/// The lines of a page, rotated so that text goes to the right; pieces joined.
pub(super) struct PageRules {
    pub(super) horizontal: Vec<Ruling>,
    pub(super) vertical: Vec<Ruling>,
}

impl PageRules {
    pub(super) fn of(content: &PageContent, direction: GlyphDirection) -> Self {
        let turned =
            content.rulings.iter().filter(|ruling| is_usable(ruling)).map(|ruling| turn(ruling, direction));
        let (horizontal, vertical) = turned.partition(|ruling| ruling.orientation == Orientation::Horizontal);
        let rules = Self { horizontal: joined(horizontal), vertical: joined(vertical) };
        if rules.horizontal.len() + rules.vertical.len() > RULINGS_MAX {
            return Self { horizontal: Vec::new(), vertical: Vec::new() };
        }
        rules
    }

    /// Regions that lines enclose, the most certain first.
    pub(super) fn regions<'w>(&self, words: &[&'w PageWord]) -> Vec<Region<'w>> {
        let (grids, loose) = self.grids(words);
        let mut regions = grids;
        regions.extend(stacks(&loose, words));
        regions
    }

    /// Lines that meet each other; and the horizontal ones that meet none.
    fn grids<'w>(&self, words: &[&'w PageWord]) -> (Vec<Region<'w>>, Vec<Ruling>) {
        let across = self.horizontal.len();
        let mut group: Vec<usize> = (0..across + self.vertical.len()).collect();
        for (h, horizontal) in self.horizontal.iter().enumerate() {
            for (v, vertical) in self.vertical.iter().enumerate() {
                if meet(horizontal, vertical) {
                    unite(&mut group, h, across + v);
                }
            }
        }
        let mut members: Vec<Vec<Ruling>> = vec![Vec::new(); group.len()];
        for index in 0..group.len() {
            let root = root(&mut group, index);
            members[root].push(if index < across {
                self.horizontal[index]
            } else {
                self.vertical[index - across]
            });
        }
        let (grids, lone): (Vec<_>, Vec<_>) =
            members.into_iter().filter(|some| !some.is_empty()).partition(|some| some.len() > 1);
        let mut regions: Vec<Region<'w>> =
            grids.into_iter().filter_map(|lines| grid(&lines, words)).collect();
        regions.sort_by(|one, other| area(&other.bounds).total_cmp(&area(&one.bounds)));
        let loose =
            lone.into_iter().flatten().filter(|line| line.orientation == Orientation::Horizontal).collect();
        (regions, loose)
    }
}

fn is_usable(ruling: &Ruling) -> bool {
    [ruling.at, ruling.start, ruling.end].iter().all(|value| value.is_finite() && value.abs() < 1e6)
        && ruling.length() > 0.0
}

fn turn(ruling: &Ruling, direction: GlyphDirection) -> Ruling {
    let bounds = direction.frame(bounds_of(ruling));
    match (bounds.width() >= bounds.height(), bounds.center()) {
        (true, (_, y)) => Ruling {
            orientation: Orientation::Horizontal,
            at: y,
            start: bounds.left,
            end: bounds.right,
            ..*ruling
        },
        (false, (x, _)) => Ruling {
            orientation: Orientation::Vertical,
            at: x,
            start: bounds.top,
            end: bounds.bottom,
            ..*ruling
        },
    }
}

pub(super) fn bounds_of(ruling: &Ruling) -> Bounds {
    let Ruling { at, start, end, .. } = *ruling;
    match ruling.orientation {
        Orientation::Horizontal => Bounds { left: start, top: at, right: end, bottom: at },
        Orientation::Vertical => Bounds { left: at, top: start, right: at, bottom: end },
    }
}

/// Pieces of the same line, and lines drawn twice, become one.
fn joined(mut rulings: Vec<Ruling>) -> Vec<Ruling> {
    rulings.sort_by(|one, other| one.at.total_cmp(&other.at));
    let mut lines: Vec<Ruling> = Vec::new();
    let mut from = 0;
    while from < rulings.len() {
        let to = from
            + rulings[from..].iter().take_while(|ruling| ruling.at - rulings[from].at <= SAME_LINE).count();
        lines.extend(along(&mut rulings[from..to]));
        from = to;
    }
    lines.retain(|line| line.length() >= LENGTH_MIN);
    lines
}

fn along(pieces: &mut [Ruling]) -> Vec<Ruling> {
    pieces.sort_by(|one, other| one.start.total_cmp(&other.start));
    let mut lines: Vec<Ruling> = Vec::new();
    for piece in pieces {
        match lines.last_mut() {
            Some(last) if piece.start <= last.end + PIECE_GAP_MAX => last.end = last.end.max(piece.end),
            _ => lines.push(*piece),
        }
    }
    lines
}

fn meet(horizontal: &Ruling, vertical: &Ruling) -> bool {
    let on_horizontal = vertical.at >= horizontal.start - MEET && vertical.at <= horizontal.end + MEET;
    let on_vertical = horizontal.at >= vertical.start - MEET && horizontal.at <= vertical.end + MEET;
    on_horizontal && on_vertical
}

fn root(group: &mut [usize], mut index: usize) -> usize {
    while group[index] != index {
        group[index] = group[group[index]];
        index = group[index];
    }
    index
}

fn unite(group: &mut [usize], one: usize, other: usize) {
    let (one, other) = (root(group, one), root(group, other));
    group[one.max(other)] = one.min(other);
}

fn area(bounds: &Bounds) -> f32 {
    bounds.width() * bounds.height()
}

fn grid<'w>(lines: &[Ruling], words: &[&'w PageWord]) -> Option<Region<'w>> {
    let bounds = lines.iter().map(bounds_of).reduce(|all, next| all.union(&next))?;
    let (horizontal, vertical): (Vec<Ruling>, Vec<Ruling>) =
        lines.iter().partition(|line| line.orientation == Orientation::Horizontal);
    Region::new(TableOrigin::Grid, bounds, words, horizontal, vertical)
}

/// Horizontal rules of the same extent above each other, without vertical ones, as in booktabs tables.
fn stacks<'w>(loose: &[Ruling], words: &[&'w PageWord]) -> Vec<Region<'w>> {
    let mut long: Vec<Ruling> =
        loose.iter().copied().filter(|rule| rule.length() >= RULE_LENGTH_MIN).collect();
    long.sort_by(|one, other| one.at.total_cmp(&other.at));
    let mut used = vec![false; long.len()];
    let mut regions = Vec::new();
    for first in 0..long.len() {
        if used[first] {
            continue;
        }
        let same = |index: &usize| {
            let rule = &long[*index];
            !used[*index]
                && (rule.start - long[first].start).abs() <= SAME_EXTENT
                && (rule.end - long[first].end).abs() <= SAME_EXTENT
        };
        let stack: Vec<usize> = (first..long.len()).filter(same).collect();
        stack.iter().for_each(|&index| used[index] = true);
        let rules: Vec<Ruling> = stack.iter().map(|&index| long[index]).collect();
        regions.extend(
            tabular_parts(&rules, words).into_iter().filter_map(|part| stack_region(&part, loose, words)),
        );
    }
    regions
}

/// Cuts a stack of rules where running text lies between two of them.
fn tabular_parts(rules: &[Ruling], words: &[&PageWord]) -> Vec<Vec<Ruling>> {
    let mut parts: Vec<Vec<Ruling>> = vec![Vec::new()];
    for (index, rule) in rules.iter().enumerate() {
        if index > 0 && is_text_between(&rules[index - 1], rule, words) {
            parts.push(Vec::new());
        }
        if let Some(part) = parts.last_mut() {
            part.push(*rule);
        }
    }
    parts.retain(|part| part.len() > 1);
    parts
}

fn is_text_between(upper: &Ruling, lower: &Ruling, words: &[&PageWord]) -> bool {
    let band = Bounds { left: upper.start, top: upper.at, right: upper.end, bottom: lower.at };
    let inside: Vec<&PageWord> =
        words.iter().copied().filter(|word| band.contains(word.frame.center())).collect();
    let strips = strips::strips(&inside);
    let parted = strips.iter().filter(|strip| strip.is_parted()).count();
    inside.is_empty() && band.height() > 60.0
        || strips.len() > TEXT_STRIPS_MAX && parted * 5 < strips.len() * 2
}

fn stack_region<'w>(rules: &[Ruling], loose: &[Ruling], words: &[&'w PageWord]) -> Option<Region<'w>> {
    let bounds = rules.iter().map(bounds_of).reduce(|all, next| all.union(&next))?;
    let inside = |rule: &&Ruling| {
        rule.at >= bounds.top - SAME_LINE
            && rule.at <= bounds.bottom + SAME_LINE
            && rule.start >= bounds.left - SAME_EXTENT
            && rule.end <= bounds.right + SAME_EXTENT
    };
    let horizontal: Vec<Ruling> = loose.iter().filter(inside).copied().collect();
    Region::new(TableOrigin::Stack, bounds, words, horizontal, Vec::new())
}
