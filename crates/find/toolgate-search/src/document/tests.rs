//! A definition is read, and nothing in it can hurt.

use serde_json::json;

use super::*;

fn read(definition: &Value) -> ToolDocument {
    let server = ServerName::new("files").unwrap();
    ToolDocument::read(&server, "read_file", definition, &["disk".into()], &["open a text".into()])
}

#[test]
fn every_text_of_a_definition_is_read() {
    let document = read(&json!({
        "name": "read_file",
        "description": "Reads a file.",
        "annotations": {"title": "Read File"},
        "inputSchema": {"type": "object", "properties": {
            "path": {"type": "string", "description": "Where it is."},
            "mode": {"enum": ["text", "binary", 1]},
        }},
    }));
    assert_eq!(document.name.as_str(), "files:read_file");
    assert_eq!(document.title.as_deref(), Some("Read File"));
    assert_eq!(document.description, "Reads a file.");
    let arguments: Vec<_> =
        document.arguments.iter().map(|one| (one.name.as_str(), one.description.as_str())).collect();
    assert_eq!(arguments, [("path", "Where it is."), ("mode", "text binary")]);
    assert_eq!((document.tags, document.examples), (vec!["disk".into()], vec!["open a text".into()]));
}

#[test]
fn its_own_title_comes_before_the_annotated_one() {
    let document = read(&json!({"title": "Open", "annotations": {"title": "Read File"}}));
    assert_eq!(document.title.as_deref(), Some("Open"));
}

#[test]
fn nested_arguments_are_found_where_they_stand() {
    let document = read(&json!({"inputSchema": {"properties": {
        "edits": {"type": "array", "items": {"properties": {"line": {}}}},
        "target": {"anyOf": [{"properties": {"url": {}}}, {"type": "null"}]},
    }}}));
    let names: Vec<_> = document.arguments.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["edits", "line", "target", "url"]);
}

#[test]
fn a_definition_of_wrong_types_reads_as_empty() {
    let document = read(&json!({"title": 1, "description": ["no"], "inputSchema": "none"}));
    assert_eq!((document.title, document.description.as_str()), (None, ""));
    assert!(document.arguments.is_empty());
}

#[test]
fn a_schema_without_end_is_cut() {
    let mut deep = json!({});
    for _ in 0..100 {
        deep = json!({"properties": {"inner": deep}});
    }
    assert!(read(&json!({"inputSchema": deep})).arguments.len() < 10);
    let wide: serde_json::Map<_, _> = (0..1000).map(|at| (format!("a{at}"), json!({}))).collect();
    assert_eq!(read(&json!({"inputSchema": {"properties": wide}})).arguments.len(), 200);
}
