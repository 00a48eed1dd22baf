//! Cells of a grid that no drawn line parts.

use std::collections::BTreeMap;

use super::columns::{Column, ColumnEdge};
use super::region::{Region, TableOrigin};
use super::rows::RowBand;
use crate::CellSpan;

/// The maximum distance between a line and an edge.
pub(super) const NEAR: f32 = 3.5;

/// Cells of a grid without a line between them.
pub(super) struct MergedCells {
    columns: usize,
    group: Vec<usize>,
}

impl MergedCells {
    pub(super) fn of(region: &Region<'_>, columns: &[Column], bands: &[RowBand]) -> Self {
        let mut merged = Self { columns: columns.len(), group: (0..bands.len() * columns.len()).collect() };
        if region.origin != TableOrigin::Grid {
            return merged;
        }
        for (row, band) in bands.iter().enumerate() {
            for (column, place) in columns.iter().enumerate() {
                let index = row * columns.len() + column;
                if place.edge == ColumnEdge::Rule && !is_ruled_at(region, place.left, band.middle()) {
                    merged.unite(index - 1, index);
                }
                let open_below = band.rule_below.is_some_and(|y| !has_rule_at(region, place.center(), y));
                if open_below && row + 1 < bands.len() {
                    merged.unite(index, index + columns.len());
                }
            }
        }
        merged
    }

    /// Row and column of the first cell of a merged cell.
    pub(super) fn first(&self, row: usize, column: usize) -> (usize, usize) {
        let root = self.root(row * self.columns + column);
        (root / self.columns, root % self.columns)
    }

    /// Merged cells with words, by their places among the rows and columns that are kept. One that is no rectangle spans nothing.
    pub(super) fn spans(
        &self,
        rows_kept: &[bool],
        columns_kept: &[bool],
        has_words: impl Fn(usize, usize) -> bool,
    ) -> Vec<CellSpan> {
        let mut extents: BTreeMap<usize, MergedExtent> = BTreeMap::new();
        for index in 0..self.group.len() {
            let (row, column) = (index / self.columns, index % self.columns);
            extents.entry(self.root(index)).or_insert_with(|| MergedExtent::at(row, column)).add(row, column);
        }
        let merged =
            extents.values().filter(|extent| extent.is_merged() && has_words(extent.top, extent.left));
        let kept = |flags: &[bool]| flags.iter().filter(|kept| **kept).count();
        let spans = merged.map(|extent| CellSpan {
            row: kept(&rows_kept[..extent.top]),
            column: kept(&columns_kept[..extent.left]),
            rows: kept(&rows_kept[extent.top..=extent.bottom]),
            columns: kept(&columns_kept[extent.left..=extent.right]),
        });
        spans.filter(|span| span.rows * span.columns > 1).collect()
    }

    fn root(&self, mut index: usize) -> usize {
        while self.group[index] != index {
            index = self.group[index];
        }
        index
    }

    fn unite(&mut self, one: usize, other: usize) {
        let (one, other) = (self.root(one), self.root(other));
        self.group[one.max(other)] = one.min(other);
    }
}

fn has_rule_at(region: &Region<'_>, x: f32, y: f32) -> bool {
    region.horizontal.iter().any(|line| (line.at - y).abs() <= NEAR && line.start <= x && line.end >= x)
}

/// The rows and columns of a merged cell, first and last.
struct MergedExtent {
    top: usize,
    left: usize,
    bottom: usize,
    right: usize,
    cells: usize,
}

impl MergedExtent {
    fn at(row: usize, column: usize) -> Self {
        Self { top: row, left: column, bottom: row, right: column, cells: 0 }
    }

    fn add(&mut self, row: usize, column: usize) {
        self.left = self.left.min(column);
        self.bottom = self.bottom.max(row);
        self.right = self.right.max(column);
        self.cells += 1;
    }

    fn is_merged(&self) -> bool {
        let area = (self.bottom - self.top + 1) * (self.right - self.left + 1);
        self.cells > 1 && self.cells == area
    }
}

pub(super) fn is_ruled_at(region: &Region<'_>, x: f32, y: f32) -> bool {
    region.vertical.iter().any(|line| (line.at - x).abs() <= NEAR * 2.0 && line.start <= y && line.end >= y)
}
