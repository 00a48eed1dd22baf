//! The document that is made.

use docir::{DocIr, DocIrBuilder, DocumentNotes, ItemKind, NewCell, NewLine, NewTable, NewText, TextKind};
use serde_json::Value;

use crate::sample::{lines_of, sample};

fn written(document: &DocIr) -> Value {
    serde_json::from_slice(&document.write()).expect("it is JSON")
}

#[test]
fn items_come_in_reading_order_under_their_headings() {
    let document = sample();
    let items = document.items();
    let shown: Vec<(ItemKind, &str)> = items.iter().map(|item| (item.kind, &*item.text)).collect();
    assert_eq!(
        shown,
        [
            (ItemKind::Heading { level: 1 }, "The Park"),
            (ItemKind::Heading { level: 2 }, "Rules for “visitors”"),
            (
                ItemKind::Paragraph,
                "Gates open at nine and close at dusk; café guests may stay. Dogs stay outside."
            ),
            (ItemKind::ListItem, "Bring water."),
            (ItemKind::ListItem, "Not in glass."),
            (ItemKind::ListItem, "Take waste home."),
            (ItemKind::Code, "open = 9"),
            (ItemKind::Caption, "Table 1. Visitors"),
            (ItemKind::Table, "Visitors of the park | \nMay | 1 200\nJune | "),
            (ItemKind::Picture, ""),
            (ItemKind::Caption, "Figure 1. A gate"),
            (ItemKind::Paragraph, "公園は九時に開きます。犬は外です。"),
            (ItemKind::Paragraph, "A note."),
        ]
    );
    assert!(items[0].headings.is_empty() && items[1].headings == ["The Park"]);
    assert_eq!(items[2].headings, ["The Park", "Rules for “visitors”"]);
    assert_eq!((items[2].page, items[11].page, items[11].confidence), (Some(1), Some(2), Some(0.914)));
    assert_eq!(document.title(), Some("The Park"));
    assert_eq!(document.confidence(), Some(0.981));
}

#[test]
fn headers_and_footers_are_apart() {
    let document = sample();
    let furniture: Vec<String> = document.furniture().iter().map(|item| item.text.to_string()).collect();
    assert_eq!(furniture, ["City Parks 2026", "Page 1"]);
    assert!(document.items().iter().all(|item| !furniture.contains(&item.text.to_string())));
    assert_eq!(written(&document)["texts"][0]["content_layer"], "furniture");
}

#[test]
fn a_deeper_list_hangs_below_the_item_before_it() {
    let document = written(&sample());
    let list = |number: usize| &document["groups"][number];
    assert_eq!(list(0)["parent"]["$ref"], "#/body");
    assert_eq!(list(0)["children"], serde_json::json!([{ "$ref": "#/texts/4" }, { "$ref": "#/texts/6" }]));
    assert_eq!(list(1)["parent"]["$ref"], "#/texts/4");
    let marks = |number: usize| {
        let text = &document["texts"][number];
        (text["marker"].as_str().unwrap(), text["enumerated"].as_bool().unwrap())
    };
    assert_eq!((marks(4), marks(5)), (("1.", true), ("•", false)));
}

#[test]
fn a_list_that_begins_deep_and_comes_up_loses_no_item() {
    let mut builder = DocIrBuilder::new("list", None);
    builder.page(1, 0.0, 0.0);
    for (depth, text) in [(3, "a"), (5, "b"), (0, "c"), (1, "d"), (1, "e")] {
        let kind = TextKind::ListItem { depth, marker: "-".to_owned() };
        builder.text(kind, NewText { text: text.to_owned(), page: 1, ..NewText::default() });
    }
    let document = DocIr::read(&builder.finish(DocumentNotes::default()).write()).unwrap();
    let order: Vec<String> = document.items().iter().map(|item| item.text.to_string()).collect();
    assert_eq!(order, ["a", "b", "c", "d", "e"]);
}

#[test]
fn a_cell_that_spans_others_stands_at_every_place_of_the_grid() {
    let document = written(&sample());
    let data = &document["tables"][0]["data"];
    assert_eq!(data["table_cells"].as_array().unwrap().len(), 4);
    assert_eq!(data["grid"][0][0], data["grid"][0][1]);
    assert_eq!(data["grid"][0][1]["col_span"], 2);
    assert_eq!(data["grid"][2][1]["text"], "", "a place without a cell is an empty cell");
    assert_eq!(document["tables"][0]["captions"][0]["$ref"], "#/texts/8");
    let (pointer, table) = sample().tables().map(|(at, table)| (at, table.clone())).next().unwrap();
    assert_eq!((pointer.as_str(), table.rows(), table.columns()), ("#/tables/0", 3, 2));
    assert_eq!(sample().caption(&pointer).as_deref(), Some("Table 1. Visitors"));
}

#[test]
fn nothing_that_is_placed_lies_off_its_page() {
    let mut builder = DocIrBuilder::new("edges", None);
    builder.page(1, 200.0, 100.0);
    let line = NewLine {
        left: -50.0,
        top: f32::NAN,
        right: 900.0,
        bottom: 400.0,
        start: 3,
        end: 99,
        words: Vec::new(),
    };
    let text =
        NewText { text: "wide".to_owned(), page: 1, lines: vec![line], confidence: Some(f32::INFINITY) };
    builder.text(TextKind::Paragraph, text);
    builder.picture(1, 10.0, -5.0, f32::INFINITY, 20.0);
    let cell = NewCell { row: 0, column: 0, row_span: 9, column_span: 9, ..NewCell::default() };
    let beyond = NewCell { row: 7, ..NewCell::default() };
    builder.table(NewTable {
        page: 1,
        rows: 1,
        columns: 1,
        cells: vec![cell, beyond],
        ..NewTable::default()
    });
    let bytes = builder.finish(DocumentNotes::default()).write();
    let document: Value = serde_json::from_slice(&bytes).unwrap();
    let place = &document["texts"][0]["prov"][0];
    assert_eq!(
        place["bbox"],
        serde_json::json!({ "l": 0.0, "t": 0.0, "r": 200.0, "b": 100.0, "coord_origin": "TOPLEFT" })
    );
    assert_eq!(place["charspan"], serde_json::json!([3, 4]));
    assert_eq!(document["tables"][0]["data"]["table_cells"].as_array().unwrap().len(), 1);
    assert!(DocIr::read(&bytes).is_ok());
}

#[test]
fn a_format_without_pages_has_items_without_a_page() {
    let mut builder = DocIrBuilder::new("web", None);
    builder.page(1, 0.0, 0.0);
    builder.text(
        TextKind::Heading { level: 1 },
        NewText { text: "Hello".into(), page: 1, ..NewText::default() },
    );
    let document = builder.finish(DocumentNotes::default());
    assert_eq!((document.items()[0].page, document.page_size(1)), (None, None));
    assert_eq!(document.title(), Some("Hello"), "its first heading is its title");
    let text = &written(&document)["texts"][0];
    assert_eq!((&text["prov"][0]["page_no"], &text["prov"][0]["charspan"][1]), (&1.into(), &5.into()));
}

#[test]
fn slides_have_numbers_though_they_have_no_layout() {
    let mut builder = DocIrBuilder::new("slides", None);
    for page in [1, 2] {
        builder.page(page, 0.0, 0.0);
        builder.text(TextKind::Paragraph, NewText { text: "Point".into(), page, ..NewText::default() });
    }
    let document = builder.finish(DocumentNotes::default());
    assert_eq!(document.items().iter().map(|item| item.page).collect::<Vec<_>>(), [Some(1), Some(2)]);
    assert!(document.quads("#/texts/1", 0..5).is_empty());
}

#[test]
fn a_header_between_two_items_does_not_end_their_list() {
    let mut builder = DocIrBuilder::new("list", None);
    builder.page(1, 612.0, 792.0);
    let item = || TextKind::ListItem { depth: 0, marker: "-".to_owned() };
    builder.text(item(), lines_of(1, 10.0, 10.0, &["one"]));
    builder.text(TextKind::PageFooter, lines_of(1, 10.0, 700.0, &["7"]));
    builder.text(item(), lines_of(1, 10.0, 30.0, &["two"]));
    assert_eq!(written(&builder.finish(DocumentNotes::default()))["groups"].as_array().unwrap().len(), 1);
}
