//! A section as entries: the head lines of a job or a course, and the lines about it.
//!
//! Dates locate entries. The number of lines before the first date is the same for all entries, since people
//! write all entries of a section in the same way.

use crate::dates::{self, Period};
use crate::parsed::{ByteSpan, ParsedDocument};
use crate::sections::ResumeSection;
use crate::words::words_of;

/// A line of a section, with the lines into which it runs over.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct SectionRow {
    pub(crate) span: ByteSpan,
    pub(crate) item: bool,
    pub(crate) bold: bool,
    pub(crate) apart: bool,
    pub(crate) heading: bool,
    /// Its start on the page.
    pub(crate) left: f32,
    pub(crate) periods: Vec<Period>,
}

/// One job, course, project…
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct SectionEntry {
    pub(crate) head: Vec<SectionRow>,
    pub(crate) body: Vec<SectionRow>,
}

impl SectionEntry {
    pub(crate) fn period(&self) -> Option<&Period> {
        self.head.iter().flat_map(|row| &row.periods).next()
    }
}

/// The maximum number of lines of a head.
const HEAD_MAX: usize = 4;
const HEAD_WORDS_MAX: usize = 14;
/// Longer lines are descriptions, not names of entries.
const HEAD_CHARS_MAX: usize = 130;

/// The lines of a section, with wrapped lines joined.
pub(crate) fn rows(parsed: &ParsedDocument, section: &ResumeSection) -> Vec<SectionRow> {
    let mut rows: Vec<SectionRow> = Vec::new();
    let mut before: Option<usize> = None;
    for (index, span) in &section.spans {
        if let Some(last) = rows.last_mut()
            && before.is_some_and(|before| runs_over(parsed, last, before, *index))
        {
            last.span = last.span.to(*span);
        } else {
            rows.push(row(parsed, *index, *span));
        }
        before = Some(*index);
    }
    rows
}

fn row(parsed: &ParsedDocument, index: usize, span: ByteSpan) -> SectionRow {
    let line = &parsed.lines[index];
    let periods = dates::periods(span.of(&parsed.text), span.start);
    SectionRow {
        span,
        item: line.item,
        bold: line.bold,
        apart: line.apart,
        heading: line.heading.is_some(),
        left: line.left,
        periods,
    }
}

/// The text of a point is right of its mark, by this many points.
const INDENT: f32 = 2.0;

/// True if a line continues the one before.
fn runs_over(parsed: &ParsedDocument, last: &SectionRow, before: usize, index: usize) -> bool {
    let (previous, line) = (&parsed.lines[before], &parsed.lines[index]);
    let text = parsed.line(index);
    if line.item
        || line.apart
        || line.heading.is_some()
        || line.bold != previous.bold
        || previous.page != line.page
    {
        return false;
    }
    let placed = previous.right > 0.0 && line.right > 0.0;
    let small = text.starts_with(char::is_lowercase);
    let indented = placed && last.item && line.left > last.left + INDENT;
    let long = last.span.of(&parsed.text).chars().count() > 45;
    if last.item && placed {
        return (indented || small) && !is_dated_line(parsed, line.span);
    }
    small && (last.item || long) && !is_dated_line(parsed, line.span)
}

fn is_dated_line(parsed: &ParsedDocument, span: ByteSpan) -> bool {
    let text = span.of(&parsed.text);
    let dated: usize = dates::periods(text, 0).iter().map(|period| period.span.end - period.span.start).sum();
    dated * 2 > text.len()
}

/// The treatment of single dates as starts of entries.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Anchors {
    Periods,
    PeriodsOrPoints,
}

/// Cuts rows into entries.
pub(crate) fn split(parsed: &ParsedDocument, rows: &[SectionRow], anchors: Anchors) -> Vec<SectionEntry> {
    let dated = dated_rows(parsed, rows, anchors);
    if dated.is_empty() {
        return undated(parsed, rows);
    }
    let lead = lead(parsed, rows, dated[0]);
    let starts: Vec<usize> =
        dated.iter().enumerate().map(|(at, anchor)| start(parsed, rows, &dated, at, *anchor, lead)).collect();
    let mut entries = Vec::new();
    for (at, begin) in starts.iter().enumerate() {
        let end = starts.get(at + 1).copied().unwrap_or(rows.len());
        entries.push(entry(parsed, &rows[*begin..end], dated[at] - begin));
    }
    entries
}

/// Rows with the date of their entry.
fn dated_rows(parsed: &ParsedDocument, rows: &[SectionRow], anchors: Anchors) -> Vec<usize> {
    let spans = |row: &SectionRow| row.periods.iter().any(|period| !period.is_point());
    let points = |row: &SectionRow| !row.periods.is_empty();
    let all = |fits: &dyn Fn(&SectionRow) -> bool, items: bool| -> Vec<usize> {
        (0..rows.len())
            .filter(|at| rows[*at].item == items && fits(&rows[*at]) && !is_prose(parsed, &rows[*at]))
            .collect()
    };
    let plain = all(&spans, false);
    if !plain.is_empty() && anchors == Anchors::Periods {
        return plain;
    }
    let choices = [all(&points, false), all(&spans, true), all(&points, true)];
    choices.into_iter().find(|found| !found.is_empty()).unwrap_or(plain)
}

/// A sentence that contains a year.
fn is_prose(parsed: &ParsedDocument, row: &SectionRow) -> bool {
    let text = row.span.of(&parsed.text);
    let at_edge = row.periods.iter().any(|period| {
        let (before, after) =
            (&parsed.text[row.span.start..period.span.start], &parsed.text[period.span.end..row.span.end]);
        words_of(before).count() <= 1 || words_of(after).count() <= 3
    });
    text.chars().count() > HEAD_CHARS_MAX && !at_edge
}

/// The number of rows of a head up to its date; a row with only the date does not count.
fn lead(parsed: &ParsedDocument, rows: &[SectionRow], first: usize) -> usize {
    let own = rows[..first].iter().rev().take_while(|row| may_be_head(parsed, row)).count();
    own.min(HEAD_MAX - 1) + usize::from(!is_alone(parsed, &rows[first]))
}

/// A date alone on its line.
fn is_alone(parsed: &ParsedDocument, row: &SectionRow) -> bool {
    rest_without_dates(parsed, row).is_empty()
}

fn start(
    parsed: &ParsedDocument,
    rows: &[SectionRow],
    dated: &[usize],
    at: usize,
    anchor: usize,
    lead: usize,
) -> usize {
    let floor = if at == 0 { 0 } else { dated[at - 1] + 1 };
    let lead = lead.saturating_sub(usize::from(!is_alone(parsed, &rows[anchor])));
    let mut begin = anchor;
    while begin > floor && anchor - begin < lead && may_be_head(parsed, &rows[begin - 1]) {
        begin -= 1;
        // A row that sticks out begins its entry.
        if (rows[begin].heading || rows[begin].bold)
            && !(begin > floor && (rows[begin - 1].heading || rows[begin - 1].bold))
        {
            break;
        }
    }
    begin
}

fn may_be_head(parsed: &ParsedDocument, row: &SectionRow) -> bool {
    let text = row.span.of(&parsed.text);
    let sentence = text.ends_with('.') && words_of(text).count() > 6;
    !row.item && !sentence && text.chars().count() <= HEAD_CHARS_MAX
}

/// `anchor` is the row with the date, counted from the beginning of the entry.
fn entry(parsed: &ParsedDocument, rows: &[SectionRow], anchor: usize) -> SectionEntry {
    let parted = parted(parsed, rows, anchor + 1);
    let rows = parted.as_deref().unwrap_or(rows);
    let mut head = anchor + 1;
    let wanted = if parted.is_some() { anchor + 2 } else { head_rows_wanted(parsed, rows, anchor) };
    while head < rows.len()
        && head < wanted
        && may_be_head(parsed, &rows[head])
        && !is_long(parsed, &rows[head])
    {
        head += 1;
    }
    SectionEntry { head: rows[..head].to_vec(), body: rows[head..].to_vec() }
}

/// `Professor, University of Bergen, Bergen. Head of a group.` in one row after its date: the first sentence is the head.
fn parted(parsed: &ParsedDocument, rows: &[SectionRow], at: usize) -> Option<Vec<SectionRow>> {
    let row = rows.get(at).filter(|row| at == 1 && !row.item && !may_be_head(parsed, row))?;
    let text = row.span.of(&parsed.text);
    let end = text.match_indices(". ").map(|(end, _)| end).find(|end| *end > 12).unwrap_or(text.len() - 1);
    let names = text[..end].contains(", ") && words_of(&text[..end]).count() <= HEAD_WORDS_MAX;
    if !names || !text.is_char_boundary(end) {
        return None;
    }
    let head = SectionRow { span: ByteSpan::new(row.span.start, row.span.start + end), ..row.clone() };
    let body = SectionRow {
        span: ByteSpan::new((row.span.start + end + 1).min(row.span.end), row.span.end).trimmed(&parsed.text),
        ..row.clone()
    };
    let body = Some(body).filter(|body| !body.span.is_empty());
    Some(rows[..at].iter().cloned().chain([head]).chain(body).chain(rows[at + 1..].iter().cloned()).collect())
}

/// A date alone at the beginning has its head below; a head in one line may have a second one.
fn head_rows_wanted(parsed: &ParsedDocument, rows: &[SectionRow], anchor: usize) -> usize {
    match (anchor, is_alone(parsed, &rows[anchor])) {
        (0, true) => 4,
        (0, false) => 3,
        (1, _) => 3,
        _ => anchor + 1,
    }
}

fn is_long(parsed: &ParsedDocument, row: &SectionRow) -> bool {
    const LINE_CHARS_MAX: usize = 80;
    let text = row.span.of(&parsed.text);
    text.chars().count() > LINE_CHARS_MAX || (text.ends_with('.') && words_of(text).count() > 4)
}

/// The rest of a row without its dates.
pub(crate) fn rest_without_dates(parsed: &ParsedDocument, row: &SectionRow) -> Vec<ByteSpan> {
    const EDGES: [char; 16] =
        [',', ';', '|', '(', '[', '-', '–', '—', ':', '·', '•', '/', '*', '_', '■', '.'];
    const ENDS: [char; 15] = [',', ';', '|', '(', '[', '-', '–', '—', ':', '·', '•', '/', '*', '_', '■'];
    let mut pieces = Vec::new();
    let mut from = row.span.start;
    for period in &row.periods {
        pieces.push(ByteSpan::new(from, period.span.start).stripped(&parsed.text, &ENDS));
        from = skip_closing(parsed, period.span.end, row.span.end);
    }
    pieces.push(ByteSpan::new(from, row.span.end).trimmed(&parsed.text));
    if let (true, Some(last)) = (!row.periods.is_empty(), pieces.last_mut()) {
        let text = last.of(&parsed.text);
        let kept = text
            .trim_start_matches(|character: char| character.is_whitespace() || EDGES.contains(&character));
        last.start += text.len() - kept.len();
    }
    pieces.retain(|piece| !piece.is_empty());
    pieces
}

/// A bracket that closed around the date.
fn skip_closing(parsed: &ParsedDocument, from: usize, end: usize) -> usize {
    let rest = &parsed.text[from..end];
    let trimmed = rest.trim_start();
    match trimmed.strip_prefix([')', ']']) {
        Some(after) => end - after.len(),
        None => from,
    }
}

/// Entries without any date: a row that is set apart, sticks out, or follows the points of the one before
/// begins one.
fn undated(parsed: &ParsedDocument, rows: &[SectionRow]) -> Vec<SectionEntry> {
    let sticks_out = |row: &SectionRow| row.bold || row.heading;
    let any = rows.iter().any(sticks_out);
    let mut entries: Vec<SectionEntry> = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let after_points = at > 0 && rows[at - 1].item && !row.item;
        let begins = at == 0
            || (sticks_out(row) && !sticks_out(&rows[at - 1]))
            || after_points
            || (!any && row.apart && !row.item);
        if begins {
            entries.push(SectionEntry::default());
        }
        let entry = entries.last_mut().expect("the first row begins one");
        let head = entry.body.is_empty() && !row.item && entry.head.len() < 2 && !is_long(parsed, row);
        if head { entry.head.push(row.clone()) } else { entry.body.push(row.clone()) }
    }
    entries
}
