//! Bytes that are documents, and bytes that are not.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::{BadDocument, DEPTH_MAX, ReadLimits, read};

fn bad(text: &str) -> BadDocument {
    read(text.as_bytes(), &ReadLimits::default()).expect_err("it is no document")
}

#[test]
fn yaml_and_json_say_the_same() {
    let yaml = "
openapi: 3.0.1
info:
  title: Pets
  version: 1.0
  description: >-
    All of
    them.
paths:
  /pets/{id}:
    get: &get
      operationId: getPet
      responses:
        200: {description: ok, content: {application/json: {schema: {type: object}}}}
    delete:
      <<: *get
      operationId: deletePet
";
    let document = read(yaml.as_bytes(), &ReadLimits::default()).expect("it is YAML");
    assert_eq!((document.title(), document.version()), ("Pets", "1.0"));
    assert_eq!(document.description(), Some("All of them."));
    let tools = document.tools().tools;
    let names: Vec<&str> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert_eq!(names, ["getPet", "deletePet"]);
    assert!(tools.iter().all(|tool| tool.output_schema.is_some()));
    let same = json!({ "openapi": "3.0.1", "info": {}, "paths": {} }).to_string();
    let with_mark = format!("\u{feff}{same}");
    let digests =
        [&same, &with_mark].map(|text| read(text.as_bytes(), &ReadLimits::default()).expect("JSON").digest());
    assert_ne!(digests[0], digests[1], "the digest is that of the bytes");
}

#[test]
fn what_is_no_document_is_refused_with_words() {
    for (text, words) in [
        ("", "the document is empty"),
        ("# nothing", "the document is empty"),
        ("{\"openapi\": ", "the document is not JSON"),
        ("a: [1", "the document is not YAML: line"),
        ("[1]", "the document is a list"),
        ("\"text\"", "the document is a text"),
        ("{}", "neither `openapi` nor `swagger`"),
        ("{\"openapi\": \"4.0.0\"}", "version \"4.0.0\""),
        ("{\"swagger\": \"1.2\"}", "version \"1.2\""),
        ("{\"openapi\": \"3.10\"}", "version \"3.10\""),
        ("{\"openapi\": \"3.0.0\"}", "no `paths`"),
        ("openapi: 3.0.0\n---\nopenapi: 3.0.0", "a second document begins"),
        ("<!DOCTYPE html><html><body>not here</body></html>", "the document is"),
    ] {
        let said = bad(text).to_string();
        assert!(said.contains(words), "{text:?}: {said}");
    }
    assert_eq!(read(b"\xff\xfe{\0", &ReadLimits::default()).err(), Some(BadDocument::NotText));
}

#[test]
fn a_bomb_of_aliases_ends_at_the_limit() {
    let mut bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    for level in 1..12 {
        let alias = format!("*a{}", level - 1);
        bomb.push_str(&format!("a{level}: &a{level} [{}]\n", [alias.as_str(); 10].join(", ")));
    }
    let limits = ReadLimits { nodes_max: 200_000, ..ReadLimits::default() };
    let begun = Instant::now();
    assert_eq!(read(bomb.as_bytes(), &limits).err(), Some(BadDocument::TooManyValues { max: 200_000 }));
    assert!(begun.elapsed() < Duration::from_secs(20), "what is refused is not built first");
}

#[test]
fn an_alias_of_what_it_is_part_of_leads_nowhere() {
    assert!(matches!(bad("a: &a [*a]"), BadDocument::Yaml { .. }));
}

#[test]
fn levels_are_counted_in_both_notations_and_through_aliases() {
    let deep = "[".repeat(DEPTH_MAX + 1);
    assert_eq!(bad(&deep), BadDocument::TooDeep { max: DEPTH_MAX });
    assert_eq!(bad(&format!("a: {deep}")), BadDocument::TooDeep { max: DEPTH_MAX });
    let half = DEPTH_MAX / 2 + 1;
    let (opened, closed) = ("[".repeat(half), "]".repeat(half));
    let folded = format!("a: &a {opened}1{closed}\nb: {opened}*a{closed}");
    assert_eq!(bad(&folded), BadDocument::TooDeep { max: DEPTH_MAX });
    assert_eq!(bad(&"[".repeat(1_000_000)), BadDocument::TooDeep { max: DEPTH_MAX });
}

#[test]
fn values_and_bytes_are_counted_before_they_are_kept() {
    let limits = ReadLimits { bytes_max: 100, nodes_max: 10, ..ReadLimits::default() };
    let long = format!("{{\"a\": \"{}\"}}", "x".repeat(100));
    assert_eq!(read(long.as_bytes(), &limits).err(), Some(BadDocument::TooLarge { bytes: 109, max: 100 }));
    for many in ["[1,2,3,4,5,6,7,8,9,10,11]", "a: [1,2,3,4,5,6,7,8,9,10,11]"] {
        assert_eq!(
            read(many.as_bytes(), &limits).err(),
            Some(BadDocument::TooManyValues { max: 10 }),
            "{many}"
        );
    }
}

#[test]
fn a_document_of_25_megabytes_is_read() {
    let text = "x".repeat(25 << 20);
    let document = json!({
        "openapi": "3.1.0", "info": { "title": "Large", "description": text }, "paths": { "/a": { "get": {} } },
    });
    let document =
        read(document.to_string().as_bytes(), &ReadLimits::default()).expect("it is within the limits");
    assert_eq!(document.tools().tools.len(), 1);
}
