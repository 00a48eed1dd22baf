//! A part of a page that may be a table, and how it becomes one.

use super::super::content::Ruling;
use super::super::words::Word;
use super::columns::{self, Column};
use super::rows;
use super::strips::{self, Strip};
use super::{cells, judge};
use crate::{Bounds, Table};

/// Rules may lie this far outside of the words that they enclose.
const MARGIN: f32 = 2.0;
/// Columns and rows of one table.
const COLUMNS_MAX: usize = 200;

/// The indication of a possible table.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Origin {
    /// Lines that cross.
    Grid,
    /// Horizontal lines above each other.
    Stack,
    /// Words in columns.
    Gaps,
}

pub(super) struct Region<'w> {
    pub(super) origin: Origin,
    pub(super) bounds: Bounds,
    pub(super) strips: Vec<Strip<'w>>,
    pub(super) horizontal: Vec<Ruling>,
    pub(super) vertical: Vec<Ruling>,
}

impl<'w> Region<'w> {
    /// A region that lines enclose, with the words whose middle is in it.
    pub(super) fn new(
        origin: Origin,
        bounds: Bounds,
        words: &[&'w Word],
        horizontal: Vec<Ruling>,
        vertical: Vec<Ruling>,
    ) -> Option<Self> {
        let Bounds { left, top, right, bottom } = bounds;
        let wide =
            Bounds { left: left - MARGIN, top: top - MARGIN, right: right + MARGIN, bottom: bottom + MARGIN };
        let inside: Vec<&Word> =
            words.iter().copied().filter(|word| wide.contains(word.frame.center())).collect();
        (!inside.is_empty()).then(|| Self {
            origin,
            bounds: wide,
            strips: strips::strips(&inside),
            horizontal,
            vertical,
        })
    }

    /// True if all of it is typewritten, without drawn columns.
    pub(super) fn is_verbatim(&self) -> bool {
        let drawn = columns::columns(self).iter().any(|column| column.edge == columns::Edge::Rule);
        !drawn && self.strips.iter().flat_map(Strip::words).all(|word| word.style.mono)
    }

    /// The table that it is, if it is one.
    pub(super) fn table(&self) -> Option<Table> {
        let columns = columns::columns(self);
        if columns.len() < 2 || columns.len() > COLUMNS_MAX {
            return None;
        }
        let bands = rows::bands(self, &columns);
        let grid = cells::fill(self, &columns, &bands);
        let confidence = judge::confidence(self, &columns, &grid)?;
        let header_rows = cells::header_rows(self, &grid);
        Some(self.finish(&grid, header_rows, confidence))
    }

    fn finish(&self, grid: &cells::Grid<'w>, header_rows: usize, confidence: f32) -> Table {
        let rows = grid.texts();
        let words = self.strips.iter().map(|strip| strip.bounds).reduce(|all, next| all.union(&next));
        let lines = self.horizontal.iter().chain(&self.vertical).map(super::rules::bounds_of);
        let bounds = lines.fold(words, |all, line| all.map(|all| all.union(&line)));
        Table { page: 0, bounds, header_rows: header_rows.min(rows.len()), rows, confidence }
    }
}

/// The column of a position, for uses of both directions at once.
pub(super) fn column_of(columns: &[Column], x: f32) -> usize {
    columns.iter().position(|column| x < column.right).unwrap_or(columns.len().saturating_sub(1))
}
