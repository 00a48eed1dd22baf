//! JSON that becomes an article, and errors with their positions.

use serde_json::json;

use super::*;
use crate::error::TypesetError;
use crate::limits::ArticleLimits;

fn refused(json: &str) -> String {
    Article::from_json(json).expect_err("it should be refused").to_string()
}

#[test]
fn short_forms_are_read() {
    let article = Article::from_value(json!({
        "title": "T",
        "blocks": [
            { "type": "heading", "text": "Part" },
            { "type": "paragraph", "text": ["plain ", { "text": "bold", "bold": true }] },
            { "type": "list", "items": ["one", { "text": "two", "checked": true, "blocks": [{ "type": "rule" }] }] },
            { "type": "table", "rows": [["a", 1], ["b", null, 2.5]] },
            { "type": "page_break" },
        ],
    }))
    .unwrap();
    assert_eq!(article.blocks[0], Block::heading(1, "Part"));
    assert_eq!(
        article.blocks[1],
        Block::Paragraph { text: StyledText(vec![TextRun::plain("plain "), TextRun::bold("bold")]) }
    );
    let Block::List { items, .. } = &article.blocks[2] else { panic!("{:?}", article.blocks[2]) };
    assert_eq!(items[0], ListItem::new("one"));
    assert_eq!((items[1].checked, items[1].blocks.len()), (Some(true), 2));
    let Block::Table(table) = &article.blocks[3] else { panic!("{:?}", article.blocks[3]) };
    assert_eq!((table.columns(), table.rows[0][1].to_plain().as_str()), (3, "1"));
}

#[test]
fn json_goes_round() {
    let article = Article {
        title: Some("T".to_owned()),
        blocks: vec![
            Block::List { ordered: true, start: Some(3), items: vec![ListItem::new("x")] },
            Block::Quote { blocks: vec![Block::Code { text: "a\nb".to_owned(), language: None }] },
            Block::Entry { text: "left".into(), note: "right".into() },
        ],
        ..Article::default()
    };
    let json = serde_json::to_string(&article).unwrap();
    assert_eq!(Article::from_json(&json).unwrap(), article);
}

#[test]
fn wrong_json_is_named_by_its_place() {
    assert!(
        refused(r#"{"blocks": [{"type": "paragraph", "text": "a"}, {"type": "paragraph"}]}"#)
            .contains("blocks[1]")
    );
    assert!(refused(r#"{"blocks": [{"type": "poem", "text": "a"}]}"#).contains("poem"));
    assert!(refused(r#"{"titel": "a"}"#).contains("titel"));
    assert!(refused(r#"{"blocks": ["#).contains("line 1"));
    assert!(refused(r#"{"blocks": [{"type": "image", "data": "AAAA"}]}"#).contains("neither PNG nor JPEG"));
}

#[test]
fn nothing_is_not_a_document() {
    assert_eq!(Article::from_json(" "), Err(TypesetError::Empty { what: "JSON" }));
    assert_eq!(Article::from_json("{}"), Err(TypesetError::Empty { what: "document" }));
}

#[test]
fn more_than_the_limits_is_refused() {
    let rows = vec![vec![StyledText::plain("x"); 5]; 10_000];
    let table = Block::Table(Table { rows, ..Table::default() });
    let large = Article { blocks: vec![table], ..Article::default() }.check().unwrap_err();
    assert_eq!(
        large,
        TypesetError::TooLarge { what: "tables with cells", limit: ArticleLimits::DEFAULT.cells_max }
    );
    let mut deep = Block::paragraph("x");
    for _ in 0..=ArticleLimits::DEFAULT.depth_max {
        deep = Block::Quote { blocks: vec![deep] };
    }
    let deep = Article { blocks: vec![deep], ..Article::default() }.check().unwrap_err();
    assert!(matches!(deep, TypesetError::TooLarge { .. }), "{deep}");
}

#[test]
fn control_characters_and_unsafe_links_are_taken_out() {
    let json = json!({ "blocks": [{ "type": "paragraph", "text": [
        { "text": "a\u{0}b\u{8}", "link": "javascript:alert(1)" }, { "text": "c", "link": "https://example.com" },
    ] }] });
    let article = Article::from_value(json).unwrap();
    let Block::Paragraph { text } = &article.blocks[0] else { panic!("{:?}", article.blocks) };
    assert_eq!(text.0[0], TextRun::plain("ab"));
    assert_eq!(text.0[1].link.as_deref(), Some("https://example.com"));
    assert_eq!(article.warnings.len(), 1, "{:?}", article.warnings);
}

#[test]
fn the_schema_describes_what_is_read() {
    let schema = Article::schema();
    assert!(schema["properties"]["blocks"].is_object());
    assert!(schema.to_string().contains("page_break"));
}
