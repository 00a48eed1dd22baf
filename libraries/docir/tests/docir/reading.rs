//! Documents that may come from anywhere.

use docir::{BadDocIr, DocIr};
use serde_json::{Value, json};

use crate::sample::sample;

fn changed(change: impl FnOnce(&mut Value)) -> Result<DocIr, BadDocIr> {
    let mut document: Value = serde_json::from_slice(&sample().write()).expect("it is JSON");
    change(&mut document);
    DocIr::read(document.to_string().as_bytes())
}

fn refused(change: impl FnOnce(&mut Value)) -> String {
    changed(change).expect_err("it is wrong").to_string()
}

#[test]
fn a_written_document_is_read_back_and_has_the_same_bytes() {
    let (document, bytes) = (sample(), sample().write());
    let read = DocIr::read(&bytes).unwrap();
    assert_eq!(read, document);
    assert_eq!(read.write(), bytes);
    assert!(changed(|_| ()).is_ok(), "the order of fields is free");
}

#[test]
fn every_reference_leads_somewhere() {
    let said = refused(|document| document["body"]["children"][1]["$ref"] = json!("#/texts/400"));
    assert_eq!(said, "#/body refers to \"#/texts/400\", which is not there");
    for wrong in [
        "#/texts/01",
        "#/texts/+1",
        "#/texts/-1",
        "#/texts/",
        "#/texts",
        "texts/1",
        "#/key_value_items/0",
        "",
    ] {
        let said = refused(|document| document["body"]["children"][1]["$ref"] = json!(wrong));
        assert!(said.ends_with("which is not there"), "{wrong:?}: {said}");
    }
    let said = refused(|document| document["tables"][0]["captions"][0]["$ref"] = json!("#/tables/9"));
    assert_eq!(said, "#/tables/0 refers to \"#/tables/9\", which is not there");
}

#[test]
fn a_circle_is_refused() {
    let said = refused(|document| {
        document["texts"][4]["children"] = json!([{ "$ref": "#/groups/0" }]);
        document["groups"][0]["parent"]["$ref"] = json!("#/texts/4");
    });
    assert!(said.contains("#/groups/0"), "{said}");
    let said = refused(|document| {
        document["body"]["children"].as_array_mut().unwrap().push(json!({ "$ref": "#/texts/1" }))
    });
    assert_eq!(said, "#/texts/1 has more than one place in the tree");
    let said = refused(|document| document["texts"][1]["parent"]["$ref"] = json!("#/groups/0"));
    assert_eq!(said, "#/texts/1 does not name #/body as its parent");
}

#[test]
fn spans_are_in_their_texts() {
    let wrong: [fn(&mut Value); 6] = [
        |document| document["texts"][1]["prov"][0]["charspan"] = json!([0, 99]),
        |document| document["texts"][1]["prov"][0]["charspan"] = json!([5, 2]),
        |document| document["texts"][1]["meta"]["toolgate__words"][0][0][1] = json!(99),
        |document| document["texts"][1]["meta"]["toolgate__words"] = json!([[], []]),
        |document| document["tables"][0]["meta"]["toolgate__cells"][0]["cell"] = json!(99),
        |document| {
            document["tables"][0]["meta"]["toolgate__cells"][0]["lines"][0]["charspan"] = json!([0, 99])
        },
    ];
    for (number, change) in wrong.into_iter().enumerate() {
        assert!(matches!(changed(change), Err(BadDocIr::Span { .. })), "{number}");
    }
}

#[test]
fn a_table_has_its_cells_within_its_rows_and_columns() {
    let wrong: [fn(&mut Value); 4] = [
        |document| document["tables"][0]["data"]["num_rows"] = json!(1),
        |document| document["tables"][0]["data"]["num_rows"] = json!(2_000_000),
        |document| document["tables"][0]["data"]["num_rows"] = json!(u64::MAX),
        |document| document["tables"][0]["data"]["table_cells"][1]["start_col_offset_idx"] = json!(1),
    ];
    for (number, change) in wrong.into_iter().enumerate() {
        assert!(matches!(changed(change), Err(BadDocIr::TableShape { .. })), "{number}");
    }
}

#[test]
fn other_forms_are_refused() {
    for version in ["2.0.0", "1.11.0", "1", "", "1.x.0"] {
        let read = changed(|document| document["version"] = json!(version));
        assert!(matches!(read, Err(BadDocIr::Version { .. })), "{version:?}");
    }
    assert!(changed(|document| document["version"] = json!("1.7.2")).is_ok());
    let read = changed(|document| document["texts"][0]["self_ref"] = json!("#/texts/1"));
    assert!(matches!(read, Err(BadDocIr::Misnamed { .. })));
    let read =
        changed(|document| document["texts"][0]["prov"][0]["bbox"]["coord_origin"] = json!("BOTTOMLEFT"));
    assert!(matches!(read, Err(BadDocIr::Malformed(_))));
    for bytes in [&b""[..], b"[]", b"{}", b"\xff", &b"[".repeat(100_000)] {
        assert!(matches!(DocIr::read(bytes), Err(BadDocIr::Malformed(_))));
    }
}

#[test]
fn a_tree_of_many_floors_is_walked() {
    let read = changed(|document| {
        let texts = document["texts"].as_array_mut().unwrap();
        let first = texts.len();
        for number in first..first + 20_000 {
            let (at, next) = (format!("#/texts/{number}"), format!("#/texts/{}", number + 1));
            let parent =
                if number == first { "#/body".to_owned() } else { format!("#/texts/{}", number - 1) };
            let children = if number + 1 < first + 20_000 { json!([{ "$ref": next }]) } else { json!([]) };
            texts.push(
                json!({ "self_ref": at, "parent": { "$ref": parent }, "children": children, "label": "text",
                "orig": "x", "text": "x" }),
            );
        }
        let child = json!({ "$ref": format!("#/texts/{first}") });
        document["body"]["children"].as_array_mut().unwrap().push(child);
    });
    assert_eq!(read.unwrap().items().len(), 13 + 20_000);
}
