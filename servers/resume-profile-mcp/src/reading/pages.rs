//! Pages with a layout: lines with their positions. Text beside a line in the same row (a date, the label of
//! a form) is read with it, even if the page was split into columns.

use capability_documents::{Page, PageLine};

use crate::parsed::{ParsedBuilder, TextLine};
use crate::sections;

/// A gap of this many times the height of a line sets the next one apart.
const APART: f32 = 0.75;

pub(super) fn add(builder: &mut ParsedBuilder, page: &Page) {
    let order = in_rows(&page.lines);
    let mut before: Option<&PageLine> = None;
    for index in order {
        let line = &page.lines[index];
        builder.line(&line.text, looks(page, line, before));
        before = Some(line);
    }
}

fn looks(page: &Page, line: &PageLine, before: Option<&PageLine>) -> TextLine {
    let height = (line.bounds.bottom - line.bounds.top).max(1.0);
    let apart = before.is_none_or(|before| {
        let gap = line.bounds.top - before.bounds.bottom;
        gap > height * APART || gap < -height * 2.0
    });
    TextLine {
        page: page.number,
        size: line.size,
        bold: line.bold,
        left: line.bounds.left,
        top: line.bounds.top,
        bottom: line.bounds.bottom,
        right: line.bounds.right,
        apart,
        ..TextLine::default()
    }
}

/// The reading order. A page whose headings are in one column is read row by row, even if it was split: the
/// apparent second column is dates or labels. True columns are read one after the other, each row by row.
fn in_rows(lines: &[PageLine]) -> Vec<usize> {
    let all: Vec<usize> = (0..lines.len()).collect();
    match second_column(lines) {
        Some(left) => by_columns(lines, left),
        None => by_rows(lines, all),
    }
}

/// Headings of sections that begin this far from each other are in columns of their own.
const COLUMN_POINTS: f32 = 100.0;
/// A line that extends this far into both columns belongs to neither.
const ACROSS_POINTS: f32 = 12.0;

/// The start of the right one of two columns.
fn second_column(lines: &[PageLine]) -> Option<f32> {
    let lefts: Vec<f32> =
        lines.iter().filter(|line| sections::is_known(&line.text)).map(|line| line.bounds.left).collect();
    let least = lefts.iter().copied().reduce(f32::min)?;
    lefts.into_iter().filter(|left| *left > least + COLUMN_POINTS).reduce(f32::min)
}

/// Lines across the page divide it into bands; in each the left column comes before the right one.
fn by_columns(lines: &[PageLine], boundary: f32) -> Vec<usize> {
    let across = |line: &PageLine| {
        line.bounds.left < boundary - ACROSS_POINTS && line.bounds.right > boundary + ACROSS_POINTS
    };
    let mut order = Vec::with_capacity(lines.len());
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for index in by_rows(lines, (0..lines.len()).collect()) {
        if across(&lines[index]) {
            order.extend(by_rows(lines, std::mem::take(&mut left)));
            order.extend(by_rows(lines, std::mem::take(&mut right)));
            order.push(index);
        } else if lines[index].bounds.left < boundary - ACROSS_POINTS {
            left.push(index);
        } else {
            right.push(index);
        }
    }
    order.extend(by_rows(lines, left));
    order.extend(by_rows(lines, right));
    order
}

/// From top to bottom, and in each row from left to right.
fn by_rows(lines: &[PageLine], mut order: Vec<usize>) -> Vec<usize> {
    let middle = |line: &PageLine| (line.bounds.top + line.bounds.bottom) / 2.0;
    order.sort_by(|one, other| middle(&lines[*one]).total_cmp(&middle(&lines[*other])));
    let mut rows: Vec<Vec<usize>> = Vec::new();
    for index in order {
        let line = &lines[index];
        match rows.last_mut() {
            Some(row) if shares_row(&lines[row[0]], line) => row.push(index),
            _ => rows.push(vec![index]),
        }
    }
    for row in &mut rows {
        row.sort_by(|one, other| lines[*one].bounds.left.total_cmp(&lines[*other].bounds.left));
    }
    rows.concat()
}

fn shares_row(one: &PageLine, other: &PageLine) -> bool {
    let shared = one.bounds.bottom.min(other.bounds.bottom) - one.bounds.top.max(other.bounds.top);
    shared > 0.5 * (one.bounds.bottom - one.bounds.top).min(other.bounds.bottom - other.bounds.top)
}
