//! The rows of a region: which strips are lines of the same row.

use super::columns::{Column, usual_size};
use super::region::{Region, TableOrigin};
use super::strips::TextStrip;
use crate::Bounds;

/// Rules this short are underlines, not rules between rows.
const RULE_LENGTH_MIN: f32 = 10.0;
/// Regions with at least this many ruled rows have all their rows ruled.
const RULED_ROWS_MIN: usize = 3;
/// Strips farther apart than the closest by this factor are of different rows.
const PITCH_RATIO_MAX: f32 = 1.22;
/// The maximum distance of baselines in one cell, relative to the size of the letters.
const PITCH_MAX: f32 = 1.9;
/// Lines of headings: how many, and how far apart in the size of the letters.
const HEADING_STRIPS_MAX: usize = 4;
const HEADING_PITCH_MAX: f32 = 1.5;
/// Columns of text that is broken into lines are at least this wide, in the size of the letters.
const WRAPPED_WIDTH_MIN: f32 = 8.0;
/// Width of a space, in the size of the letters.
const SPACE: f32 = 0.25;

/// Strips that make one row.
#[derive(Clone, Debug)]
pub(super) struct RowBand {
    pub(super) strips: Vec<usize>,
    /// The position of the rule between it and the next, if there is one.
    pub(super) rule_below: Option<f32>,
    pub(super) top: f32,
    pub(super) bottom: f32,
}

impl RowBand {
    pub(super) fn middle(&self) -> f32 {
        (self.top + self.bottom) / 2.0
    }
}

pub(super) fn bands(region: &Region<'_>, columns: &[Column]) -> Vec<RowBand> {
    let ruled = ruled_bands(region);
    let lines = StripTable::of(region, columns);
    let all_ruled = ruled.len() >= RULED_ROWS_MIN && region.origin != TableOrigin::Gaps;
    let singles = ruled.iter().filter(|band| band.strips.len() == 1).count() * 2 >= ruled.len();
    let singles = if singles { RowsPerRule::Single } else { RowsPerRule::Several };
    let mut bands = Vec::new();
    let ruled_count = ruled.len();
    for (index, band) in ruled.into_iter().enumerate() {
        if index == 0 && ruled_count > 1 && lines.are_heading(&band, columns) {
            bands.push(band);
            continue;
        }
        if all_ruled && !lines.are_rows(&band, &region.strips, singles) {
            bands.push(band);
        } else {
            bands.extend(lines.split(&band, &region.strips));
        }
    }
    bands
}

/// Strips between the same two rules.
fn ruled_bands(region: &Region<'_>) -> Vec<RowBand> {
    let mut bands: Vec<RowBand> = Vec::new();
    for (index, strip) in region.strips.iter().enumerate() {
        let above = index.checked_sub(1).and_then(|above| rule_between(region, &region.strips[above], strip));
        match bands.last_mut() {
            Some(band) if above.is_none() => {
                band.strips.push(index);
                band.bottom = band.bottom.max(strip.bounds.bottom);
            }
            last => {
                if let Some(last) = last {
                    last.rule_below = above;
                }
                bands.push(band_of_one(index, strip));
            }
        }
    }
    bands
}

fn band_of_one(index: usize, strip: &TextStrip<'_>) -> RowBand {
    RowBand { strips: vec![index], rule_below: None, top: strip.bounds.top, bottom: strip.bounds.bottom }
}

fn rule_between(region: &Region<'_>, upper: &TextStrip<'_>, lower: &TextStrip<'_>) -> Option<f32> {
    let (from, to) = (upper.bounds.center().1, lower.bounds.center().1);
    let between = |rule: &&super::super::content::Ruling| {
        rule.at > from && rule.at < to && rule.length() >= RULE_LENGTH_MIN
    };
    region
        .horizontal
        .iter()
        .filter(between)
        .max_by(|one, other| one.length().total_cmp(&other.length()))
        .map(|rule| rule.at)
}

/// The number of rows between two rules in most of a region.
#[derive(Clone, Copy, PartialEq, Eq)]
enum RowsPerRule {
    Single,
    Several,
}

/// A piece of text in one column of one strip.
#[derive(Clone, Debug)]
struct StripPiece {
    bounds: Bounds,
    first_word: f32,
    is_number: bool,
    starts_small: bool,
    ends_open: bool,
}

/// The strips, by columns.
struct StripTable {
    pieces: Vec<Vec<Option<StripPiece>>>,
    widths: Vec<f32>,
    /// From each strip to the next.
    pitches: Vec<f32>,
    closest: f32,
    /// True if there is more space between rows than between the lines of one.
    is_spaced: bool,
    size: f32,
}

impl StripTable {
    fn of(region: &Region<'_>, columns: &[Column]) -> Self {
        let pieces: Vec<Vec<Option<StripPiece>>> =
            region.strips.iter().map(|strip| pieces(strip, columns)).collect();
        let width = |column: usize| {
            let widths =
                pieces.iter().filter_map(|line| line[column].as_ref()).map(|piece| piece.bounds.width());
            widths.fold(0.0, f32::max).min(columns[column].right - columns[column].left)
        };
        let widths = (0..columns.len()).map(width).collect();
        let pitches: Vec<f32> =
            region.strips.windows(2).map(|pair| pair[1].baseline - pair[0].baseline).collect();
        let size = usual_size(&region.strips);
        let closest = pitches.iter().copied().filter(|pitch| *pitch > size * 0.7).fold(f32::MAX, f32::min);
        let wide = pitches.iter().filter(|pitch| **pitch > closest * PITCH_RATIO_MAX).count();
        Self { pieces, widths, closest, is_spaced: wide * 10 >= pitches.len() * 3, pitches, size }
    }

    /// True if strips between two rules are separate rows: most begin in the first column, and few continue
    /// in the next.
    fn are_rows(&self, band: &RowBand, strips: &[TextStrip<'_>], usual: RowsPerRule) -> bool {
        let count = band.strips.len();
        if count < 2 || count == 2 && usual == RowsPerRule::Single {
            return false;
        }
        let begins = |strip: &&usize| self.pieces[**strip][0].is_some() && self.filled(**strip) >= 2;
        let begun = band.strips.iter().filter(begins).count();
        begun * 5 >= count * 3 && self.split(band, strips).len() * 5 >= count * 3
    }

    /// True if strips above the first rule are lines of one heading row: words close above each other, none
    /// of them over several columns.
    fn are_heading(&self, band: &RowBand, columns: &[Column]) -> bool {
        let close =
            band.strips[1..].iter().all(|&strip| self.pitches[strip - 1] <= self.size * HEADING_PITCH_MAX);
        let pieces: Vec<(&StripPiece, &Column)> = band
            .strips
            .iter()
            .flat_map(|&strip| self.pieces[strip].iter().zip(columns))
            .filter_map(|(piece, column)| piece.as_ref().zip(Some(column)))
            .collect();
        let inside = |(piece, column): &(&StripPiece, &Column)| {
            piece.bounds.left >= column.left - 1.0 && piece.bounds.right <= column.right + 1.0
        };
        let numbers = pieces.iter().filter(|(piece, _)| piece.is_number).count();
        let few = (2..=HEADING_STRIPS_MAX).contains(&band.strips.len())
            && band.strips.len() * 2 < self.pieces.len();
        few && close && numbers * 3 <= pieces.len() && pieces.iter().all(inside)
    }

    fn filled(&self, strip: usize) -> usize {
        self.pieces[strip].iter().flatten().count()
    }

    fn split(&self, band: &RowBand, strips: &[TextStrip<'_>]) -> Vec<RowBand> {
        let mut rows: Vec<RowBand> = Vec::new();
        for &index in &band.strips {
            let strip = &strips[index];
            match rows.last_mut() {
                Some(row)
                    if row
                        .strips
                        .last()
                        .is_some_and(|&last| self.is_close(last) && self.row_goes_on(row, index)) =>
                {
                    row.strips.push(index);
                    row.bottom = row.bottom.max(strip.bounds.bottom);
                }
                _ => rows.push(band_of_one(index, strip)),
            }
        }
        if let Some(last) = rows.last_mut() {
            last.rule_below = band.rule_below;
        }
        rows
    }

    /// True if the next strip is as close as lines of one cell are.
    fn is_close(&self, strip: usize) -> bool {
        self.pitches[strip] <= (self.closest * PITCH_RATIO_MAX).min(self.size * PITCH_MAX)
    }

    fn row_goes_on(&self, row: &RowBand, next: usize) -> bool {
        row.strips.last().is_some_and(|&last| self.goes_on_from(row, last, next))
    }

    fn goes_on_from(&self, row: &RowBand, last: usize, next: usize) -> bool {
        // Without space between rows, text in the first column begins a row.
        let begins = self.pieces[next][0].is_some() && self.filled(next) > 1;
        if begins && !self.is_spaced && !self.pieces[last][0].as_ref().is_some_and(|piece| piece.ends_open) {
            return false;
        }
        if self.goes_on(last, next) {
            return true;
        }
        // A cell may have ended in an earlier line while another continues.
        row.strips.len() > 1
            && row.strips.iter().any(|&strip| self.goes_on(strip, next))
            && self.filled(next) < self.filled(row.strips[0])
    }

    /// True if every piece of `lower` continues the one above it: its first word did not fit there.
    fn goes_on(&self, upper: usize, lower: usize) -> bool {
        let pairs = self.pieces[upper].iter().zip(&self.pieces[lower]).enumerate();
        let mut any = false;
        for (column, (above, below)) in pairs {
            let Some(below) = below else { continue };
            let Some(above) = above else { return false };
            if !self.piece_goes_on(above, below, column) {
                return false;
            }
            any = true;
        }
        any
    }

    fn piece_goes_on(&self, above: &StripPiece, below: &StripPiece, column: usize) -> bool {
        if above.ends_open {
            return true;
        }
        if above.is_number || below.is_number && !below.starts_small {
            return false;
        }
        // In a narrow column no second word fits, which says nothing.
        if !below.starts_small && self.widths[column] < WRAPPED_WIDTH_MIN * self.size {
            return false;
        }
        let slack = if below.starts_small { self.size } else { 0.0 };
        above.bounds.width() + SPACE * self.size + below.first_word > self.widths[column] - slack
    }
}

fn pieces(strip: &TextStrip<'_>, columns: &[Column]) -> Vec<Option<StripPiece>> {
    let mut pieces: Vec<Option<StripPiece>> = vec![None; columns.len()];
    for word in strip.words() {
        let column = super::columns::column_of(columns, word.frame.center().0);
        match &mut pieces[column] {
            Some(piece) => {
                piece.bounds = piece.bounds.union(&word.frame);
                piece.is_number &= is_number(&word.text);
                piece.ends_open = ends_open(&word.text);
            }
            empty => {
                let starts_small = word.text.chars().next().is_some_and(char::is_lowercase);
                let (is_number, ends_open) = (is_number(&word.text), ends_open(&word.text));
                *empty = Some(StripPiece {
                    bounds: word.frame,
                    first_word: word.frame.width(),
                    is_number,
                    starts_small,
                    ends_open,
                });
            }
        }
    }
    pieces
}

/// A word that is cut at the end of a line.
fn ends_open(word: &str) -> bool {
    let mut letters = word.chars().rev();
    letters.next() == Some('-') && letters.next().is_some_and(char::is_alphabetic)
}

/// Figures, with surrounding signs: `12,5 %`, `(3.4)`, `$1,200`, `–`.
pub(super) fn is_number(word: &str) -> bool {
    let digits = word.chars().filter(char::is_ascii_digit).count();
    let letters = word.chars().filter(|letter| letter.is_alphabetic()).count();
    digits > 0 && letters <= 1 || matches!(word, "-" | "–" | "—" | "n/a" | "…" | "%" | "$" | "€")
}
