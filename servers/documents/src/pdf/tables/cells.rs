//! Words into cells; spans over several columns or rows; heading rows.

use super::super::lines::WordLine;
use super::super::placed_text::PlacedText;
use super::super::words::PageWord;
use super::columns::{Column, ColumnEdge, usual_parts, word_gap_max};
use super::merged::{MergedCells, NEAR, is_ruled_at};
use super::region::{Region, TableOrigin};
use super::rows::{RowBand, is_number};
use super::strips::{COLUMN_GAP_MIN, Segment, TextStrip};
use crate::{CellPlace, CellSpan};

/// Rows at the top that may be headings.
const HEADER_ROWS_MAX: usize = 4;
/// A piece with this share of its width in one column belongs there, though it reaches into others.
const MOSTLY: f32 = 0.75;
/// A heading this far, in the size of its letters, from the middle of its column may span others too.
const OFF_CENTER_MIN: f32 = 0.8;
const ON_CENTER_MAX: f32 = 0.4;

/// Words by row, column, and line of the cell.
pub(super) struct WordGrid<'w> {
    cells: Vec<Vec<Vec<Vec<&'w PageWord>>>>,
    pub(super) bands: Vec<RowBand>,
    pub(super) spans: Vec<CellSpan>,
}

impl<'w> WordGrid<'w> {
    /// The texts of all cells, and the places of those that have any.
    pub(super) fn texts(&self) -> (Vec<Vec<String>>, Vec<CellPlace>) {
        let mut places = Vec::new();
        let mut text = |row: usize, column: usize, lines: &[Vec<&PageWord>]| {
            let (text, place) = cell_text(lines).into_parts();
            if !place.lines.is_empty() {
                places.push(CellPlace { row, column, lines: place.lines });
            }
            text
        };
        let rows = self.cells.iter().enumerate().map(|(row, cells)| {
            cells.iter().enumerate().map(|(column, cell)| text(row, column, cell)).collect()
        });
        (rows.collect(), places)
    }

    pub(super) fn rows(&self) -> usize {
        self.cells.len()
    }

    pub(super) fn columns(&self) -> usize {
        self.cells.first().map_or(0, Vec::len)
    }

    pub(super) fn words(&self, row: usize, column: usize) -> impl Iterator<Item = &'w PageWord> {
        self.cells[row][column].iter().flatten().copied()
    }

    pub(super) fn is_empty(&self, row: usize, column: usize) -> bool {
        self.cells[row][column].is_empty()
    }
}

fn cell_text(lines: &[Vec<&PageWord>]) -> PlacedText {
    let mut text = PlacedText::default();
    for line in lines {
        let line = WordLine::of(line.iter().map(|word| (*word).clone()).collect());
        let (words, places) = line.placed_text();
        text.append(&words, &places);
    }
    text
}

/// Assigns the words of a region to its rows and columns, and drops empty rows and columns.
pub(super) fn fill<'w>(region: &Region<'w>, columns: &[Column], bands: &[RowBand]) -> WordGrid<'w> {
    let merged = MergedCells::of(region, columns, bands);
    let mut cells: Vec<Vec<Vec<Vec<&'w PageWord>>>> = vec![vec![Vec::new(); columns.len()]; bands.len()];
    let headings = heading_strips(region, columns);
    for (row, band) in bands.iter().enumerate() {
        for &index in &band.strips {
            let strip = &region.strips[index];
            let pieces = pieces(strip, columns, region);
            let places = match pieces.as_slice() {
                [title] if is_title(title, columns, strip.size) => vec![0],
                _ if index < headings => spread(&pieces, columns, strip, region),
                _ => plain(&pieces, columns),
            };
            for (piece, column) in pieces.into_iter().zip(places) {
                let (row, column) = merged.first(row, column);
                push_line(&mut cells[row][column], piece);
            }
        }
    }
    without_empty(cells, bands, &merged)
}

/// Pieces of one strip that come into the same cell are one line.
fn push_line<'w>(cell: &mut Vec<Vec<&'w PageWord>>, piece: Segment<'w>) {
    let same_line = cell.last().and_then(|line| line.last()).is_some_and(|last| {
        let first = &piece.words[0];
        last.frame.vertical_overlap(&first.frame) >= 0.5
    });
    match cell.last_mut() {
        Some(line) if same_line => line.extend(piece.words),
        _ => cell.push(piece.words),
    }
}

fn without_empty<'w>(
    mut cells: Vec<Vec<Vec<Vec<&'w PageWord>>>>,
    bands: &[RowBand],
    merged: &MergedCells,
) -> WordGrid<'w> {
    let mut bands: Vec<RowBand> = bands.to_vec();
    let filled: Vec<bool> = cells.iter().map(|row| row.iter().any(|cell| !cell.is_empty())).collect();
    let has_words = |row: usize, column: usize| !cells[row][column].is_empty();
    let columns = cells.first().map_or(0, Vec::len);
    let used: Vec<bool> =
        (0..columns).map(|column| (0..cells.len()).any(|row| has_words(row, column))).collect();
    let spans = merged.spans(&filled, &used, has_words);
    let mut keep = filled.iter();
    bands.retain(|_| *keep.next().unwrap_or(&false));
    let mut keep = filled.iter();
    cells.retain(|_| *keep.next().unwrap_or(&false));
    for row in &mut cells {
        let mut keep = used.iter();
        row.retain(|_| *keep.next().unwrap_or(&false));
    }
    WordGrid { cells, bands, spans }
}

/// Cuts a strip where columns part its words.
fn pieces<'w>(strip: &TextStrip<'w>, columns: &[Column], region: &Region<'_>) -> Vec<Segment<'w>> {
    let mut pieces: Vec<Segment<'w>> = Vec::new();
    for word in strip.words() {
        match pieces.last_mut() {
            Some(last) if !is_parted(last, word, strip, columns, region) => {
                last.bounds = last.bounds.union(&word.frame);
                last.words.push(word);
            }
            _ => pieces.push(Segment { words: vec![word], bounds: word.frame }),
        }
    }
    pieces
}

fn is_parted(
    last: &Segment<'_>,
    word: &PageWord,
    strip: &TextStrip<'_>,
    columns: &[Column],
    region: &Region<'_>,
) -> bool {
    let gap = word.frame.left - last.bounds.right;
    if gap >= COLUMN_GAP_MIN * strip.size {
        return true;
    }
    let last_word = last.words.last().map_or(last.bounds, |word| word.frame);
    let (from, to) = (last_word.center().0, word.frame.center().0);
    let between = columns.iter().filter(|column| column.left > from && column.left <= to);
    between.into_iter().any(|column| match column.edge {
        ColumnEdge::Rule => is_ruled_at(region, column.left, strip.bounds.center().1),
        ColumnEdge::Gap | ColumnEdge::Start => gap >= word_gap_max(word) * strip.size,
    })
}

fn plain(pieces: &[Segment<'_>], columns: &[Column]) -> Vec<usize> {
    pieces.iter().map(|piece| place(piece, columns)).collect()
}

/// The column of a piece: the one that has most of it, or the first that it reaches into.
fn place(piece: &Segment<'_>, columns: &[Column]) -> usize {
    let (left, right) = (piece.bounds.left, piece.bounds.right);
    let most = (0..columns.len()).max_by(|&one, &other| {
        columns[one].overlap(left, right).total_cmp(&columns[other].overlap(left, right))
    });
    let most = most.unwrap_or(0);
    if columns[most].overlap(left, right) >= MOSTLY * (right - left) {
        return most;
    }
    let slack = 0.15 * (right - left);
    columns.iter().position(|column| column.overlap(left, right) > slack).unwrap_or(most)
}

/// True if a piece, alone in its strip, is centred over all columns and not in its own: a title between rows.
fn is_title(piece: &Segment<'_>, columns: &[Column], size: f32) -> bool {
    let (Some(first), Some(last)) = (columns.first(), columns.last()) else { return false };
    let (middle, _) = piece.bounds.center();
    let own = &columns[place(piece, columns)];
    let off = |center: f32| (center - middle).abs() / size;
    let off_table = off((first.left + last.right) / 2.0);
    let across = own.overlap(piece.bounds.left, piece.bounds.right) < MOSTLY * piece.bounds.width();
    // Within one column, it may be the next line of a cell.
    let begins = piece.words[0].text.chars().next().is_some_and(char::is_uppercase);
    across && off_table <= ON_CENTER_MAX * 2.0
        || begins && off_table <= ON_CENTER_MAX / 2.0 && off(own.center()) > ON_CENTER_MAX
}

/// The number of strips at the top with fewer parts than the rest: headings over several columns.
fn heading_strips(region: &Region<'_>, columns: &[Column]) -> usize {
    let usual = usual_parts(&region.strips).min(columns.len());
    let fewer = region.strips.iter().take_while(|strip| strip.segments.len() * 4 < usual * 3);
    fewer.count().min(HEADER_ROWS_MAX)
}

/// The start of headings that may span columns: from a rule below, or from the middle of their columns.
fn spread(
    pieces: &[Segment<'_>],
    columns: &[Column],
    strip: &TextStrip<'_>,
    region: &Region<'_>,
) -> Vec<usize> {
    let own: Vec<usize> = plain(pieces, columns);
    let mut places: Vec<usize> = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        let from = index.checked_sub(1).map_or(0, |before| own[before] + 1);
        let to = own.get(index + 1).copied().unwrap_or(columns.len());
        let ruled = rule_under(piece, strip, region)
            .and_then(|rule| columns.iter().position(|column| column.center() >= rule));
        let ruled = ruled.or_else(|| drawn_group(index, &own, columns));
        let ruled = ruled.filter(|place| places.last().is_none_or(|last| place > last));
        places
            .push(ruled.unwrap_or_else(|| centered_start(piece, own[index], from..to, columns, strip.size)));
    }
    places
}

/// The first of several columns between two drawn lines, if a heading is the only one over them.
fn drawn_group(index: usize, own: &[usize], columns: &[Column]) -> Option<usize> {
    let drawn = |column: &usize| columns[*column].edge == ColumnEdge::Rule;
    let first = (0..=own[index]).rev().find(drawn).unwrap_or(0);
    let end = (own[index] + 1..columns.len()).find(drawn).unwrap_or(columns.len());
    let alone = own.iter().filter(|place| (first..end).contains(place)).count() == 1;
    (alone && end - first > 1 && end - first < columns.len()).then_some(first)
}

/// The start of a short rule right below a heading.
fn rule_under(piece: &Segment<'_>, strip: &TextStrip<'_>, region: &Region<'_>) -> Option<f32> {
    let width_max = region.bounds.width() * 0.85;
    let under = |rule: &&super::super::content::Ruling| {
        let near = rule.at > strip.bounds.center().1 && rule.at < strip.bounds.bottom + strip.size * 0.9;
        let around = rule.start <= piece.bounds.left + NEAR && rule.end >= piece.bounds.right - NEAR;
        let centered = ((rule.start + rule.end) / 2.0 - piece.bounds.center().0).abs() <= strip.size * 1.2;
        let flush = (rule.start - piece.bounds.left).abs() <= strip.size;
        near && around && (centered || flush) && rule.length() < width_max
    };
    region.horizontal.iter().find(under).map(|rule| rule.start)
}

/// The first of the columns whose common middle is the middle of a heading.
fn centered_start(
    piece: &Segment<'_>,
    own: usize,
    free: std::ops::Range<usize>,
    columns: &[Column],
    size: f32,
) -> usize {
    let (middle, _) = piece.bounds.center();
    let off =
        |first: usize, last: usize| ((columns[first].left + columns[last].right) / 2.0 - middle).abs() / size;
    if own == 0 || off(own, own) < OFF_CENTER_MIN || !free.contains(&own) {
        return own;
    }
    let ranges = (free.start.max(1)..=own).flat_map(|first| (own..free.end).map(move |last| (first, last)));
    let best = ranges.min_by(|one, other| off(one.0, one.1).total_cmp(&off(other.0, other.1)));
    best.filter(|(first, last)| off(*first, *last) < ON_CENTER_MAX).map_or(own, |(first, _)| first)
}

/// The number of heading rows at the top: those above the first rule, those in bold, or words over figures.
pub(super) fn header_rows(region: &Region<'_>, grid: &WordGrid<'_>) -> usize {
    let rows = grid.rows();
    let ruled =
        grid.bands.iter().take(HEADER_ROWS_MAX).position(|band| band.rule_below.is_some()).map(|row| row + 1);
    let all_ruled = grid.bands.iter().filter(|band| band.rule_below.is_some()).count() * 2 > rows;
    if let Some(above) = ruled
        && !all_ruled
        && region.origin != TableOrigin::Gaps
        && above < rows
    {
        return with_subheads(region, grid, above);
    }
    let bold = (0..rows).take(HEADER_ROWS_MAX).take_while(|&row| is_bold(grid, row)).count();
    if bold > 0 && bold < rows && !(0..rows).all(|row| is_bold(grid, row)) {
        return bold;
    }
    usize::from(has_figures_below(grid))
}

/// Rules under groups of headings end before the headings do.
fn with_subheads(region: &Region<'_>, grid: &WordGrid<'_>, above: usize) -> usize {
    let Some(at) = grid.bands[above - 1].rule_below else { return above };
    let widest = region
        .horizontal
        .iter()
        .filter(|rule| (rule.at - at).abs() <= NEAR)
        .map(super::super::content::Ruling::length)
        .fold(0.0, f32::max);
    let next = grid.bands.iter().skip(above).take(2).position(|band| band.rule_below.is_some());
    match next {
        Some(more) if widest < region.bounds.width() * 0.85 => above + more + 1,
        _ => above,
    }
}

fn is_bold(grid: &WordGrid<'_>, row: usize) -> bool {
    let (mut bold, mut all) = (0, 0);
    for word in (0..grid.columns()).flat_map(|column| grid.words(row, column)) {
        bold += usize::from(word.style.bold) * word.text.len();
        all += word.text.len();
    }
    all > 0 && bold * 10 >= all * 9
}

fn has_figures_below(grid: &WordGrid<'_>) -> bool {
    let figures = |row: usize| {
        (0..grid.columns())
            .filter(|&column| grid.words(row, column).next().is_some_and(|word| is_number(&word.text)))
            .count()
    };
    grid.rows() > 1
        && figures(0) == 0
        && (1..grid.rows()).filter(|&row| figures(row) > 0).count() * 2 >= grid.rows() - 1
}
