//! Words that a page shows beyond those of its own text: they are read from its picture.

use capability_documents::pdf::{PlacedPage, RenderedPage, render};

use super::eyes::{PictureEyes, SightLine};
use super::ink::word_columns;
use super::order::RedactionOrder;
use super::search::matches;

/// Fine enough for small print.
const DPI: f32 = 200.0;
/// Pages of a file that are read by OCR: each takes seconds.
const PAGES_READ_MAX: usize = 60;

/// The pictures of one page.
#[derive(Clone, Debug, Default)]
pub(super) enum PageSight {
    /// All that it shows are words of its own.
    #[default]
    Plain,
    /// Lines with the columns of each word where they are known, in pixels.
    Read(Vec<SightLine>, Vec<WordBoxes>, f32),
    /// It was not read; the reason.
    Unread(String),
}

/// The boxes of the words of a line; one for all if they cannot be told apart.
pub(super) type WordBoxes = Vec<[f32; 4]>;

/// Matches in the picture of a page.
#[derive(Clone, Debug, Default)]
pub(super) struct SightMatches {
    /// In points.
    pub(super) boxes: Vec<[f32; 4]>,
    pub(super) count: usize,
}

/// Reads the pictures of those pages that need it. `needs` tells which, `tell` is called for each of them.
pub(super) fn look(
    bytes: &[u8],
    pages: &[PlacedPage],
    needs: &dyn Fn(usize) -> bool,
    eyes: &PictureEyes,
    tell: &dyn Fn(usize, usize),
) -> Vec<PageSight> {
    let mut read = 0;
    let look_at = |(index, page): (usize, &PlacedPage)| {
        if !needs(index) {
            return PageSight::Plain;
        }
        if read == PAGES_READ_MAX {
            return PageSight::Unread(format!("OCR reads {PAGES_READ_MAX} pages of a file at most"));
        }
        read += 1;
        tell(index, pages.len() * 2);
        PageSight::of(bytes, page, eyes)
    };
    pages.iter().enumerate().map(look_at).collect()
}

impl PageSight {
    fn of(bytes: &[u8], page: &PlacedPage, eyes: &PictureEyes) -> Self {
        if let PictureEyes::Blind(why) = eyes {
            return Self::Unread(why.clone());
        }
        let drawn = match render(bytes, page.number, DPI, None) {
            Ok(drawn) => drawn,
            Err(error) => return Self::Unread(error.to_string()),
        };
        match eyes.read(&drawn) {
            Ok(lines) => {
                let words = lines.iter().map(|it| word_boxes(&drawn, it)).collect();
                Self::Read(lines, words, page.width.max(1.0) / drawn.width.max(1) as f32)
            }
            Err(why) => Self::Unread(why),
        }
    }

    /// The text of all lines.
    pub(super) fn text(&self) -> String {
        match self {
            PageSight::Read(lines, ..) => {
                lines.iter().map(|it| it.text.as_str()).collect::<Vec<_>>().join("\n")
            }
            PageSight::Plain | PageSight::Unread(_) => String::new(),
        }
    }

    pub(super) fn is_read(&self) -> bool {
        matches!(self, PageSight::Read(..))
    }

    /// Finds what has to go. Words that have a box already are left out.
    pub(super) fn matches(&self, order: &RedactionOrder, known: &[[f32; 4]]) -> SightMatches {
        let PageSight::Read(lines, words, points) = self else { return SightMatches::default() };
        let mut found = SightMatches::default();
        for hits in hits(lines, order) {
            let boxes =
                hits.iter().flat_map(|(line, parts)| boxes_of(&words[*line], parts, &lines[*line].text));
            let boxes: Vec<[f32; 4]> = boxes.map(|it| it.map(|side| side * points)).collect();
            let new = boxes.into_iter().filter(|it| !known.iter().any(|known| lies_in(known, it)));
            let before = found.boxes.len();
            found.boxes.extend(new);
            found.count += usize::from(found.boxes.len() > before);
        }
        found
    }
}

/// Whole lines of a picture that still show what has to go.
pub(super) fn still_seen(lines: &[SightLine], order: &RedactionOrder) -> Vec<[f32; 4]> {
    hits(lines, order).into_iter().flatten().map(|(line, _)| lines[line].bounds).collect()
}

/// For each match, the lines that it is in, with the bytes of each.
fn hits(lines: &[SightLine], order: &RedactionOrder) -> Vec<Vec<(usize, std::ops::Range<usize>)>> {
    let (mut text, mut starts) = (String::new(), Vec::new());
    for line in lines {
        starts.push(text.len());
        text.push_str(&line.text);
        text.push('\n');
    }
    let part = |index: usize, hit: &std::ops::Range<usize>| {
        let (from, to) = (starts[index], starts[index] + lines[index].text.len());
        let own = hit.start.max(from)..hit.end.min(to);
        (own.start < own.end).then(|| (index, own.start - from..own.end - from))
    };
    let all = matches(&text, order).into_iter();
    all.map(|hit| (0..lines.len()).filter_map(|index| part(index, &hit)).collect()).collect()
}

/// The boxes of the words that a part of a line touches.
fn boxes_of(words: &[[f32; 4]], part: &std::ops::Range<usize>, text: &str) -> Vec<[f32; 4]> {
    let spans = word_spans(text);
    if words.len() != spans.len() {
        return words.to_vec();
    }
    let touched = spans.iter().zip(words).filter(|(span, _)| span.start < part.end && part.start < span.end);
    touched.map(|(_, own)| *own).collect()
}

fn word_spans(text: &str) -> Vec<std::ops::Range<usize>> {
    let start = text.as_ptr() as usize;
    let span = |word: &str| {
        let from = word.as_ptr() as usize - start;
        from..from + word.len()
    };
    text.split_whitespace().map(span).collect()
}

fn word_boxes(drawn: &RenderedPage, line: &SightLine) -> WordBoxes {
    let [_, top, _, bottom] = line.bounds;
    let count = line.text.split_whitespace().count();
    match word_columns(drawn, line.bounds, count) {
        Some(columns) => columns.iter().map(|it| [it.start as f32, top, it.end as f32, bottom]).collect(),
        None => vec![line.bounds],
    }
}

/// True if the middle of a box lies in a known one.
fn lies_in(known: &[f32; 4], own: &[f32; 4]) -> bool {
    let (across, down) = ((own[0] + own[2]) / 2.0, (own[1] + own[3]) / 2.0);
    (known[0]..=known[2]).contains(&across) && (known[1]..=known[3]).contains(&down)
}
