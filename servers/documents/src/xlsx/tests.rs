//! Workbooks, cell by cell.

use crate::testing::{read, refused, xlsx};
use crate::{DocumentError, DocumentLimits, OpenOptions, PageSource, open};

fn text(place: &str, text: &str) -> String {
    format!(r#"<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>"#)
}

fn sheet(rows: &str) -> Vec<u8> {
    xlsx(&[("One".to_owned(), rows.to_owned())], "")
}

#[test]
fn a_sheet_is_a_page_with_a_table() {
    let rows = format!(
        r#"<row r="1">{}{}</row><row r="2">{}<c r="B2"><v>30</v></c></row>"#,
        text("A1", "Name"),
        text("B1", "Age"),
        text("A2", "Ann, \"A\"")
    );
    let document = read(&sheet(&rows));
    assert_eq!(document.markdown(), "## One\n\n| Name | Age |\n| --- | --- |\n| Ann, \"A\" | 30 |");
    assert_eq!(document.tables().next().unwrap().csv(), "Name,Age\r\n\"Ann, \"\"A\"\"\",30\r\n");
}

#[test]
fn values_are_shown_as_people_write_them() {
    let styles = r#"<cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/></cellXfs>"#;
    let rows = r#"<row r="1"><c r="A1" s="1"><v>45000</v></c><c r="B1" s="2"><v>45000.75</v></c><c r="C1"><v>0.1</v></c>
        <c r="D1"><f>1/3</f><v>0.30000000000000004</v></c><c r="E1" t="b"><v>1</v></c><c r="F1" t="e"><v>#DIV/0!</v></c>
        <c r="G1"><v>1e21</v></c></row>"#;
    let document = read(&xlsx(&[("S".to_owned(), rows.to_owned())], styles));
    let row = &document.tables().next().unwrap().rows[0];
    assert_eq!(
        row,
        &["2023-03-15", "2023-03-15T18:00:00", "0.1", "0.3", "TRUE", "#DIV/0!", "1000000000000000000000"]
    );
}

#[test]
fn merged_cells_span_what_is_left_of_their_rows_and_columns() {
    let merged = r#"</sheetData><mergeCells><mergeCell ref="A1:C1"/><mergeCell ref="A3:A9"/><mergeCell ref="F7:G8"/></mergeCells><sheetData>"#;
    let rows = format!(
        r#"<row r="1">{}</row><row r="3">{}{}</row><row r="4">{}</row>{merged}"#,
        text("A1", "All"),
        text("A3", "left"),
        text("C3", "x"),
        text("C4", "y")
    );
    let document = read(&sheet(&rows));
    let table = document.tables().next().unwrap();
    assert_eq!(table.rows, [["All", ""], ["left", "x"], ["", "y"]]);
    let spans: Vec<_> =
        table.spans.iter().map(|span| (span.row, span.column, span.rows, span.columns)).collect();
    assert_eq!(spans, [(0, 0, 1, 2), (1, 0, 2, 1)]);
}

#[test]
fn cells_in_opposite_corners_cost_two_cells() {
    let rows = format!(
        "<row r=\"1\">{}</row><row r=\"1048576\">{}</row>",
        text("A1", "first"),
        text("XFD1048576", "last")
    );
    let document = read(&sheet(&rows));
    assert_eq!(document.tables().next().unwrap().rows, [["first", ""], ["", "last"]]);
}

#[test]
fn a_diagonal_is_cut_to_the_cells_that_are_allowed() {
    let name = |column: usize| {
        let letter = |at: usize| char::from(b'A' + at as u8);
        if column < 26 {
            letter(column).to_string()
        } else {
            format!("{}{}", letter(column / 26 - 1), letter(column % 26))
        }
    };
    let rows: String = (0..300)
        .map(|at| format!("<row r=\"{0}\">{1}</row>", at + 1, text(&format!("{}{}", name(at), at + 1), "x")))
        .collect();
    let limits = DocumentLimits { cells_max: 1_000, ..DocumentLimits::default() };
    let document = open(&sheet(&rows), None, &OpenOptions { limits, ..OpenOptions::default() }).unwrap();
    let cells: usize = document.tables().map(|table| table.rows.iter().map(Vec::len).sum::<usize>()).sum();
    assert!(cells <= 1_000, "{cells}");
    assert_eq!(document.warnings, ["the tables have more than 1000 cells; the rest was left out"]);
}

#[test]
fn a_thousand_sheets_are_read() {
    let sheets: Vec<(String, String)> = (1..=1_000)
        .map(|at| (format!("S{at}"), format!("<row r=\"1\">{}</row>", text("A1", &format!("v{at}")))))
        .collect();
    let document = read(&xlsx(&sheets, ""));
    assert_eq!((document.page_count, document.pages[999].text().as_str()), (1_000, "S1000\n\nv1000"));
}

#[test]
fn an_empty_sheet_is_an_empty_page() {
    let document = read(&sheet(""));
    assert_eq!((document.pages[0].source, document.tables().count()), (PageSource::Empty, 0));
}

#[test]
fn a_workbook_that_is_none_is_damaged() {
    let bytes = crate::testing::zip_of(&[
        crate::testing::content_types("openxmlformats-officedocument.spreadsheetml.sheet.main"),
        ("xl/workbook.xml", "<a><b".into()),
    ]);
    assert!(matches!(refused(&bytes), DocumentError::Damaged { .. }));
}
