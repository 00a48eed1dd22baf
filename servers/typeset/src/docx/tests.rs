//! DOCX files, opened again.

use std::io::{Cursor, Read};

use capability_documents::{Block as ReadBlock, OpenOptions, open};

use crate::article::{Article, Block};
use crate::docx;
use crate::made::FinishedFile;
use crate::picture::Picture;
use crate::style::{ContentsLevels, DocxOptions, Numbering, Style, Theme};

fn part(made: &FinishedFile, name: &str) -> String {
    let mut archive = zip::ZipArchive::new(Cursor::new(made.bytes.as_slice())).unwrap();
    let mut text = String::new();
    archive.by_name(name).unwrap_or_else(|_| panic!("{name} is missing")).read_to_string(&mut text).unwrap();
    text
}

fn made(article: &Article, style: Style) -> FinishedFile {
    docx(article, &DocxOptions { style }).unwrap()
}

const SAMPLE: &str = "---\nauthor: Ada & Co\ndate: 2026-11-15\nlang: de\n---\n\n# Title <1>\n\nSome **bold** and [a link](https://example.com/?a=1&b=2).\n\n\
## Part\n\n- one\n  1. deep\n- two\n\n3. three\n4. four\n\n- [x] done\n\n| A | B |\n|---|--:|\n| c | 1 |\n\n> quoted\n\n```\ncode  here\n```\n\n\
---\n\nA note[^1].\n\n[^1]: The note.\n";

#[test]
fn styles_lists_and_fields_are_real() {
    let article = Article::from_markdown(SAMPLE).unwrap();
    let style = Style {
        theme: Theme::Report,
        contents: ContentsLevels::Levels(3),
        numbering: Numbering::Decimal,
        footer: Some("Foot".to_owned()),
        columns: 2,
        ..Style::default()
    };
    let made = made(&article, style);
    let document = part(&made, "word/document.xml");
    for mark in [
        r#"<w:pStyle w:val="Title" />"#,
        r#"<w:pStyle w:val="Heading1" />"#,
        r#"<w:pStyle w:val="Quote" />"#,
        "TOC \\o",
        "<w:tblHeader />",
        r#"<w:cols w:space="425" w:num="2" />"#,
        "w:footnoteReference",
        "Title &lt;1&gt;",
        r#"<w:numId w:val="2" />"#,
        "☑ ",
        "code  here",
    ] {
        assert!(document.contains(mark), "{mark} is missing in {document}");
    }
    assert!(!document.contains("paraId") && !document.contains("80000"), "{document}");
    assert!(!document.contains(r#"<w:numId w:val="1" />"#), "the writer keeps numbering 1 for itself");
    let core = part(&made, "docProps/core.xml");
    assert!(core.contains("<dc:creator>Ada &amp; Co</dc:creator>") && core.contains("2026-11-15T"), "{core}");
    assert!(part(&made, "word/styles.xml").contains(r#"<w:lang w:val="de""#));
    for style in [r#"w:styleId="Heading6""#, r#"w:default="1" w:styleId="Normal""#, r#"w:styleId="ToC1""#] {
        assert!(part(&made, "word/styles.xml").contains(style), "{style} is missing");
    }
    assert!(part(&made, "word/_rels/document.xml.rels").contains("https://example.com/?a=1&amp;b=2"));
    assert!(part(&made, "word/footnotes.xml").contains("The note."));
    let numbering = part(&made, "word/numbering.xml");
    assert!(numbering.contains(r#"<w:startOverride w:val="3" />"#), "{numbering}");
}

#[test]
fn it_reads_back() {
    let article = Article::from_markdown(SAMPLE).unwrap();
    let document = open(&made(&article, Style::default()).bytes, None, &OpenOptions::default()).unwrap();
    assert_eq!(document.facts.title.as_deref(), Some("Title <1>"));
    assert_eq!(document.facts.author.as_deref(), Some("Ada & Co"));
    let blocks: Vec<&ReadBlock> = document.pages.iter().flat_map(|page| &page.blocks).collect();
    assert!(
        blocks.iter().any(|block| matches!(block, ReadBlock::Heading { text, .. } if text == "Part")),
        "{blocks:?}"
    );
    assert!(
        blocks.iter().any(|block| matches!(block, ReadBlock::Table(table) if table.rows[1] == ["c", "1"])),
        "{blocks:?}"
    );
    assert!(
        blocks.iter().any(|block| matches!(block, ReadBlock::Item { depth: 1, text, .. } if text == "deep")),
        "{blocks:?}"
    );
}

#[test]
fn pictures_keep_their_kind_and_description() {
    let picture = |format| {
        let mut bytes = Cursor::new(Vec::new());
        image::DynamicImage::new_rgb8(30, 20).write_to(&mut bytes, format).unwrap();
        Picture::new(bytes.into_inner()).unwrap()
    };
    let image = |data, alt: &str| Block::Image { data, alt: alt.to_owned(), caption: None };
    let article = Article {
        blocks: vec![
            image(picture(image::ImageFormat::Png), "one"),
            image(picture(image::ImageFormat::Jpeg), "a \"two\""),
        ],
        ..Article::default()
    };
    let made = made(&article, Style::default());
    let document = part(&made, "word/document.xml");
    assert!(
        document.contains(r#"descr="one""#) && document.contains(r#"descr="a &quot;two&quot;""#),
        "{document}"
    );
    let rels = part(&made, "word/_rels/document.xml.rels");
    let names: Vec<&str> = rels
        .split("Target=\"")
        .filter_map(|rest| rest.split('"').next())
        .filter(|name| name.starts_with("media/"))
        .collect();
    assert_eq!(names.len(), 2, "{rels}");
    let archive = zip::ZipArchive::new(Cursor::new(made.bytes.as_slice())).unwrap();
    for (name, end) in names.iter().zip([".png", ".jpeg"]) {
        assert!(name.ends_with(end), "{rels}");
        let path = format!("word/{name}");
        assert!(archive.index_for_name(&path).is_some(), "{path} is missing");
    }
}

#[test]
fn right_to_left_paragraphs_say_so() {
    let article = Article {
        blocks: vec![Block::paragraph("שלום"), Block::paragraph("Hello")],
        ..Article::default()
    };
    let document = part(&made(&article, Style::default()), "word/document.xml");
    assert_eq!(document.matches("<w:bidi").count(), 1, "{document}");
}
