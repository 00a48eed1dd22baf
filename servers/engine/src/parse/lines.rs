//! The lines of a block, as a DocIR takes them.

use capability_documents::PlacedLine;
use docir::{NewLine, NewWord};

pub(super) fn new_lines(lines: &[PlacedLine]) -> Vec<NewLine> {
    let line = |line: &PlacedLine| NewLine {
        left: line.bounds.left,
        top: line.bounds.top,
        right: line.bounds.right,
        bottom: line.bounds.bottom,
        start: line.start,
        end: line.end,
        words: line
            .words
            .iter()
            .map(|word| NewWord { start: word.start, end: word.end, left: word.left, right: word.right })
            .collect(),
    };
    lines.iter().map(line).collect()
}
