//! The boxes of passages.

use docir::{DocIr, DocIrBuilder, DocumentNotes, NewText, Quad, TextKind};

use crate::sample::{lines_of, sample};

/// The span of some words in an item's text.
fn span(document: &DocIr, pointer: &str, words: &str) -> std::ops::Range<usize> {
    let text = document.text(pointer).expect("there is such an item");
    let byte = text.find(words).expect("the words are there");
    let start = text[..byte].chars().count();
    start..start + words.chars().count()
}

fn quads(pointer: &str, words: &str) -> Vec<Quad> {
    let document = sample();
    document.quads(pointer, span(&document, pointer, words))
}

#[test]
fn a_box_is_as_wide_as_the_words_and_no_wider() {
    let [quad] = quads("#/texts/3", "open at nine")[..] else { panic!("one line") };
    assert_eq!(quad, Quad { page: 1, left: 72.0 + 36.0, top: 110.0, right: 72.0 + 108.0, bottom: 120.0 });
}

#[test]
fn a_passage_over_lines_has_a_box_for_each() {
    let found = quads("#/texts/3", "close at dusk; café guests may stay. Dogs");
    let lines: Vec<(f32, f32, f32)> = found.iter().map(|quad| (quad.top, quad.left, quad.right)).collect();
    assert_eq!(lines, [(110.0, 210.0, 240.0), (124.0, 72.0, 252.0), (138.0, 72.0, 96.0)]);
}

#[test]
fn a_part_of_a_word_takes_the_whole_word() {
    let document = sample();
    let whole = quads("#/texts/3", "Gates");
    assert_eq!(document.quads("#/texts/3", 1..3), whole);
    assert!(document.quads("#/texts/3", 5..6).is_empty(), "a blank has no box");
    assert!(document.quads("#/texts/3", 4..4).is_empty());
    assert!(document.quads("#/texts/3", 900..905).is_empty());
}

#[test]
fn letters_of_scripts_without_spaces_have_their_own_width() {
    let [quad] = quads("#/texts/11", "犬は外")[..] else { panic!("one line") };
    assert_eq!((quad.left, quad.right), (72.0 + 11.0 * 6.0, 72.0 + 14.0 * 6.0));
}

#[test]
fn a_passage_of_a_table_is_where_its_cells_are() {
    let found = quads("#/tables/0", "May | 1 200\nJune");
    let cells: Vec<(f32, f32)> = found.iter().map(|quad| (quad.left, quad.top)).collect();
    assert_eq!(cells, [(80.0, 320.0), (230.0, 320.0), (80.0, 340.0)]);
    let [words] = quads("#/tables/0", "the park")[..] else { panic!("one cell") };
    assert_eq!((words.left, words.right), (80.0 + 72.0, 80.0 + 120.0));
}

#[test]
fn a_line_without_words_is_covered_whole() {
    let mut text = lines_of(1, 72.0, 100.0, &["no words are known"]);
    text.lines[0].words.clear();
    let mut builder = DocIrBuilder::new("lines", None);
    builder.page(1, 612.0, 792.0);
    let item = builder.text(TextKind::Paragraph, text);
    let nowhere = NewText { text: "nowhere".to_owned(), page: 1, ..NewText::default() };
    let nowhere = builder.text(TextKind::Paragraph, nowhere);
    let document = builder.finish(DocumentNotes::default());
    assert_eq!(document.quads(&item, 0..2)[0].right, 72.0 + 18.0 * 6.0);
    assert!(document.quads(&nowhere, 0..7).is_empty());
}
