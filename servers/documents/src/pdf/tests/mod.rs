//! The content of PDFs that are made here.

mod builder;
mod encryption;
mod hostile;
mod layout;
mod places;

use crate::{Block, Document, DocumentError, OpenOptions, PageRange, PageSource};
use builder::{Builder, lines_at, text_at};

fn read(bytes: &[u8]) -> Document {
    super::read(bytes, &OpenOptions::default()).expect("the file can be read")
}

/// Texts of all blocks of a page.
fn texts(document: &Document, page: usize) -> Vec<String> {
    let text = |block: &Block| match block {
        Block::Heading { text, .. }
        | Block::Paragraph(text)
        | Block::Code(text)
        | Block::Item { text, .. } => text.clone(),
        Block::Table(table) => table.rows.concat().join(" "),
    };
    document.pages[page].blocks.iter().map(text).collect()
}

fn text_of(content: &str) -> String {
    texts(&read(&Builder::new().page(content).finish()), 0).join(" ")
}

#[test]
fn words_are_found_by_gaps_where_no_spaces_are_drawn() {
    let content = "BT /F 10 Tf 50 700 Td [(Two) -300 (words) -280 (an) 20 (d more)] TJ ET";
    assert_eq!(text_of(content), "Two words and more");
}

#[test]
fn spaced_out_letters_are_one_word() {
    let content = "BT /F 10 Tf 2.5 Tc 50 700 Td (HEADING) Tj ET";
    assert_eq!(text_of(content), "HEADING");
}

#[test]
fn letters_drawn_in_any_order_become_words() {
    let content = [text_at(61.1, 700.0, 10.0, "llo"), text_at(50.0, 700.0, 10.0, "He")].concat();
    assert_eq!(text_of(&content), "Hello");
}

#[test]
fn text_put_over_a_scan_counts() {
    let content = format!("3 Tr {}", text_at(50.0, 700.0, 10.0, "Invisible words"));
    assert_eq!(text_of(&content), "Invisible words");
}

#[test]
fn what_cannot_be_seen_on_the_page_is_left_out() {
    let clipped = format!("q 0 0 100 100 re W n {} Q", text_at(50.0, 700.0, 10.0, "clipped"));
    let content =
        [text_at(50.0, 600.0, 10.0, "Seen"), text_at(900.0, 600.0, 10.0, "beside"), clipped].concat();
    assert_eq!(text_of(&content), "Seen");
}

#[test]
fn letters_drawn_twice_to_look_bold_are_read_once() {
    let content = [text_at(50.0, 700.0, 12.0, "Allowed"), text_at(50.4, 700.0, 12.0, "Allowed")].concat();
    assert_eq!(text_of(&content), "Allowed");
}

#[test]
fn words_broken_at_the_end_of_a_line_become_whole() {
    let lines =
        ["This is the well-known text of a para-", "graph that was broken, and it is well-", "known."];
    assert_eq!(
        text_of(&lines_at(50.0, 700.0, 10.0, &lines)),
        "This is the well-known text of a paragraph that was broken, and it is well-known."
    );
}

#[test]
fn text_on_turned_pages_is_read_as_it_is_looked_at() {
    let content = [
        "BT /F 10 Tf 0 1 -1 0 300 100 Tm (First line) Tj ET\n",
        "BT /F 10 Tf 0 1 -1 0 312 100 Tm (second line) Tj ET\n",
    ]
    .concat();
    let turned = Builder::new().page_with("/Rotate 90", "", &content).finish();
    assert_eq!(texts(&read(&turned), 0).join(" "), "First line second line");
    let upright = Builder::new().page(&content).finish();
    assert_eq!(texts(&read(&upright), 0).join(" "), "First line second line");
}

#[test]
fn text_at_an_angle_keeps_its_words() {
    let content = [
        text_at(50.0, 700.0, 10.0, "Level"),
        "BT /F 40 Tf 0.7071 0.7071 -0.7071 0.7071 150 200 Tm (Draft copy) Tj ET".to_owned(),
    ]
    .concat();
    assert_eq!(text_of(&content), "Level Draft copy");
}

/// A font whose codes stand for other characters.
fn font_for(builder: &mut Builder, pairs: &[(u8, &str)]) -> String {
    let mut map = "1 begincodespacerange <00> <FF> endcodespacerange\n".to_owned();
    map += &format!("{} beginbfchar\n", pairs.len());
    for (code, text) in pairs {
        let units: String = text.encode_utf16().map(|unit| format!("{unit:04X}")).collect();
        map += &format!("<{code:02X}> <{units}>\n");
    }
    map += "endbfchar\n";
    let map = builder.stream("", map.as_bytes());
    format!(
        "/Font << /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding /ToUnicode {map} 0 R >> >>"
    )
}

#[test]
fn scripts_from_right_to_left_are_put_into_reading_order() {
    let mut builder = Builder::new();
    let font = font_for(&mut builder, &[(b'a', "א"), (b'b', "ב"), (b'c', "ג")]);
    // The text at the left is read last; the number keeps its order.
    let bytes = builder.page_with("", &font, &text_at(50.0, 700.0, 10.0, "cba 12 ab")).finish();
    assert_eq!(texts(&read(&bytes), 0), ["בא 12 אבג"]);
}

#[test]
fn ligatures_and_loose_accents_become_letters() {
    let mut builder = Builder::new();
    let font = font_for(&mut builder, &[(b'1', "ﬁ"), (b'2', "´")]);
    let content = [
        text_at(50.0, 700.0, 10.0, "1nd caf"),
        "BT /F 10 Tf 82.2 700 Td (e) Tj -0.3 0 Td (2) Tj ET".to_owned(),
    ]
    .concat();
    let bytes = builder.page_with("", &font, &content).finish();
    assert_eq!(texts(&read(&bytes), 0), ["find café"]);
}

#[test]
fn text_that_stands_for_what_is_drawn_is_taken() {
    let content = "/Span << /ActualText (ff) >> BDC BT /F 10 Tf 50 700 Td (xy) Tj ET EMC";
    assert_eq!(text_of(content), "ff");
}

#[test]
fn facts_are_those_of_the_file() {
    let info = r"/Title <FEFF00DC0062006500720020007500E70061> /Author (Ada) /Producer (Hand) /CreationDate (D:20240229123456+02'30')";
    let document = read(&Builder::new().page(&text_at(50.0, 700.0, 10.0, "x")).info(info).finish());
    assert_eq!(document.facts.title.as_deref(), Some("Über uça"));
    assert_eq!(document.facts.author.as_deref(), Some("Ada"));
    assert_eq!(document.facts.created.as_deref(), Some("2024-02-29T12:34:56+02:30"));
    assert_eq!((document.facts.producer.as_deref(), document.facts.encrypted), (Some("Hand"), false));
}

#[test]
fn pages_say_where_their_words_are() {
    let picture = "q 600 0 0 800 0 0 cm BI /W 1 /H 1 /CS /G /BPC 8 ID \u{7f} EI Q";
    let document =
        read(&Builder::new().page(&text_at(50.0, 700.0, 10.0, "Words")).page(picture).page("").finish());
    let sources: Vec<PageSource> = document.pages.iter().map(|page| page.source).collect();
    assert_eq!(sources, [PageSource::Text, PageSource::Picture, PageSource::Empty]);
}

#[test]
fn only_pages_that_are_wanted_are_read() {
    let mut builder = Builder::new();
    for number in 1..=4 {
        builder = builder.page(&text_at(50.0, 400.0, 10.0, &format!("Page number {number}")));
    }
    let bytes = builder.finish();
    let options = OpenOptions { pages: Some(PageRange::between(2, 3)), ..OpenOptions::default() };
    let document = super::read(&bytes, &options).unwrap();
    assert_eq!((document.page_count, document.pages.len(), document.pages[0].number), (4, 2, 2));
    let options = OpenOptions { pages: Some(PageRange::between(9, 9)), ..OpenOptions::default() };
    assert_eq!(super::read(&bytes, &options), Err(DocumentError::NoSuchPage { asked: 9, pages: 4 }));
}

#[test]
fn a_page_is_drawn_as_large_as_asked_and_no_larger_than_allowed() {
    let bytes =
        Builder::new().page("0 0 300 800 re f").page_with("/MediaBox [0 0 14400 14400]", "", "").finish();
    let picture = super::render(&bytes, 1, 72.0, None).unwrap();
    assert_eq!((picture.width, picture.height, picture.rgb.len()), (600, 800, 600 * 800 * 3));
    assert_eq!((&picture.rgb[..3], &picture.rgb[599 * 3..600 * 3]), (&[0, 0, 0][..], &[255, 255, 255][..]));
    let large = super::render(&bytes, 2, 300.0, None).unwrap();
    assert!(large.rgb.len() <= 3 * 40_000_000, "{} × {}", large.width, large.height);
    assert_eq!(super::render(&bytes, 3, 72.0, None), Err(DocumentError::NoSuchPage { asked: 3, pages: 2 }));
}
