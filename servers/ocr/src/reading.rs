//! The result of reading: lines with their positions, in reading order.

use crate::geometry::{Bounds, Polygon};
use crate::options::EngineKind;

/// The text of a picture.
#[derive(Clone, PartialEq, Debug)]
pub struct OcrReading {
    /// In reading order. Empty if there is no text.
    pub lines: Vec<TextLine>,
    /// By how much the text was turned, in degrees clockwise, before it was set upright for reading: more than -180, at
    /// most 180. A page on its head may be near either end.
    pub angle: f32,
    pub engine: EngineKind,
    /// Over all characters; `None` if there are none.
    pub mean_confidence: Option<f32>,
}

/// A piece of text in one line.
#[derive(Clone, PartialEq, Debug)]
pub struct TextLine {
    pub text: String,
    /// From 0 to 1.
    pub confidence: f32,
    /// Around the text, in pixels of the original image.
    pub polygon: Polygon,
    /// The upright box around `polygon`, within the picture.
    pub bounds: Bounds,
    /// The separation between this piece and the one before it.
    pub before: Break,
}

/// The separation between two pieces of text.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Break {
    /// In the same line, close by.
    Space,
    /// On the same line with a wide gap, as in a table.
    Tab,
    Line,
    Paragraph,
}

impl Break {
    fn as_str(self) -> &'static str {
        match self {
            Break::Space => " ",
            Break::Tab => "\t",
            Break::Line => "\n",
            Break::Paragraph => "\n\n",
        }
    }
}

impl OcrReading {
    pub(crate) fn new(lines: Vec<TextLine>, angle: f32, engine: EngineKind) -> Self {
        let mean_confidence = mean_confidence(&lines);
        Self { lines, angle, engine, mean_confidence }
    }

    /// All of it, with line breaks, tabs between the columns of a table, and blank lines between paragraphs.
    pub fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.lines {
            if !text.is_empty() {
                text.push_str(line.before.as_str());
            }
            text.push_str(&line.text);
        }
        text
    }

    /// Without the lines that the engine is less sure of. What parted them from others is kept.
    pub fn at_least(mut self, confidence_min: f32) -> Self {
        let mut before = None;
        self.lines.retain_mut(|line| {
            let widest = before.take().unwrap_or(line.before).max(line.before);
            if line.confidence < confidence_min {
                before = Some(widest);
                return false;
            }
            line.before = widest;
            true
        });
        Self::new(self.lines, self.angle, self.engine)
    }
}

/// Mean confidence, weighted by line length.
fn mean_confidence(lines: &[TextLine]) -> Option<f32> {
    let chars = |line: &TextLine| line.text.chars().count() as f32;
    let all: f32 = lines.iter().map(chars).sum();
    (all > 0.0).then(|| lines.iter().map(|line| line.confidence * chars(line)).sum::<f32>() / all)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str, confidence: f32, before: Break) -> TextLine {
        let bounds = Bounds { left: 0.0, top: 0.0, right: 1.0, bottom: 1.0 };
        TextLine { text: text.into(), confidence, polygon: Polygon::upright(bounds), bounds, before }
    }

    #[test]
    fn breaks_between_lines_are_kept_when_lines_are_left_out() {
        let lines = vec![
            line("Name", 0.9, Break::Paragraph),
            line("Age", 0.8, Break::Tab),
            line("smudge", 0.2, Break::Paragraph),
            line("Ada", 1.0, Break::Line),
        ];
        let reading = OcrReading::new(lines, 0.0, EngineKind::PpOcr);
        assert_eq!(reading.text(), "Name\tAge\n\nsmudge\nAda");
        let sure = reading.at_least(0.5);
        assert_eq!(sure.text(), "Name\tAge\n\nAda");
        let mean = sure.mean_confidence.unwrap();
        assert!((mean - (0.9 * 4.0 + 0.8 * 3.0 + 3.0) / 10.0).abs() < 1e-6);
    }

    #[test]
    fn a_picture_without_text_has_no_confidence() {
        let reading = OcrReading::new(Vec::new(), 0.0, EngineKind::Tesseract);
        assert_eq!((reading.text().as_str(), reading.mean_confidence), ("", None));
    }
}
