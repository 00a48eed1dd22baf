//! A document that has everything that is written.

use docir::{
    DocIr, DocIrBuilder, DocOrigin, DocumentNotes, NewCell, NewLine, NewTable, NewText, NewWord, TextKind,
};

/// Letters are this wide on the sample's pages.
const LETTER: f32 = 6.0;

/// A text of several lines, each of whose letters is equally wide.
pub(crate) fn lines_of(page: u32, left: f32, top: f32, lines: &[&str]) -> NewText {
    let (mut placed, mut at) = (Vec::new(), 0);
    for (number, line) in (0_u16..).zip(lines) {
        let top = top + f32::from(number) * 14.0;
        placed.push(line_of(left, top, line, at));
        at += line.chars().count() + 1;
    }
    NewText { text: lines.join(" "), page, lines: placed, confidence: None }
}

/// A line that begins with a code point of its text.
pub(crate) fn line_of(left: f32, top: f32, line: &str, start: usize) -> NewLine {
    let (mut words, mut at) = (Vec::new(), 0);
    for word in line.split(' ') {
        let letters = word.chars().count();
        let edge = |letter: usize| left + letter as f32 * LETTER;
        words.push(NewWord {
            start: start + at,
            end: start + at + letters,
            left: edge(at),
            right: edge(at + letters),
        });
        at += letters + 1;
    }
    let letters = line.chars().count();
    let right = left + letters as f32 * LETTER;
    NewLine { left, top, right, bottom: top + 10.0, start, end: start + letters, words }
}

fn cell(row: usize, column: usize, text: &str) -> NewCell {
    let lines = vec![line_of(80.0 + column as f32 * 150.0, 300.0 + row as f32 * 20.0, text, 0)];
    NewCell { row, column, row_span: 1, column_span: 1, text: text.to_owned(), lines, ..NewCell::default() }
}

fn table() -> NewTable {
    let wide = NewCell { column_span: 2, column_header: true, ..cell(0, 0, "Visitors of the park") };
    let mut cells = vec![wide];
    cells.extend([cell(1, 0, "May"), cell(1, 1, "1 200"), cell(2, 0, "June")]);
    NewTable {
        page: 1,
        bounds: Some((72.0, 295.0, 420.0, 360.0)),
        rows: 3,
        columns: 2,
        cells,
        confidence: Some(0.87),
    }
}

/// A title, headings, paragraphs over lines, lists within lists, code, a table with its caption, a picture, a header and a footer.
pub(crate) fn sample() -> DocIr {
    let origin = DocOrigin {
        mimetype: "application/pdf".to_owned(),
        binary_hash: u64::MAX - 6,
        filename: "park.pdf".to_owned(),
    };
    let mut builder = DocIrBuilder::new("park", Some(origin));
    builder.page(1, 612.0, 792.0);
    builder.page(2, 612.0, 792.0);
    let item = |depth: u8, marker: &str| TextKind::ListItem { depth, marker: marker.to_owned() };
    builder.text(TextKind::PageHeader, lines_of(1, 72.0, 20.0, &["City Parks 2026"]));
    builder.text(TextKind::Title, lines_of(1, 72.0, 60.0, &["The Park"]));
    builder.text(TextKind::Heading { level: 2 }, lines_of(1, 72.0, 90.0, &["Rules for “visitors”"]));
    let lines = ["Gates open at nine and close", "at dusk; café guests may stay.", "Dogs stay outside."];
    builder.text(TextKind::Paragraph, lines_of(1, 72.0, 110.0, &lines));
    builder.text(item(0, "1."), lines_of(1, 90.0, 170.0, &["Bring water."]));
    builder.text(item(1, "•"), lines_of(1, 110.0, 185.0, &["Not in glass."]));
    builder.text(item(0, "2."), lines_of(1, 90.0, 200.0, &["Take waste home."]));
    builder.text(TextKind::Code, lines_of(1, 72.0, 230.0, &["open = 9"]));
    let caption = builder.text(TextKind::Caption, lines_of(1, 72.0, 280.0, &["Table 1. Visitors"]));
    let table = builder.table(table());
    builder.link_caption(&table, &caption);
    builder.text(TextKind::PageFooter, lines_of(1, 300.0, 770.0, &["Page 1"]));
    let picture = builder.picture(2, 72.0, 60.0, 700.0, 300.0);
    let caption = builder.text(TextKind::Caption, lines_of(2, 72.0, 310.0, &["Figure 1. A gate"]));
    builder.link_caption(&picture, &caption);
    let read = NewText {
        confidence: Some(0.914),
        ..lines_of(2, 72.0, 340.0, &["公園は九時に開きます。犬は外です。"])
    };
    builder.text(TextKind::Paragraph, read);
    builder.text(TextKind::Paragraph, NewText { text: "A note.".to_owned(), page: 2, ..NewText::default() });
    builder.finish(DocumentNotes {
        parser: "docir-1".to_owned(),
        tier: "deep".to_owned(),
        title: Some("The Park".to_owned()),
        author: Some("City".to_owned()),
        created: Some("2026-05-01T09:00:00Z".to_owned()),
        confidence: 0.981,
        ocr_pages: vec![2],
        warnings: vec!["page 3 could not be read completely".to_owned()],
    })
}
