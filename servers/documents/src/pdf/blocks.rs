//! Headings, paragraphs, items and code out of the lines of a page.

use super::draft::{DraftLine, DraftPage};
use super::joins::DocumentWords;
use super::markers::{has_section_number, marker};
use super::placed_text::PlacedText;
use super::survey::{Survey, Weight};
use crate::{Block, BlockPlace, Table};

/// Lines farther apart than usual by this much begin a new paragraph.
const PITCH_MAX: f32 = 1.3;
/// The indentation of lines, relative to their size, beyond which it is intentional.
const INDENT_MIN: f32 = 0.8;
/// Sizes that differ by more are different.
const SIZE_RATIO_MAX: f32 = 1.1;
/// The width of a letter in a monospaced font, relative to its size.
const MONO_WIDTH: f32 = 0.6;
const INDENT_SPACES_MAX: usize = 80;
const DEPTH_MAX: usize = 8;

/// A block with the size of its letters.
struct SizedBlock {
    form: BlockForm,
    /// Empty for a table.
    text: PlacedText,
    size: f32,
}

/// A block without its text.
enum BlockForm {
    Heading(u8),
    Paragraph,
    Item { depth: u8, marker: String },
    Code,
    Table(Table),
}

impl SizedBlock {
    fn finish(self) -> (Block, BlockPlace) {
        let (text, place) = self.text.into_parts();
        let block = match self.form {
            BlockForm::Heading(level) => Block::Heading { level, text },
            BlockForm::Paragraph => Block::Paragraph(text),
            BlockForm::Item { depth, marker } => Block::Item { depth, marker, text },
            BlockForm::Code => Block::Code(text),
            BlockForm::Table(table) => Block::Table(table),
        };
        (block, place)
    }
}

/// The blocks of a page in reading order, with their places.
pub(super) fn blocks(
    page: &DraftPage,
    survey: &Survey,
    vocabulary: &DocumentWords,
) -> Vec<(Block, BlockPlace)> {
    let mut blocks: Vec<SizedBlock> = Vec::new();
    let mut last_part = 0;
    for part in &page.parts {
        let mut found = blocks_of_part(part, page, survey, vocabulary).into_iter();
        let Some(first) = found.next() else { continue };
        let part_begins = blocks.len();
        let first = continued(&mut blocks[last_part..], first, vocabulary);
        blocks.extend(first);
        blocks.extend(found);
        last_part = part_begins;
    }
    blocks.into_iter().map(SizedBlock::finish).collect()
}

/// A paragraph that continues at the top of the next column is one paragraph, even if notes are at the foot
/// of the first column. Returns anything that is not such a continuation.
fn continued(before: &mut [SizedBlock], next: SizedBlock, vocabulary: &DocumentWords) -> Option<SizedBlock> {
    let goes_on = matches!(next.form, BlockForm::Paragraph)
        && next.text.text.chars().next().is_some_and(char::is_lowercase);
    let is_note = |sized: &&mut SizedBlock| sized.size < next.size / SIZE_RATIO_MAX;
    let last = before.iter_mut().rev().find(|sized| !is_note(sized));
    if let Some(SizedBlock { form: BlockForm::Paragraph | BlockForm::Item { .. }, text, size }) = last
        && goes_on
        && *size <= next.size * SIZE_RATIO_MAX
        && !text.text.ends_with(['.', '!', '?', ':'])
    {
        text.join_text(&next.text, vocabulary);
        return None;
    }
    Some(next)
}

fn blocks_of_part(
    part: &[DraftLine],
    page: &DraftPage,
    survey: &Survey,
    vocabulary: &DocumentWords,
) -> Vec<SizedBlock> {
    let shape = LineMeasures::of(part);
    let mut indents: Vec<f32> = Vec::new();
    let mut blocks = Vec::new();
    for group in groups(part, &shape, survey) {
        let first = group[0];
        let (form, text) = match first.table {
            Some(table) => {
                let Some(table) = page.tables.get(table) else { continue };
                (BlockForm::Table(table.clone()), PlacedText::default())
            }
            None => block(&group, survey, vocabulary, &mut indents),
        };
        if !matches!(form, BlockForm::Item { .. }) {
            indents.clear();
        }
        blocks.push(SizedBlock { form, text, size: first.size });
    }
    blocks
}

fn block(
    group: &[&DraftLine],
    survey: &Survey,
    vocabulary: &DocumentWords,
    indents: &mut Vec<f32>,
) -> (BlockForm, PlacedText) {
    let first = group[0];
    if is_code(first, survey) {
        return (BlockForm::Code, code(group));
    }
    let mut text = PlacedText::default();
    for line in group {
        text.join(&line.text, &line.places, vocabulary);
    }
    if let Some(level) = survey.heading_level(first, &text.text, group.len()) {
        return (BlockForm::Heading(level), text);
    }
    let Some((marker, rest)) = marker(&text.text) else { return (BlockForm::Paragraph, text) };
    let (marker, cut) = (marker.to_owned(), text.text.len() - rest.len());
    text.cut_start(cut);
    (BlockForm::Item { depth: depth(indents, first), marker }, text)
}

/// The depth of an item, from its indentation and those before it.
fn depth(indents: &mut Vec<f32>, line: &DraftLine) -> u8 {
    let left = line.frame.left;
    while indents.last().is_some_and(|&last| left < last - INDENT_MIN * 0.5 * line.size) {
        indents.pop();
    }
    if indents.last().is_none_or(|&last| left > last + INDENT_MIN * 0.5 * line.size)
        && indents.len() <= DEPTH_MAX
    {
        indents.push(left);
    }
    u8::try_from(indents.len().saturating_sub(1)).unwrap_or(u8::MAX)
}

fn is_code(line: &DraftLine, survey: &Survey) -> bool {
    line.style.mono && !survey.is_mono() && line.table.is_none()
}

/// Line by line, with indentation as spaces.
fn code(group: &[&DraftLine]) -> PlacedText {
    let left = group.iter().map(|line| line.frame.left).fold(f32::MAX, f32::min);
    let mut text = PlacedText::default();
    for line in group {
        let spaces = ((line.frame.left - left) / (MONO_WIDTH * line.size.max(1.0))).round() as usize;
        text.add_line(spaces.min(INDENT_SPACES_MAX), &line.text, &line.places);
    }
    text
}

/// The usual measures of a part's lines.
struct LineMeasures {
    /// From one line to the next.
    pitch: f32,
    /// The end of full lines.
    right: f32,
}

impl LineMeasures {
    fn of(part: &[DraftLine]) -> Self {
        let near = |pair: &&[DraftLine]| {
            pair[0].size.max(pair[1].size) <= pair[0].size.min(pair[1].size) * SIZE_RATIO_MAX
        };
        let pitches = part.windows(2).filter(near).map(|pair| pair[1].baseline - pair[0].baseline);
        let pitches: Vec<f32> = pitches.filter(|pitch| *pitch > 0.0).collect();
        let rights: Vec<f32> =
            part.iter().filter(|line| line.table.is_none()).map(|line| line.frame.right).collect();
        Self {
            pitch: share_below(pitches, 0.4).unwrap_or(f32::MAX),
            right: share_below(rights, 0.85).unwrap_or(0.0),
        }
    }
}

/// The value below which a share of the values is.
fn share_below(mut values: Vec<f32>, share: f32) -> Option<f32> {
    values.sort_by(f32::total_cmp);
    let position = (values.len() as f32 * share) as usize;
    values.get(position.min(values.len().saturating_sub(1))).copied()
}

/// Groups the lines that belong together.
fn groups<'p>(part: &'p [DraftLine], shape: &LineMeasures, survey: &Survey) -> Vec<Vec<&'p DraftLine>> {
    let mut groups: Vec<Vec<&DraftLine>> = Vec::new();
    for line in part {
        match groups.last_mut() {
            Some(group) if !begins(group, line, shape, survey) => group.push(line),
            _ => groups.push(vec![line]),
        }
    }
    groups
}

/// True if a line begins something new after these.
fn begins(group: &[&DraftLine], line: &DraftLine, shape: &LineMeasures, survey: &Survey) -> bool {
    let (first, last) = (group[0], group[group.len() - 1]);
    if line.table.is_some() || last.table.is_some() {
        return true;
    }
    let (in_code, is_code_line) = (is_code(last, survey), is_code(line, survey));
    if in_code || is_code_line {
        return in_code != is_code_line || line.baseline - last.baseline > shape.pitch * 3.0;
    }
    looks_different(last, line, survey)
        || line.baseline - last.baseline > (shape.pitch * PITCH_MAX).max(line.size * 1.05)
        || marker(&line.text).is_some() && line.frame.left <= first.frame.left + INDENT_MIN * 4.0 * line.size
        || is_indented(group, line)
        || had_room(last, line, shape, survey)
}

fn looks_different(last: &DraftLine, line: &DraftLine, survey: &Survey) -> bool {
    let (one, other) = (survey.weight(last), survey.weight(line));
    let sizes_differ = last.size.max(line.size) > last.size.min(line.size) * SIZE_RATIO_MAX;
    let weights_differ = (one == Weight::Bold) != (other == Weight::Bold);
    sizes_differ || weights_differ || (has_section_number(&line.text) && other != Weight::Plain)
}

/// True if a line is indented, as first lines are, or outdented, as those of references are.
fn is_indented(group: &[&DraftLine], line: &DraftLine) -> bool {
    let step = INDENT_MIN * line.size;
    let last = group[group.len() - 1];
    let set_in = line.frame.left > last.frame.left + step;
    let set_out = line.frame.left < last.frame.left - step;
    if marker(&group[0].text).is_some() {
        // Lines of an item may begin farther in than its marker, and no farther out than its other lines.
        return set_out && (group.len() > 1 || line.frame.left < group[0].frame.left - step);
    }
    let centered = (line.frame.center().0 - last.frame.center().0).abs() < line.size * 0.5;
    // After the first line of a paragraph the second may begin farther in (references) or farther out (indented first lines).
    group.len() > 1 && (set_in || set_out) && !centered
}

/// True if the first word of a line would have fit on the line before: then that one was ended on purpose.
fn had_room(last: &DraftLine, line: &DraftLine, shape: &LineMeasures, survey: &Survey) -> bool {
    let room = shape.right - last.frame.right;
    let is_title = survey.weight(line) == Weight::Larger;
    let ends = last.text.ends_with(['.', '!', '?', ':', '”', '"', ')', ']']);
    let slack = if ends { 1.0 } else { 3.0 };
    !is_title && !last.text.ends_with('-') && room > line.first_word_width + slack * line.size
}
