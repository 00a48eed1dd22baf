//! Documents written as text, Markdown and CSV.

use crate::document::{Block, Page, Table};

fn page(blocks: Vec<Block>) -> Page {
    Page { number: 1, blocks, ..Page::default() }
}

fn item(depth: u8, marker: &str, text: &str) -> Block {
    Block::Item { depth, marker: marker.to_owned(), text: text.to_owned() }
}

#[test]
fn csv_quotes_what_has_to_be_quoted() {
    let rows = vec![
        vec!["a".into(), "b,c".into(), "d \"e\"".into()],
        vec![String::new(), "two\nlines".into(), " x".into()],
    ];
    let table = Table { rows, ..Table::default() };
    assert_eq!(table.csv(), "a,\"b,c\",\"d \"\"e\"\"\"\r\n,\"two\nlines\", x\r\n");
}

#[test]
fn markdown_does_not_make_structure_of_text() {
    let texts =
        ["# no heading", "- no item", "1. no item", "> no quotation", "2023 was good", "a\n+ b", "---"];
    let page = page(texts.iter().map(|text| Block::Paragraph((*text).to_owned())).collect());
    let expected = "\\# no heading\n\n\\- no item\n\n1\\. no item\n\n\\> no quotation\n\n2023 was good\n\na\n\\+ b\n\n\\---";
    assert_eq!(page.markdown(), expected);
}

#[test]
fn items_keep_the_signs_that_mean_something() {
    let page = page(vec![item(0, "•", "a"), item(1, "b)", "c"), item(0, "12.", "d"), item(0, "", "more")]);
    assert_eq!(page.markdown(), "- a\n   - b) c\n12. d\n   more");
    assert_eq!(page.text(), "• a\n  b) c\n12. d\nmore");
}

#[test]
fn cells_of_several_lines_stay_in_their_row() {
    let table = Table { rows: vec![vec!["a\nb".into(), "c|d".into()]], ..Table::default() };
    assert_eq!(table.markdown(), "|  |  |\n| --- | --- |\n| a<br>b | c\\|d |");
    assert_eq!(table.text(), "a b\tc|d");
}
