//! The places of blocks: each word of a text is where it was drawn.

use super::builder::{Builder, lines_at, text_at};
use super::{read, texts};
use crate::pdf::{page_size, placed_words};
use crate::{Block, BlockPlace, DocumentLimits, FurnitureEdge, OpenOptions, PlacedLine, TableSearch, open};

fn text_of_block(block: &Block) -> &str {
    match block {
        Block::Heading { text, .. }
        | Block::Paragraph(text)
        | Block::Code(text)
        | Block::Item { text, .. } => text,
        Block::Table(_) => "",
    }
}

fn slice(text: &str, start: usize, end: usize) -> String {
    text.chars().skip(start).take(end - start).collect()
}

/// Every word of a placed line stands at this place on the page, according to another way of reading it.
fn check_lines(bytes: &[u8], page: usize, text: &str, lines: &[PlacedLine]) {
    let all = &placed_words(bytes, None, 100).unwrap()[page].words;
    let mut at = 0;
    for line in lines {
        assert!(line.start >= at && line.end > line.start && line.end <= text.chars().count(), "{line:?}");
        at = line.end;
        for word in &line.words {
            let shown = slice(text, word.start, word.end);
            let near = |one: f32, other: f32| (one - other).abs() < 0.01;
            let is_it = |other: &&crate::pdf::PlacedWord| {
                let same_text = other.text == shown || other.text.strip_suffix('-') == Some(shown.as_str());
                same_text && near(other.bounds.left, word.left) && near(other.bounds.right, word.right)
            };
            assert!(all.iter().any(|other| is_it(&other)), "{shown:?} of {text:?} is not at {word:?}");
            assert!(line.bounds.left <= word.left && word.right <= line.bounds.right, "{line:?}");
        }
        let words: usize = line.words.iter().map(|word| word.end - word.start).sum();
        let letters = slice(text, line.start, line.end).chars().filter(|letter| *letter != ' ').count();
        assert_eq!(words, letters, "every letter of a line is in one of its words: {line:?}");
    }
}

fn check(bytes: &[u8]) {
    let document = read(bytes);
    for (index, page) in document.pages.iter().enumerate() {
        assert_eq!(page.places.len(), page.blocks.len());
        for (block, place) in page.blocks.iter().zip(&page.places) {
            check_lines(bytes, index, text_of_block(block), &place.lines);
            let Block::Table(table) = block else { continue };
            for cell in &table.places {
                check_lines(bytes, index, &table.rows[cell.row][cell.column], &cell.lines);
            }
        }
    }
}

/// The lines of a block as texts.
fn lines_of(block: &Block, place: &BlockPlace) -> Vec<String> {
    place.lines.iter().map(|line| slice(text_of_block(block), line.start, line.end)).collect()
}

#[test]
fn lines_of_a_paragraph_are_where_they_were_drawn() {
    let lines =
        ["This is the well-known text of a para-", "graph that was broken, and it is well-", "known."];
    let bytes = Builder::new().page(&lines_at(50.0, 700.0, 10.0, &lines)).finish();
    check(&bytes);
    let page = &read(&bytes).pages[0];
    let shown = lines_of(&page.blocks[0], &page.places[0]);
    assert_eq!(
        shown,
        ["This is the well-known text of a para", "graph that was broken, and it is well-", "known."]
    );
    for (line, top) in page.places[0].lines.iter().zip([92.5, 104.5, 116.5]) {
        assert!((line.bounds.top - top).abs() < 0.1 && (line.bounds.left - 50.0).abs() < 0.1, "{line:?}");
    }
}

#[test]
fn the_marker_of_an_item_is_not_part_of_its_place() {
    let content = [
        text_at(50.0, 740.0, 20.0, "The Title"),
        text_at(50.0, 640.0, 10.0, "1. First of the items"),
        text_at(50.0, 628.0, 10.0, "2. Second"),
    ];
    let bytes = Builder::new().page(&content.concat()).finish();
    check(&bytes);
    let page = &read(&bytes).pages[0];
    assert_eq!(lines_of(&page.blocks[1], &page.places[1]), ["First of the items"]);
    assert!(page.places[1].lines[0].bounds.left > 55.0, "{:?}", page.places[1]);
}

#[test]
fn a_paragraph_over_two_columns_keeps_the_places_of_both() {
    let mut content = String::new();
    let left = [
        "The left column begins with this",
        "line and goes on for some lines",
        "until it comes to its own end at",
        "the foot of the page, where the",
        "reader has to go to the top of",
        "the column beside it, which is",
        "not at all what is drawn next in",
        "this page that was for a con-",
    ];
    let right = [
        "ference, and takes up what was",
        "by the left one left open, so as",
        "the sentence can come to an end",
        "after some more lines of words",
        "that have no other meaning than",
        "to fill a column with text that",
        "is as wide as text in columns is",
        "in most of the papers there are.",
    ];
    for (index, (left, right)) in left.iter().zip(right).enumerate() {
        let y = 700.0 - index as f32 * 12.0;
        content += &(text_at(50.0, y, 10.0, left) + &text_at(230.0, y, 10.0, right));
    }
    let bytes = Builder::new().page(&content).finish();
    check(&bytes);
    let page = &read(&bytes).pages[0];
    assert_eq!((page.blocks.len(), page.places[0].lines.len()), (1, 16));
    assert!(page.places[0].lines[8].bounds.left > 200.0);
    assert_eq!(lines_of(&page.blocks[0], &page.places[0])[7], "this page that was for a con");
}

#[test]
fn code_and_cells_have_places() {
    let content = [
        lines_at(50.0, 700.0, 10.0, &["Text before the code that is long enough to be the usual text here."]),
        "BT /C 10 Tf 50 670 Td (fn main\\(\\) {) Tj 24 -12 Td (run\\(\\)) Tj -24 -12 Td (}) Tj ET".to_owned(),
    ];
    let fonts = "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> /C << /Type /Font /Subtype /Type1 /BaseFont /Courier >> >>";
    let bytes = Builder::new().page_with("", fonts, &content.concat()).finish();
    check(&bytes);
    let page = &read(&bytes).pages[0];
    assert_eq!(lines_of(&page.blocks[1], &page.places[1]), ["fn main() {", "run()", "}"]);

    let mut content = "50 640 300 100 re S 50 690 m 350 690 l S 200 640 m 200 740 l S\n".to_owned();
    for (x, y, text) in
        [(60.0, 710.0, "Name of it"), (210.0, 710.0, "Age"), (60.0, 660.0, "Ada"), (210.0, 660.0, "36")]
    {
        content += &text_at(x, y, 10.0, text);
    }
    let bytes = Builder::new().page(&content).finish();
    check(&bytes);
    let document = read(&bytes);
    let table = document.tables().next().unwrap();
    assert_eq!(table.rows, [["Name of it", "Age"], ["Ada", "36"]]);
    assert_eq!((table.places.len(), table.places[0].lines[0].words.len()), (4, 3));
}

#[test]
fn turned_text_has_a_line_for_each_word() {
    let content = "BT /F 10 Tf 0 1 -1 0 300 100 Tm (First line) Tj ET\n";
    let bytes = Builder::new().page(content).finish();
    check(&bytes);
    let page = &read(&bytes).pages[0];
    assert_eq!(lines_of(&page.blocks[0], &page.places[0]), ["First", "line"]);
}

#[test]
fn headers_and_footers_are_set_aside_with_their_places() {
    let mut builder = Builder::new();
    for number in 1..=4 {
        let content = [
            text_at(50.0, 780.0, 8.0, "Annual Report of the Office"),
            text_at(50.0, 500.0, 10.0, &format!("What is said on page {number} only")),
            text_at(300.0, 20.0, 8.0, &number.to_string()),
        ];
        builder = builder.page(&content.concat());
    }
    let document = read(&builder.finish());
    let furniture: Vec<(FurnitureEdge, &str)> =
        document.pages[2].furniture.iter().map(|one| (one.edge, one.text.as_str())).collect();
    assert_eq!(
        furniture,
        [(FurnitureEdge::Header, "Annual Report of the Office"), (FurnitureEdge::Footer, "3")]
    );
    let place = &document.pages[2].furniture[0].place.lines[0];
    assert!((place.bounds.left - 50.0).abs() < 0.1 && place.words.len() == 5, "{place:?}");
}

#[test]
fn pictures_are_noted_unless_they_are_decoration() {
    let picture = |width: f32, height: f32, x: f32, y: f32| {
        format!("q {width} 0 0 {height} {x} {y} cm BI /W 1 /H 1 /CS /G /BPC 8 ID \u{7f} EI Q\n")
    };
    let text =
        text_at(50.0, 760.0, 10.0, "A page of text that is long enough to be one, with pictures on it");
    let figure = picture(300.0, 50.0, 100.0, 400.0) + &picture(300.0, 50.0, 100.0, 450.0);
    let content = [picture(600.0, 800.0, 0.0, 0.0), figure, picture(8.0, 8.0, 500.0, 20.0), text].concat();
    let pictures = read(&Builder::new().page(&content).finish()).pages[0].pictures.clone();
    assert_eq!(pictures.len(), 2, "the background, strips that are one, and no dot: {pictures:?}");
    let rounded = [pictures[1].left, pictures[1].top, pictures[1].right, pictures[1].bottom].map(f32::round);
    assert_eq!(rounded, [100.0, 300.0, 400.0, 400.0]);
}

#[test]
fn text_that_is_cut_keeps_the_places_of_the_rest() {
    let bytes =
        Builder::new().page(&lines_at(50.0, 700.0, 10.0, &["One two three", "four five six"])).finish();
    let limits = DocumentLimits { text_bytes_max: 20, ..DocumentLimits::default() };
    let document = open(&bytes, None, &OpenOptions { limits, ..OpenOptions::default() }).unwrap();
    let page = &document.pages[0];
    assert_eq!(texts(&document, 0), ["One two three four f"]);
    assert_eq!(lines_of(&page.blocks[0], &page.places[0]), ["One two three", "four f"]);
}

#[test]
fn tables_are_text_where_nobody_wants_tables() {
    let mut content = String::new();
    for (index, row) in
        [["Town", "Height"], ["Bergen", "12"], ["Siena", "322"], ["Riga", "6"]].iter().enumerate()
    {
        let y = 700.0 - index as f32 * 14.0;
        content += &(text_at(50.0, y, 10.0, row[0]) + &text_at(150.0, y, 10.0, row[1]));
    }
    let bytes = Builder::new().page(&content).finish();
    let options = OpenOptions { tables: TableSearch::Skip, ..OpenOptions::default() };
    let document = open(&bytes, None, &options).unwrap();
    assert_eq!(document.tables().count(), 0);
    assert!(document.text().contains("Siena"), "{}", document.text());
}

#[test]
fn the_size_of_a_page_is_that_which_its_places_are_on() {
    let bytes = Builder::new().page_with("/MediaBox [100 100 400 300] /Rotate 90", "", "").finish();
    assert_eq!(page_size(&bytes, 1, None), Ok((200.0, 300.0)));
    let page = &read(&bytes).pages[0];
    assert_eq!((page.width, page.height), (200.0, 300.0));
    assert!(page_size(&bytes, 2, None).is_err() && page_size(&bytes, 0, None).is_err());
}
