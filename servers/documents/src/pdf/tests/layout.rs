//! Order and structure: columns, headings, lists, headers.

use super::builder::{Builder, lines_at, text_at};
use super::{read, text_of, texts};
use crate::Block;

const LEFT: [&str; 8] = [
    "The left column begins with this",
    "line and goes on for some lines",
    "until it comes to its own end at",
    "the foot of the page, where the",
    "reader has to go to the top of",
    "the column beside it, which is",
    "not at all what is drawn next in",
    "this page, on purpose, and then",
];
const RIGHT: [&str; 8] = [
    "the right column takes up what",
    "the left one left open, so that",
    "the sentence can come to an end",
    "after some more lines of words",
    "that have no other meaning than",
    "to fill a column with text that",
    "is as wide as text in columns is",
    "in most of the papers there are.",
];

/// Two columns drawn row by row across both, with full-width text above and below.
fn two_columns(above: &str, below: &str) -> String {
    let mut content = text_at(50.0, 740.0, 10.0, above);
    for (index, (left, right)) in LEFT.iter().zip(RIGHT).enumerate() {
        let y = 700.0 - index as f32 * 12.0;
        content += &text_at(50.0, y, 10.0, left);
        content += &text_at(230.0, y, 10.0, right);
    }
    content + &text_at(50.0, 560.0, 10.0, below)
}

#[test]
fn columns_are_read_one_after_the_other() {
    let above = "A line above both columns that is much wider than one of them and so is read first";
    let below = "And a line below both columns that is much wider than one of them and so is read last.";
    let expected = format!("{above} {} {} {below}", LEFT.join(" "), RIGHT.join(" "));
    assert_eq!(text_of(&two_columns(above, below)), expected);
}

#[test]
fn a_sentence_goes_on_in_the_next_column() {
    let document = read(&Builder::new().page(&two_columns("", "")).finish());
    assert_eq!(texts(&document, 0), [format!("{} {}", LEFT.join(" "), RIGHT.join(" "))]);
}

#[test]
fn labels_and_values_stay_on_their_lines() {
    let content: String =
        [("Name", "Ada"), ("Born", "1815"), ("Place", "London"), ("Work", "Notes"), ("Known for", "Loops")]
            .iter()
            .enumerate()
            .map(|(index, (label, value))| {
                let y = 700.0 - index as f32 * 12.0;
                text_at(50.0, y, 10.0, label) + &text_at(150.0, y, 10.0, value)
            })
            .collect();
    let text = text_of(&content);
    assert!(text.contains("Name Ada") && text.contains("Known for Loops"), "{text}");
}

#[test]
fn headings_lists_and_paragraphs_are_told_apart() {
    let content = [
        text_at(50.0, 740.0, 20.0, "The Title"),
        "BT /B 10 Tf 50 700 Td (A section) Tj ET\n".to_owned(),
        lines_at(
            50.0,
            680.0,
            10.0,
            &[
                "A paragraph of two lines, the first of which is as long as lines are",
                "and the second of which is short.",
            ],
        ),
        text_at(50.0, 640.0, 10.0, "1. First"),
        text_at(70.0, 628.0, 10.0, "a\\) Inner"),
        text_at(50.0, 616.0, 10.0, "2. Second"),
    ]
    .concat();
    let document = read(&Builder::new().page(&content).finish());
    let item =
        |depth: u8, marker: &str, text: &str| Block::Item { depth, marker: marker.into(), text: text.into() };
    let expected = [
        Block::Heading { level: 1, text: "The Title".into() },
        Block::Heading { level: 2, text: "A section".into() },
        Block::Paragraph("A paragraph of two lines, the first of which is as long as lines are and the second of which is short.".into()),
        item(0, "1.", "First"),
        item(1, "a)", "Inner"),
        item(0, "2.", "Second"),
    ];
    assert_eq!(document.pages[0].blocks, expected);
}

#[test]
fn code_keeps_its_lines() {
    let content = [
        lines_at(50.0, 700.0, 10.0, &["Text before the code that is long enough to be the usual text here."]),
        "BT /C 10 Tf 50 670 Td (fn main\\(\\) {) Tj 24 -12 Td (run\\(\\)) Tj -24 -12 Td (}) Tj ET".to_owned(),
    ]
    .concat();
    let fonts = "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> /C << /Type /Font /Subtype /Type1 /BaseFont /Courier >> >>";
    let document = read(&Builder::new().page_with("", fonts, &content).finish());
    assert_eq!(document.pages[0].blocks[1], Block::Code("fn main() {\n    run()\n}".into()));
}

#[test]
fn headers_and_page_numbers_that_repeat_are_left_out() {
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
    assert_eq!(texts(&document, 2), ["What is said on page 3 only"]);
    assert_eq!(document.pages[2].number, 3);
}

#[test]
fn a_page_with_nothing_but_its_number_keeps_it() {
    let mut builder = Builder::new();
    for number in 1..=4 {
        builder = builder.page(&text_at(50.0, 780.0, 8.0, &format!("Page {number}")));
    }
    assert_eq!(texts(&read(&builder.finish()), 1), ["Page 2"]);
}
