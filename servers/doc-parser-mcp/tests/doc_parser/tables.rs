//! `extract_tables`.

use serde_json::json;

use crate::drive::start;
use crate::made::table_page;

#[tokio::test]
async fn tables_are_rows_or_csv() {
    let client = start().await;
    let rows = client.answer("extract_tables", json!({ "content": table_page(2) })).await;
    assert_eq!(rows["table_count"], json!(1));
    let table = &rows["tables"][0];
    assert_eq!(table["heading"], "Values");
    assert_eq!(table["rows"], json!([["Name", "Value"], ["row 0", "0,5"], ["row 1", "1,5"]]));
    assert_eq!(
        (&table["header_rows"], &table["page"], &table["column_count"]),
        (&json!(1), &json!(1), &json!(2))
    );
    let csv = client.answer("extract_tables", json!({ "content": table_page(1), "format": "csv" })).await;
    assert_eq!(csv["tables"][0]["csv"], "Name,Value\r\nrow 0,\"0,5\"\r\n");
}

#[tokio::test]
async fn a_long_table_is_kept_and_its_beginning_is_shown() {
    let client = start().await;
    let answer = client.answer("extract_tables", json!({ "content": table_page(10_000) })).await;
    let table = &answer["tables"][0];
    assert_eq!((&table["row_count"], table["rows"].as_array().unwrap().len()), (&json!(10_001), 5));
    let whole = client.resource(table["ref_id"].as_str().unwrap()).await;
    assert_eq!(whole["text"].as_str().unwrap().lines().count(), 10_001);
}

#[tokio::test]
async fn a_document_without_tables_has_none() {
    let client = start().await;
    let answer = client.answer("extract_tables", json!({ "content": "Just words." })).await;
    assert_eq!((&answer["tables"], &answer["table_count"]), (&json!([]), &json!(0)));
}
