//! Lines that OCR read, as paragraphs with places.

use capability_documents::{Block, BlockPlace, Bounds, PlacedLine, PlacedSpan};
use capability_ocr::{Break, TextLine};

/// The place of a word is reckoned from that of its line, and made wider by this share of a letter on each side.
const SLACK: f32 = 0.4;

/// The text of a picture.
#[derive(Default)]
pub(super) struct OcrBlocks {
    pub(super) blocks: Vec<Block>,
    pub(super) places: Vec<BlockPlace>,
    /// From 0 to 1, for each block.
    pub(super) confidences: Vec<f32>,
    pub(super) letters: usize,
}

/// Paragraphs out of lines. Pixels times `scale` are points.
pub(super) fn blocks(lines: &[TextLine], scale: f32) -> OcrBlocks {
    let mut found = OcrBlocks::default();
    let mut open = ParagraphDraft::default();
    for line in lines.iter().filter(|line| !line.text.trim().is_empty()) {
        if line.before == Break::Paragraph {
            found.take(std::mem::take(&mut open));
        }
        open.add(line, scale);
    }
    found.take(open);
    found
}

impl OcrBlocks {
    fn take(&mut self, paragraph: ParagraphDraft) {
        if paragraph.text.is_empty() {
            return;
        }
        self.letters += paragraph.weight;
        self.confidences.push(paragraph.confidence / paragraph.weight.max(1) as f32);
        self.blocks.push(Block::Paragraph(paragraph.text));
        self.places.push(BlockPlace { lines: paragraph.lines });
    }
}

/// A paragraph that may get more lines.
#[derive(Default)]
struct ParagraphDraft {
    text: String,
    /// Code points of the text.
    length: usize,
    lines: Vec<PlacedLine>,
    /// Letters, and their confidences summed.
    weight: usize,
    confidence: f32,
}

impl ParagraphDraft {
    fn add(&mut self, line: &TextLine, scale: f32) {
        let text = line.text.trim();
        if self.is_broken_before(text, line.before) {
            self.drop_hyphen();
        } else if !self.text.is_empty() {
            self.text.push(' ');
            self.length += 1;
        }
        let start = self.length;
        self.text.push_str(text);
        self.length += text.chars().count();
        self.lines.push(placed(text, start, scaled(line, scale)));
        let letters = text.chars().filter(|letter| !letter.is_whitespace()).count();
        self.weight += letters;
        self.confidence += line.confidence * letters as f32;
    }

    /// True if a word that was hyphenated goes on here.
    fn is_broken_before(&self, next: &str, between: Break) -> bool {
        let mut before = self.text.chars().rev();
        between == Break::Line
            && before.next() == Some('-')
            && before.next().is_some_and(char::is_alphabetic)
            && next.chars().next().is_some_and(char::is_lowercase)
    }

    fn drop_hyphen(&mut self) {
        self.text.pop();
        self.length -= 1;
        let Some(last) = self.lines.last_mut() else { return };
        last.end = last.end.min(self.length);
        last.words.iter_mut().for_each(|word| word.end = word.end.min(self.length));
    }
}

fn scaled(line: &TextLine, scale: f32) -> Bounds {
    let bounds = line.bounds;
    Bounds {
        left: bounds.left * scale,
        top: bounds.top * scale,
        right: bounds.right * scale,
        bottom: bounds.bottom * scale,
    }
}

/// A line whose letters are taken to be equally wide. One that is taller than wide is turned, and has no words.
fn placed(text: &str, start: usize, bounds: Bounds) -> PlacedLine {
    let length = text.chars().count();
    let width = bounds.right - bounds.left;
    let letter = width / length.max(1) as f32;
    let is_turned = bounds.bottom - bounds.top > width && length > 2;
    let (mut words, mut at) = (Vec::new(), 0);
    for word in text.split(' ') {
        let letters = word.chars().count();
        if letters > 0 && !is_turned {
            words.push(PlacedSpan {
                start: start + at,
                end: start + at + letters,
                left: (bounds.left + (at as f32 - SLACK) * letter).max(bounds.left),
                right: (bounds.left + ((at + letters) as f32 + SLACK) * letter).min(bounds.right),
            });
        }
        at += letters + 1;
    }
    PlacedLine { bounds, start, end: start + length, words }
}
