//! The table that Tesseract writes: a row for each word, with the numbers of its block, paragraph and line.

use crate::geometry::Bounds;

/// The words of a line.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct TesseractLine {
    pub(super) text: String,
    pub(super) confidence: f32,
    pub(super) bounds: Bounds,
}

struct TesseractWord<'a> {
    /// Page, block, paragraph and line.
    line: [u32; 4],
    text: &'a str,
    confidence: f32,
    bounds: Bounds,
}

/// The rows that are words, joined to lines.
pub(super) fn lines(table: &str) -> Vec<TesseractLine> {
    let words: Vec<TesseractWord<'_>> = table.lines().filter_map(word_of).collect();
    words.chunk_by(|a, b| a.line == b.line).map(line_of).collect()
}

fn word_of(row: &str) -> Option<TesseractWord<'_>> {
    const WORD: &str = "5";
    let columns: Vec<&str> = row.split('\t').collect();
    let [level, page, block, paragraph, line, _, left, top, width, height, confidence, text] = columns[..]
    else {
        return None;
    };
    let text = text.trim();
    if level != WORD || text.is_empty() {
        return None;
    }
    let number = |column: &str| column.parse::<u32>().ok();
    let place = |column: &str| column.parse::<f32>().ok();
    let (left, top) = (place(left)?, place(top)?);
    Some(TesseractWord {
        line: [number(page)?, number(block)?, number(paragraph)?, number(line)?],
        text,
        confidence: (place(confidence)? / 100.0).clamp(0.0, 1.0),
        bounds: Bounds { left, top, right: left + place(width)?, bottom: top + place(height)? },
    })
}

fn line_of(words: &[TesseractWord<'_>]) -> TesseractLine {
    let text = words.iter().map(|word| word.text).collect::<Vec<_>>().join(" ");
    let confidence = words.iter().map(|word| word.confidence).sum::<f32>() / words.len() as f32;
    let bounds = words.iter().map(|word| word.bounds).reduce(around).expect("a line has a word");
    TesseractLine { text, confidence, bounds }
}

fn around(a: Bounds, b: Bounds) -> Bounds {
    Bounds {
        left: a.left.min(b.left),
        top: a.top.min(b.top),
        right: a.right.max(b.right),
        bottom: a.bottom.max(b.bottom),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_joined_to_lines() {
        let table = "level\tpage_num\tblock_num\tpar_num\tline_num\tword_num\tleft\ttop\twidth\theight\tconf\ttext\n\
             1\t1\t0\t0\t0\t0\t0\t0\t300\t100\t-1\t\n\
             5\t1\t1\t1\t1\t1\t10\t20\t30\t12\t96.5\tHello\n\
             5\t1\t1\t1\t1\t2\t45\t18\t40\t15\t90.5\tworld\n\
             5\t1\t1\t1\t2\t1\t10\t40\t30\t12\t80\tagain\n\
             5\t1\t1\t1\t3\t1\t10\t60\t30\t12\t95\t \n\
             broken row\n";
        let lines = lines(table);
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].text, "Hello world");
        assert!((lines[0].confidence - 0.935).abs() < 1e-4);
        assert_eq!(lines[0].bounds, Bounds { left: 10.0, top: 18.0, right: 85.0, bottom: 33.0 });
        assert_eq!(lines[1].text, "again");
    }

    #[test]
    fn an_empty_page_has_no_lines() {
        assert_eq!(lines(""), Vec::new());
    }
}
