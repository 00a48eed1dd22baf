//! HTML in and out.

use proptest::prelude::*;

use crate::article::{Align, Article, Block, ListItem, StyledText, TextRun};
use crate::error::TypesetError;
use crate::html;

const PAGE: &str = r#"<html lang="de-CH"><head><title>Eine  Seite</title><meta name="author" content="Ada">
<style>p { color: red }</style><script>alert(1)</script></head><body>
<h2>Part <em>one</em></h2><p onclick="alert(1)">Some <b>bold</b>,
   <a href="javascript:alert(1)">bad</a> and <a href="https://example.com">good</a>.<br>Next</p>
<ul><li>one<ul><li>deep</li></ul></li><li><input type="checkbox" checked> done</li></ul>
<ol start="4"><li><p>four</p></li></ol>
<table><caption>Sums</caption><thead><tr><th>Name</th><th style="text-align: right">Sum</th></tr></thead>
<tbody><tr><td>a</td><td>1</td></tr><tr><td colspan="2">wide</td></tr></tbody></table>
<blockquote>quoted</blockquote><pre>  as it
   is</pre><hr><div style="display:none">hidden</div><img src="https://example.com/a.png" alt="a cat">
</body></html>"#;

#[test]
fn text_and_structure_come_through() {
    let article = Article::from_html(PAGE).unwrap();
    assert_eq!(article.title.as_deref(), Some("Eine Seite"));
    assert_eq!((article.author.as_deref(), article.language.as_deref()), (Some("Ada"), Some("de-CH")));
    let Block::Heading { level: 2, text } = &article.blocks[0] else { panic!("{:?}", article.blocks[0]) };
    assert_eq!(text.0, [TextRun::plain("Part "), TextRun::italic("one")]);
    let Block::Paragraph { text } = &article.blocks[1] else { panic!("{:?}", article.blocks[1]) };
    assert_eq!(text.to_plain(), "Some bold, bad and good.\nNext");
    assert_eq!(text.0.iter().filter(|run| run.link.is_some()).count(), 1);
    let Block::List { items, .. } = &article.blocks[2] else { panic!("{:?}", article.blocks[2]) };
    assert!(matches!(items[0].blocks.as_slice(), [Block::Paragraph { .. }, Block::List { .. }]));
    assert_eq!(items[1].checked, Some(true));
    let Block::List { ordered: true, start: Some(4), items } = &article.blocks[3] else { panic!() };
    assert_eq!(items, &[ListItem::new("four")]);
    let Block::Table(table) = &article.blocks[4] else { panic!("{:?}", article.blocks[4]) };
    assert_eq!((table.caption.as_deref(), table.header.len(), table.rows.len()), (Some("Sums"), 2, 2));
    assert_eq!(table.align, [Align::Start, Align::Right]);
    assert_eq!(table.rows[1], [StyledText::plain("wide"), StyledText::default()]);
    assert!(matches!(&article.blocks[6], Block::Code { text, .. } if text == "  as it\n   is"));
    assert_eq!(article.blocks[7], Block::Rule);
    let letters = article.plain_text();
    assert!(
        !letters.contains("alert") && !letters.contains("hidden") && letters.contains("a cat"),
        "{letters}"
    );
}

#[test]
fn written_html_is_escaped_and_reads_back() {
    let article = Article::from_html(PAGE).unwrap();
    let written = html(&article);
    assert!(written.contains("lang=\"de-CH\"") && written.contains("<strong>bold</strong>"), "{written}");
    let again = Article::from_html(&written).unwrap();
    assert_eq!(again.title, article.title);
    assert_eq!(again.plain_text().replace('\n', ""), article.plain_text().replace('\n', ""));
    let evil = Article {
        title: Some("<script>\"'&".to_owned()),
        blocks: vec![Block::paragraph("</p><img src=x onerror=1>")],
        ..Article::default()
    };
    let written = html(&evil);
    assert!(!written.contains("<script>") && !written.contains("<img"), "{written}");
}

#[test]
fn a_hundred_thousand_elements_within_each_other_are_refused() {
    let deep = "<div>".repeat(100_000) + "x";
    assert!(matches!(Article::from_html(&deep), Err(TypesetError::TooLarge { .. })));
    let many = "<p>one<br><b>two</b><img src=x>".repeat(5_000);
    assert!(Article::from_html(&many).is_ok());
    let made = Article::from_html(&format!("<p>top</p>{}x", "<div>".repeat(300))).unwrap();
    assert!(made.warnings[0].contains("left out"), "{:?}", made.warnings);
}

#[test]
fn a_page_with_nothing_to_show_is_empty() {
    assert_eq!(Article::from_html("<script>x</script>"), Err(TypesetError::Empty { what: "document" }));
}

proptest! {
    #[test]
    fn no_html_makes_the_reader_fail(text in "(<[a-z/]{1,6}>|[a-z &<>\"]){0,60}") {
        match Article::from_html(&text) {
            Ok(_) | Err(TypesetError::Empty { .. } | TypesetError::TooLarge { .. }) => {}
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}
