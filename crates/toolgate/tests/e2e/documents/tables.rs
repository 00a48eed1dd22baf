//! `document.extract_tables`: cells with their places, spans and headers.

use serde_json::{Value, json};

use crate::files::archive::{data, text};
use crate::governed::database::Backing;
use crate::index::library::{IndexLibrary, STILL};
use crate::kit::call;

const RENTS: &str = "<!doctype html><title>Rents</title><main><p>Rents of the year, by month and by house.</p>\
    <table><caption>Rents</caption><thead><tr><th>Month<th>Rent</thead>\
    <tr><td rowspan=2>May<td>1000<tr><td>1100<tr><td>June<td>1200</table></main>";
const ROWS: usize = 600;

/// The cell at a place.
fn cell(table: &Value, row: usize, column: usize) -> &Value {
    let cells = table["cells"].as_array().unwrap_or_else(|| panic!("no cells: {table:#}"));
    let found = cells.iter().find(|cell| cell["row"] == json!(row) && cell["column"] == json!(column));
    found.unwrap_or_else(|| panic!("no cell {row} {column}: {table:#}"))
}

#[tokio::test]
async fn cells_have_their_places_spans_and_headers() {
    let library = IndexLibrary::open(Backing::Sqlite, STILL);
    let artifact = library.entry("rents.html", RENTS.as_bytes()).await["artifact_sha256"].clone();
    let said = library.done("document.extract_tables", json!({ "artifact": artifact })).await;
    let table = &said["tables"][0];
    assert_eq!((&table["rows"], &table["columns"]), (&json!(4), &json!(2)), "{said:#}");
    let (month, may, rent) = (cell(table, 0, 0), cell(table, 1, 0), cell(table, 2, 1));
    assert_eq!((&month["text"], &month["column_header"]), (&json!("Month"), &json!(true)), "{said:#}");
    assert_eq!(
        (&may["text"], &may["row_span"], &may["column_header"]),
        (&json!("May"), &json!(2), &json!(false))
    );
    assert_eq!((&rent["text"], &rent["row_span"]), (&json!("1100"), &json!(1)), "{said:#}");
    let one = json!({ "artifact": artifact, "table": table["item"] });
    let one = library.done("document.extract_tables", one).await;
    assert_eq!(one["tables"], json!([table]), "{one:#}");
    for wrong in
        [json!({ "table": "#/tables/9" }), json!({ "table": "nonsense" }), json!({ "pages": vec![1; 1_001] })]
    {
        let mut arguments = wrong.clone();
        arguments["artifact"] = artifact.clone();
        let refused = library.refused(library.admin(), "document.extract_tables", arguments).await;
        assert_eq!((refused.0, refused.1.as_str()), (422, "invalid_arguments"), "{wrong}: {refused:?}");
    }
}

#[tokio::test]
async fn many_cells_come_as_a_ref_with_all_of_them() {
    let library = IndexLibrary::open(Backing::Sqlite, STILL);
    let rows: String = (0..ROWS).map(|row| format!("| row {row} | {} |\n", row * 7)).collect();
    let long = format!("# Numbers\n\n| name | number |\n|---|---|\n{rows}");
    let artifact = library.entry("numbers.md", long.as_bytes()).await["artifact_sha256"].clone();
    let client = library.site.agent();
    let said = call(&client, "document.extract_tables", json!({ "artifact": artifact })).await;
    let table = &data(&said)["tables"][0];
    assert_eq!((&table["rows"], &table["cells"]), (&json!(ROWS + 1), &json!([])), "{said:#}");
    let path = format!("/refs/{}/content", text(&data(&said)["ref_id"]));
    let all = library.site.rest(&library.site.gateway.agent, "GET", &path, None).await;
    assert_eq!(all.status, 200, "{path}");
    let all = all.json();
    assert_eq!(cell(&all[0], ROWS, 1)["text"], json!(((ROWS - 1) * 7).to_string()));
}
