//! Hostile and broken XML.

use super::{Child, XmlTree};
use crate::error::DocumentError;
use crate::limits::DocumentLimits;

fn tree(text: &str) -> XmlTree {
    XmlTree::read(text.as_bytes(), "test", &DocumentLimits::default()).unwrap()
}

#[test]
fn elements_attributes_and_texts_are_found() {
    let tree = tree(
        r#"<?xml version="1.0"?><a:r xmlns:a="x"><b id="1" r:id="2">one<c/> two</b><b>&lt;&#65;&amp;<![CDATA[<x>]]></b></a:r>"#,
    );
    let root = tree.root();
    let first = root.child("b").unwrap();
    assert_eq!((root.name(), first.attribute("id"), first.prefixed("id")), ("r", Some("1"), Some("2")));
    let shape: Vec<String> = first
        .content()
        .map(|child| match child {
            Child::Element(element) => format!("<{}>", element.name()),
            Child::Text(text) => text.to_owned(),
        })
        .collect();
    assert_eq!(shape, ["one", "<c>", " two"]);
    assert_eq!(root.children_named("b").nth(1).unwrap().text(), "<A&<x>");
    assert_eq!(root.descendants().map(|element| element.name()).collect::<Vec<_>>(), ["r", "b", "c", "b"]);
}

#[test]
fn a_billion_laughs_are_none() {
    let mut text = String::from("<!DOCTYPE lolz [<!ENTITY lol0 \"lol\">");
    for level in 1..10 {
        text.push_str(&format!("<!ENTITY lol{level} \"{}\">", format!("&lol{};", level - 1).repeat(10)));
    }
    text.push_str("]><lolz>a&lol9;b&lol9;</lolz>");
    assert_eq!(tree(&text).root().text(), "ab");
}

#[test]
fn a_large_entity_that_is_used_often_is_not_expanded() {
    let text =
        format!("<!DOCTYPE a [<!ENTITY x \"{}\">]><a>{}</a>", "x".repeat(100_000), "&x;".repeat(100_000));
    assert_eq!(tree(&text).root().text(), "");
}

#[test]
fn an_entity_from_outside_is_not_fetched() {
    let text = "<!DOCTYPE a [<!ENTITY x SYSTEM \"file:///etc/passwd\">]><a>&x;</a>";
    assert_eq!(tree(text).root().text(), "");
}

#[test]
fn deep_nesting_is_refused() {
    let text = "<a>".repeat(100_000);
    let error = XmlTree::read(text.as_bytes(), "test", &DocumentLimits::default()).err().unwrap();
    assert_eq!(error, DocumentError::TooLarge { format: "test", what: "a nesting of elements", limit: 256 });
}

#[test]
fn what_breaks_off_is_read_so_far() {
    let tree = tree("<a><b>one</b><c>two<d attr=\"");
    assert_eq!(tree.root().text(), "onetwo");
    assert!(tree.damage.is_some());
    assert!(XmlTree::read(b"no markup", "test", &DocumentLimits::default()).is_err());
}

#[test]
fn wrong_ends_do_not_lose_anything() {
    assert_eq!(tree("<a><b>one</c></b></b></b><d>two</d></a>").root().text(), "onetwo");
}

#[test]
fn other_encodings_are_read() {
    let wide: Vec<u8> = "\u{feff}<a>wide ä</a>".encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(XmlTree::read(&wide, "test", &DocumentLimits::default()).unwrap().root().text(), "wide ä");
    let latin = b"<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xe4</a>";
    assert_eq!(XmlTree::read(latin, "test", &DocumentLimits::default()).unwrap().root().text(), "ä");
}
