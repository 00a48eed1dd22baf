//! Facts about any document.

use docir::{CitationStanding, DocIr, DocIrBuilder, DocumentNotes, NewCell, NewTable, TextKind, check, cite};
use proptest::prelude::*;

use crate::sample::{line_of, lines_of};

const WIDTH: f32 = 400.0;
const HEIGHT: f32 = 300.0;

#[derive(Clone, Debug)]
enum Part {
    Text { kind: TextKind, lines: Vec<String>, left: f32, top: f32 },
    Table { rows: usize, columns: usize, cells: Vec<(usize, usize, usize, usize, String)> },
}

fn line() -> impl Strategy<Value = String> {
    "[a-zA-Zäß公園ﬁ“”.,–-]{1,9}( [a-zA-Zäß公園ﬁ“”.,–-]{1,9}){0,4}"
}

fn kind() -> impl Strategy<Value = TextKind> {
    prop_oneof![
        (1_u8..7).prop_map(|level| TextKind::Heading { level }),
        Just(TextKind::Paragraph),
        (0_u8..4, "[•1-9.]{0,2}").prop_map(|(depth, marker)| TextKind::ListItem { depth, marker }),
        Just(TextKind::Code),
        Just(TextKind::Caption),
        Just(TextKind::PageFooter),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    let text = (kind(), prop::collection::vec(line(), 1..4), -20.0_f32..500.0, -20.0_f32..400.0);
    let cell = (0_usize..5, 0_usize..5, 0_usize..3, 0_usize..3, "[a-z公 \n]{0,8}");
    let table = (0_usize..4, 0_usize..4, prop::collection::vec(cell, 0..8));
    prop_oneof![
        text.prop_map(|(kind, lines, left, top)| Part::Text { kind, lines, left, top }),
        table.prop_map(|(rows, columns, cells)| Part::Table { rows, columns, cells }),
    ]
}

fn made(parts: &[Part]) -> DocIr {
    let mut builder = DocIrBuilder::new("any", None);
    builder.page(1, WIDTH, HEIGHT);
    for part in parts.iter().cloned() {
        match part {
            Part::Text { kind, lines, left, top } => {
                let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
                builder.text(kind, lines_of(1, left, top, &lines));
            }
            Part::Table { rows, columns, cells } => {
                let cells = cells.into_iter().map(|(row, column, row_span, column_span, text)| {
                    let lines = vec![line_of(5.0, 5.0, &text, 0)];
                    NewCell { row, column, row_span, column_span, text, lines, ..NewCell::default() }
                });
                let bounds = Some((0.0, 0.0, 50.0, 50.0));
                builder.table(NewTable {
                    page: 1,
                    bounds,
                    rows,
                    columns,
                    cells: cells.collect(),
                    confidence: None,
                });
            }
        }
    }
    builder.finish(DocumentNotes::default())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_document_that_was_made_is_read_back_with_the_same_bytes(parts in prop::collection::vec(part(), 0..12)) {
        let document = made(&parts);
        let bytes = document.write();
        let read = DocIr::read(&bytes).unwrap();
        prop_assert_eq!(&read, &document);
        prop_assert_eq!(read.write(), bytes);
        prop_assert_eq!(read.items().len() + read.furniture().len(), parts.len());
    }

    #[test]
    fn any_part_of_any_item_can_be_cited_and_checked(
        parts in prop::collection::vec(part(), 1..6), from in 0.0_f32..1.0, to in 0.0_f32..1.0,
    ) {
        let document = made(&parts);
        for item in document.items() {
            let letters = item.text.chars().count();
            let at = |share: f32| (letters as f32 * share) as usize;
            let span = at(from.min(to))..(at(from.max(to)) + 1).min(letters);
            let Some(citation) = cite(&document, "aa", "bb", &item.pointer, span) else { continue };
            prop_assert_eq!(check(&document, &citation), CitationStanding::Verified);
            prop_assert!(citation.quote.prefix.chars().count() <= 32 && citation.quote.suffix.chars().count() <= 32);
            for quad in &citation.quads {
                prop_assert!(0.0 <= quad.left && quad.left < quad.right && quad.right <= WIDTH, "{:?}", quad);
                prop_assert!(0.0 <= quad.top && quad.top < quad.bottom && quad.bottom <= HEIGHT, "{:?}", quad);
            }
        }
    }

    #[test]
    fn bytes_of_any_kind_are_refused_without_a_fault(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        prop_assert!(DocIr::read(&bytes).is_err());
    }
}
