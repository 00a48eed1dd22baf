//! Tables as grids: spans, overlaps and headers.

use std::collections::BTreeMap;

use crate::cos::PdfValue;

use super::checker::Checker;
use super::kinds::Standard;

/// Rows and columns that a cell may span, and cells of a table.
const SPAN_MAX: i64 = 1_000;
const CELLS_MAX: usize = 100_000;

/// A cell in its grid.
struct GridCell {
    element: usize,
    row: usize,
    column: usize,
    rows: usize,
    columns: usize,
}

pub(super) fn check(c: &mut Checker<'_>) {
    if c.standard != Standard::Ua1 {
        return;
    }
    for index in 0..c.tree.elements.len() {
        if c.tree.elements[index].kind == "Table" {
            table(c, index);
        }
    }
}

fn table(c: &mut Checker<'_>, index: usize) {
    let rows = rows(c, index);
    let mut taken: BTreeMap<(usize, usize), usize> = BTreeMap::new();
    let mut cells = Vec::new();
    let mut overlap = false;
    for (row, element) in rows.iter().enumerate() {
        let mut column = 0;
        for cell in c.tree.elements[*element].children.clone() {
            if !matches!(c.tree.elements[cell].kind.as_str(), "TH" | "TD") || taken.len() > CELLS_MAX {
                continue;
            }
            while taken.contains_key(&(row, column)) {
                column += 1;
            }
            let (down, across) = (span(c, cell, "RowSpan"), span(c, cell, "ColSpan"));
            for place in (row..row + down).flat_map(|y| (column..column + across).map(move |x| (y, x))) {
                overlap |= taken.insert(place, cell).is_some();
            }
            cells.push(GridCell { element: cell, row, column, rows: down, columns: across });
            column += across;
        }
    }
    if overlap {
        c.u("7.2-15", "cells overlap");
    }
    regular(c, rows.len(), &taken);
    headers(c, &cells);
}

fn rows(c: &Checker<'_>, table: usize) -> Vec<usize> {
    let mut rows = Vec::new();
    for child in &c.tree.elements[table].children {
        match c.tree.elements[*child].kind.as_str() {
            "TR" => rows.push(*child),
            "THead" | "TBody" | "TFoot" => {
                let inner = c.tree.elements[*child].children.iter().copied();
                rows.extend(inner.filter(|it| c.tree.elements[*it].kind == "TR"));
            }
            _ => {}
        }
    }
    rows
}

/// Attributes are a dictionary, or a list of dictionaries and revision numbers.
fn attribute<'a>(c: &Checker<'a>, element: usize, key: &str) -> Option<&'a PdfValue> {
    let dict = c.tree.elements[element].dict;
    let own = c.at(dict, "A");
    let mut all: Vec<&'a PdfValue> = own.list().iter().map(|it| c.get(it)).collect();
    all.push(own);
    let classes = c.at(c.catalogue, "StructTreeRoot").dict().and_then(|it| c.at(it, "ClassMap").dict());
    if let (Some(classes), Some(name)) = (classes, c.at(dict, "C").name()) {
        let named = c.at(classes, name);
        all.extend(named.list().iter().map(|it| c.get(it)));
        all.push(named);
    }
    all.into_iter().filter_map(PdfValue::dict).find(|it| it.has(key)).map(|it| c.at(it, key))
}

fn span(c: &Checker<'_>, cell: usize, key: &str) -> usize {
    attribute(c, cell, key).and_then(PdfValue::int).unwrap_or(1).clamp(1, SPAN_MAX) as usize
}

/// Every row is filled to the same width, and no cell reaches below the last row.
fn regular(c: &mut Checker<'_>, rows: usize, taken: &BTreeMap<(usize, usize), usize>) {
    if taken.keys().any(|(row, _)| *row >= rows) {
        c.u("7.2-41", "a cell reaches below the last row");
        c.u("7.2-43", "a cell reaches below the last row");
    }
    let mut widths = vec![0usize; rows];
    for (row, _) in taken.keys().filter(|(row, _)| *row < rows) {
        widths[*row] += 1;
    }
    let Some(first) = widths.first() else { return };
    if let Some(other) = widths.iter().find(|it| *it != first) {
        c.u("7.2-42", format!("rows of {first} and {other} columns"));
        c.u("7.2-43", format!("rows of {first} and {other} columns"));
    }
}

fn headers(c: &mut Checker<'_>, cells: &[GridCell]) {
    let kind = |cell: &GridCell| c.tree.elements[cell.element].kind.as_str();
    let heads: Vec<&GridCell> = cells.iter().filter(|it| kind(it) == "TH").collect();
    if heads.is_empty() {
        return;
    }
    let scope =
        |cell: &GridCell| attribute(c, cell.element, "Scope").and_then(PdfValue::name).unwrap_or_default();
    let covers = |from: usize, length: usize, at: usize| (from..from + length).contains(&at);
    let lacking = cells.iter().filter(|it| kind(it) == "TD").find(|cell| {
        let has_ids = attribute(c, cell.element, "Headers").is_some_and(|it| !it.list().is_empty());
        let by_scope = heads.iter().any(|head| match scope(head) {
            "Column" => covers(head.column, head.columns, cell.column),
            "Row" => covers(head.row, head.rows, cell.row),
            "Both" => covers(head.column, head.columns, cell.column) || covers(head.row, head.rows, cell.row),
            _ => false,
        });
        !has_ids && !by_scope
    });
    if let Some(cell) = lacking {
        let evidence = format!("row {}, column {}", cell.row + 1, cell.column + 1);
        c.u("7.5-1", evidence);
    }
}
