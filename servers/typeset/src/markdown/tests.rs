//! Markdown in and out.

use proptest::prelude::*;

use crate::article::{Align, Article, Block, ListItem, StyledText, Table, TextRun};
use crate::error::TypesetError;
use crate::markdown;

const SAMPLE: &str = "---
title: \"A title\"
author: Ada Example
date: 2026-11-15
language: en
---

Some *italic*, **bold**, ***both***, `code`, ~~gone~~ and [a link](https://example.com/?a=b&c=d).  
A second line with a note[^n].

## Part

1. one
2. two
   - deep
   - deeper

- [x] done
- [ ] open

| Name | Sum |
|:-----|----:|
| a    | 1   |
| b \\| c | 2 |

> quoted

```rust
fn main() {}
```

---

[^n]: The *note*.
";

#[test]
fn every_part_is_read() {
    let article = Article::from_markdown(SAMPLE).unwrap();
    assert_eq!(article.title.as_deref(), Some("A title"));
    assert_eq!(article.author.as_deref(), Some("Ada Example"));
    assert_eq!(article.date.as_deref(), Some("2026-11-15"));
    let Block::Paragraph { text } = &article.blocks[0] else { panic!("{:?}", article.blocks[0]) };
    assert!(text.to_plain().contains("c&d") || text.to_plain().contains("a link"));
    assert!(text.0.iter().any(|run| run.bold && run.italic && run.text == "both"));
    assert!(text.0.iter().any(|run| run.link.as_deref() == Some("https://example.com/?a=b&c=d")));
    assert!(text.to_plain().contains(".\nA second line"));
    let note = text.0.iter().find_map(|run| run.note.as_ref()).unwrap();
    assert_eq!(note.to_plain(), "The note.");
    assert_eq!(article.blocks[1], Block::heading(2, "Part"));
    let Block::List { ordered: true, items, .. } = &article.blocks[2] else {
        panic!("{:?}", article.blocks[2])
    };
    assert!(matches!(&items[1].blocks[1], Block::List { ordered: false, items, .. } if items.len() == 2));
    let Block::List { items, .. } = &article.blocks[3] else { panic!("{:?}", article.blocks[3]) };
    assert_eq!(items.iter().map(|item| item.checked).collect::<Vec<_>>(), [Some(true), Some(false)]);
    let Block::Table(table) = &article.blocks[4] else { panic!("{:?}", article.blocks[4]) };
    assert_eq!(table.align, [Align::Left, Align::Right]);
    assert_eq!(table.rows[1][0].to_plain(), "b | c");
    assert!(matches!(&article.blocks[5], Block::Quote { .. }));
    assert!(matches!(&article.blocks[6], Block::Code { language: Some(language), .. } if language == "rust"));
    assert_eq!(article.blocks[7], Block::Rule);
}

#[test]
fn the_first_heading_becomes_the_title() {
    let article = Article::from_markdown("# Title\n\n## Part\n\ntext").unwrap();
    assert_eq!(article.title.as_deref(), Some("Title"));
    assert_eq!(article.blocks[0], Block::heading(1, "Part"));
    let article = Article::from_markdown("# One\n\n# Two").unwrap();
    assert_eq!((article.title, article.blocks.len()), (None, 2));
}

#[test]
fn empty_markdown_is_refused() {
    assert_eq!(Article::from_markdown(" \n "), Err(TypesetError::Empty { what: "Markdown" }));
}

#[test]
fn scripts_do_not_come_through() {
    let article =
        Article::from_markdown("<script>alert(1)</script>\n\n[x](javascript:alert(1)) <b>bold</b><br>next")
            .unwrap();
    let written = markdown(&article);
    assert!(!written.contains("alert(1)</script>") && !written.contains("javascript:"), "{written}");
    assert!(written.contains("**bold**<br>next"), "{written}");
}

#[test]
fn page_breaks_have_three_spellings() {
    let article =
        Article::from_markdown("a\n\n<!-- pagebreak -->\n\nb\n\n\\newpage\n\nc\n\n\\pagebreak\n\nd").unwrap();
    assert_eq!(article.blocks.iter().filter(|block| **block == Block::PageBreak).count(), 3);
}

#[test]
fn pictures_elsewhere_are_linked_with_a_warning() {
    let article = Article::from_markdown("![a cat](https://example.com/cat.png)").unwrap();
    assert!(article.warnings[0].contains("1 pictures"), "{:?}", article.warnings);
    assert!(markdown(&article).contains("[a cat](<https://example.com/cat.png>)"));
}

#[test]
fn ten_thousand_quotes_are_refused() {
    let deep = "> ".repeat(10_000) + "x";
    assert!(matches!(Article::from_markdown(&deep), Err(TypesetError::TooLarge { .. })));
}

#[test]
fn what_is_written_reads_back_the_same() {
    let article = Article::from_markdown(SAMPLE).unwrap();
    let again = Article::from_markdown(&markdown(&article)).unwrap();
    assert_eq!(again.blocks.len(), article.blocks.len());
    // The title takes the first level, so parts move one down and up again.
    assert_eq!(markdown(&again).lines().count(), markdown(&article).lines().count());
}

fn article_of(texts: &[String]) -> Article {
    let text = |at: usize| StyledText::plain(texts[at].trim());
    let table =
        Table { header: vec![text(0), text(1)], rows: vec![vec![text(2), text(3)]], ..Table::default() };
    Article {
        blocks: vec![
            Block::Paragraph { text: text(0) },
            Block::Paragraph { text: StyledText(vec![TextRun::bold(texts[1].trim())]) },
            Block::List {
                ordered: false,
                start: None,
                items: vec![ListItem::new(text(2)), ListItem::new(text(3))],
            },
            Block::Table(table),
        ],
        ..Article::default()
    }
}

/// The article's lines, trimmed and without empty ones.
fn letters(article: &Article) -> Vec<String> {
    article.plain_text().lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

proptest! {
    /// Nothing in a text is markup, whatever it looks like.
    #[test]
    fn any_text_survives_markdown(texts in proptest::collection::vec("[!-~]{1,6}( [!-~]{1,6}){0,3}", 4)) {
        let article = article_of(&texts);
        let again = Article::from_markdown(&markdown(&article)).unwrap();
        prop_assert_eq!(letters(&again), letters(&article), "{}", markdown(&article));
    }

    #[test]
    fn no_markdown_makes_the_reader_fail(text in "[-#>*`|\\[\\]()!\n a<b/0.~_:^=]{0,200}") {
        match Article::from_markdown(&text) {
            Ok(_) | Err(TypesetError::Empty { .. } | TypesetError::TooLarge { .. }) => {}
            Err(error) => prop_assert!(false, "{error}"),
        }
    }
}
